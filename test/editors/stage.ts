/** A case in a real editor: a folder with files, the open documents, and the state of both afterwards. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { filesBelow } from "../support/directory.js";
import { decodeFile } from "../support/editorFiles.js";
import type { Driver } from "./editor.js";
import type { Session } from "./session.js";
import { syncedText } from "./syncedText.js";
import { type Answer, pathOf, type Wire } from "./wire.js";

/**
 * The sender of a call: the user, with the editor's command; the sample's function that applies the answer; or an
 * agent.
 */
export type Door = "command" | "request" | "agent";

/** Texts by path, relative to the stage's folder; each is preceded by its byte order mark, if any. */
export type Texts = Readonly<Record<string, string>>;

/** A separate folder in a running editor. Names are relative to that folder. */
export interface Stage {
  readonly driver: Driver;
  readonly wire: Wire;
  readonly session: Session;
  readonly folder: string;
  path(name: string): string;
  /** Writes files; a name that ends with `/` creates a folder. */
  lay(files: Readonly<Record<string, string | Uint8Array>>): void;
  /** Opens files and waits until the server knows about them. */
  open(...names: readonly string[]): Promise<void>;
  /** Replaces the text of an open document without saving it. */
  retype(name: string, text: string): Promise<void>;
  /** Waits until the server has been sent the text of an open document, without asking the server for it. */
  synced(name: string): Promise<void>;
  /** Types keys before the first occurrence of a text. */
  type(name: string, before: string, keys: string): Promise<void>;
  /** Has a call applied; with `request`, the answer holds the message for the sample's user. */
  apply(door: Door, call: unknown): Promise<Told>;
  /** The text of each open document. */
  held(): Promise<Texts>;
  /** The text of each file. */
  disk(): Texts;
  /** The user's view: the text of every open document, and of every file that is not open. */
  texts(): Promise<Texts>;
}

/** The outcome of a call. */
export interface Told {
  readonly outcome: "applied" | "unknown" | "failed";
  /** Codes of all failures in order; empty for a failed `request`. */
  readonly codes: readonly string[];
  /** All text shown to a person or a model. */
  readonly text: string;
  /** The server's answer; `undefined` if the answer went to the sample. */
  readonly answer?: Answer;
}

const counts = new WeakMap<Session, number>();

/**
 * Runs a function on a stage and clears the stage afterwards. `folders` are the workspace folders, relative to the
 * stage's folder. If the function throws, the caller must restart the editor, because its state is unknown.
 */
export async function onStage<T>(
  session: Session,
  run: (stage: Stage) => Promise<T>,
  folders: readonly string[] = ["."],
): Promise<T> {
  const count = (counts.get(session) ?? 0) + 1;
  counts.set(session, count);
  const { driver, wire } = session;
  const folder = join(session.folder, `c${count}`);
  const added = folders.map((name) => join(folder, name));
  for (const path of [folder, ...added]) mkdirSync(path, { recursive: true });
  wire.setFolders({ add: added });
  const result = await run(stageOf(session, folder));
  wire.ungate();
  await driver.closeAll();
  await wire.whenClosed();
  wire.setFolders({ remove: added });
  // Editors with path completion read every file in the folder.
  rmSync(folder, { recursive: true });
  return result;
}

function stageOf(session: Session, folder: string): Stage {
  const { driver, wire } = session;
  const path = (name: string): string => join(folder, name);
  const held = (): Promise<Texts> => heldBelow(folder, session);
  const disk = (): Texts => diskOf(folder);
  return {
    driver,
    wire,
    session,
    folder,
    path,
    lay: (files) => {
      for (const [name, content] of Object.entries(files)) {
        mkdirSync(name.endsWith("/") ? path(name) : dirname(path(name)), { recursive: true });
        if (!name.endsWith("/")) writeFileSync(path(name), content);
      }
    },
    open: async (...names) => {
      for (const name of names) {
        await driver.open(path(name));
        await wire.whenOpen(path(name));
      }
    },
    retype: async (name, text) => {
      await driver.retype(path(name), text);
      await untilSynced(session, path(name));
    },
    synced: (name) => untilSynced(session, path(name)),
    type: async (name, before, keys) => {
      await driver.startTyping(path(name), before);
      for (const key of keys) driver.key(key);
      await driver.stopTyping();
    },
    apply: (door, call) => apply(session, door, call),
    held,
    disk,
    texts: async () => ({ ...disk(), ...(await held()) }),
  };
}

