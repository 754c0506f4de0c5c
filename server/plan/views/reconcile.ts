/** Decides, for each edit of a planned file, by which of the texts that the caller can have seen it is placed. */

import { type Change, ChangeSet, shrink } from "../../text/changeSet.js";
import { limits } from "../../text/limits.js";
import { LineIndex } from "../../text/lines.js";
import { type At, atEdit, clip, type Failure, type QuotedLine } from "../failure.js";
import { type EditOutcome, type FileChange, type FilePlan, failedOutcome } from "../outcome.js";
import { batchWarnings } from "../sentences.js";
import type { Document } from "../snapshot.js";
import {
  type Carried,
  carry,
  continuesTyped,
  type Group,
  hasLineElsewhere,
  joinsAnother,
  type Lines,
  splitsTyped,
} from "./carry.js";
import { answerOf, type Finding, groupWith, hasSay, type Seen, type ViewPlan } from "./findings.js";
import { groupsOf } from "./groups.js";
import { LineMap } from "./lineMap.js";
import { isEqual, isPartOf, isSamePlace, type Placed } from "./samePlace.js";
import { type PresentLines, viewFailures, viewWarnings } from "./sentences.js";

/** Returns the plan of a file, with the edits placed by the texts that have a say. `seen`: newest text first. */
export function reconciled(plan: FilePlan, seen: readonly ViewPlan[]): FilePlan {
  const { file } = plan;
  if (file === undefined) return plan;
  const work = new Reconciliation(plan, file, seen);
  for (const outcome of plan.outcomes) work.decide(outcome);
  return work.result();
}

/** A group of edits that is placed by an earlier text. */
interface CarriedGroup {
  readonly seen: Seen;
  readonly group: Group;
  readonly carried: Exclude<Carried, { kind: "changed" }>;
}

/** An earlier text that has a say about an edit. */
interface Voice {
  readonly seen: Seen;
  readonly answer: Finding;
}

class Reconciliation {
  readonly #document: Document;
  readonly #now: LineIndex;
  readonly #seen: readonly Seen[];
  readonly #groups: readonly Group[];
  readonly #failures = new Map<number, Failure>();
  readonly #carried = new Map<number, CarriedGroup>();
  readonly #warnings: string[] = [];

  constructor(
    readonly plan: FilePlan,
    readonly file: FileChange,
    seen: readonly ViewPlan[],
  ) {
    const { document } = file;
    this.#document = document;
    this.#now = LineIndex.of(document.text, document);
    this.#groups = groupsOf(this.#now, plan);
    this.#seen = seen.map((one) => {
      const then = LineIndex.of(one.text, document);
      const since = one.view.back.invert(document.text);
      const outcomes = new Map(one.plan.outcomes.map((outcome) => [outcome.index, outcome]));
      const groups = groupsOf(then, one.plan);
      return { ...one, since, map: new LineMap(then, this.#now, since), outcomes, groups };
    });
  }

