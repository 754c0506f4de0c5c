/** Reports the lines of patches that do not resolve, each planned again once it and its documents stand still. */
import type { Diagnostic, DiagnosticSeverity, PublishDiagnosticsParams } from "vscode-languageserver/node";
import { limits } from "../../text/limits.js";
import { createResolver } from "../../workspace/paths.js";
import { pathOfSyncedUri } from "../../workspace/pathText.js";
import { publishDiagnostics } from "../publishDiagnostics.js";
import { type Session, worldOf } from "../session.js";
import { createCancelSource } from "../wire/rpc.js";
import { findPatches } from "./find.js";
import { foreseePatch } from "./foresight.js";

/** A document in which patches are looked for. */
interface PatchDocument {
  /** URIs of the documents that its patches name. */
  targets: ReadonlySet<string>;
  /** The notification with the diagnostics that the client shows, as JSON; `undefined` if it shows none. */
  shown: string | undefined;
}

const information: DiagnosticSeverity = 3;

/** Follows the documents of patches. Returns these documents by URI, and a function to call before any is opened. */
export function followPatches(session: Session) {
  const held = new Map<string, PatchDocument>();
  const due = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const mark = (uri: string): void => {
    if (session.capabilities.textDocument?.publishDiagnostics === undefined) return;
    due.add(uri);
    // A new timer for each keystroke would cost more than the rest of this function.
    timer = timer?.refresh() ?? setTimeout(checkDue, limits.patchCheckMs).unref();
  };
  const checkDue = (): void => {
    const checks = [...due].map((one) => check(session, one, held.get(one), mark));
    due.clear();
    Promise.all(checks).catch((error: unknown) => session.log("warn", String(error)));
  };
  session.documents.onChange((uri) => {
    if (held.size === 0) return;
    const own = held.get(uri);
    if (own !== undefined) mark(uri);
    if (own !== undefined && session.documents.get(uri) === undefined) {
      held.delete(uri);
      show(session, own, { uri }, []);
    }
    for (const [patched, { targets }] of held) if (targets.has(uri)) mark(patched);
  });
  const opening = (uri: string, languageId: unknown): void => {
    if (isForPeople(uri, languageId)) held.set(uri, { targets: new Set(), shown: held.get(uri)?.shown });
    // The text of a file that a patch names may differ from the one on disk.
    for (const [patched, { targets }] of held) if (targets.size > 0) mark(patched);
  };
  return { held, opening };
}

/** Reports whether patches are looked for in a document: in prose and diffs, and in what is no file. */
function isForPeople(uri: string, languageId: unknown): boolean {
  const isFile = pathOfSyncedUri(uri) !== undefined;
  return !isFile || languageId === "markdown" || languageId === "diff" || /\.(?:diff|patch|md|markdown)$/i.test(uri);
}

/** Plans the patches of a document, and shows what does not resolve. Has it done again if they name other documents. */
async function check(session: Session, uri: string, own: PatchDocument | undefined, again: (uri: string) => void) {
  const document = session.documents.get(uri);
  if (own === undefined || document === undefined || document.desynced !== undefined) return;
  const diagnostics: Diagnostic[] = [];
  const named: string[] = [];
  for (const patch of findPatches(document.text, document.lines).slice(0, limits.patchesChecked)) {
    const { paths, notes } = await foreseePatch(session, patch, createCancelSource().token);
    named.push(...paths);
    for (const { from, to, failure } of notes) {
      // The patch of a chat that has been applied stays there, and nothing is wrong with it.
      if (failure === undefined || failure.code === "alreadyApplied") continue;
      const range = { start: { line: from, character: 0 }, end: { line: to, character: 0 } };
      const { code, message } = failure;
      diagnostics.push({ range, severity: information, source: "multi-edit", code, message });
    }
  }
  const resolver = createResolver(worldOf(session, undefined));
  const resolved = await Promise.all(named.map((path) => resolver.resolve(path)));
  const targets = new Set(resolved.flatMap((one) => (one.ok ? [one.place.uri] : [])));
  // One that was not known to be named may have changed in the meantime.
  if ([...targets].some((target) => !own.targets.has(target))) again(uri);
  own.targets = targets;
  if (session.documents.get(uri) === document) show(session, own, document, diagnostics);
}

function show(
  session: Session,
  own: PatchDocument,
  document: Pick<PublishDiagnosticsParams, "uri" | "version">,
  diagnostics: readonly Diagnostic[],
): void {
  const { uri, version } = document;
  const shown = diagnostics.length === 0 ? undefined : JSON.stringify([version, diagnostics]);
  if (own.shown === shown) return;
  own.shown = shown;
  publishDiagnostics(session, "patches", { uri, version }, diagnostics);
}
