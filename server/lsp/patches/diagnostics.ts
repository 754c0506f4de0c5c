/**
 * Reports the lines of patches that do not resolve. Follows both sides: a change to the document of a patch, or to a
 * document that it names, has it planned again, once nothing has changed for `limits.patchCheckMs`.
 */
import type { Diagnostic, PublishDiagnosticsParams } from "vscode-languageserver/node";
import { limits } from "../../text/limits.js";
import { createResolver } from "../../workspace/paths.js";
import { toLineRange } from "../edit/positions.js";
import { type Session, worldOf } from "../session.js";
import { createCancelSource } from "../wire/rpc.js";
import { findPatches } from "./find.js";
import { foreseePatch } from "./foresight.js";
import { diagnosticSource } from "./sentences.js";

/** A document in which patches are looked for. */
interface ReadByPeople {
  /** `true` if the whole document is one patch if it is a unified diff. */
  readonly isDiff: boolean;
  /** URIs of the documents that its patches name. */
  targets: ReadonlySet<string>;
  /** What the client was sent last, as JSON; `undefined` if it shows no diagnostics for the document. */
  reported: string | undefined;
}

/** LSP's severity "information". */
const information = 3;

/** Watches the documents in which patches are looked for. */
export class PatchWatch {
  private readonly held = new Map<string, ReadByPeople>();
  private targets: ReadonlySet<string> = new Set();
  private readonly due = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  /** The number of changes to documents so far. */
  private changes = 0;

  constructor(private readonly session: Session) {
    session.documents.onChange((uri) => this.changed(uri));
  }

  /** Looks for patches in a document from now on. Must be called before it is opened. */
  hold(uri: string, { isDiff }: Pick<ReadByPeople, "isDiff">): void {
    this.held.set(uri, { isDiff, targets: new Set(), reported: undefined });
  }

  /** Returns the document's entry; `undefined` if patches are not looked for in it. */
  get(uri: string): Pick<ReadByPeople, "isDiff"> | undefined {
    return this.held.get(uri);
  }

  /** Has all patches planned again, because a document that one of them names may have been opened. */
  opened(): void {
    for (const [uri, { targets }] of this.held) if (targets.size > 0) this.mark(uri);
  }

  private changed(uri: string): void {
    this.changes++;
    const own = this.held.get(uri);
    // Nearly every keystroke is in a document that has no patch and is in none.
    if (own === undefined && !this.targets.has(uri)) return;
    if (own !== undefined && this.session.documents.get(uri) === undefined) this.close(uri, own);
    else if (own !== undefined) this.mark(uri);
    for (const [patched, { targets }] of this.held) if (targets.has(uri)) this.mark(patched);
  }

  private close(uri: string, own: ReadByPeople): void {
    this.held.delete(uri);
    this.due.delete(uri);
    this.publish(own, { uri, diagnostics: [] });
  }

  private mark(uri: string): void {
    if (this.session.capabilities.textDocument?.publishDiagnostics === undefined) return;
    this.due.add(uri);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.checkDue().catch((error: unknown) => this.session.log("warn", String(error)));
    }, limits.patchCheckMs).unref();
  }

  private async checkDue(): Promise<void> {
    const uris = [...this.due];
    this.due.clear();
    for (const uri of uris) await this.check(uri);
  }

  private async check(uri: string): Promise<void> {
    const { documents, encoding } = this.session;
    const [document, own, before] = [documents.get(uri), this.held.get(uri), this.changes];
    if (document === undefined || own === undefined || document.desynced !== undefined) return;
    const patches = findPatches(document.text, document.lines, own.isDiff).slice(0, limits.patchesChecked);
    const { token } = createCancelSource();
    const diagnostics: Diagnostic[] = [];
    const paths: string[] = [];
    for (const patch of patches) {
      const foreseen = await foreseePatch(this.session, patch, token);
      paths.push(...foreseen.paths);
      for (const { from, to, failure } of foreseen.problems) {
        // A patch that has been applied stays in a chat, and nothing is wrong with it.
        if (failure.code === "alreadyApplied") continue;
        const range = toLineRange(document, { from, to }, encoding);
        const { code, message } = failure;
        diagnostics.push({ range, severity: information, source: diagnosticSource, code, message });
      }
    }
    own.targets = await this.targetsOf(paths);
    this.targets = new Set([...this.held.values()].flatMap(({ targets }) => [...targets]));
    // A document that was not known to be a target may have changed.
    if (this.changes !== before) this.mark(uri);
    if (documents.get(uri) === document) this.publish(own, { uri, version: document.version, diagnostics });
  }

  private async targetsOf(paths: readonly string[]): Promise<ReadonlySet<string>> {
    if (paths.length === 0) return new Set();
    const resolver = await createResolver(worldOf(this.session, undefined), paths);
    const resolved = await Promise.all(paths.map((path) => resolver.resolve(path)));
    return new Set(resolved.flatMap((one) => (one.ok ? [one.place.uri] : [])));
  }

  private publish(own: ReadByPeople, params: PublishDiagnosticsParams): void {
    const now = params.diagnostics.length === 0 ? undefined : JSON.stringify(params);
    if (now === own.reported) return;
    own.reported = now;
    this.session.connection.sendNotification("textDocument/publishDiagnostics", params).catch(() => undefined);
  }
}
