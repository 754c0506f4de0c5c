/** Plans a patch in a document, without applying it, and says which lines of the document ask for which edit. */
import type { CancellationToken } from "vscode-languageserver/node";
import type { Failure } from "../../plan/failure.js";
import { type Operation, pathsOf } from "../../plan/operation.js";
import type { EditOutcome } from "../../plan/outcome.js";
import { foresee } from "../apply/apply.js";
import { failureForPerson } from "../edit/forPeople.js";
import type { Session } from "../session.js";
import type { FoundPatch } from "./find.js";

/** One edit of a patch and the lines of the document that ask for it. */
export interface Deed {
  /** 0-based index of the edit in the call. */
  readonly index: number;
  readonly kind: "edit" | "add" | "delete" | "move";
  /** First and last line in the document, 0-based. */
  readonly from: number;
  readonly to: number;
}

/** What a patch would do now. */
export interface Foresight {
  readonly patch: FoundPatch;
  /** In the order of the patch; empty if the patch can't be read. */
  readonly deeds: readonly Deed[];
  /** The paths that the patch names, without duplicates, in their order. */
  readonly paths: readonly string[];
  readonly outcomes: readonly EditOutcome[];
  /** What does not resolve, worded for a person, with the lines (0-based) of the document that it is about. */
  readonly problems: readonly (Pick<Deed, "from" | "to"> & { readonly failure: Failure })[];
  /** `true` if the patch would be applied, at least in part. */
  readonly isSound: boolean;
}

/** The call that a patch makes. The texts of the answer are for a person. */
export const callOf = ({ text }: FoundPatch) => ({ patch: text, options: { reader: "person" } }) as const;

/** Plans a patch against the present texts. */
export async function foreseePatch(session: Session, patch: FoundPatch, token: CancellationToken): Promise<Foresight> {
  const { operations, plan } = await foresee(session, callOf(patch), token);
  const deeds = deedsOf(operations, patch);
  const failures = plan.ok ? plan.outcomes.flatMap(({ failure }) => failure ?? []) : plan.failures;
  const problems = failures.map((failure) => {
    const deed = deeds.find(({ index }) => index === failure.index);
    const line = patch.from + (failure.code === "patchSyntax" ? (failure.line ?? 1) - 1 : 0);
    const { from, to } = deed ?? { from: line, to: line };
    return { from, to, failure: failureForPerson(failure) };
  });
  const paths = [...new Set(operations.flatMap(pathsOf).map(({ path }) => path))];
  return { patch, deeds, paths, outcomes: plan.outcomes, problems, isSound: plan.ok };
}

/** Returns the edits of a patch with their lines. An edit's lines end before those of the next one begin. */
function deedsOf(operations: readonly Operation[], { from, to, blocks }: FoundPatch): Deed[] {
  const line = (patchLine: number): number => from + patchLine - 1;
  const begun = operations.flatMap((operation): Omit<Deed, "to">[] => {
    const { kind } = operation;
    if (kind === "edit") return [{ index: operation.index, kind, from: blocks[operation.index] ?? from }];
    if (kind !== "update") return [{ index: operation.index, kind, from: line(operation.patchLine) }];
    const { move, hunks, patchLine } = operation;
    const moves = move === undefined ? [] : [{ index: move.index, kind: "move" as const, from: line(move.patchLine) }];
    const edits = hunks.map((hunk) => ({ index: hunk.index, kind: "edit" as const, from: line(hunk.patchLine) }));
    // The section's header belongs to its first edit.
    return [...moves, ...edits].map((deed, i) => (i === 0 ? { ...deed, from: line(patchLine) } : deed));
  });
  return begun.map((deed, i) => ({ ...deed, to: Math.max(deed.from, (begun[i + 1]?.from ?? to + 1) - 1) }));
}