async function apply({ driver, wire, first }: Session, door: Door, call: unknown): Promise<Told> {
  if (door === "agent") return toTold(await wire.apply(call));
  if (door === "request") {
    const { applied, message } = await driver.request!(call);
    return { outcome: applied ? "applied" : "failed", codes: [], text: message };
  }
  // Some editors can send commands only from an open document.
  if (wire.open().size === 0) await driver.open(first);
  const mark = wire.messages.length;
  await driver.command(call);
  const answer = await wire.answerOfCommand(mark);
  await driver.settle?.();
  return toTold(answer);
}

/** The texts of all documents below a folder that are open in the editor or that it has announced to the server. */
async function heldBelow(folder: string, { driver, wire }: Session): Promise<Texts> {
  const all = [...[...wire.open().keys()].map(pathOf), ...((await driver.opened?.()) ?? [])];
  const texts: Record<string, string> = {};
  for (const path of [...new Set(all)].sort()) {
    const held = path.startsWith(`${folder}/`) ? await driver.held(path) : undefined;
    if (held === undefined) continue;
    const bom = held.bom ?? (existsSync(path) && toText(readFileSync(path)).startsWith("\ufeff"));
    texts[path.slice(folder.length + 1)] = `${bom ? "\ufeff" : ""}${held.text}`;
  }
  return texts;
}

/** Waits until the server has been sent the editor's text. Asking it would count as having seen what is typed. */
async function untilSynced({ driver, wire }: Session, path: string): Promise<void> {
  const wanted = (await driver.held(path))?.text ?? "";
  await wire.until(`what is typed into ${path}`, () => {
    const synced = syncedText(wire.messages, (uri) => pathOf(uri) === path);
    return synced !== undefined && sameText(synced.replace(/^\ufeff/, ""), wanted) ? true : undefined;
  });
}

/** All files below a folder. Bytes that are not text are shown as numbers. */
const diskOf = (folder: string): Texts =>
  Object.fromEntries([...filesBelow(folder)].map(([path, bytes]) => [path, toText(bytes)]));

/** Decodes bytes, keeping any byte order mark. */
export function toText(bytes: Uint8Array): string {
  try {
    const { text, bom } = decodeFile(bytes);
    return bom ? `\ufeff${text}` : text;
  } catch {
    return `bytes ${Buffer.from(bytes).toString("hex")}`;
  }
}

/**
 * Reports whether two texts are equal apart from line endings and a final newline, in which synced and written text may
 * differ.
 */
function sameText(a: string, b: string): boolean {
  const plain = (text: string): string => text.replaceAll("\r\n", "\n").replace(/\n$/, "");
  return plain(a) === plain(b);
}

function toTold(answer: Answer): Told {
  if (!answer.ok) {
    const codes = answer.data?.failures.map(({ code }) => code) ?? [];
    return { outcome: "failed", codes, text: answer.message, answer };
  }
  const { outcome, warnings, edits } = answer.result;
  const codes = edits.flatMap(({ failure }) => failure?.code ?? []);
  if (outcome === "proposed") throw new Error("the command answers a proposal");
  return { outcome, codes, text: warnings.join("\n"), answer };
}

/** The user's view, minus documents that, according to the answer, are still open although their files were deleted. */
export async function textsAfter(stage: Stage, { text }: Told): Promise<Texts> {
  const disk = stage.disk();
  const kept = Object.entries(await stage.texts()).filter(
    ([path]) => path in disk || !text.includes(`${path} was deleted, but the editor still has it open`),
  );
  return Object.fromEntries(kept);
}
