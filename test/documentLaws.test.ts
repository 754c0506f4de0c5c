/**
 * The server's mirror of the editor's texts under any sequence of notifications, compared with plain strings and
 * another library.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TextDocument } from "vscode-languageserver-textdocument";
import { editorPositions, type PositionEncoding } from "../server/lsp/edit/positions.js";
import type { LineRule } from "../server/text/lines.js";
import {
  createDocuments,
  type Documents,
  type EditorPositions,
  type SyncOutcome,
} from "../server/workspace/documents.js";
import { lawRuns } from "./support/extent.js";
import {
  anyText,
  encodings,
  lfRule,
  lspRule,
  modelLines,
  modelOffsets,
  modelPosition,
} from "./support/positionModel.js";

/** The way a client counts positions. */
interface Dialect {
  encoding: PositionEncoding;
  rule: LineRule;
}

/**
 * A replacement in a text that is not yet known: `from` and `to` are percentages of the number of positions in the
 * text.
 */
interface Replacement {
  from: number;
  to: number;
  insert: string;
}

const uri = "file:///a.txt";
const replacement = fc.record({ from: fc.nat(99), to: fc.nat(99), insert: anyText });
const replacements = (maxLength: number) => fc.array(replacement, { maxLength });

/** The changes as sent, and the resulting text. */
function spell(text: string, list: readonly Replacement[], dialect: Dialect) {
  let after = text;
  const events = list.map(({ from, to, insert }) => {
    const places = modelOffsets(after);
    const offsets = [from, to].map((hundredth) => places[Math.floor((hundredth * places.length) / 100)] ?? 0);
    const [start, end] = [Math.min(...offsets), Math.max(...offsets)];
    const range = { start: modelPosition(after, start, dialect), end: modelPosition(after, end, dialect) };
    after = after.slice(0, start) + insert + after.slice(end);
    return { range, text: insert };
  });
  return { events, after };
}

/** Changes that cannot be applied to a text, keyed by defect. */
const badChanges: Record<string, (text: string, dialect: Dialect) => unknown> = {
  aLineTooFar: (text, { rule }) => insertAt(modelLines(text, rule).length + 1, 0),
  aCharacterBeyondTheEnd: (text, { rule }) => insertAt(modelLines(text, rule).length, 1),
  aCharacterBeyondTheLine: (text, dialect) => {
    const { line, character } = modelPosition(text, text.length, dialect);
    return insertAt(line, character + 1);
  },
  aFraction: () => insertAt(0, 0.5),
  reversed: () => ({ range: { start: { line: 1, character: 0 }, end: { line: 0, character: 0 } }, text: "x" }),
  noText: () => ({ range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } } }),
  nullRange: () => ({ range: null, text: "x" }),
};

function insertAt(line: number, character: number): object {
  return { range: { start: { line, character }, end: { line, character } }, text: "x" };
}

const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("edit"), list: replacements(3) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("bad"),
      list: replacements(2),
      problem: fc.constantFrom(...Object.keys(badChanges)),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("full"), text: anyText, list: replacements(1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("stale"), text: anyText, back: fc.nat(3) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("open"), text: anyText, version: fc.integer({ min: -5, max: 5 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("close") }) },
);
type Step = {
  kind: string;
  list?: Replacement[];
  problem?: string;
  text?: string;
  back?: number;
  version?: number;
};

/** The mirror's expected state; `undefined` if the document is not open. */
type Model = { text: string; version: number; known: boolean } | undefined;

interface Prediction {
  send: (documents: Documents, positions: EditorPositions) => SyncOutcome;
  kind: SyncOutcome["kind"];
  after: Model;
}

