/** Splits a plan into hunks, of which the user may refuse some before it is applied. */
import { diffOf } from "../../plan/diff.js";
import { type EditOutcome, type FileChange, freeingFirst, nameAfter } from "../../plan/outcome.js";
import { ChangeSet } from "../../text/changeSet.js";
import { LineIndex } from "../../text/lines.js";
import { requestedFiles } from "../edit/result.js";
import type { ConfirmHunk, RefusedPlace } from "../protocol.js";
import { addHunks, editsOf, editsTouching, refined } from "../review/hunk.js";
import type { ApplyPlan, Task } from "./step.js";

/** A hunk of a plan. Equal hunks of two plans for one call have equal keys. */
interface PlannedHunk {
  readonly key: string;
  readonly file: FileChange;
  /** The hunk as the client gets it, without its id. */
  readonly shown: Omit<ConfirmHunk, "id" | "diffLines">;
  /** The lines in the text before the call, as offsets; `undefined` for what happens to the file as a whole. */
  readonly lines: { readonly from: number; readonly to: number } | undefined;
}

/** Returns the hunks of a plan, in the order of its files and lines. */
export function hunksOfPlan(files: readonly FileChange[]): readonly PlannedHunk[] {
  const seen = new Map<string, number>();
  return requestedFiles(files).flatMap((file) => {
    const { uri } = nameAfter(file);
    const whole = file.kind === "update" ? [] : [{ shown: { uri, kind: file.kind, ...nothing }, lines: undefined }];
    const texts = file.kind === "update" || file.kind === "rename" ? textHunks(file, uri) : [];
    return [...whole, ...texts].map(({ shown, lines }): PlannedHunk => {
      const text = JSON.stringify([uri, shown.kind, shown.oldText, shown.newText]);
      const count = seen.get(text) ?? 0;
      seen.set(text, count + 1);
      return { key: `${count} ${text}`, file, shown, lines };
    });
  });
}

const nothing = { startLine: 1, oldText: "", newText: "" } as const;

function textHunks(file: FileChange, uri: string): readonly Pick<PlannedHunk, "shown" | "lines">[] {
  const { document, change, text } = file;
  const call = { call: "", textA: document.text, textB: text, change, order: new Map(), newId: () => "" };
  const lines = LineIndex.of(document.text, { loneCrEndsLine: false });
  let shift = 0;
  return addHunks([], call, () => undefined).map(({ from, to, texts: [oldText = "", newText = ""] }) => {
    const start = from - shift;
    shift += to - from - oldText.length;
    const shown = { uri, kind: "text" as const, startLine: lines.lineAt(start) + 1, oldText, newText };
    return { shown, lines: { from: start, to: start + oldText.length } };
  });
}

/** Returns the hunks that the client shows in a question about a plan, with their lines in its diff. */
export function confirmHunks(files: readonly FileChange[]): ConfirmHunk[] {
  const hunks = hunksOfPlan(files);
  const rows = new Map<PlannedHunk, [number, number]>();
  let above = 0;
  for (const file of freeingFirst(files).ordered) {
    const own = hunks.filter((hunk) => hunk.file === file);
    const texts = own.filter(({ lines }) => lines !== undefined);
    const diff = diffOf(file).text.split("\n").slice(0, -1);
    for (const hunk of own) if (hunk.lines === undefined) rows.set(hunk, [above + 1, above + diff.length]);
    // The next line of the text before the call, 1-based; 0 in the head of the file's diff.
    let next = 0;
    let at = -1;
    for (const [index, row] of diff.entries()) {
      const start = /^@@ -(\d+)/.exec(row)?.[1];
      if (start !== undefined) next = Math.max(1, Number(start));
      else if (next > 0 && /^[-+]/.test(row)) {
        while ((texts[at + 1]?.shown.startLine ?? Number.POSITIVE_INFINITY) <= next) at++;
        const hunk = texts[at];
        const number = above + index + 1;
        if (hunk !== undefined) rows.set(hunk, [rows.get(hunk)?.[0] ?? number, number]);
      }
      if (start === undefined && next > 0 && /^[- ]/.test(row)) next++;
    }
    above += diff.length;
  }
  return hunks.map((hunk, i) => ({ id: String(i), ...hunk.shown, diffLines: rows.get(hunk) ?? [0, 0] }));
}

