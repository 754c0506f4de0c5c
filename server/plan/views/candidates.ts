/** The places that the texts which a caller can have seen give for its edits, and the texts that they result in. */
import { ChangeSet } from "../../text/changeSet.js";
import { limits } from "../../text/limits.js";
import { LineChanges, type LineHunk } from "../../text/lineChanges.js";
import { LineIndex } from "../../text/lines.js";
import { isSame, merge } from "../../text/merge.js";
import type { EditOutcome, FilePlan } from "../outcome.js";
import type { Document } from "../snapshot.js";
import { type Group, groupsOf } from "./groups.js";
import { isShown, type Lines, type View } from "./view.js";

/** A call's plan for an earlier text of a file. */
export interface ViewPlan {
  readonly view: View;
  /** The earlier text. */
  readonly text: string;
  /** The plan of all edits but those that are certainly placed as in the present text. */
  readonly plan: FilePlan;
  /** The lines of the latter in the earlier text, by the indices of the edits. */
  readonly agreeing: ReadonlyMap<number, Lines>;
}

/** The way in which one text answers where an edit belongs. */
export type Finding =
  | { readonly kind: "place"; readonly lines: Lines }
  | { readonly kind: "several"; readonly lines: readonly number[] }
  | { readonly kind: "refused"; readonly line: number | undefined }
  /** The edit has nothing to do. */
  | { readonly kind: "idle" }
  | { readonly kind: "none" };

/** Codes of failures that say that an edit was not found. */
const notFound: ReadonlySet<string> = new Set(["noMatch", "contextNotFound", "alreadyApplied", "consumed"]);

/** Returns the answer that an outcome gives. */
export function answerOf(outcome: EditOutcome | undefined): Finding {
  if (outcome === undefined) return { kind: "none" };
  const { status, places, failure } = outcome;
  if (status === "failed") {
    if (failure === undefined || notFound.has(failure.code)) return { kind: "none" };
    if (failure.code === "ambiguousMatch")
      return { kind: "several", lines: (failure.matches ?? []).map(({ line }) => line - 1) };
    return { kind: "refused", line: failure.line === undefined ? undefined : failure.line - 1 };
  }
  const [first] = places;
  if (first === undefined) return { kind: "idle" };
  const last = places.at(-1)!;
  return { kind: "place", lines: { from: first.startLine - 1, to: last.endLine } };
}

/** A group of edits merged with what was typed since. `lines`: the present lines of its place. */
export interface MergedGroup {
  readonly group: Group;
  readonly lines: Lines;
  /** The changes to the present text, empty if it already is as the edits would make it; `undefined`: a conflict. */
  readonly change: ChangeSet | undefined;
}

/** An earlier text with the places that it gives for a call's edits. */
export class EarlierText {
  readonly view: View;
  /** The edits that this text places as the present text does, by their indices. */
  readonly agreeing: ReadonlyMap<number, Lines>;
  readonly #outcomes: ReadonlyMap<number, EditOutcome>;
  readonly #groups: readonly Group[];
  readonly #then: LineIndex;
  readonly #merged = new Map<Group, MergedGroup>();
  #typed: LineChanges | undefined;

  constructor(
    { view, text, plan, agreeing }: ViewPlan,
    readonly document: Document,
    readonly now: LineIndex,
  ) {
    this.view = view;
    this.agreeing = agreeing;
    this.#then = LineIndex.of(text, document);
    this.#outcomes = new Map(plan.outcomes.map((outcome) => [outcome.index, outcome]));
    this.#groups = groupsOf(this.#then, plan);
  }

  /** What was typed since the caller saw this text. */
  get typed(): LineChanges {
    const { back, isCompared } = this.view;
    this.#typed ??= new LineChanges(this.#then, back.invert(this.now.text), isCompared ? "compared" : "typed");
    return this.#typed;
  }

  outcome(index: number): EditOutcome | undefined {
    return this.#outcomes.get(index);
  }

