/** The actions on hunks, and what is shown at them: code actions, hovers, the next hunk, and the whole diff. */
import type { CodeAction, Hover, Position, Range } from "vscode-languageserver/node";
import { limits } from "../../text/limits.js";
import { commands, type ReviewHunk } from "../protocol.js";
import type { Session } from "../session.js";
import type { HunksOf, ReviewItem } from "./item.js";
import { reviewCommands } from "./protocol.js";
import { touches } from "./select.js";
import { reviewTexts, reviewTitles } from "./sentences.js";
import { isOpen, toHunks } from "./show.js";

/** Returns the hunk at these lines that the user has yet to look at; `undefined` if there is none. */
export function itemAt(review: HunksOf, uri: string, range: Range): ReviewItem | undefined {
  return review.items(uri).find((item) => isOpen(item) && touches(item, range));
}

/** Returns the actions on a hunk. Those that undo only one hunk have no command if the client accepts no edits. */
export function actionsOn(session: Session, review: HunksOf, item: ReviewItem): CodeAction[] {
  const { id, uri, state, calls } = item;
  const open = review.items().filter(isOpen);
  const call = review.callOf(item);
  const agent = call?.caller?.name;
  const inFile = open.filter((one) => one.uri === uri);
  const inCall = open.filter((one) => one.calls.includes(calls.at(-1) ?? ""));
  const byAgent = open.filter((one) => review.callOf(one)?.caller?.name === agent);
  const both = (undoTitle: string, keepTitle: string, params: object) => [
    { title: undoTitle, command: commands.undo, params },
    { title: keepTitle, command: reviewCommands.keep, params },
  ];
  const [undoThis, keepThis] = both(reviewTitles.undo, reviewTitles.keep, { hunks: [id] });
  const offered = [
    ...(state === "pending" ? [undoThis] : []),
    keepThis,
    ...(inFile.length > 1 ? both(reviewTitles.undoFile, reviewTitles.keepFile, { uri }) : []),
    ...(inCall.length > 1
      ? both(reviewTitles.undoCall(inCall.length), reviewTitles.keepCall(inCall.length), { transaction: call?.id })
      : []),
    ...(agent !== undefined && byAgent.length > 1
      ? both(reviewTitles.undoAgent(agent), reviewTitles.keepAgent(agent), { agent })
      : []),
    { title: reviewTitles.diff, command: reviewCommands.diff, params: {} },
  ].filter((one) => one !== undefined);
  const canApply = session.capabilities.workspace?.applyEdit === true;
  return offered.map(({ title, command, params }): CodeAction => {
    const data = { undo: params };
    if (command === commands.undo && !canApply) return { title, kind: "quickfix", data };
    return { title, kind: "quickfix", command: { title, command, arguments: [params] } };
  });
}

/** Returns what an action undoes whose edit the client wants to know; `undefined` if it is another action. */
export function undoneBy({ data }: CodeAction): object | undefined {
  const { undo }: { readonly undo?: unknown } = Object(data);
  return typeof undo === "object" && undo !== null ? undo : undefined;
}

/** Returns the hover of a hunk: its former and its new lines, as a diff. */
export function hoverOf(session: Session, review: HunksOf, item: ReviewItem): Hover {
  const [hunk] = toHunks(session, review, [item]);
  const { message, oldText, newText, comment } = hunk as ReviewHunk;
  const lines = [...signed("-", oldText), ...signed("+", newText)];
  const left = lines.length - limits.reviewHover;
  const shown = left > 0 ? [...lines.slice(0, limits.reviewHover), reviewTexts.moreLines(left)] : lines;
  const fence = longerFence(oldText + newText);
  const diff = lines.length > 0 ? [`${fence}diff`, ...shown, fence] : [];
  const said = comment === undefined ? [] : ["", comment];
  return { contents: { kind: "markdown", value: [message, "", ...diff, ...said].join("\n") } };
}

/** Returns a fence that no line of a text can be taken for. */
const longerFence = (text: string): string =>
  "`".repeat(Math.max(3, ...(text.match(/`+/g) ?? []).map((run) => run.length + 1)));

function signed(sign: string, text: string): readonly string[] {
  return (text.match(/[^\n]*\n|[^\n]+$/g) ?? []).map((line) => sign + line.replace(/\r?\n$/, ""));
}

/** Returns the hunk after (or, with -1, before) a place; after the last one comes the first. */
export function nextItem(
  session: Session,
  review: HunksOf,
  from: { readonly uri: string; readonly position: Position } | string | undefined,
  step: 1 | -1,
): ReviewItem | undefined {
  const open = review.items().filter(isOpen);
  if (typeof from !== "object") {
    const at = open.findIndex(({ id }) => id === from);
    return open.at(at < 0 ? (step > 0 ? 0 : -1) : (at + step) % open.length);
  }
  const { uri, position } = from;
  const isBeyond = (hunk: ReviewHunk): boolean => {
    if (hunk.uri !== uri) return step > 0 ? hunk.uri > uri : hunk.uri < uri;
    const { start, end } = hunk.range;
    const isHere = start.line <= position.line && position.line < Math.max(end.line, start.line + 1);
    return !isHere && (step > 0 ? start.line > position.line : start.line < position.line);
  };
  const hunks = toHunks(session, review, open);
  const at = step > 0 ? hunks.findIndex(isBeyond) : hunks.findLastIndex(isBeyond);
  return at < 0 ? open.at(step > 0 ? 0 : -1) : open[at];
}
