/** Plans the sections of a patch, one after the other, on files that may change their names on the way. */

import { ChangeSet } from "../../text/changeSet.js";
import { withoutMark } from "../../text/chars.js";
import { limits } from "../../text/limits.js";
import { edited, netChange } from "../draft.js";
import { elidedWarnings } from "../explain/leftOutWarnings.js";
import { type At, atEdit, type Failure } from "../failure.js";
import { fileOrder } from "../fileOrder.js";
import {
  type AddSection,
  type BatchOptions,
  type DeleteSection,
  indicesOf,
  type Operation,
  pathsOf,
  type Section,
  type UpdateSection,
} from "../operation.js";
import {
  type EditOutcome,
  type FileChange,
  type FilePlan,
  type FilePlans,
  nameAfter,
  notAttempted,
  tooLarge,
} from "../outcome.js";
import { type Document, type DocumentUri, isEmpty, liesBelow, type Snapshot } from "../snapshot.js";
import { idleWarnings, withIdleFailures } from "./idle.js";
import { type PatchFile, PatchFiles } from "./patchFiles.js";
import { fileFailures, patchWarnings } from "./sentences.js";
import { firstLineEnd, planHunks } from "./update.js";

/** Yields after each hunk, so that its caller can serve others. */
export function* planSections(
  sections: readonly Section[],
  snapshot: Snapshot,
  options: BatchOptions,
): Generator<void, FilePlans> {
  const { plans, lost } = yield* planUntilSettled(sections, snapshot, options);
  return { plans: withIdleFailures(plans), lost };
}

/** Plans again without what stays untouched, until all that is left goes through. */
function* planUntilSettled(
  sections: readonly Section[],
  snapshot: Snapshot,
  options: BatchOptions,
): Generator<void, FilePlans> {
  let left = sections;
  const spoilt: FilePlan[] = [];
  const kept = new Map<DocumentUri, number>();
  for (;;) {
    const { plans, lost, circled } = yield* planOnce(left, snapshot, options, kept);
    const failed = plans.filter(
      (plan) =>
        plan === circled || (options.atomic === "file" && plan.outcomes.some(({ status }) => status === "failed")),
    );
    if (options.atomic === "all" || failed.length === 0) return { plans: [...spoilt, ...plans], lost };
    // What stays untouched stays under its name, too, which may stand in the way of others: they are planned without it.
    spoilt.push(...failed.map((plan) => (plan === circled ? undone(plan) : plan)));
    for (const { operations } of failed) {
      const by = indicesOf(operations[0] as Section)[0] ?? 0;
      for (const uri of operations.some(frees) ? namesIn(operations, snapshot) : []) kept.set(uri, by);
    }
    const out = new Set(failed.flatMap(({ operations }) => operations));
    left = left.filter((section) => !out.has(section));
  }
}

/** All documents that operations name. */
function namesIn(operations: readonly Operation[], { targets }: Snapshot): DocumentUri[] {
  return operations.flatMap(pathsOf).flatMap(({ path }) => {
    const target = targets.get(path);
    return target?.ok === true ? [target.uri] : [];
  });
}

/** Whether an operation would take a file away from its name. */
function frees(operation: Operation): boolean {
  return operation.kind === "delete" || (operation.kind === "update" && operation.move !== undefined);
}

/** A file that can't be changed at all: not even what found its place. */
function undone(plan: FilePlan): FilePlan {
  return { ...plan, file: undefined, outcomes: notAttempted(plan.outcomes) };
}

function* planOnce(
  sections: readonly Section[],
  snapshot: Snapshot,
  options: BatchOptions,
  kept: ReadonlyMap<DocumentUri, number>,
): Generator<void, FilePlans & { readonly circled: FilePlan | undefined }> {
  const work: SectionContext = { tree: new PatchFiles(snapshot), snapshot, options, lost: [], kept: new Map(kept) };
  for (const section of sections) {
    const document = documentOf(work, section);
    if (document === undefined) continue;
    if (section.kind === "add") settle(work, section, document, add(work, section, document));
    else if (section.kind === "delete") settle(work, section, document, remove(work, section, document));
    else yield* update(work, section, document);
    yield;
  }
  return { ...filePlans(work.tree), lost: work.lost };
}

