/** Serves the requests and commands of the review. */
import type { Position } from "vscode-languageserver/node";
import { oneLine } from "../../text/chars.js";
import { limits } from "../../text/limits.js";
import { showAlone } from "../apply/viewer.js";
import { type Answer, toRefusal, wholeDiff } from "../edit/result.js";
import type { Transaction } from "../history.js";
import type {
  Caller,
  CommentResult,
  HistoryCall,
  HistoryResult,
  KeepResult,
  ReviewHunk,
  ReviewResult,
} from "../protocol.js";
import type { Session } from "../session.js";
import { nextItem } from "./actions.js";
import type { HunksOf, ReviewItem } from "./item.js";
import { reviewCommands, reviewMethods } from "./protocol.js";
import { isRange, readSelector, selected, touches } from "./select.js";
import { placeText, redoFailures, reviewFailures, reviewTexts } from "./sentences.js";
import { isOpen, placeOf, shownPath, toHunks } from "./show.js";
import { baseOf } from "./texts.js";
import { stepsOf } from "./wholeFiles.js";

type ServeReview = (session: Session, review: HunksOf, params: unknown) => Answer<object>;

const table: Readonly<Record<string, ServeReview>> = {
  [reviewMethods.review]: listHunks,
  [reviewMethods.keep]: keepHunks,
  [reviewMethods.comment]: comment,
  [reviewMethods.history]: (session) => ({ ok: true, result: historyOf(session) }),
};

/** Serves a request. What the user says of changes must come from the editor. */
export function serveReview(
  session: Session,
  review: HunksOf,
  {
    method,
    params,
    caller,
  }: { readonly method: string; readonly params: unknown; readonly caller: Caller | undefined },
): Answer<object> {
  const isUsers = method === reviewMethods.keep || method === reviewMethods.comment;
  if (isUsers && caller !== undefined) return toRefusal([reviewFailures.userOnly()]);
  return table[method]?.(session, review, params) ?? toRefusal([redoFailures.nothing()]);
}

/** Answers a request if nothing is reviewed. */
export function withoutReview(session: Session, method: string): Answer<object> {
  if (method === reviewMethods.history) return { ok: true, result: historyOf(session) };
  return method === reviewMethods.review ? { ok: true, result: { hunks: [] } } : toRefusal([redoFailures.nothing()]);
}

function listHunks(session: Session, review: HunksOf, params: unknown): Answer<ReviewResult> {
  const isAll = Object.keys(Object(params)).length === 0;
  const selector = isAll ? ({ all: true } as const) : readSelector(params);
  if (selector === undefined) return toRefusal([reviewFailures.selector()]);
  const items = selected(review, selector).filter((item) => isOpen(item) || (!isAll && selector.all === true));
  return { ok: true, result: { hunks: toHunks(session, review, items) } };
}

function keepHunks(_: Session, review: HunksOf, params: unknown): Answer<KeepResult> {
  const { current } = review;
  const selector = readSelector(params ?? (current === undefined ? undefined : { hunks: [current] }));
  if (selector === undefined) return toRefusal([reviewFailures.selector()]);
  const items = selected(review, selector).filter(isOpen);
  if (items.length === 0) return toRefusal([redoFailures.nothing()]);
  review.keep(items);
  return { ok: true, result: { kept: items.map(({ id }) => id) } };
}

/** Keeps the user's comment for the agent that made the change or, if it is about other lines, that called last. */
function comment(session: Session, review: HunksOf, params: unknown): Answer<CommentResult> {
  const given = typeof params === "string" ? { text: params } : Object(params);
  const { text, hunk, uri, range } = given as Readonly<Record<"text" | "hunk" | "uri" | "range", unknown>>;
  if (typeof text !== "string") return toRefusal([reviewFailures.noText()]);
  const hasLines = typeof uri === "string" && isRange(range);
  const wanted = hunk ?? (hasLines ? undefined : review.current);
  const items = hasLines ? review.items(uri).filter((one) => touches(one, range)) : review.items();
  const item = hasLines && hunk === undefined ? items[0] : items.find(({ id }) => id === wanted);
  if (hunk !== undefined && item === undefined) return toRefusal([redoFailures.nothing()]);
  const own = item && review.callOf(item);
  const call = own?.caller === undefined ? [...review.calls.values()].findLast(({ caller }) => caller) : own;
  if (call?.caller === undefined) return toRefusal([redoFailures.nothing()]);
  const lines = hasLines
    ? { first: range.start.line + 1, last: Math.max(range.start.line, range.end.line) + 1 }
    : undefined;
  const ofLines = lines === undefined ? call.label : placeText(shownPath(session, uri as string), lines);
  const place = item === undefined || lines !== undefined ? ofLines : placeOf(session, item);
  const said = oneLine(text, limits.reviewComment);
  review.comment(item?.id ?? place, said === undefined ? undefined : { place, text: said, author: call.caller });
  return { ok: true, result: { about: place } };
}

function historyOf(session: Session): HistoryResult {
  const calls = session.history.transactions.toReversed().map((call) => ({
    ...{ transaction: call.id, label: call.label, ...(call.caller === undefined ? {} : { agent: call.caller.name }) },
    ...{ at: new Date(call.at).toISOString(), files: [...call.files], ...call.lines },
    state: stateOfCall(session, call),
  }));
  return { calls };
}

/** Returns what has become of a call. */
export const stateOfCall = (
  { review }: Session,
  { id, isUndone }: Pick<Transaction, "id" | "isUndone">,
): HistoryCall["state"] => (isUndone ? "undone" : (review?.stateOfCall(id) ?? "applied"));

/** Runs a command that shows something. */
export async function showReview(
  session: Session,
  review: HunksOf,
  command: string,
  argument: unknown,
): Promise<ReviewHunk | { diff: string } | null> {
  if (command === reviewCommands.diff) {
    const selector = readSelector(argument) ?? { all: true };
    const diff = diffOfItems(session, selected(review, selector).filter(isOpen));
    if (diff !== "") await showAlone(session, diff, reviewTexts.diffName);
    return { diff };
  }
  const { uri, position } = Object(argument) as { readonly uri?: unknown; readonly position?: Position };
  const isPlace = typeof uri === "string" && Number.isSafeInteger(Object(position).line);
  const from = isPlace ? { uri, position: position as Position } : review.current;
  const item = nextItem(session, review, from, command === reviewCommands.next ? 1 : -1);
  const [hunk] = item === undefined ? [] : toHunks(session, review, [item]);
  if (hunk === undefined) return null;
  review.current = hunk.id;
  if (session.capabilities.window?.showDocument?.support === true) {
    const shown = { uri: hunk.uri, takeFocus: true, selection: hunk.range };
    await session.connection.sendRequest("window/showDocument", shown).catch(() => undefined);
  }
  return hunk;
}

/** Returns a diff of hunks, as if the others had always been there. */
function diffOfItems(session: Session, items: readonly ReviewItem[]): string {
  const ids = new Set(items.map(({ id }) => id));
  const texts = new Set(items.flatMap(({ of }) => (of.kind === "text" ? [of.text] : [])));
  const whole = items.flatMap(({ of }) => (of.kind === "text" ? [] : (stepsOf(session, of.file)[0]?.file ?? [])));
  const updates = [...texts].map((text) => baseOf(shownPath(session, text.uri), text, ids));
  return wholeDiff([...whole, ...updates]);
}