/** The notification that a step sends, and its expected effect. */
function predict(model: Model, one: Step, dialect: Dialect): Prediction {
  const { kind, list = [], problem = "", text = "", back = 0, version = 0 } = one;
  if (kind === "open") {
    const send: Prediction["send"] = (documents) => documents.open(uri, version, text, dialect.rule);
    return { send, kind: "synced", after: { text, version, known: true } };
  }
  if (kind === "close") {
    return { send: (documents) => documents.close(uri), kind: model ? "synced" : "ignored", after: undefined };
  }
  const next = (model?.version ?? 0) + (kind === "stale" ? -back : 2);
  const change =
    (events: unknown): Prediction["send"] =>
    (documents, positions) =>
      documents.change(uri, next, events, positions);
  if (model === undefined) return { send: change([{ text }]), kind: "ignored", after: undefined };
  const lost = { kind: model.known ? "desynced" : "stillDesynced", after: { ...model, known: false } } as const;
  if (kind === "edit") {
    const { events, after } = spell(model.text, list, dialect);
    if (!model.known) return { send: change(events), ...lost };
    return { send: change(events), kind: "synced", after: { text: after, version: next, known: true } };
  }
  if (kind === "bad") {
    const { events, after } = spell(model.text, list, dialect);
    return { send: change([...events, badChanges[problem]?.(after, dialect)]), ...lost };
  }
  if (kind === "stale" && model.known) return { send: change([{ text }]), ...lost };
  const { events, after } = spell(text, list, dialect);
  const lead = insertAt(0, 0); // Changes before a full replacement do not matter.
  return {
    send: change([lead, { text }, ...events]),
    kind: "synced",
    after: { text: after, version: next, known: true },
  };
}

describe("a sequence of notifications", () => {
  const dialects = encodings.flatMap((encoding) => [lspRule, lfRule].map((rule) => ({ encoding, rule })));

  it.each(dialects)("leaves the same text as the same changes of a plain string, in $encoding by $rule", (dialect) => {
    const positions = editorPositions[dialect.encoding];
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const documents = createDocuments();
        let told = 0;
        documents.onChange(() => told++);
        let model: Model;
        for (const one of [{ kind: "open", text: "a\nb", version: 0 }, ...steps]) {
          const { send, kind, after } = predict(model, one, dialect);
          const before = told;
          expect(send(documents, positions).kind).toBe(kind);
          expect(told - before).toBe(kind === "ignored" ? 0 : 1);
          model = after;
          expectHeld(documents, model, dialect.rule);
        }
      }),
      { numRuns: lawRuns(250) },
    );
  });

  function expectHeld(documents: Documents, model: Model, rule: LineRule): void {
    const document = documents.get(uri);
    if (document === undefined || model === undefined) {
      expect(document).toBe(model);
      return;
    }
    const { text, version, desynced, lines } = document;
    expect({ text, version, known: desynced === undefined }).toEqual(model);
    const contents = Array.from({ length: lines.lineCount }, (_, line) => lines.content(line));
    expect(contents).toEqual(modelLines(text, rule));
  }

  it("leaves the same text as vscode-languageserver-textdocument, if the text is well-formed UTF-16", () => {
    const batches = fc.array(fc.array(replacement, { minLength: 1, maxLength: 4 }), { maxLength: 10 });
    const positions = editorPositions["utf-16"];
    fc.assert(
      fc.property(anyText, batches, (text, lists) => {
        const documents = createDocuments();
        documents.open(uri, 1, text, lspRule);
        const theirs = TextDocument.create(uri, "", 1, text);
        for (const [i, list] of lists.entries()) {
          const { events } = spell(theirs.getText(), list, { encoding: "utf-16", rule: lspRule });
          TextDocument.update(theirs, events, i + 2);
          expect(documents.change(uri, i + 2, events, positions)).toEqual({ kind: "synced" });
          const ours = documents.get(uri);
          expect(ours?.text).toBe(theirs.getText());
          expect(ours?.version).toBe(theirs.version);
          expect(ours?.lines.lineCount).toBe(theirs.lineCount);
        }
      }),
      { numRuns: lawRuns(500) },
    );
  });
});