  /** Returns this text's answer about an edit; `undefined` if it has no say about the edit. */
  answer(index: number): Finding | undefined {
    const agreed = this.agreeing.get(index);
    const answer = agreed ? ({ kind: "place", lines: agreed } as const) : answerOf(this.#outcomes.get(index));
    return hasSay(this.view, answer) ? answer : undefined;
  }

  /** Returns an edit's group, merged with what was typed since; `undefined` if this text does not place the edit. */
  merged(index: number): MergedGroup | undefined {
    const group = this.#groups.find(({ indices }) => indices.includes(index));
    return group && this.#mergedGroup(group);
  }

  /** Returns the changes to this text of edits that are all placed in it; `undefined` if they are not. `present`: of the present text. */
  changeOf(indices: readonly number[], present: readonly Group[]): ChangeSet | undefined {
    const { back } = this.view;
    const agreed = present.filter((group) => group.indices.every((index) => this.agreeing.has(index)));
    const groups = [...this.#groups, ...agreed].filter((group) =>
      group.indices.some((index) => indices.includes(index)),
    );
    const isWhole = indices.every((index) => groups.some((group) => group.indices.includes(index)));
    const isOnly = groups.every((group) => group.indices.every((index) => indices.includes(index)));
    if (!isWhole || !isOnly) return undefined;
    const changes = groups.flatMap((group) =>
      group.changes.map(({ from, to, insert }) =>
        agreed.includes(group)
          ? { from: back.mapPos(from, "before"), to: back.mapPos(to, "before"), insert }
          : { from, to, insert },
      ),
    );
    return ChangeSet.of(this.#then.text.length, changes);
  }

  /** Returns the present lines of a group's place; of a long one, only those that were typed beside its changes. */
  shortened({ group, lines }: Pick<MergedGroup, "group" | "lines">): Lines {
    if (lines.to - lines.from <= limits.furtherLines) return lines;
    const changed = group.changes.map(({ from, to }) => ({ from: this.#then.lineAt(from), to: this.#then.lineAt(to) }));
    const met = this.typed
      .near(group)
      .filter((own) => changed.some(({ from, to }) => own.from <= to && from <= own.to));
    const [first, last] = [met.at(0), met.at(-1)];
    return first && last ? { from: first.fromB, to: last.fromB + last.insert.length } : lines;
  }

  #mergedGroup(group: Group): MergedGroup {
    const known = this.#merged.get(group);
    if (known !== undefined) return known;
    const edit = new LineChanges(
      this.#then,
      ChangeSet.of(this.#then.text.length, group.changes),
      "edit",
      group.isByLine ? undefined : group,
    );
    const change =
      this.isConfused(group, edit) || this.isPartlyDone(group, edit) ? undefined : merge(this.typed, edit, this.now);
    const merged = { group, lines: this.typed.range(group), change };
    this.#merged.set(group, merged);
    return merged;
  }

  /** Reports whether all of an edit was made since, and something that it keeps was removed. */
  private isPartlyDone({ from, to }: Group, edit: LineChanges): boolean {
    const { hunks } = this.typed;
    const isMade = edit.hunks.length > 0 && edit.hunks.every((hunk) => hunks.some((own) => isSame(own, hunk)));
    const isRemoval = (own: LineHunk): boolean => !own.isLine && own.from < own.to && from < own.to && own.from < to;
    return isMade && hunks.some((own) => isRemoval(own) && !edit.hunks.some((hunk) => isSame(own, hunk)));
  }

  /** Reports whether lines were added or removed that are like one which an edit changes, or like a changed one beside it. */
  private hasAlike({ from, to }: LineHunk): boolean {
    const isChanged = (line: number): boolean => this.typed.at(line)?.isLine === true;
    const lines = Array.from({ length: to - from }, (_, i) => from + i);
    // Among many added lines, nobody could say so, and every insertion would be refused.
    const beside = from === to && !this.typed.addsMany ? [from - 1, from].filter(isChanged) : [];
    return [...lines, ...beside].some((line) => {
      const content = this.#then.content(line);
      // A line that was changed is known by its words only.
      const share = this.typed.at(line) === undefined ? 1 : 0.5;
      const own = from === to ? line : undefined;
      return this.typed.addsLike(content, share) || this.typed.removesLike(content, share, own);
    });
  }

  /** Reports whether lines are inserted between a removed line and a changed one, which may have been joined. */
  private isTornOff({ from, to }: LineHunk): boolean {
    const beside = [from - 1, from];
    return (
      from === to &&
      beside.some((line) => this.typed.isRemoved(line)) &&
      beside.some((line) => this.typed.at(line)?.isLine)
    );
  }

  /**
   * Reports whether nobody can say where the lines of a group are now, because the texts had to be compared: the same
   * lines occur elsewhere, or one of them that was changed or removed was added elsewhere.
   */
  private isConfused({ from, to }: Group, edit: LineChanges): boolean {
    if (!this.typed.isCompared) return false;
    if (edit.hunks.some((hunk) => this.hasAlike(hunk) || this.isTornOff(hunk))) return true;
    // A changed line is certain only beside lines that are still there.
    const isChanged = edit.hunks.some(({ from: at, to: end }) =>
      [at, at < end ? at : at - 1].some((line) => this.typed.at(line)?.isLine === true),
    );
    const [then, now] = [this.#then, this.now];
    for (let line = from; line < to; line++) {
      const content = then.content(line);
      const isGone = isChanged && (this.typed.isRemoved(line) || this.typed.adds(content));
      if (content.trim() !== "" && (isGone || (this.typed.at(line) !== undefined && this.typed.adds(content))))
        return true;
    }
    const text = then.text.slice(then.start(from), then.contentEnd(to - 1));
    // Empty lines are known by their neighbours.
    if (text.trim() === "") return this.typed.at(from - 1) !== undefined || this.typed.at(to) !== undefined;
    const own = now.start(this.typed.range({ from, to }).from);
    for (let at = now.text.indexOf(text); at !== -1; at = now.text.indexOf(text, at + 1)) {
      const end = at + text.length;
      if (at !== own && at === now.start(now.lineAt(at)) && end === now.contentEnd(now.lineAt(end))) return true;
    }
    return false;
  }
}

/** Reports whether a text has a say about an edit for which it gives an answer. */
function hasSay({ shown }: View, answer: Finding): boolean {
  if (answer.kind === "none" || answer.kind === "idle") return false;
  if (shown === undefined) return true;
  if (answer.kind === "place") return isShown(shown, answer.lines);
  const isLineShown = (line: number): boolean => isShown(shown, { from: line, to: line + 1 });
  if (answer.kind === "refused") return answer.line === undefined || isLineShown(answer.line);
  return answer.lines.length >= limits.matchesShown || answer.lines.some(isLineShown);
}
