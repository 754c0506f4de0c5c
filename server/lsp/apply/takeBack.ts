/** Takes back what was done of a job that can't be completed, and answers with what is certain of it, and what is not. */
import type { ClientCapabilities } from "vscode-languageserver/node";
import { type Failure, withRest } from "../../plan/failure.js";
import { indicesOf } from "../../plan/operation.js";
import { asUpdate, type EditOutcome, type FileChange, nameAfter } from "../../plan/outcome.js";
import { ChangeSet } from "../../text/changeSet.js";
import { type Answer, toEditorRefusal, toResult } from "../edit/result.js";
import { toWorkspaceEdit } from "../edit/workspaceEdit.js";
import { type Asked, callSentences, editorFailures, type Leftover } from "../sentences.js";
import { inSlices, openAt, type Session } from "../session.js";
import { patienceOf } from "./applyOutcome.js";
import { diskAfter, removeFile, removeRestored, renameBack, undelete } from "./fileSteps.js";
import { takeTextBack } from "./textSteps.js";
import type { Step, Work } from "./work.js";

/**
 * Takes back what was done, the last first, because some steps did not come about, of which the first says why. What then
 * is certain is an error; what is not, a result that says so.
 */
export async function giveUp(work: Work, steps: readonly [Step, ...Step[]]): Promise<Answer> {
  const rest: Record<Leftover | "back", string[]> = {
    back: [],
    held: [],
    stuck: [],
    renamed: [],
    deleted: [],
    saved: [],
    doubtful: [],
  };
  const held = new Map<FileChange, Set<"text" | "whole">>();
  const hold = ({ file, kind }: Step, part: "text" | "whole" = kind === "text" ? "text" : "whole"): void => {
    held.set(file, (held.get(file) ?? new Set()).add(part));
  };
  // What is there on disk stays there, and so does the editor's part.
  const isThere = steps[0].proof.kind === "unconfirmed";
  for (const one of [...work.done].reverse()) {
    const left = isThere ? (one.proof.kind === "proved" ? "held" : "doubtful") : await takeBack(work, one);
    rest[left].push((isThere ? nameAfter(one.file) : one.file.document).path);
    if (left !== "back") hold(one, left === "saved" ? "text" : undefined);
  }
  const stays = new Set(Object.entries(rest).flatMap(([kind, paths]) => (kind === "back" ? [] : paths)));
  rest.back = [...new Set(rest.back)].filter((path) => !stays.has(path));
  rest.held = [...new Set(rest.held)].reverse();
  const failure = failureOf(work, steps[0], callSentences.rest(rest));
  if (isThere) for (const step of steps) hold(step);
  const outcomes = outcomesOf(work, { steps, failure, held });
  for (const step of steps) if (doubtful.has(step.proof.kind)) hold(step);
  const warnings = isThere ? (work.disk?.warnings ?? []) : [];
  return held.size === 0 ? toEditorRefusal(failure, outcomes) : unknown(work, { failure, outcomes, held, warnings });
}

/** Proofs of steps that may have come about after all. */
const doubtful: ReadonlySet<Step["proof"]["kind"]> = new Set([
  "diverged",
  "silent",
  "unseen",
  "leftEmpty",
  "pending",
  "unconfirmed",
]);

/** What of a file could not be taken back: its text, what was done to it as a whole, or both. */
type Held = ReadonlyMap<FileChange, ReadonlySet<"text" | "whole">>;

/** What became of the edits: those that a file still holds are applied, those of the file that failed have failed. */
function outcomesOf(
  work: Work,
  { steps, failure, held }: { readonly steps: readonly Step[]; readonly failure: Failure; readonly held: Held },
): EditOutcome[] {
  const indices = (files: readonly FileChange[]) =>
    new Set(files.flatMap(({ operations }) => operations.flatMap(indicesOf)));
  const left = indices([...held.keys()]);
  const failed = indices(steps.map(({ file }) => file));
  return work.planned.outcomes.map((outcome): EditOutcome => {
    const { index, status } = outcome;
    if (status !== "applied" || left.has(index)) return outcome;
    if (!failed.has(index)) return { ...outcome, status: "notAttempted" };
    return { ...outcome, status: "failed", failure: { ...failure, index } };
  });
}

