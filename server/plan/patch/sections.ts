/** Plans the sections of a patch in order; the names of the files may change along the way. */
import { ChangeSet } from "../../text/changeSet.js";
import { withoutMark } from "../../text/chars.js";
import { limits } from "../../text/limits.js";
import { edited, netChange } from "../draft.js";
import { wrongText } from "../edits/refusal.js";
import { elidedWarnings } from "../explain/leftOutWarnings.js";
import { type At, atEdit, type Failure } from "../failure.js";
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
  failedOutcome,
  fileOrder,
  nameAfter,
  notAttempted,
  tooLarge,
} from "../outcome.js";
import {
  type Document,
  type DocumentUri,
  documentAt,
  isEmpty,
  liesBelow,
  type Snapshot,
  targetOf,
} from "../snapshot.js";
import { planViews } from "../views/planViews.js";
import { unseenIn } from "../views/unseen.js";
import { idleWarnings, withIdleFailures } from "./idleHunks.js";
import { type PatchFile, PatchFiles } from "./patchFiles.js";
import { fileFailures, patchWarnings } from "./sentences.js";
import { firstLineEnd, planHunks } from "./update.js";

/** Plans all sections, again without those of files that fail and must stay untouched. Yields often. */
export function* planSections(
  sections: readonly Section[],
  snapshot: Snapshot,
  options: BatchOptions,
): Generator<void, FilePlans> {
  let left = sections;
  const spoilt: FilePlan[] = [];
  const kept = new Map<DocumentUri, number>();
  for (;;) {
    const { plans, lost, circled } = yield* planSeen(left, snapshot, options, kept);
    const failed = plans.filter(
      (plan) =>
        plan === circled || (options.atomic === "file" && plan.outcomes.some(({ status }) => status === "failed")),
    );
    if (options.atomic === "all" || failed.length === 0)
      return { plans: withIdleFailures([...spoilt, ...plans]), lost };
    // A file that stays untouched keeps its name, which other files may need, so the other files are planned again.
    spoilt.push(...failed.map((plan) => (plan === circled ? undone(plan) : plan)));
    for (const { operations } of failed) {
      const by = indicesOf(operations[0] as Section)[0] ?? 0;
      const names = operations.some(frees) ? operations.flatMap(pathsOf).map(({ path }) => path) : [];
      for (const uri of urisOf(names, snapshot)) kept.set(uri, by);
    }
    const out = new Set(failed.flatMap(({ operations }) => operations));
    left = left.filter((section) => !out.has(section));
  }
}

/** Returns the URIs of the paths that can be resolved. */
function urisOf(paths: readonly string[], snapshot: Snapshot): DocumentUri[] {
  return paths.map((path) => targetOf(snapshot, path)).flatMap((target) => (target.ok ? [target.uri] : []));
}

/** Reports whether an operation would free a file's name. */
function frees(operation: Operation): boolean {
  return operation.kind === "delete" || (operation.kind === "update" && operation.move !== undefined);
}

/** Returns the plan of a file that stays untouched: the edits that would have been applied become `notAttempted`. */
function undone(plan: FilePlan): FilePlan {
  return { ...plan, file: undefined, outcomes: notAttempted(plan.outcomes) };
}

/** Like `planOnce`, but places the hunks by all texts that the caller can have seen. */
function* planSeen(
  sections: readonly Section[],
  snapshot: Snapshot,
  options: BatchOptions,
  kept: ReadonlyMap<DocumentUri, number>,
): Generator<void, FilePlans & { readonly circled: FilePlan | undefined }> {
  const once = yield* planOnce(sections, snapshot, options, kept);
  const planAgain = (again: readonly Section[], then: Snapshot) =>
    planOnce(again, then, { ...options, isTrial: true }, kept);
  if (once.plans.every(({ file }) => file?.document.views === undefined)) return once;
  const plans = yield* planViews(once.plans, snapshot, planAgain);
  const at = once.circled === undefined ? -1 : once.plans.indexOf(once.circled);
  return { plans, lost: once.lost, circled: plans[at] };
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
    if (section.kind === "add") add(work, section, document);
    else if (section.kind === "delete") remove(work, section, document);
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
  /** For each name that a failed edit should have freed or taken, that edit (0-based); who uses the name fails, too. */
  readonly kept: Map<DocumentUri, number>;
}

