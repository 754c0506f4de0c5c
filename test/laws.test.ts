/**
 * Laws for the plan and the resulting edit, checked against appliers and plain strings that share no code with them.
 */
import { applyPatch } from "diff";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TextEdit, WorkspaceEdit } from "vscode-languageserver/node";
import { TextDocument } from "vscode-languageserver-textdocument";
import { factsOf } from "../server/lsp/clients.js";
import { toWorkspaceEdit } from "../server/lsp/edit/workspaceEdit.js";
import { rungs } from "../server/match/rungs.js";
import { diffOf } from "../server/plan/diff.js";
import type { BatchOptions } from "../server/plan/operation.js";
import type { EditOutcome, Planned } from "../server/plan/outcome.js";
import type { Document } from "../server/plan/snapshot.js";
import { texts } from "./support/arbitraries.js";
import { disturbances, excerpts } from "./support/disturbances.js";
import { lawRuns } from "./support/extent.js";
import { modelLocate } from "./support/ladderModel.js";
import { applied, toOffsets, untidiness } from "./support/lspApplier.js";
import { documentAt, planOn, type SentEdit, textAfter } from "./support/planning.js";
import { anyText, encodings, modelOffsets } from "./support/positionModel.js";

const anyDocumentText = fc.oneof(texts, anyText);

/** New texts that form chains, change line endings, or have a special meaning to `String.replace`. */
const newTexts = fc.oneof(
  texts,
  anyText,
  fc.constantFrom("", "a", "b", "$&", "$1$$", "x = 2;\n", "\n", "\r\n", "\ufeff", "    x = 1;"),
);

/** An old text that occurs in the text, or one that probably does not. */
function oldTextsOf(text: string): fc.Arbitrary<string> {
  const places = modelOffsets(text);
  const place = fc.nat(places.length - 1).map((i) => places[i] ?? 0);
  const standing = fc.tuple(place, place).map(([p, q]) => text.slice(Math.min(p, q), Math.max(p, q)));
  const other = fc.constantFrom("a", "b", "ab", "x = 1;", "zz");
  if (text === "") return other;
  return fc.oneof({ weight: 6, arbitrary: standing.filter((old) => old !== "") }, { weight: 1, arbitrary: other });
}

const rankOf = (rung: string): number => rungs.findIndex(({ name }) => name === rung);

const isWellFormed = (text: string): boolean => text.isWellFormed();

function editsOf(text: string, path: string): fc.Arbitrary<SentEdit> {
  return fc.record({
    path: fc.constant(path),
    // A call that contains a lone surrogate is refused before planning.
    oldText: oldTextsOf(text).filter(isWellFormed),
    newText: newTexts.filter(isWellFormed),
    replaceAll: fc.boolean(),
  });
}

const documents = (path: string): fc.Arbitrary<Document> =>
  fc
    .record({ text: anyDocumentText, mark: fc.constantFrom("none", "file", "synced"), loneCrEndsLine: fc.boolean() })
    .map(({ text, mark, loneCrEndsLine }) =>
      documentAt(path, text.replace(/^\ufeff+/, ""), {
        bom: mark !== "none",
        bomSynced: mark === "synced",
        loneCrEndsLine,
      }),
    );

const batchOptions: fc.Arbitrary<BatchOptions> = fc.record({
  atomic: fc.constantFrom("all", "file", "none"),
  order: fc.constantFrom("sequential", "original"),
  lenient: fc.boolean(),
  overwrite: fc.boolean(),
});

/** Two documents, one path without a document, and a batch across all three. */
const batches = fc
  .tuple(documents("a"), documents("b"))
  .chain(([a, b]) =>
    fc.record({
      documents: fc.constant([a, b, documentAt("new", "", { exists: false, version: null })]),
      creation: fc.option(newTexts, { nil: undefined }),
      edits: fc.array(fc.oneof(editsOf(a.text, "a"), editsOf(b.text, "b")), { minLength: 1, maxLength: 5 }),
      options: batchOptions,
    }),
  )
  .map(({ documents, creation, edits, options }) => ({
    documents,
    edits: creation === undefined ? edits : [{ path: "new", oldText: "", newText: creation }, ...edits],
    options,
  }));

/** The editor's text, with the byte order mark if the editor syncs it. */
const synced = (document: Document): string => (document.bomSynced ? "\ufeff" : "") + document.text;

const capabilities = {
  workspace: { workspaceEdit: { documentChanges: true, resourceOperations: ["create" as const] } },
};

