/** What an agent has before its eyes, and the calls that it makes of it. */
import type { Chance } from "../codex/random.js";
import { type Call, drawCall } from "./calls.js";
import { carry, type Effect, withEffects, withLinesOf } from "./carry.js";
import type { Lines } from "./lines.js";
import { resolve } from "./resolve.js";
import { isMeant, type View } from "./world.js";

/** A text that an agent has before its eyes, with its own batches. */
export interface Memory {
  readonly view: View;
  readonly isRead: boolean;
}

/** A call that its author means for places that are clear in the text that it sees. */
export function drawFrom(chance: Chance, { lines, shown }: View, now: Lines): Call | undefined {
  const current = new Map(now.map(({ id, text }) => [id, text]));
  const near = lines.flatMap(({ id, text }, i) => (current.get(id) === text && isKept(lines, now, i) ? [] : [i]));
  for (let tries = 0; tries < 20; tries++) {
    const call = drawCall(chance, lines, near);
    if (call.edits.length === 0) continue;
    const isShown = call.edits.every(({ at, parts }) => {
      const old = lines.slice(at, at + parts.filter(({ kind }) => kind !== "add").length);
      return shown === "all" || old.every(({ id }) => shown.has(id));
    });
    const { found } = resolve(lines, call);
    const isClear = found.every((one, i) => {
      const edit = call.edits[i]!;
      return one.kind === "one" && one.isExact && (edit.isWide === true || isMeant(one, edit));
    });
    if (isShown && (isClear || chance.percent(10))) return call;
  }
  return undefined;
}

/** Reports whether a line still has the same line below it. */
function isKept(lines: Lines, now: Lines, i: number): boolean {
  const at = now.findIndex(({ id }) => id === lines[i]!.id);
  return now[at + 1]?.id === lines[i + 1]?.id;
}

/** The text that an agent believes in after its call: the one that it saw, with its edits. */
export function remembered(view: View, { edits }: Call, made: Effect): View {
  const isMade = ({ added, replaced, removed }: Effect): boolean =>
    [...added.flatMap(({ lines }) => lines), ...replaced].every(({ id }) =>
      [...made.added.flatMap(({ lines }) => lines), ...made.replaced].some((line) => line.id === id),
    ) && removed.every((id) => made.removed.includes(id));
  // Which lines have the word in the text that it saw, is not worked out.
  if (edits.some(({ isWide }) => isWide)) return { ...view, isVague: true };
  const own = edits.flatMap((edit) =>
    carry(edit, edit.at, view, { lines: view.lines, moved: new Map() }).effects.slice(0, 1),
  );
  const effects = own.filter(isMade);
  if (effects.length < own.length) return { ...view, isVague: true };
  const told = effects.map((effect) =>
    withLinesOf(
      effect,
      made.added.flatMap(({ lines }) => lines),
    ),
  );
  const added = effects.flatMap((effect) => effect.added.flatMap(({ lines }) => lines.map(({ id }) => id)));
  const shown = view.shown === "all" ? "all" : new Set([...view.shown, ...added]);
  return { ...view, lines: withEffects(view.lines, told), shown };
}