/** Returns the document at a section's path. Fails the section if there is none, or if a failed edit decides it. */
function documentOf(work: SectionContext, section: Section): Document | undefined {
  const found = documentAt(work.snapshot, section.path);
  const by = found.ok ? work.kept.get(found.document.uri) : undefined;
  if (!found.ok) failAll(work, section, found.failure);
  else if (by !== undefined) failAll(work, section, fileFailures.notFreed(atSection(section, found.document), by));
  else return found.document;
  return undefined;
}

/** Returns the `At` of a failure that concerns a whole section: that of the section's first edit. */
function atSection(section: Section, { path }: Document) {
  return { index: indicesOf(section)[0] ?? 0, path, patchLine: section.patchLine };
}

/** Fails all edits of a section for the same reason. */
function failAll({ lost }: SectionContext, section: Section, failure: Failure): void {
  for (const index of indicesOf(section)) {
    // A failure without a path is about the whole call and is the same for all its edits.
    const own = failure.path === undefined ? failure : atEdit(failure, { index, patchLine: section.patchLine });
    lost.push({ index, path: section.path, status: "failed", places: [], failure: own });
  }
}

/** Records the outcome of an edit, with the file's name before the edit as its path. */
function record(
  node: PatchFile,
  section: Section,
  { index, path }: Pick<EditOutcome, "index" | "path">,
  result: "applied" | "skipped" | Failure,
): void {
  if (!node.sections.includes(section)) node.sections.push(section);
  if (result === "applied") node.edits++;
  const isDone = typeof result === "string";
  node.outcomes.push(isDone ? { index, path, status: result, places: [] } : failedOutcome({ index, path }, result));
}

function add(work: SectionContext, section: AddSection, document: Document): void {
  const { tree, snapshot, options } = work;
  const at = atSection(section, document);
  const there = tree.get(document.uri) ?? revived(tree, document, section.index);
  if (there === undefined) {
    if (liesBelow(document.uri, snapshot)) failAll(work, section, fileFailures.belowFile(at));
    else {
      const node = tree.create(document);
      node.draft = { ...edited(node.draft, [{ from: 0, to: 0, insert: section.text }]).draft, created: true };
      record(node, section, at, "applied");
    }
    return;
  }
  const { document: before, created, index } = there.draft;
  const lineEnd = firstLineEnd(index);
  // The file's own byte order mark must not be written twice.
  const sent = before.bom ? withoutMark(section.text) : section.text;
  const insert = lineEnd === "\n" ? sent : sent.replaceAll("\n", lineEnd);
  const isNew = insert !== index.text;
  // If the user has emptied the text, there is nothing to lose.
  const isLossy = isNew && isDirty(before) && !isEmpty(before) && !options.overwrite;
  const unseen = isLossy ? unseenIn(before) : undefined;
  const pair = { oldText: index.text, newText: sent };
  const wrong = options.lenient && isNew && !created ? wrongText(at, before, pair, options) : undefined;
  if (before.isBinary) record(there, section, at, fileFailures.binary(at));
  else if (section.isNew && isNew && !created && !isEmpty(before)) record(there, section, at, fileFailures.notNew(at));
  else if (wrong !== undefined) record(there, section, at, wrong);
  else if (unseen !== undefined) record(there, section, at, fileFailures.wouldReplace(at, unseen));
  else {
    there.draft = edited(there.draft, [{ from: 0, to: index.text.length, insert }]).draft;
    there.isOverwritten ||= !created && isNew;
    record(there, section, at, isNew ? "applied" : "skipped");
  }
}

/** Restores a file that the patch deleted and now adds again: the same file, with different text. */
function revived(tree: PatchFiles, document: Document, by: number): PatchFile | undefined {
  const node = tree.deleted(document.uri);
  if (node === undefined || node.draft.document.isBinary) return undefined;
  tree.rename(node, document, by);
  return node;
}