type Plan = Extract<Planned, { ok: true }>;

function workspaceEditOf(planned: Plan, encoding: (typeof encodings)[number]): WorkspaceEdit {
  return toWorkspaceEdit(planned.files, { encoding, capabilities, facts: factsOf(undefined) });
}

/** The text edits and document versions in a workspace edit, keyed by URI. */
function entriesOf(edit: WorkspaceEdit): Map<string, { edits: TextEdit[]; version: number | null }> {
  const entries = new Map<string, { edits: TextEdit[]; version: number | null }>();
  for (const entry of edit.documentChanges ?? []) {
    if ("kind" in entry) continue;
    const { uri, version } = entry.textDocument;
    expect(entries.has(uri)).toBe(false);
    entries.set(uri, { version, edits: entry.edits.filter((one): one is TextEdit => "newText" in one) });
  }
  return entries;
}

/** Checks that an applier that follows the protocol's text makes the planned texts of an edit with these positions. */
function expectApplied(planned: Plan, documents: readonly Document[], encoding: (typeof encodings)[number]): void {
  const entries = entriesOf(workspaceEditOf(planned, encoding));
  for (const document of documents) {
    const before = synced(document);
    const entry = entries.get(document.uri);
    const offsets = toOffsets(before, entry?.edits ?? [], { encoding, rule: document });
    const after = synced({ ...document, text: textAfter(planned, document) });
    expect(applied(before, offsets), encoding).toBe(after);
    if (entry !== undefined) expect(entry.version).toBe(document.version);
    if (document.exists) expect(untidiness(before, offsets)).toEqual([]);
  }
}

/** Checks that the protocol's own library makes the planned texts. */
function expectAppliedByLibrary(planned: Plan, documents: readonly Document[]): void {
  const entries = entriesOf(workspaceEditOf(planned, "utf-16"));
  for (const document of documents) {
    const library = TextDocument.create(document.uri, "", 1, synced(document));
    const after = TextDocument.applyEdits(library, entries.get(document.uri)?.edits ?? []);
    expect(after, "the library").toBe(synced({ ...document, text: textAfter(planned, document) }));
  }
}

/** Checks that a program for patches makes the planned texts of the diffs. */
function expectSameInDiff(planned: Plan): void {
  for (const file of planned.files) {
    const mark = file.document.bom ? "\ufeff" : "";
    if (file.text === file.document.text) continue;
    const patched = applyPatch(mark + file.document.text, diffOf(file).text, { autoConvertLineEndings: false });
    expect(patched, "the diff").toBe(mark + file.text);
  }
}

describe("the edit that is sent", () => {
  it("produces the planned texts by three appliers, with positions in three encodings", () => {
    fc.assert(
      fc.property(batches, ({ documents, edits, options }) => {
        const planned = planOn(documents, edits, options);
        fc.pre(planned.ok);
        for (const encoding of encodings) expectApplied(planned, documents, encoding);
        expectSameInDiff(planned);
        // To the library, a lone CR always ends a line.
        const withCr = documents.map((document) => ({ ...document, loneCrEndsLine: true }));
        const again = planOn(withCr, edits, options);
        if (again.ok) expectAppliedByLibrary(again, withCr);
      }),
      { numRuns: lawRuns(4000) },
    );
  });
});

