/** Decides, for each edit of a planned file, by which of the texts that the caller can have seen it is placed. */
import { ChangeSet } from "../../text/changeSet.js";
import { limits } from "../../text/limits.js";
import { LineIndex } from "../../text/lines.js";
import { type At, atEdit, type Failure } from "../failure.js";
import { linesNamed } from "../operation.js";
import { type EditOutcome, type FileChange, type FilePlan, failedOutcome } from "../outcome.js";
import { batchWarnings } from "../sentences.js";
import type { Document } from "../snapshot.js";
import { answerOf, EarlierText, type Finding, type MergedGroup, type ViewPlan } from "./candidates.js";
import { type Group, groupsOf } from "./groups.js";
import { presentLines, quotedLine, viewFailures, viewWarnings } from "./sentences.js";
import { type EarlierSay, type PresentSay, verdicts } from "./table.js";

/** Returns the plan of a file, with the edits placed by the texts that have a say. `seen`: newest text first. */
export function reconciled(plan: FilePlan, seen: readonly ViewPlan[]): FilePlan {
  const { file } = plan;
  if (file === undefined) return plan;
  const work = new Reconciliation(plan, file, seen);
  for (const outcome of plan.outcomes) work.decide(outcome);
  return work.result();
}

/** A group of edits that is placed by an earlier text. */
interface PlacedGroup extends MergedGroup {
  readonly by: EarlierText;
  readonly change: ChangeSet;
}

/** An earlier text that has a say about an edit. */
interface Voice {
  readonly by: EarlierText;
  readonly answer: Finding;
}

class Reconciliation {
  readonly #document: Document;
  readonly #now: LineIndex;
  readonly #candidates: readonly EarlierText[];
  readonly #groups: readonly Group[];
  readonly #failures = new Map<number, Failure>();
  readonly #taken = new Map<number, PlacedGroup>();

  constructor(
    readonly plan: FilePlan,
    readonly file: FileChange,
    seen: readonly ViewPlan[],
  ) {
    const { document } = file;
    this.#document = document;
    this.#now = LineIndex.of(document.text, document);
    this.#groups = groupsOf(this.#now, plan);
    this.#candidates = seen.map((one) => new EarlierText(one, document, this.#now));
  }

