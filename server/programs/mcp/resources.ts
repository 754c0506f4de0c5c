/**
 * Open documents with unsaved text as resources of MCP. The list is in the records of the user's sessions, so no session
 * is asked for it; a text is read as `read_document` reads it.
 */
import { mkdirSync, watch } from "node:fs";
import { relative } from "node:path";
import { announcedGates } from "../../session/gates.js";
import { canonicalPaths } from "../../session/holders.js";
import { canonical, type ReadRecords, readRecords } from "../../session/record.js";
import { closeSessions, findSessions } from "../../session/sessions.js";
import { limits } from "../../text/limits.js";
import { isInside, pathOfSyncedUri, uriOfPath } from "../../workspace/pathText.js";
import { judge } from "../../workspace/protection.js";
import { callTool, type ToolContext } from "./callTool.js";
import { resourceSentences } from "./sentences.js";
import type { ReadResource, ResourceListener, Resources, ToolCaller } from "./toolServer.js";

/** The resources below the folder of an agent's relative paths. A server that does not know this folder has none. */
export class DocumentResources implements Resources {
  private readonly folder: string;
  private readonly listeners = new Set<ResourceListener>();
  /** The states of the documents that somebody listens to, by URI. */
  private readonly states = new Map<string, string>();
  /** The list as the listeners know it. */
  private listed = "";
  private timer: NodeJS.Timeout | undefined;
  private unwatch: (() => void) | undefined;

  constructor(private readonly context: ToolContext) {
    this.folder = canonical(context.directory);
  }

  async list(): Promise<readonly object[]> {
    return this.listNow();
  }

  async read(uri: unknown, caller: ToolCaller): Promise<ReadResource> {
    const path = await this.pathOf(uri);
    if (path === undefined) return { ok: false, message: resourceSentences.none(uri) };
    const answer = await callTool("read_document", { path }, caller, this.context);
    const [note = "", text = ""] = (answer?.content ?? []).map((part) => part.text);
    if (answer === undefined || answer.isError === true) return { ok: false, message: note };
    // The text comes first, because some programs show only the first item.
    return { ok: true, contents: [text, note.trimEnd()].map((item) => ({ uri, mimeType: "text/plain", text: item })) };
  }

  async listen(listener: ResourceListener): Promise<() => void> {
    const states = await this.statesOf(listener.uris);
    this.listeners.add(listener);
    for (const [uri, state] of states) if (!this.states.has(uri)) this.states.set(uri, state);
    this.watchAgain();
    return () => {
      this.listeners.delete(listener);
      this.watchAgain();
    };
  }

  private listNow(): readonly object[] {
    const { mode, sessions, session = "" } = this.context;
    const found = new Map<string, object>();
    const records = mode === "disk" ? [] : recordsIn(sessions).filter(({ id }) => id.startsWith(session));
    for (const { client, unsaved = [] } of records)
      for (const path of unsaved.filter((file) => this.isOffered(file))) {
        const description = resourceSentences.unsaved(client);
        const name = relative(this.folder, path);
        found.set(path, { uri: uriOfPath(path), name, description, mimeType: "text/plain" });
      }
    return [...found.values()].slice(0, limits.toolFiles);
  }

  /** Reports whether a file may be a resource. Whether its text may be read is up to the session. */
  private isOffered(file: string): boolean {
    const { isHomeless, sessions } = this.context;
    if (isHomeless || !isInside(this.folder, file)) return false;
    return judge(announcedGates(sessions), file, relative(this.folder, file))?.kind !== "refused";
  }

  /** Returns the path of a resource; `undefined` if the URI names no file in the folder, or one that is protected. */
  private async pathOf(uri: unknown): Promise<string | undefined> {
    const [file] = await canonicalPaths([typeof uri === "string" ? pathOfSyncedUri(uri) : undefined]);
    return file !== undefined && this.isOffered(file) ? file : undefined;
  }

  /** Returns the states of documents, which change with their texts, by URI. */
  private async statesOf(uris: Iterable<string>): Promise<ReadonlyMap<string, string>> {
    const { mode, sessions, caller } = this.context;
    const paths = new Map<string, string>();
    for (const uri of uris) {
      const path = await this.pathOf(uri);
      if (path !== undefined) paths.set(uri, path);
    }
    if (paths.size === 0 || mode === "disk") return new Map();
    const found = await findSessions(sessions, caller, { files: [...new Set(paths.values())] });
    closeSessions(found);
    const open = new Map<string, string>();
    for (const { record, status } of found.reached)
      for (const { uri, version, onDisk } of status.open) {
        const [file = uri] = await canonicalPaths([pathOfSyncedUri(uri)]);
        open.set(file, `${open.get(file) ?? ""} ${record.id} ${version} ${onDisk}`);
      }
    return new Map([...paths].map(([uri, path]) => [uri, open.get(path) ?? ""]));
  }

  private readonly compareLists = (): void => {
    const now = JSON.stringify(this.listNow());
    if (now === this.listed) return;
    this.listed = now;
    for (const { hasList, notify } of this.listeners) if (hasList) notify("notifications/resources/list_changed", {});
  };

  private async compareTexts(): Promise<void> {
    for (const [uri, state] of await this.statesOf(this.states.keys())) {
      if (!this.states.has(uri) || this.states.get(uri) === state) continue;
      this.states.set(uri, state);
      for (const { uris, notify } of this.listeners)
        if (uris.includes(uri)) notify("notifications/resources/updated", { uri });
    }
  }

  /** Watches only what somebody listens to: the list by events, and the texts by asking for their versions. */
  private watchAgain(): void {
    const wanted = new Set([...this.listeners].flatMap(({ uris }) => uris));
    for (const uri of this.states.keys()) if (!wanted.has(uri)) this.states.delete(uri);
    clearTimeout(this.timer);
    const compareAgain = (): void => void this.compareTexts().finally(() => this.watchAgain());
    if (this.states.size > 0) this.timer = setTimeout(compareAgain, limits.resourcePollMs).unref();
    const hasList = [...this.listeners].some((listener) => listener.hasList);
    if (hasList === (this.unwatch !== undefined)) return;
    this.unwatch?.();
    this.listed = JSON.stringify(this.listNow());
    this.unwatch = hasList ? watchFolder(this.context.sessions, this.compareLists) : undefined;
  }
}

function recordsIn(directory: string): ReadRecords["records"] {
  try {
    return readRecords(directory).records;
  } catch {
    return [];
  }
}

/** Calls `changed` soon after files in a folder have changed. Returns a function that stops it. */
function watchFolder(folder: string, changed: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const watcher = watch(folder, { persistent: false }, () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        changed();
      }, limits.unsavedMs).unref();
    });
    watcher.on("error", () => watcher.close());
    return () => {
      clearTimeout(timer);
      watcher.close();
    };
  } catch {
    return () => undefined;
  }
}