  /** Decides about one edit. Does nothing if the present text decides. */
  decide(outcome: EditOutcome): void {
    const { index } = outcome;
    if (this.#carried.has(index) || this.#failures.has(index) || this.isWide(index)) return;
    const here = answerOf(outcome);
    if (here.kind === "idle" || here.kind === "refused") return;
    const found = this.#seen
      .map((seen) => ({ seen, answer: answerOf(seen.outcomes.get(index)) }))
      .filter(({ seen, answer }) => hasSay(seen.view, answer));
    const latest = found.find(({ seen }) => seen.view.isLatest);
    // A text of which the exact changes are not known must not overrule the present one.
    const alone = latest?.seen.view.isCompared ? undefined : latest;
    const voices = alone === undefined ? found : [alone];
    if (voices.length === 0) return;
    const places = voices.flatMap(({ seen, answer }) =>
      answer.kind === "place" ? [{ seen, lines: answer.lines, group: groupWith(seen.groups, index) }] : [],
    );
    if (places.length < voices.length) {
      if (here.kind === "place" || (here.kind === "none" && voices.some(({ answer }) => answer.kind === "several")))
        this.refuseAsDifferent(index, here, voices);
      return;
    }
    if (here.kind === "several" && alone === undefined) return;
    const certain = places.filter((one) => !places.some((other) => isPartOf(one, other)));
    const agreeing = here.kind === "place" ? certain.filter((one) => this.isHere(one, index, here.lines)) : [];
    if (agreeing.length === certain.length) {
      const own = groupWith(this.#groups, index);
      const joining = certain.find(
        ({ seen: { map, since }, group }) =>
          group !== undefined &&
          (joinsAnother(map, group) ||
            (own !== undefined && (continuesTyped(map, group, own) || splitsTyped(map, since, group, own)))),
      );
      if (joining !== undefined && here.kind === "place") this.refuseAsChanged(index, joining.seen, here.lines);
      return;
    }
    const isPart = here.kind === "place" && certain.some((one) => isPartOf({ lines: here.lines }, one));
    const [newest] = certain;
    if (newest === undefined || newest.group === undefined) return;
    const carried = carry(newest.seen.map, newest.group);
    if (here.kind === "place" && !isPart && alone === undefined) {
      const isMoved = ({ seen, group }: Placed): boolean => {
        const other = group && carry(seen.map, group);
        return other?.kind === "moved" && isEqual(other.lines, here.lines);
      };
      if (certain.every((one) => agreeing.includes(one) || isMoved(one)))
        this.#warnings.push(viewWarnings.moved(outcome, { from: here.lines.from + 1, to: here.lines.to }));
      else this.refuseAsDifferent(index, here, voices);
      return;
    }
    const isShared = certain.every(({ seen, group }) => {
      const other = group === undefined ? undefined : carry(seen.map, group);
      return other !== undefined && isSameEffect(other, carried);
    });
    if (!isShared) this.refuseAsDifferent(index, here, voices);
    else this.take(newest.seen, newest.group, carried);
  }

  /** Reports whether an edit may have several places, so that only the present text has a say about it. */
  private isWide(index: number): boolean {
    return this.plan.operations.some(
      (operation) => operation.kind === "edit" && operation.index === index && operation.replaceAll,
    );
  }

  /** Reports whether a place in an earlier text is the present place of the same edit, or makes the same change. */
  private isHere(placed: Placed, index: number, lines: Lines): boolean {
    const edit = this.plan.operations.find((operation) => operation.kind === "edit" && operation.index === index);
    const oldText = edit?.kind === "edit" ? edit.oldText : undefined;
    const own = groupWith(this.#groups, index);
    if (isSamePlace(placed, { lines, group: own, oldText })) return true;
    const { seen, group } = placed;
    if (group === undefined || own === undefined || group.indices.length !== own.indices.length) return false;
    const carried = carry(seen.map, group);
    const { text } = this.#document;
    return carried.kind === "carried" && isSameChange(text, carried.changes, own.changes);
  }

  /** Reports whether an earlier text names the present place of an edit. */
  private agrees({ seen, answer }: Voice, index: number, lines: Lines): boolean {
    if (answer.kind !== "place") return false;
    return this.isHere({ seen, lines: answer.lines, group: groupWith(seen.groups, index) }, index, lines);
  }

  /** Refuses an edit because its place has changed since. */
  private refuseAsChanged(index: number, { view }: Seen, lines: Lines): void {
    const now = this.presentLines(lines);
    this.fail(index, (at) => viewFailures.changed(at, view.base, now));
  }

  /** Refuses an edit for which the texts name different places, and names those that differ from the present text. */
  private refuseAsDifferent(index: number, here: Finding, voices: readonly Voice[]): void {
    const own = here.kind === "place" ? [here.lines.from] : here.kind === "several" ? here.lines : [];
    const differing = voices.filter((voice) => here.kind !== "place" || !this.agrees(voice, index, here.lines));
    const others = differing.flatMap(({ seen: { map }, answer }) => {
      const starts = answer.kind === "place" ? [answer.lines.from] : answer.kind === "several" ? answer.lines : [];
      return starts.map((line) => map.range(line, line + 1).from);
    });
    const lines = [...new Set([...own, ...others])].sort((a, b) => a - b).slice(0, limits.matchesShown);
    this.fail(index, (at) =>
      viewFailures.different(
        at,
        lines.map((line) => this.quote(line)),
        differing.map(({ seen }) => seen.view.base),
      ),
    );
  }

  /** Places a group of edits by an earlier text, or refuses them if the present text has changed there. */
  private take(seen: Seen, group: Group, carried: Carried): void {
    const { indices } = group;
    const isTaken = indices.some((index) => this.#carried.has(index) || this.#failures.has(index));
    const isWide = indices.some((index) => this.isWide(index));
    const { isCompared } = seen.view;
    const isElsewhere =
      isCompared && (this.occursElsewhere(seen, group, carried.lines) || hasLineElsewhere(seen.map, group));
    if (carried.kind === "changed" || isTaken || isWide || isElsewhere) {
      for (const index of indices) this.refuseAsChanged(index, seen, carried.lines);
      return;
    }
    for (const index of indices) this.#carried.set(index, { seen, group, carried });
  }

  /** Reports whether the lines of a place occur anywhere else in the present text. */
  private occursElsewhere({ map }: Seen, { from, to }: Group, lines: Lines): boolean {
    const text = map.then.text.slice(map.then.start(from), map.then.contentEnd(to - 1));
    const now = this.#now;
    const own = now.start(lines.from);
    for (let at = now.text.indexOf(text); at !== -1; at = now.text.indexOf(text, at + 1)) {
      const end = at + text.length;
      const isWhole = at === now.start(now.lineAt(at)) && end === now.contentEnd(now.lineAt(end));
      if (at !== own && isWhole) return true;
    }
    return false;
  }

  /** Marks an edit as failed, together with those that the present text places with it. */
  private fail(index: number, failure: (at: At) => Failure): void {
    const own = groupWith(this.#groups, index);
    for (const each of new Set([index, ...(own?.indices ?? [])])) {
      if (this.#carried.has(each)) continue;
      const patchLine = this.patchLineOf(each);
      const at = { index: each, path: this.#document.path, ...(patchLine === undefined ? {} : { patchLine }) };
      if (!this.#failures.has(each)) this.#failures.set(each, failure(at));
    }
  }

  private patchLineOf(index: number): number | undefined {
    const hunks = this.plan.operations.flatMap((operation) => (operation.kind === "update" ? operation.hunks : []));
    return hunks.find((hunk) => hunk.index === index)?.patchLine;
  }

  private quote(line: number): QuotedLine {
    return { line: line + 1, text: clip(this.#now.content(line), limits.quotedLine) };
  }

  private presentLines({ from, to }: Lines): PresentLines {
    const shown = Math.min(to - from, limits.furtherLines);
    const lines = Array.from({ length: shown }, (_, i) => this.quote(from + i));
    return { lines, more: to - from - shown, from: from + 1, to };
  }

  /** Returns the plan with all decisions. */
  result(): FilePlan {
    if (this.#carried.size === 0 && this.#failures.size === 0)
      return this.#warnings.length === 0
        ? this.plan
        : { ...this.plan, warnings: [...this.plan.warnings, ...this.#warnings] };
    const taken = new Set([...this.#carried.values()].map(({ group }) => group));
    const carriedGroups = [...this.#carried.values()].filter((one) => taken.delete(one.group));
    const left = this.#groups.filter(({ indices }) =>
      indices.every((index) => !this.#carried.has(index) && !this.#failures.has(index)),
    );
    const all = [
      ...left.map(({ changes }) => changes),
      ...carriedGroups.map(({ carried }) => (carried.kind === "done" ? [] : carried.changes)),
    ];
    const torn = this.#groups.find(
      ({ indices }) => indices.some((i) => this.#carried.has(i)) && indices.some((i) => !this.#carried.has(i)),
    );
    const changes = torn === undefined ? disjoint(all) : undefined;
    if (changes === undefined) return this.refused(carriedGroups);
    const outcomes = this.plan.outcomes.map((outcome) => this.outcomeOf(outcome));
    const { text } = this.#document;
    const change = ChangeSet.of(
      text.length,
      changes.flatMap((one) => shrink(text, one)),
    );
    const edits = outcomes.filter(({ status }) => status === "applied").length;
    return {
      ...this.plan,
      outcomes,
      warnings: [...this.ownWarnings(), ...this.#warnings, ...carriedGroups.flatMap((one) => this.warningsOf(one))],
      file: { ...this.file, change, text: change.apply(text), edits },
    };
  }

  /** Returns the plan's warnings, without those about edits that an earlier text places. */
  private ownWarnings(): readonly string[] {
    const carried = this.plan.outcomes.filter(({ index }) => this.#carried.has(index));
    const stale = new Set(carried.map(batchWarnings.nothingToDo));
    return this.plan.warnings.filter((warning) => !stale.has(warning));
  }

  /** Returns the plan in which all edits that were to be carried fail, because they conflict with others. */
  private refused(groups: readonly CarriedGroup[]): FilePlan {
    this.#carried.clear();
    for (const { seen, group, carried } of groups) {
      for (const index of group.indices) this.refuseAsChanged(index, seen, carried.lines);
    }
    return this.result();
  }

  private outcomeOf(outcome: EditOutcome): EditOutcome {
    const { index, path } = outcome;
    const failure = this.#failures.get(index);
    if (failure !== undefined) return failedOutcome(outcome, atEdit(failure, { index, path }));
    const own = this.#carried.get(index);
    if (own === undefined) {
      // If an edit repeats one that is carried, there is nothing left to do.
      const isIdle = [...this.#carried.values()].some(({ seen }) => answerOf(seen.outcomes.get(index)).kind === "idle");
      return outcome.status === "failed" && isIdle ? { index, path, status: "skipped", places: [] } : outcome;
    }
    const { seen, carried } = own;
    const then = seen.outcomes.get(index);
    const status = carried.kind === "done" || then?.status === "skipped" ? "skipped" : "applied";
    const place = answerOf(then);
    const lines =
      place.kind === "place" && carried.kind === "carried"
        ? seen.map.range(place.lines.from, place.lines.to)
        : carried.lines;
    const places = [{ startLine: lines.from + 1, endLine: Math.max(lines.from + 1, lines.to) }];
    return { index, path, status, ...(then?.rung && { rung: then.rung }), places, base: seen.view.base };
  }

  private warningsOf({ seen, group, carried }: CarriedGroup): string[] {
    const { path } = this.#document;
    return group.indices.map((index) => {
      if (carried.kind === "done" || seen.outcomes.get(index)?.status === "skipped")
        return batchWarnings.nothingToDo({ index, path });
      if (carried.kind === "moved")
        return viewWarnings.moved({ index, path }, { from: carried.lines.from + 1, to: carried.lines.to });
      const blocks = seen.map.touching(group.from, group.to);
      const [typed] = blocks.flatMap(({ fromNow, toNow }) => (fromNow < toNow ? [this.quote(fromNow)] : []));
      const hasChanged = blocks.length > 0;
      return viewWarnings.carried({ index, path }, seen.view.base, { typed, hasChanged });
    });
  }
}

/** Reports whether two texts carry an edit to the same place, with the same effect. */
function isSameEffect(one: Carried, other: Carried): boolean {
  if (one.kind !== other.kind || !isEqual(one.lines, other.lines)) return false;
  if (!("changes" in one) || !("changes" in other)) return true;
  return JSON.stringify(one.changes) === JSON.stringify(other.changes);
}

/** Reports whether two lists of changes turn a text into the same one. */
function isSameChange(text: string, one: readonly Change[], other: readonly Change[]): boolean {
  const shrunk = (changes: readonly Change[]): readonly Change[] =>
    ChangeSet.of(
      text.length,
      changes.flatMap((change) => shrink(text, change)),
    ).changes;
  return JSON.stringify(shrunk(one)) === JSON.stringify(shrunk(other));
}

/** Joins lists of changes; `undefined` if changes of two lists overlap or touch. */
function disjoint(all: readonly (readonly Change[])[]): Change[] | undefined {
  const owned = all.flatMap((changes, owner) => changes.map((change) => ({ change, owner })));
  owned.sort((a, b) => a.change.from - b.change.from || a.change.to - b.change.to);
  const clash = owned.some(({ change, owner }, i) => {
    const last = owned[i - 1];
    if (last === undefined) return false;
    return last.owner === owner ? change.from < last.change.to : change.from <= last.change.to;
  });
  return clash ? undefined : owned.map(({ change }) => change);
}