/** Returns a plan without the hunks that the user has refused, and the places of these. */
export function withoutRefused<P extends Pick<ApplyPlan, "files" | "tasks" | "outcomes">>(
  plan: P,
  refused: ReadonlySet<string>,
): { readonly plan: P; readonly places: readonly RefusedPlace[] } {
  const left = refused.size === 0 ? [] : hunksOfPlan(plan.files).filter(({ key }) => refused.has(key));
  if (left.length === 0) return { plan, places: [] };
  const narrowed = new Map<FileChange, FileChange | undefined>();
  for (const file of new Set(left.map((hunk) => hunk.file))) {
    const own = left.filter((hunk) => hunk.file === file);
    const isWhole = own.some(({ lines }) => lines === undefined);
    narrowed.set(file, isWhole ? undefined : withoutLines(file, own));
    // A file that only makes room for another one stays, too.
    const room = plan.files.find(({ kind, document }) => kind === "delete" && document.uri === nameAfter(file).uri);
    if (isWhole && room !== undefined) narrowed.set(room, undefined);
  }
  const nextOf = (file: FileChange): FileChange | undefined => (narrowed.has(file) ? narrowed.get(file) : file);
  const tasks = plan.tasks.flatMap((task): Task[] => {
    const planned = nextOf(task.planned);
    const isIdle = planned === undefined || (task.kind === "text" && planned.change.isEmpty);
    return isIdle ? [] : [{ ...task, planned } as Task];
  });
  const places = left.map(({ file, shown: { startLine, oldText }, lines }): RefusedPlace => {
    const { path } = nameAfter(file);
    if (lines === undefined) return { path };
    return { path, startLine, endLine: startLine + Math.max(0, oldText.replace(/\n$/, "").split("\n").length - 1) };
  });
  const idle = new Set([...narrowed].flatMap(([file, rest]) => idleEdits(plan.outcomes, file, rest)));
  const outcomes = plan.outcomes.map((one) =>
    idle.has(one) && one.status === "applied" ? { ...one, status: "notAttempted" as const } : one,
  );
  const files = plan.files
    .flatMap((file) => nextOf(file) ?? [])
    .filter(({ kind, change }) => kind !== "update" || !change.isEmpty);
  return { plan: { ...plan, files, tasks, outcomes }, places };
}

/** Returns the edits of a file of whose change nothing is left. `rest`: the change without what the user has refused. */
function idleEdits<O extends Pick<EditOutcome, "index" | "places">>(
  outcomes: readonly O[],
  file: FileChange,
  rest: FileChange | undefined,
): readonly O[] {
  if (rest === undefined) return editsOf(file, outcomes);
  const editsAt = editsTouching(file, outcomes);
  const edits = ({ changes }: ChangeSet): Set<O> => new Set(changes.flatMap(({ from, to }) => editsAt(from, to)));
  const left = edits(rest.change);
  return [...edits(file.change)].filter((one) => !left.has(one));
}

/** Returns a change without some of its lines. It is not what the caller has sent, so it does not count as that call. */
function withoutLines(file: FileChange, refused: readonly PlannedHunk[]): FileChange {
  // The hunks are those of the refined change.
  const { length, changes } = refined(file.document.text, file.change);
  const isRefused = (from: number, to: number): boolean =>
    refused.some(({ lines }) => lines !== undefined && lines.from <= from && to <= lines.to);
  const change = ChangeSet.of(
    length,
    changes.filter(({ from, to }) => !isRefused(from, to)),
  );
  const { seenAs: _, ...kept } = file;
  return { ...kept, change, text: change.apply(file.document.text), isPartial: true } as FileChange;
}
