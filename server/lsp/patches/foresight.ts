/** Plans a patch in a document, without applying it, and says what each of its lines would do. */
import type { CancellationToken } from "vscode-languageserver/node";
import { decodeCall } from "../../dialect/decode.js";
import type { Failure } from "../../plan/failure.js";
import { type Operation, pathsOf } from "../../plan/operation.js";
import { applyBatch } from "../apply/apply.js";
import { failureForPerson } from "../edit/forPeople.js";
import type { Session } from "../session.js";
import type { FoundPatch } from "./find.js";
import { landingText } from "./sentences.js";

/** A message for a person about lines of a document: 0-based, from the first to the last, inclusive. */
interface LinesNote {
  readonly from: number;
  readonly to: number;
  readonly text: string;
  /** Why the lines do not resolve; `undefined` if they do. */
  readonly failure?: Failure | undefined;
}

/** Has a patch planned as a preview. Returns the answer, the paths that the patch names, and what its lines do. */
export async function foreseePatch(session: Session, patch: FoundPatch, token: CancellationToken) {
  const params = { patch: patch.text };
  const answer = await applyBatch(session, { params, applier: "preview", caller: undefined }, token);
  const decoded = decodeCall(params, { optionsAllowed: true, lenient: session.settings.lenient });
  const operations = decoded.ok ? decoded.operations : [];
  const outcomes = new Map((answer.ok ? answer.result.edits : answer.outcomes).map((one) => [one.index, one]));
  const ofEdits = linesOf(operations, patch).flatMap(({ index, ...lines }): LinesNote[] => {
    const outcome = outcomes.get(index);
    if (outcome === undefined) return [];
    const failure = outcome.failure && failureForPerson(outcome.failure);
    return [{ ...lines, text: failure?.message ?? landingText(outcome, answer.ok), failure }];
  });
  const ofCall = answer.ok ? [] : answer.failures.filter(({ index }) => index === undefined).map(failureForPerson);
  const others = ofCall.map((failure): LinesNote => {
    // Other failures may name a line of a file.
    const line = patch.from + (failure.code === "patchSyntax" ? (failure.line ?? 1) - 1 : 0);
    return { from: line, to: line, text: failure.message, failure };
  });
  const paths = [...new Set(operations.flatMap(pathsOf).map(({ path }) => path))];
  return { answer, paths, notes: [...others, ...ofEdits] };
}

/** Returns the lines of each edit: from its first one, with the header of its file, to the next edit. */
function linesOf(operations: readonly Operation[], { from, to }: FoundPatch) {
  const first = operations.flatMap((operation) => {
    if (operation.kind !== "update") return [{ index: operation.index, patchLine: operation.patchLine ?? 1 }];
    const [own, ...others] = [...(operation.move === undefined ? [] : [operation.move]), ...operation.hunks];
    return own === undefined ? [] : [{ index: own.index, patchLine: operation.patchLine }, ...others];
  });
  return first.map(({ index, patchLine }, i) => {
    const next = first[i + 1];
    const last = next === undefined ? to : from + next.patchLine - 2;
    return { index, from: from + patchLine - 1, to: Math.max(from + patchLine - 1, last) };
  });
}