interface SectionContext {
  readonly tree: PatchFiles;
  readonly snapshot: Snapshot;
  readonly options: BatchOptions;
  readonly lost: EditOutcome[];
  /** Names that a failed edit (0-based) should have freed or taken: what relies on that fails, too. */
  readonly kept: Map<DocumentUri, number>;
}

/** The document that a section's path means; `undefined`: none, and all of the section is lost. */
function documentOf(work: SectionContext, section: Section): Document | undefined {
  const { snapshot } = work;
  const target = snapshot.targets.get(section.path);
  if (target === undefined) throw new Error("a snapshot must have a target for every path");
  if (!target.ok) {
    failAll(work, section, target.failure);
    return undefined;
  }
  const document = snapshot.documents.get(target.uri);
  if (document === undefined) throw new Error("a snapshot must have a document for every target");
  const by = work.kept.get(target.uri);
  if (by !== undefined) {
    const [index = 0] = indicesOf(section);
    failAll(work, section, fileFailures.notFreed({ index, path: document.path, patchLine: section.patchLine }, by));
    return undefined;
  }
  return document;
}

/** Nothing of a section can be done, for one reason. */
function failAll({ lost }: SectionContext, section: Section, failure: Failure): void {
  for (const index of indicesOf(section)) {
    // A failure without a path is the call's own, and the same for all of its edits.
    const own = failure.path === undefined ? failure : atEdit(failure, { index, patchLine: section.patchLine });
    lost.push({ index, path: section.path, status: "failed", places: [], failure: own });
  }
}

/** Notes what became of an edit; its path is the file's name before it. */
function record(node: PatchFile, section: Section, outcome: Omit<EditOutcome, "places" | "rung">): void {
  if (!node.sections.includes(section)) node.sections.push(section);
  if (outcome.status === "applied") node.edits++;
  node.outcomes.push({ ...outcome, places: [] });
}

/** What became of an Add or a Delete; without a node there is no file that it could be about. */
type Done =
  | { readonly node: PatchFile; readonly status: "applied" | "skipped" }
  | { readonly node: PatchFile | undefined; readonly status: "failed"; readonly failure: Failure };

function settle(work: SectionContext, section: AddSection | DeleteSection, { path }: Document, done: Done): void {
  const { index } = section;
  if (done.status !== "failed") record(done.node, section, { index, path, status: done.status });
  else if (done.node === undefined) failAll(work, section, done.failure);
  else record(done.node, section, { index, path, status: "failed", failure: done.failure });
}

function add(work: SectionContext, section: AddSection, document: Document): Done {
  const { tree, snapshot, options } = work;
  const { index, patchLine } = section;
  const at: At = { index, path: document.path, patchLine };
  const there = tree.get(document.uri) ?? revived(tree, document, index);
  if (there === undefined) {
    if (liesBelow(document.uri, snapshot)) {
      return { node: undefined, status: "failed", failure: fileFailures.belowFile(at) };
    }
    const node = tree.create(document);
    node.draft = { ...edited(node.draft, [{ from: 0, to: 0, insert: section.text }]).draft, created: true };
    return { node, status: "applied" };
  }
  if (there.draft.document.isBinary) {
    return { node: there, status: "failed", failure: fileFailures.binary(at) };
  }
  const { text } = there.draft.index;
  const lineEnd = firstLineEnd(there.draft.index);
  // The mark that the file has is not written once more.
  const sent = there.draft.document.bom ? withoutMark(section.text) : section.text;
  const insert = lineEnd === "\n" ? sent : sent.replaceAll("\n", lineEnd);
  // A text that the user has emptied is nothing that could be lost.
  const { document: before } = there.draft;
  if (insert !== text && isDirty(before) && !isEmpty(before) && !options.overwrite) {
    return { node: there, status: "failed", failure: fileFailures.wouldReplace(at) };
  }
  const hadText = !there.draft.created;
  there.draft = edited(there.draft, [{ from: 0, to: text.length, insert }]).draft;
  there.isOverwritten ||= hadText && insert !== text;
  return { node: there, status: insert === text ? "skipped" : "applied" };
}