function remove(work: SectionContext, section: DeleteSection, document: Document): void {
  const { tree, options } = work;
  const at = atSection(section, document);
  const node = tree.get(document.uri);
  if (node === undefined) {
    failAll(work, section, fileFailures.notThere(at, tree.takenFrom(document.uri), "delete"));
    return;
  }
  const isLeft = section.isEmptied === true && node.draft.index.text !== "";
  const failure = isLeft ? fileFailures.notEmptied(at) : refuseDelete(node, at, options);
  if (failure === undefined) tree.rename(node, undefined, section.index);
  else work.kept.set(document.uri, section.index);
  record(node, section, at, failure ?? "applied");
}

function refuseDelete(node: PatchFile, at: At, { overwrite }: BatchOptions): Failure | undefined {
  const { document } = node.draft;
  if (!document.uri.startsWith("file:")) return fileFailures.noFile(at);
  if (isUnsaved(node)) return fileFailures.unsaved(at);
  return isDirty(document) && !overwrite ? fileFailures.dirty(at, "delete") : undefined;
}

/** Reports whether a document is open and has no file on disk with the same text. */
function isDirty({ version, onDisk }: Document): boolean {
  return version !== null && onDisk !== "same";
}

/** Reports whether a document is open but has no file that could be deleted or moved. */
function isUnsaved({ draft: { document } }: PatchFile): boolean {
  return document.version !== null && document.onDisk === undefined;
}

function* update(work: SectionContext, section: UpdateSection, document: Document): Generator<void, void> {
  const { tree, snapshot, options } = work;
  const { move } = section;
  const at = atSection(section, document);
  const node = tree.get(document.uri);
  if (node === undefined || (node.draft.document.isBinary && section.hunks.length > 0)) {
    const taken = tree.takenFrom(document.uri);
    failAll(work, section, node ? fileFailures.binary(at) : fileFailures.notThere(at, taken, "update"));
    return;
  }
  node.sections.push(section);
  const { draft, outcomes } = yield* planHunks(node.draft, section, { options, insertions: node.insertions });
  node.draft = draft;
  const path = node.name?.path ?? document.path;
  node.outcomes.push(...outcomes.map((outcome) => ({ ...outcome, path })));
  node.edits += outcomes.filter(({ status }) => status === "applied").length;
  if (move === undefined) return;
  const before = node.name;
  const failure = moveTo(work, node, move);
  // The name that the move should have freed, and the one that it should have taken.
  const names = failure === undefined ? [] : [...(before ? [before.uri] : []), ...urisOf([move.path], snapshot)];
  for (const uri of names) work.kept.set(uri, move.index);
  record(node, section, { index: move.index, path }, failure ?? (node.name === before ? "skipped" : "applied"));
}

/** Renames a file; returns a failure if that is impossible. A move to the file's own name is a no-op. */
function moveTo(work: SectionContext, node: PatchFile, move: NonNullable<UpdateSection["move"]>): Failure | undefined {
  const { tree, snapshot, options } = work;
  const { index, patchLine } = move;
  const target = targetOf(snapshot, move.path);
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

/** Reports whether an Add section replaces an existing text and no Delete section deletes the file. */
function isReplaced({ sections, draft }: PatchFile): boolean {
  const has = (kind: Section["kind"]): boolean => sections.some((section) => section.kind === kind);
  // A caller that first deletes the file knows that it exists.
  return draft.base.text !== "" && has("add") && !has("delete");
}

/** Returns the plan of each file; if files are moved in a circle, one of them fails. */
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

/** Returns the plan of a file that can't take its new name, with its last move marked as failed. */
function inCircle(plan: FilePlan, circle: FileChange): FilePlan {
  const moves = plan.operations.flatMap((section) => (section.kind === "update" ? (section.move ?? []) : []));
  const last = moves.at(-1);
  const outcomes = plan.outcomes.map((outcome): EditOutcome => {
    if (last === undefined || outcome.index !== last.index) return outcome;
    const at = { index: outcome.index, path: outcome.path, patchLine: last.patchLine };
    return failedOutcome(at, fileFailures.circle(at, nameAfter(circle).path));
  });
  return { ...plan, outcomes };
}

/** Returns the change to a file; `undefined` if the patch creates and deletes the file, or has no section for it. */
function fileOf(node: PatchFile): FileChange | undefined {
  const { draft, name, sections: operations } = node;
  const { edits, isOverwritten: overwritten } = node;
  // The file was looked up only as the target of a move that failed.
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
