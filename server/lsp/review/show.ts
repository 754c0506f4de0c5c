/** Shows hunks: as diagnostics or, if the client draws them itself, as notifications; and as the client reads them. */
import type { DiagnosticSeverity } from "vscode-languageserver/node";
import { withoutMark } from "../../text/chars.js";
import { limits } from "../../text/limits.js";
import { pathOfSyncedUri } from "../../workspace/pathText.js";
import { ascendingPositions } from "../edit/positions.js";
import { nameFor } from "../onDisk/reports.js";
import type { ReviewHunk } from "../protocol.js";
import { publishDiagnostics } from "../publishDiagnostics.js";
import { announcedBy, type Session } from "../session.js";
import { ownParts } from "./hunk.js";
import type { HunksOf, ReviewItem } from "./item.js";
import { reviewNotification } from "./protocol.js";
import { placeText, reviewTexts } from "./sentences.js";
import { indexOf, linesOf } from "./texts.js";

const hint: DiagnosticSeverity = 4;

const nowhere = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

/** Reports whether the user has yet to look at a hunk. */
export const isOpen = ({ state }: Pick<ReviewItem, "state">): boolean => state === "pending" || state === "changed";

/** Returns the path of a file as people read it. */
export const shownPath = (session: Session, uri: string): string => nameFor(session, pathOfSyncedUri(uri) ?? uri);

/** Returns the place of a hunk, as people and agents read it. */
export function placeOf(session: Session, { uri, of }: ReviewItem): string {
  const path = shownPath(session, uri);
  if (of.kind === "file") return path;
  return placeText(path, linesOf(of.text, of.hunk));
}

/** Returns hunks as the client reads them. */
export function toHunks(session: Session, review: HunksOf, items: readonly ReviewItem[]): ReviewHunk[] {
  const positions = new Map<string, ReturnType<typeof ascendingPositions>>();
  return items.map((item): ReviewHunk => {
    const { id, uri, calls, state, of } = item;
    const call = review.callOf(item);
    const agent = call?.caller?.name;
    const comment = review.comments.get(id)?.text;
    const document = session.documents.get(uri);
    const common = {
      ...{ id, uri, version: document?.version ?? null, state },
      ...(agent === undefined ? {} : { agent }),
      ...{ transaction: calls.at(-1) ?? "", at: new Date(call?.at ?? 0).toISOString() },
      ...(calls.length > 1 ? { transactions: [...calls] } : {}),
      ...(comment === undefined ? {} : { comment }),
    };
    if (of.kind === "file") {
      const { kind, oldUri } = of.file;
      const message = reviewTexts.file(agent, kind, oldUri && shownPath(session, oldUri));
      const texts = { range: nowhere, oldText: "", newText: "" };
      return { ...common, kind, ...(oldUri === undefined ? {} : { oldUri }), ...texts, message };
    }
    const { text, hunk } = of;
    const synced = document !== undefined && withoutMark(document.text) === text.text ? document : undefined;
    const mark = (synced?.text.length ?? text.text.length) - text.text.length;
    const lines = synced?.lines ?? indexOf(text);
    const positionAt = positions.get(uri) ?? ascendingPositions(lines.text, lines, session.encoding);
    positions.set(uri, positionAt);
    // The byte order mark is a part of the first line.
    const at = (offset: number) => positionAt(offset === 0 ? 0 : offset + mark);
    const toRange = ({ from, to }: { from: number; to: number }) => ({ start: at(from), end: at(to) });
    const [oldText, newText] = [hunk.texts[hunk.kept] ?? "", hunk.texts.at(-1) ?? ""];
    const message = reviewTexts.lines(agent, linesIn(oldText), linesIn(newText));
    const error = review.errorIn(item);
    return {
      ...common,
      ...{ kind: "text", range: toRange(hunk) },
      ...(state === "changed" ? { ranges: ownParts(hunk, text.text).map(toRange) } : {}),
      ...{ oldText, newText, message: error === undefined ? message : reviewTexts.broken(message, error) },
    };
  });
}

/** Returns the number of lines of a text, the last of which may lack its end. */
const linesIn = (text: string): number => (text.match(/\n|[^\n]$/g) ?? []).length;

/** Creates what has the client show the hunks of a session. */
export function createShow(session: Session, review: HunksOf) {
  const due = new Set<string>();
  const shown = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;
  const now = (uri: string): void => {
    due.delete(uri);
    const hunks = toHunks(session, review, review.items(uri).filter(isOpen));
    const version = session.documents.get(uri)?.version ?? null;
    const key = JSON.stringify([hunks.length > 0 ? version : null, hunks]);
    // Nothing is sent for a file without hunks.
    if ((shown.get(uri) ?? "[null,[]]") === key) return;
    if (hunks.length > 0) shown.set(uri, key);
    else shown.delete(uri);
    if (announcedBy(session).review === true) {
      session.connection.sendNotification(reviewNotification, { uri, version, hunks }).catch(() => undefined);
    } else if (session.capabilities.textDocument?.publishDiagnostics !== undefined) {
      const diagnostics = hunks.map(({ range, message, id, comment }) => ({
        ...{ range, severity: hint, source: "multi-edit", code: "review" },
        ...{ message: comment === undefined ? message : `${message} – ${comment}`, data: { hunk: id } },
      }));
      publishDiagnostics(session, "review", { uri, version: version ?? undefined }, diagnostics);
    }
  };
  return {
    now,
    /** Shows the hunks once the user has not typed for a moment. */
    later(uri: string): void {
      due.add(uri);
      timer = timer?.refresh() ?? setTimeout(() => due.forEach(now), limits.reviewMs).unref();
    },
  };
}