  /** Decides about one edit. Does nothing if the present text decides. */
  decide({ index, ...outcome }: EditOutcome): void {
    if (this.#taken.has(index) || this.#failures.has(index) || this.isWide(index)) return;
    const here = answerOf({ index, ...outcome });
    if (here.kind === "idle" || here.kind === "refused") return;
    const found = this.voicesFor(index);
    const latest = found.find(({ by }) => by.view.isLatest);
    // If the changes since are not known exactly, the present text must not be overruled.
    const alone = latest?.by.view.isCompared ? undefined : latest;
    const voices = alone === undefined ? this.rightIn(found, index) : [alone];
    if (voices.length === 0) return;
    const all = voices.map((voice) => this.mergedBy(voice, index));
    const merged = all.filter((one) => one !== undefined);
    const [first] = merged;
    const earlier = merged.length < all.length ? "several" : saidBy(merged, this.#now.text);
    const present = this.presentSay(index, here, alone === undefined ? merged : undefined);
    const verdict = verdicts[present][earlier];
    // All texts have the same matches, of which the present plan tells more.
    const areEqual = here.kind === "several" && voices.every((one) => isSeveralAt(one, here.lines));
    if (areEqual) return;
    if (verdict === "ambiguousMatch" || first === undefined) this.refuseAsDifferent(index, here, voices);
    else if (verdict === "contentModified") this.refuseAsChanged(voices[0]!.by, first);
    else if (first.change?.isEmpty || !this.isAsPlanned(index, first)) this.take(voices[0]!.by, first);
  }

  /** Returns an edit as an earlier text places it, merged with what was typed since. */
  private mergedBy({ by, answer }: Voice, index: number): MergedGroup | undefined {
    if (!by.agreeing.has(index)) return answer.kind === "place" ? by.merged(index) : undefined;
    const group = this.#groups.find(({ indices }) => indices.includes(index));
    return group && { group, lines: group, change: ChangeSet.of(this.#now.text.length, group.changes) };
  }

  /** Returns the earlier texts that have a say. */
  private voicesFor(index: number): readonly Voice[] {
    return this.#candidates.flatMap((by): Voice[] => {
      const answer = by.answer(index);
      return answer === undefined ? [] : [{ by, answer }];
    });
  }

  /** Returns the texts in which the line number that the caller gave is right; all texts if there is none. */
  private rightIn(voices: readonly Voice[], index: number): readonly Voice[] {
    const line = this.lineOf(index);
    const right = voices.filter(({ answer }) =>
      answer.kind === "place"
        ? answer.lines.from + 1 === line
        : answer.kind === "several" && line !== undefined && answer.lines.includes(line - 1),
    );
    return right.length > 0 ? right : voices;
  }

  /** Returns the 1-based line at which a caller says that an edit's match starts; `undefined` if it does not. */
  private lineOf(index: number): number | undefined {
    for (const one of this.plan.operations) {
      if (one.kind === "edit" && one.index === index) return one.line;
      const hunk = one.kind === "update" ? one.hunks.find((own) => own.index === index) : undefined;
      if (hunk !== undefined) return hunk.anchors.at(-1)?.range?.line;
    }
    return undefined;
  }

  /** `merged`: what the earlier texts make of the edit; `undefined` if one of them decides alone. */
  private presentSay(index: number, here: Finding, merged: readonly MergedGroup[] | undefined): PresentSay {
    if (merged === undefined || this.isChosen(index)) return "noSay";
    if (here.kind !== "place") return here.kind === "several" ? "several" : "notFound";
    const isHere = ({ lines }: MergedGroup): boolean => lines.from < here.lines.to && here.lines.from < lines.to;
    return merged.every((one) => isHere(one) || this.isAsPlanned(index, one)) ? "samePlace" : "elsewhere";
  }

  /** Reports whether the present text makes the same change of an edit. */
  private isAsPlanned(index: number, { group, change }: MergedGroup): boolean {
    const own = this.#groups.find(({ indices }) => indices.includes(index));
    if (own === undefined || change === undefined || own.indices.length !== group.indices.length) return false;
    const planned = ChangeSet.of(change.length, own.changes);
    return planned.apply(this.#now.text) === change.apply(this.#now.text);
  }

  /** Reports whether an edit may have several places, so that only the present text has a say about it. */
  private isWide(index: number): boolean {
    return this.plan.operations.some((one) => one.kind === "edit" && one.index === index && one.replaceAll);
  }

  /** Reports whether the caller chose the match by a line number, an occurrence or an anchor of the text that it saw. */
  private isChosen(index: number): boolean {
    return this.plan.operations.some((one) =>
      one.kind === "edit"
        ? one.index === index && (one.line ?? one.occurrence ?? one.seenLines) !== undefined
        : one.kind === "update" && one.hunks.some((hunk) => hunk.index === index && hunk.anchors.length > 0),
    );
  }

  /** Refuses a group of edits because its place has changed since. */
  private refuseAsChanged(by: EarlierText, merged: Pick<MergedGroup, "group" | "lines">): void {
    const now = presentLines(this.#now, by.shortened(merged));
    for (const index of merged.group.indices) this.fail(index, (at) => viewFailures.changed(at, by.view.base, now));
  }

  /** Refuses an edit for which the texts name different places, and names those that differ from the present text. */
  private refuseAsDifferent(index: number, here: Finding, voices: readonly Voice[]): void {
    const own = here.kind === "place" ? [here.lines.from] : here.kind === "several" ? here.lines : [];
    const differing = voices.filter((voice) => {
      const merged = this.mergedBy(voice, index);
      return merged === undefined || here.kind !== "place" || !this.isAsPlanned(index, merged);
    });
    const others = differing.flatMap(({ by, answer }) => {
      const starts = answer.kind === "place" ? [answer.lines.from] : answer.kind === "several" ? answer.lines : [];
      return starts.map((line) => by.typed.range({ from: line, to: line + 1 }).from);
    });
    const lines = [...new Set([...own, ...others])].sort((a, b) => a - b).slice(0, limits.matchesShown);
    const bases = differing.map(({ by }) => by.view.base);
    const quoted = lines.map((line) => quotedLine(this.#now, line));
    this.fail(index, (at) => viewFailures.different(at, quoted, bases));
  }

  /** Places a group of edits by an earlier text. */
  private take(by: EarlierText, { group, lines, change }: MergedGroup): void {
    const isTaken = group.indices.some((index) => this.#taken.has(index) || this.#failures.has(index));
    const isWide = group.indices.some((index) => this.isWide(index));
    if (change === undefined || isTaken || isWide) this.refuseAsChanged(by, { group, lines });
    else for (const index of group.indices) this.#taken.set(index, { by, group, lines, change });
  }

  /** Marks an edit as failed, together with those that the present text places with it. */
  private fail(index: number, failure: (at: At) => Failure): void {
    const own = this.#groups.find(({ indices }) => indices.includes(index));
    const hunks = this.plan.operations.flatMap((one) => (one.kind === "update" ? one.hunks : []));
    for (const each of new Set([index, ...(own?.indices ?? [])])) {
      if (this.#taken.has(each) || this.#failures.has(each)) continue;
      const patchLine = hunks.find((hunk) => hunk.index === each)?.patchLine;
      const at = { index: each, path: this.#document.path, ...(patchLine === undefined ? {} : { patchLine }) };
      this.#failures.set(each, failure(at));
    }
  }

  /** Returns the plan with all decisions. */
  result(): FilePlan {
    if (this.#taken.size === 0 && this.#failures.size === 0)
      return { ...this.plan, file: { ...this.file, seenAs: this.seenAs(this.plan.outcomes) } };
    const groups = [...new Map([...this.#taken.values()].map((one) => [one.group, one])).values()];
    const left = this.#groups.filter(({ indices }) =>
      indices.every((index) => !this.#taken.has(index) && !this.#failures.has(index)),
    );
    const isTorn = this.#groups.some(
      ({ indices }) => indices.some((i) => this.#taken.has(i)) && indices.some((i) => !this.#taken.has(i)),
    );
    const all = [...left.map(({ changes }) => changes), ...groups.map(({ change }) => change.changes)];
    const change = isTorn ? undefined : together(this.#document.text.length, all);
    if (change === undefined) {
      // They conflict with each other.
      this.#taken.clear();
      for (const one of groups) this.refuseAsChanged(one.by, one);
      return this.result();
    }
    const outcomes = this.plan.outcomes.map((outcome) => this.outcomeOf(outcome));
    const stale = new Set(
      this.plan.outcomes.filter(({ index }) => this.#taken.has(index)).map(batchWarnings.nothingToDo),
    );
    const edits = outcomes.filter(({ status }) => status === "applied").length;
    return {
      ...this.plan,
      outcomes,
      warnings: [
        ...this.plan.warnings.filter((warning) => !stale.has(warning)),
        ...groups.flatMap((one) => this.warningsOf(one)),
      ],
      file: {
        ...{ ...this.file, change, text: change.apply(this.#document.text), edits },
        seenAs: this.seenAs(outcomes),
      },
    };
  }

  /** Returns, for each earlier text that has all edits, the changes that their author sees them make there. */
  private seenAs(outcomes: readonly EditOutcome[]): NonNullable<FileChange["seenAs"]> {
    const made = outcomes.filter(({ status }) => status === "applied" || status === "skipped");
    return this.#candidates.flatMap((one) => {
      const { key } = one.view;
      const change = one.changeOf(
        made.map(({ index }) => index),
        this.#groups,
      );
      return key === undefined || change === undefined ? [] : [{ key, change }];
    });
  }

  private outcomeOf(outcome: EditOutcome): EditOutcome {
    const { index, path } = outcome;
    const failure = this.#failures.get(index);
    if (failure !== undefined) return failedOutcome(outcome, atEdit(failure, { index, path }));
    const own = this.#taken.get(index);
    if (own === undefined) {
      // If an edit repeats one that an earlier text places, there is nothing left to do.
      const isIdle = [...this.#taken.values()].some(({ by }) => answerOf(by.outcome(index)).kind === "idle");
      return outcome.status === "failed" && isIdle ? { index, path, status: "skipped", places: [] } : outcome;
    }
    const then = own.by.outcome(index);
    const place = answerOf(then);
    const lines = place.kind === "place" ? own.by.typed.range(place.lines) : own.lines;
    const places = [{ startLine: lines.from + 1, endLine: Math.max(lines.from + 1, lines.to) }];
    const status = own.change.isEmpty || then?.status === "skipped" ? "skipped" : "applied";
    const { rung, warnings } = then ?? {};
    return {
      index,
      path,
      status,
      ...(rung && { rung }),
      places,
      base: own.by.view.base,
      ...(warnings && { warnings }),
    };
  }

  private warningsOf({ by, group, change }: PlacedGroup): string[] {
    const { path } = this.#document;
    const isByLines = linesNamed(this.plan.operations).length > 0;
    const typed = isByLines
      ? by.typed.hunks
      : by.typed.near(group).filter((hunk) => hunk.from <= group.to && hunk.to >= group.from);
    const [line] = typed.flatMap(({ fromB, insert }) => {
      const filled = insert.findIndex((text) => text.trim() !== "");
      return filled === -1 ? [] : [quotedLine(this.#now, fromB + filled)];
    });
    const hasChanged = typed.length > 0 || by.typed.turnsLastEnd;
    return group.indices.map((index) => {
      const isSkipped = by.outcome(index)?.status === "skipped";
      // The whole text that the caller saw need not be the present one.
      return (isByLines ? change.isEmpty && !isSkipped : change.isEmpty || isSkipped)
        ? batchWarnings.nothingToDo({ index, path })
        : viewWarnings.placed({ index, path }, by.view.base, { typed: line, hasChanged });
    });
  }
}

/** Reports whether an earlier text has several matches, which are at these lines now. */
function isSeveralAt({ by, answer }: Voice, lines: readonly number[]): boolean {
  if (answer.kind !== "several" || answer.lines.length !== lines.length) return false;
  return answer.lines.every((line, i) => by.typed.range({ from: line, to: line + 1 }).from === lines[i]);
}

/** Returns what the earlier texts say that all place an edit. `now`: the present text. */
function saidBy(merged: readonly MergedGroup[], now: string): EarlierSay {
  const [first] = merged;
  if (merged.some(({ change }) => change === undefined)) return "conflict";
  // One text can be made by different changes.
  const isSame = merged.every(
    ({ change }) =>
      JSON.stringify(change?.changes) === JSON.stringify(first?.change?.changes) ||
      change?.apply(now) === first?.change?.apply(now),
  );
  if (!isSame) return "differentTexts";
  return first?.change?.isEmpty === true && first.group.changes.length > 0 ? "done" : "oneText";
}

/** Joins lists of changes; `undefined` if changes of two lists overlap or touch. */
function together(length: number, all: readonly (readonly { from: number; to: number; insert: string }[])[]) {
  const owned = all.flatMap((changes, owner) => changes.map((change) => ({ change, owner })));
  owned.sort((a, b) => a.change.from - b.change.from || a.change.to - b.change.to);
  const isClash = owned.some(({ change, owner }, i) => {
    const last = owned[i - 1];
    if (last === undefined) return false;
    return last.owner === owner ? change.from < last.change.to : change.from <= last.change.to;
  });
  return isClash
    ? undefined
    : ChangeSet.of(
        length,
        owned.map(({ change }) => change),
      );
}