describe("a failure", () => {
  it("prevents every change with atomic all, wherever it occurs", () => {
    fc.assert(
      fc.property(batches, ({ documents, edits, options }) => {
        const planned = planOn(documents, edits, { ...options, atomic: "all" });
        expect(planned.ok).toBe(planned.outcomes.every(({ status }) => status === "applied" || status === "skipped"));
        if (!planned.ok) expect(planned.failures.length).toBeGreaterThan(0);
      }),
      { numRuns: lawRuns(1500) },
    );
  });

  it("prevents all changes to its own file, and to no other, with atomic file", () => {
    fc.assert(
      fc.property(batches, ({ documents, edits, options }) => {
        const planned = planOn(documents, edits, { ...options, atomic: "file" });
        for (const document of documents) {
          const own = edits.filter(({ path }) => path === document.path);
          const alone = own.length === 0 ? undefined : planOn([document], own, { ...options, atomic: "all" });
          const expected = alone === undefined ? document.text : textAfter(alone, document);
          expect(textAfter(planned, document)).toBe(planned.ok ? expected : document.text);
        }
        const anyApplied = planned.outcomes.some(({ status }) => status === "applied");
        const anyFailed = planned.outcomes.some(({ status }) => status === "failed");
        if (!planned.ok) expect([anyApplied, anyFailed]).toEqual([false, true]);
      }),
      { numRuns: lawRuns(1500) },
    );
  });

  it("leaves out only its own edit with atomic none: the others have the same result as without it", () => {
    fc.assert(
      fc.property(batches, ({ documents, edits, options }) => {
        const planned = planOn(documents, edits, { ...options, atomic: "none" });
        const failing = edits.filter((_, i) => planned.outcomes[i]?.status === "failed");
        const good = edits.filter((_, i) => planned.outcomes[i]?.status !== "failed");
        // Edits that look for the same old text in the same original text share its matches, so none of them can be
        // left out.
        const shares = ({ path, oldText }: SentEdit): boolean =>
          options.order === "original" && good.some((one) => one.path === path && one.oldText === oldText);
        fc.pre(failing.length > 0 && good.length > 0 && planned.ok && !failing.some(shares));
        const alone = planOn(documents, good, { ...options, atomic: "all" });
        expect(alone.ok).toBe(true);
        for (const document of documents) expect(textAfter(planned, document)).toBe(textAfter(alone, document));
      }),
      { numRuns: lawRuns(3000) },
    );
  });
});

describe("edits in sequence", () => {
  it("have the same result as one call after the other", () => {
    fc.assert(
      fc.property(batches, ({ documents, edits, options }) => {
        const planned = planOn(documents, edits, { ...options, atomic: "all", order: "sequential" });
        // A single call would apply or refuse an edit that is redundant in a batch.
        fc.pre(planned.ok && planned.outcomes.every(({ status }) => status === "applied"));
        let now: readonly Document[] = documents;
        for (const edit of edits) {
          const step = planOn(now, [edit], { ...options, atomic: "all", order: "sequential" });
          expect(step.ok).toBe(true);
          now = now.map((document) => ({
            ...document,
            text: textAfter(step, document),
            exists: document.exists || document.path === edit.path,
          }));
        }
        for (const [i, document] of documents.entries()) expect(textAfter(planned, document)).toBe(now[i]?.text);
      }),
      { numRuns: lawRuns(2000) },
    );
  });

  /**
   * Reports whether an edit was found on a looser rung than the first on which the exhaustive model finds its old text
   * in `text`.
   */
  const isLooser = (
    outcome: EditOutcome | undefined,
    text: string,
    { oldText }: SentEdit,
    lenient: boolean,
  ): boolean => {
    const first = modelLocate(text, oldText, { lenient });
    return first !== undefined && outcome?.rung !== undefined && rankOf(outcome.rung) > rankOf(first.rung);
  };

  it("succeed whenever separate calls would, except for texts that an earlier edit consumed", () => {
    fc.assert(
      fc.property(batches, ({ documents, edits, options }) => {
        fc.pre(edits.every(({ oldText }) => oldText !== ""));
        let now: readonly Document[] = documents;
        const alone: (EditOutcome | undefined)[] = [];
        for (const edit of edits) {
          const step = planOn(now, [edit], { ...options, atomic: "all", order: "sequential" });
          fc.pre(step.ok);
          alone.push(step.outcomes[0]);
          now = now.map((document) => ({ ...document, text: textAfter(step, document) }));
        }
        const planned = planOn(documents, edits, { ...options, atomic: "all", order: "sequential" });
        if (!planned.ok) {
          const refused = planned.outcomes.findIndex(({ status }) => status === "failed");
          const before = documents.find(({ path }) => path === edits[refused]?.path)?.text ?? "";
          expect(planned.outcomes[refused]?.failure?.code).toBe("consumed");
          expect(isLooser(alone[refused], before, edits[refused]!, options.lenient)).toBe(true);
          return;
        }
        if (planned.outcomes.some(({ status }) => status === "skipped")) return;
        // Within a batch, a pair does not replace its own new text again, so batches with repeated pairs are left to
        // the law of repeated pairs.
        const plain = (text: string): string => text.replace(/\r\n?/g, "\n");
        const pairs = edits.map(({ path, oldText, newText }) => JSON.stringify([path, plain(oldText), plain(newText)]));
        if (new Set(pairs).size < pairs.length) return;
        for (const [i, document] of documents.entries()) expect(textAfter(planned, document)).toBe(now[i]?.text);
      }),
      { numRuns: lawRuns(2000) },
    );
  });

  it("do not go on to a looser match in text that no edit has touched", () => {
    const twin = fc.constantFrom("  say('a');", "    say('a');", "say('a');  ", "say(‘a’);", "say('a');", "x", "y");
    const sent = fc.record({ oldText: twin, newText: fc.constantFrom("x", "say('b');", "(\n  say('a');\n)") });
    fc.assert(
      fc.property(
        fc.array(twin, { minLength: 2, maxLength: 6 }),
        fc.array(sent, { minLength: 2, maxLength: 4 }),
        (lines, edits) => {
          const document = documentAt("a", `${lines.join("\n")}\n`);
          const planned = planOn([document], edits, { atomic: "none", order: "sequential" });
          const touched = new Set<number>();
          for (const [i, outcome] of planned.outcomes.entries()) {
            if (outcome.status !== "applied") continue;
            const own = outcome.places.flatMap(({ startLine, endLine }) => [startLine, endLine]);
            if (isLooser(outcome, document.text, edits[i]!, true))
              expect(own.some((line) => touched.has(line))).toBe(true);
            for (const line of own) touched.add(line);
          }
        },
      ),
      { numRuns: lawRuns(5000) },
    );
  });
});