/** A file that the patch has deleted and adds again is the same file with another text. */
function revived(tree: PatchFiles, document: Document, by: number): PatchFile | undefined {
  const node = tree.deleted(document.uri);
  if (node === undefined || node.draft.document.isBinary) return undefined;
  tree.rename(node, document, by);
  return node;
}

function remove(work: SectionContext, section: DeleteSection, document: Document): Done {
  const { tree, options } = work;
  const { index, patchLine } = section;
  const at: At = { index, path: document.path, patchLine };
  const node = tree.get(document.uri);
  if (node === undefined) {
    const failure = fileFailures.notThere(at, tree.takenFrom(document.uri), "delete");
    return { node, status: "failed", failure };
  }
  const failure = refuseDelete(node, at, options);
  if (failure !== undefined) {
    work.kept.set(document.uri, index);
    return { node, status: "failed", failure };
  }
  tree.rename(node, undefined, index);
  return { node, status: "applied" };
}

function refuseDelete(node: PatchFile, at: At, { overwrite }: BatchOptions): Failure | undefined {
  const { document } = node.draft;
  if (!document.uri.startsWith("file:")) return fileFailures.noFile(at);
  if (isUnsaved(node)) return fileFailures.unsaved(at);
  return isDirty(document) && !overwrite ? fileFailures.dirty(at, "delete") : undefined;
}

/** Whether the editor has text of it that is not on disk. */
function isDirty({ version, onDisk }: Document): boolean {
  return version !== null && onDisk !== "same";
}

/** Whether a document is open, but not the text of any file that could be deleted or moved. */
function isUnsaved({ draft: { document } }: PatchFile): boolean {
  return document.version !== null && document.onDisk === undefined;
}

function* update(work: SectionContext, section: UpdateSection, document: Document): Generator<void, void> {
  const { tree, options } = work;
  const { move, patchLine } = section;
  const node = tree.get(document.uri);
  if (node === undefined) {
    const [index = 0] = indicesOf(section);
    const at: At = { index, path: document.path, patchLine };
    failAll(work, section, fileFailures.notThere(at, tree.takenFrom(document.uri), "update"));
    return;
  }
  if (node.draft.document.isBinary && section.hunks.length > 0) {
    const [index = 0] = indicesOf(section);
    failAll(work, section, fileFailures.binary({ index, path: document.path, patchLine }));
    return;
  }
  node.sections.push(section);
  const { draft, outcomes } = yield* planHunks(node.draft, section, options);
  node.draft = draft;
  const path = node.name?.path ?? document.path;
  node.outcomes.push(...outcomes.map((outcome) => ({ ...outcome, path })));
  node.edits += outcomes.filter(({ status }) => status === "applied").length;
  if (move === undefined) return;
  const before = node.name;
  const failure = moveTo(work, node, move);
  if (failure !== undefined) for (const uri of namesOf(work, node, move)) work.kept.set(uri, move.index);
  const status = failure !== undefined ? "failed" : node.name === before ? "skipped" : "applied";
  record(node, section, { index: move.index, path, status, ...(failure === undefined ? {} : { failure }) });
}

/** The names that a move is about: the one that it frees, and the one that it takes, if that means any document. */
function namesOf(
  { snapshot }: SectionContext,
  { name }: PatchFile,
  move: NonNullable<UpdateSection["move"]>,
): DocumentUri[] {
  const target = snapshot.targets.get(move.path);
  return [...(name === undefined ? [] : [name.uri]), ...(target?.ok === true ? [target.uri] : [])];
}