/** What is told of a call of which something may have been left behind. */
interface Left {
  readonly failure: Failure;
  readonly outcomes: readonly EditOutcome[];
  readonly held: Held;
  readonly warnings: readonly string[];
}

/** The result of such a call. */
async function unknown(work: Work, { failure, outcomes, held, warnings }: Left): Promise<Answer> {
  const files = [...held].map(([file, parts]) => partOf(file, parts));
  const made = toWorkspaceEdit(files, shownIn(work));
  const onDisk = new Map<FileChange, "same" | "differs">();
  for (const file of files) {
    if (file.kind === "delete") continue;
    const open = openAt(work.session, nameAfter(file).uri);
    onDisk.set(file, (await diskAfter(work, file, open?.text ?? file.text)) ?? "differs");
  }
  const result = toResult({
    planned: { ...work.planned, files, outcomes },
    edit: made.ok ? made.edit : { documentChanges: [] },
    outcome: "unknown",
    options: work.options,
    warnings: [failure.message, ...work.warnings, ...warnings],
    onDisk,
  });
  return { ok: true, result: await inSlices(result) };
}

/** The session for the edit of an answer: what the server has written itself need not be anything that the editor can do. */
export function shownIn({ disk, session }: Work): Session {
  return disk === undefined ? session : { ...session, capabilities: anything };
}

const anything: ClientCapabilities = {
  workspace: { workspaceEdit: { documentChanges: true, resourceOperations: ["create", "rename", "delete"] } },
};

/** A change of which only some parts came about. */
function partOf(file: FileChange, parts: ReadonlySet<"text" | "whole">): FileChange {
  if (file.kind !== "rename" || (parts.has("text") && parts.has("whole"))) return file;
  if (parts.has("text")) return asUpdate(file);
  return { ...file, change: ChangeSet.none(file.document.text.length), text: file.document.text };
}

/** Why the step did not come about; `rest` says what became of the others. */
function failureOf({ session }: Work, { proof, file, kind }: Step, rest: string): Failure {
  const { path } = file.document;
  const asked: Asked =
    kind === "rename"
      ? { kind, path, newPath: nameAfter(file).path }
      : { kind: kind === "delete" ? "delete" : "edit", path };
  switch (proof.kind) {
    case "failed":
    case "pending":
    case "unconfirmed":
      return withRest(proof.failure, rest);
    case "refused":
      return editorFailures.clientRefused(asked, proof.reason, rest);
    case "leftEmpty":
      return editorFailures.leftEmpty(path, rest);
    case "silent":
      return editorFailures.timeout(asked, patienceOf(session) / 1000, rest);
    case "unseen":
      return editorFailures.unseen(asked, { mayBeDeclined: session.facts.hidesDeclining }, rest);
    default:
      return editorFailures.clientDiverged(asked, rest);
  }
}

/** Takes one step back, and says what is left of it. */
async function takeBack(work: Work, step: Step): Promise<Leftover | "back"> {
  const { file, kind, proof } = step;
  const isCertain = proof.kind === "proved";
  if (kind === "rename" && file.kind === "rename") {
    const left = await renameBack(work, file, step);
    return left === "stuck" ? "renamed" : left;
  }
  if (kind === "delete") return (await undelete(work, file, step.kept)) ? "back" : "deleted";
  if (kind === "restore") return (await removeRestored(work, file, step.bytes)) ? "back" : "stuck";
  const isBack = kind === "create" ? await removeFile(work, file, step) : isCertain && (await takeTextBack(work, file));
  return isBack ? "back" : isCertain ? "stuck" : "doubtful";
}