describe("edits of the original text", () => {
  /** Edits to one document with distinct old texts; many of them only add to their old text. */
  const distinct = documents("a").chain((document) =>
    fc
      .uniqueArray(fc.tuple(editsOf(document.text, "a"), fc.constantFrom("as sent", "in front", "behind")), {
        selector: ([{ oldText }]) => oldText,
        minLength: 2,
        maxLength: 4,
      })
      .chain((list) => {
        const edits = list.map(([edit, where]): SentEdit => {
          const { oldText, newText } = edit;
          if (where === "as sent") return edit;
          return { ...edit, newText: where === "in front" ? newText + oldText : oldText + newText };
        });
        const shuffled = fc.shuffledSubarray(edits, { minLength: edits.length });
        return fc.record({ document: fc.constant(document), edits: fc.constant(edits), shuffled });
      }),
  );

  it("mean the same in whatever order they are listed", () => {
    fc.assert(
      fc.property(distinct, fc.boolean(), ({ document, edits, shuffled }, lenient) => {
        const one = planOn([document], edits, { order: "original", lenient });
        const two = planOn([document], shuffled, { order: "original", lenient });
        // Of two edits that insert the same lines at the same point, the later one is skipped, whatever it conflicts with.
        const isSkipped = ({ status, rung }: EditOutcome): boolean => status === "skipped" && rung !== undefined;
        fc.pre(![one, two].some(({ outcomes }) => outcomes.some(isSkipped)));
        expect(two.ok).toBe(one.ok);
        expect(textAfter(two, document)).toBe(textAfter(one, document));
      }),
      { numRuns: lawRuns(4000) },
    );
  });
});

describe("the text that an edit does not change", () => {
  const order = rungs.map(({ name }) => name);

  it.each(Object.entries(disturbances))("stays byte for byte: the caller's text has %s", (_, kind) => {
    fc.assert(
      fc.property(excerpts(kind), fc.boolean(), (excerpt, loneCrEndsLine) => {
        // A new line with a tab is refused if it would follow the spaces that the old text lacks.
        const written = excerpt.expected.flatMap((text) => text.split(/\r\n|\r|\n/));
        fc.pre(!written.some((line) => /^ +\t/.test(line) && !excerpt.text.includes(line)));
        const document = documentAt("a", excerpt.text, { loneCrEndsLine });
        const planned = planOn([document], [excerpt]);
        const [outcome] = planned.outcomes;
        expect(planned.ok ? "found" : outcome?.failure?.message).toBe("found");
        const rung = outcome?.rung ?? "exact";
        expect(order.indexOf(rung)).toBeLessThanOrEqual(order.indexOf(excerpt.rung));
        const allowed = rung === excerpt.rung ? excerpt.expected : [...excerpt.expected, ...excerpt.expectedAsSent];
        expect(allowed).toContain(textAfter(planned, document));
      }),
      { numRuns: lawRuns(1000) },
    );
  });

  it("does not include a byte order mark in the middle of a text, which is a character of the old text like any other", () => {
    for (const bom of [false, true]) {
      const document = documentAt("a", "a\ufeffb\n", { bom });
      const planned = planOn([document], [{ oldText: "\ufeffb", newText: "c" }]);
      expect(textAfter(planned, document)).toBe("ac\n");
    }
  });
});