/** Gives a file another name, or says why it can't have it. Onto itself is no move. */
function moveTo(work: SectionContext, node: PatchFile, move: NonNullable<UpdateSection["move"]>): Failure | undefined {
  const { tree, snapshot, options } = work;
  const { index, patchLine } = move;
  const target = snapshot.targets.get(move.path);
  if (target === undefined) throw new Error("a snapshot must have a target for every path");
  if (!target.ok) return atEdit(target.failure, { index, patchLine });
  const { uri, path } = snapshot.documents.get(target.uri) ?? { uri: target.uri, path: move.path };
  const at: At = { index, path: node.name?.path ?? node.draft.document.path, patchLine };
  if (uri === node.name?.uri) return undefined;
  const by = work.kept.get(uri);
  if (by !== undefined) return fileFailures.notFreed(at, by);
  if (!node.draft.document.uri.startsWith("file:")) return fileFailures.noFile(at);
  if (isUnsaved(node)) return fileFailures.unsaved(at);
  if (isDirty(node.draft.document) && !options.overwrite) return fileFailures.dirty(at, "move");
  if (!uri.startsWith("file:")) return fileFailures.noFile({ ...at, path });
  const there = tree.get(uri);
  if (there === undefined) {
    if (liesBelow(uri, snapshot)) return fileFailures.belowFile(at);
  } else {
    if (!options.overwrite) return fileFailures.exists(at, path);
    if (isUnsaved(there)) return fileFailures.unsaved(at);
    tree.rename(there, undefined, index);
    node.isOverwritten = true;
  }
  tree.rename(node, { uri, path }, index);
  return undefined;
}

/** Whether an Add has taken the place of a text that there was. */
function isReplaced({ sections, draft }: PatchFile): boolean {
  const has = (kind: Section["kind"]): boolean => sections.some((section) => section.kind === kind);
  // Who deletes the file first knows of it.
  return draft.base.text !== "" && has("add") && !has("delete");
}

/** What becomes of each file; of the files that are moved in a circle one has failed. */
function filePlans({ nodes }: PatchFiles): { plans: readonly FilePlan[]; circled: FilePlan | undefined } {
  const plans = nodes.map((node): FilePlan => {
    const { length } = node.draft.index.text;
    const isTooLong = length > limits.documentLength;
    return {
      outcomes: isTooLong ? node.outcomes.map((outcome) => tooLarge(outcome, length)) : node.outcomes,
      operations: node.sections,
      file: fileOf(node),
      warnings: [
        ...(node.isOverwritten && node.draft.document.exists && isReplaced(node)
          ? [patchWarnings.replaced(node.draft.document.path)]
          : []),
        ...idleWarnings(node.sections, node.outcomes),
        ...elidedWarnings(
          node.sections.flatMap((section) => (section.kind === "update" ? section.hunks : [])),
          node.outcomes,
        ),
      ],
    };
  });
  const { circle } = fileOrder(plans.flatMap(({ file }) => file ?? []));
  const shown = plans.map((plan) => (plan.file === undefined || plan.file !== circle ? plan : inCircle(plan, circle)));
  return { plans: shown, circled: shown.find(({ file }) => file !== undefined && file === circle) };
}

/** The plan of a file that can't get its name: its last move has failed. */
function inCircle(plan: FilePlan, circle: FileChange): FilePlan {
  const moves = plan.operations.flatMap((section) => (section.kind === "update" ? (section.move ?? []) : []));
  const last = moves.at(-1);
  const outcomes = plan.outcomes.map((outcome): EditOutcome => {
    if (last === undefined || outcome.index !== last.index) return outcome;
    const at: At = { index: outcome.index, path: outcome.path, patchLine: last.patchLine };
    return { ...outcome, status: "failed", failure: fileFailures.circle(at, nameAfter(circle).path) };
  });
  return { ...plan, outcomes };
}

/** `undefined`: the patch creates the file and deletes it again, or only names it. */
function fileOf(node: PatchFile): FileChange | undefined {
  const { draft, name, sections: operations } = node;
  const { edits, isOverwritten: overwritten } = node;
  // It was only looked at, as the target of a move that failed.
  if (operations.length === 0 && name?.uri === draft.document.uri) return undefined;
  if (name === undefined) {
    if (draft.created) return undefined;
    const { document } = draft;
    const change = ChangeSet.none(document.text.length);
    return { document, change, text: document.text, kind: "delete", edits, operations };
  }
  const change = netChange(draft);
  const common = { change, text: draft.index.text, overwritten, edits, operations };
  if (draft.created) return { ...common, document: { ...draft.document, ...name }, kind: "create" };
  if (name.uri === draft.document.uri) return { ...common, document: draft.document, kind: "update" };
  return { ...common, document: draft.document, kind: "rename", target: { uri: name.uri, path: name.path } };
}
