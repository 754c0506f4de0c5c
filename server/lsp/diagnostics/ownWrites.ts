/** Tells an agent what it has broken with tools of its own, which write open files on disk, and what the user says. */
import type { CancellationToken } from "vscode-languageserver/node";
import { limits } from "../../text/limits.js";
import { uriOfPath } from "../../workspace/pathText.js";
import type { Answer } from "../edit/result.js";
import { spanOf } from "../onDisk/unnamedWrites.js";
import type { Caller } from "../protocol.js";
import { announcedBy, openAt, type Session, seenBy } from "../session.js";
import type { OwnWritesResult } from "./protocol.js";
import { askAfter, askBefore, type EarlierReports } from "./watch.js";

/** What was known before the files changed that each agent has written last. */
const begun = new WeakMap<Session, Map<string, EarlierReports>>();

/** Reports whether a session's client tells what other servers report, and the user wants agents to know it. */
const tellsErrors = (session: Session): boolean =>
  announcedBy(session).diagnostics === true && session.settings.diagnostics !== "off";

/** Asks for the diagnostics before the editor gets what an agent has written to a document's file. */
export function expectOwnWrite(session: Session, writer: Caller, uri: string): void {
  if (!tellsErrors(session)) return;
  const ofSession = begun.get(session) ?? new Map<string, EarlierReports>();
  begun.set(session, ofSession);
  const agent = seenBy(writer);
  const known = ofSession.get(agent);
  // Of several files that one call writes, the first one to change counts.
  const earlier = known ?? askBefore(session, [uri], []);
  ofSession.set(agent, { ...earlier, uris: [...new Set([...earlier.uris, uri])] });
  if (known !== undefined) return;
  // Not every agent asks.
  setTimeout(
    () => ofSession.get(agent)?.reports === earlier.reports && ofSession.delete(agent),
    limits.ownWriteMs,
  ).unref();
}

/** Reports whether an agent should ask after it has written files with a tool of its own. */
export const hasNewsForWriters = (session: Session): boolean => tellsErrors(session) || session.review?.isOn === true;

/** Returns sentences on what is new since an agent has written files: what the user says, and what is broken. `params`: as received. */
export async function reportOwnWrites(
  session: Session,
  { params, caller }: { readonly params: unknown; readonly caller: Caller | undefined },
  token: CancellationToken,
): Promise<Answer<OwnWritesResult>> {
  const { files, ran }: { files?: unknown; ran?: unknown } = Object(params);
  const span = spanOf(ran);
  if (span !== undefined && caller !== undefined) {
    // The hook need not wait until the editor has what the command has written.
    session.disk?.wroteDuring(span, caller).catch((error: unknown) => session.log("error", String(error)));
    return { ok: true, result: { sentences: [] } };
  }
  const uris = (Array.isArray(files) ? files : []).flatMap((path) =>
    typeof path === "string" ? (openAt(session, uriOfPath(path))?.uri ?? []) : [],
  );
  // By then, the editor has what was written.
  await Promise.all(uris.map((uri) => session.disk?.settled(uri)));
  const agent = seenBy(caller);
  const earlier = begun.get(session)?.get(agent);
  begun.get(session)?.delete(agent);
  const found = earlier && (await askAfter(session, earlier, token));
  const news = caller && session.review?.noteFor(caller);
  return { ok: true, result: { sentences: [...(news === undefined ? [] : [news]), ...(found?.sentences ?? [])] } };
}
