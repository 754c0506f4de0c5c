/** The three contenders: the server's core, the minimum that any method must do, and the usual method. */
import { decodeCall } from "../../server/dialect/decode.js";
import { factsOf } from "../../server/lsp/clients.js";
import { toErrorData, toRefusal, toResult } from "../../server/lsp/edit/result.js";
import { type EditTarget, toWorkspaceEdit } from "../../server/lsp/edit/workspaceEdit.js";
import type { MultiEditErrorData, MultiEditResult } from "../../server/lsp/protocol.js";
import type { Planned } from "../../server/plan/outcome.js";
import { planBatch } from "../../server/plan/plan.js";
import type { Document } from "../../server/plan/snapshot.js";
import { toEnd } from "../../server/text/lines.js";
import { documentAt, snapshotOf } from "../support/planning.js";
import type { BatchText, Replacement } from "./batches.js";

/** The core's answer, and the plan behind it. */
export interface CoreAnswer {
  /** The plan; `undefined` if the call could not be decoded. */
  readonly planned: Planned | undefined;
  readonly answer: MultiEditResult | MultiEditErrorData;
}

/**
 * Processes a call from its arrival to the complete answer, with statuses, diff, positions and messages; only I/O is
 * left out.
 */
export function throughCore(
  texts: readonly { readonly path: string; readonly text: string }[],
  call: unknown,
): CoreAnswer {
  return throughDocuments(
    texts.map(({ path, text }) => documentAt(path, text)),
    call,
  );
}

/** Processes a call for documents that may have earlier texts. */
export function throughDocuments(documents: readonly Document[], call: unknown): CoreAnswer {
  const decoded = decodeCall(call, { optionsAllowed: true });
  if (!decoded.ok) return { planned: undefined, answer: toErrorData(toRefusal(decoded.failures)) };
  const { operations, options, defaultOrder, warnings } = decoded;
  const planned = toEnd(
    planBatch(operations, snapshotOf(documents), {
      atomic: options.atomic ?? "all",
      order: options.order ?? defaultOrder,
      lenient: true,
      overwrite: false,
    }),
  );
  if (!planned.ok) return { planned, answer: toErrorData(toRefusal(planned.failures, planned.outcomes)) };
  const edit = toWorkspaceEdit(planned.files, client);
  return { planned, answer: toEnd(toResult({ planned, edit, outcome: "proposed", options, warnings })) };
}

const client: EditTarget = {
  encoding: "utf-16",
  facts: factsOf(undefined),
  capabilities: {
    workspace: { workspaceEdit: { documentChanges: true, resourceOperations: ["create", "rename", "delete"] } },
  },
};

/** Reads every unit of each text once, counts its line endings, and assembles the known result. */
export function floor(texts: readonly BatchText[]): { readonly lineEnds: number; readonly results: readonly Buffer[] } {
  let lineEnds = 0;
  const results: Buffer[] = [];
  for (const { text, changes } of texts) {
    for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) === 10) lineEnds++;
    let out = "";
    let done = 0;
    for (const { from, to, insert } of changes) {
      out += text.slice(done, from);
      out += insert;
      done = to;
    }
    out += text.slice(done);
    results.push(Buffer.from(out));
  }
  return { lineEnds, results };
}

/**
 * The usual method: searches the text for each edit, searches again for a second occurrence, and rebuilds the text.
 * Returns `undefined` if an old text does not occur or occurs more than once.
 */
export function usual(
  texts: readonly BatchText[],
  replacements: readonly Replacement[],
): readonly Buffer[] | undefined {
  const current = new Map(texts.map(({ path, text }) => [path, text]));
  for (const { path, oldText, newText } of replacements) {
    const text = current.get(path) ?? "";
    const at = text.indexOf(oldText);
    if (at === -1 || text.indexOf(oldText, at + 1) !== -1) return undefined;
    current.set(path, text.slice(0, at) + newText + text.slice(at + oldText.length));
  }
  return [...current.values()].map((text) => Buffer.from(text));
}

/** Throws unless the core, the floor and, if replacements are given, the usual method produce the expected texts. */
export function checkMethods(
  texts: readonly BatchText[],
  core: CoreAnswer,
  replacements?: readonly Replacement[],
): void {
  const { planned } = core;
  if (planned?.ok !== true) throw new Error(`the core refuses: ${JSON.stringify(core.answer).slice(0, 2_000)}`);
  const planOf = new Map(planned.files.map(({ document, text }) => [document.path, text]));
  const least = floor(texts).results;
  const usually = replacements === undefined ? undefined : usual(texts, replacements);
  if (replacements !== undefined && usually === undefined) throw new Error("the usual method finds no unique place");
  for (const [i, { path, expected }] of texts.entries()) {
    if (planOf.get(path) !== expected) throw new Error(`${path}: the core gives a different text`);
    if (least[i]?.toString() !== expected) throw new Error(`${path}: the floor gives a different text`);
    if (usually !== undefined && usually[i]?.toString() !== expected) {
      throw new Error(`${path}: the usual method gives a different text`);
    }
  }
}
