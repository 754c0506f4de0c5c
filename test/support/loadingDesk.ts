/** A desk with an editor that loads files again which other programs have written. */
import { writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AdoptDiskTextParams } from "../../server/lsp/protocol.js";
import type { Program } from "./build.js";
import { type Desk, type DeskOptions, layDesk } from "./desk.js";
import { answerLoads } from "./editorLoads.js";

/** A desk whose editor loads files again when it is told to, and notes what it is asked to treat as read. */
export interface LoadingDesk extends Desk {
  readonly loaded: string[];
  readonly adopted: AdoptDiskTextParams[];
  /** Writes a file as another program does. */
  write(path: string, text: string): Promise<void>;
  save(path: string): Promise<void>;
  /** Types `insert` over the first occurrence of `text`. */
  typeOver(path: string, text: string, insert: string): Promise<void>;
  notices(): string[];
}

/**
 * `loads`: `false` if the editor loads nothing. `knows`: `false` if it does not know the notification. `loadMs`: the
 * milliseconds that it takes to load a file.
 */
interface Loading {
  readonly loadMs?: number;
  readonly loads?: boolean;
  readonly knows?: boolean;
}

/** Returns a function that lays a desk for the server at `program`. */
export const loadingDesks =
  (program: Program) =>
  (options: DeskOptions, how: Loading = {}): Promise<LoadingDesk> =>
    layLoadingDesk(program, options, how);

async function layLoadingDesk(program: Program, options: DeskOptions, how: Loading): Promise<LoadingDesk> {
  const { loads = true, knows = true, loadMs = 0 } = how;
  const multiEdit = knows ? { didChangeOnDisk: true } : {};
  const desk = await layDesk(program, { capabilities: { experimental: { multiEdit } }, ...options });
  const { uris, adopted } = answerLoads(desk.editor, loads, loadMs);
  // The server compares a document with its file after it was opened, and before it answers a read.
  for (const uri of desk.editor.documents.keys()) await desk.read({ path: uri }).catch(() => undefined);
  return {
    ...desk,
    get loaded() {
      return uris.map((uri) => uri.slice(desk.uri("").length + 1));
    },
    adopted,
    write: (path, text) => writeFile(join(desk.root, path), text),
    save: async (path) => {
      writeFileSync(join(desk.root, path), desk.texts()[path]!);
      await desk.editor.notify("textDocument/didSave", { textDocument: { uri: desk.uri(path) } });
    },
    typeOver: async (path, old, insert) => {
      const from = desk.texts()[path]!.indexOf(old);
      await desk.editor.type({ uri: desk.uri(path), from, to: from + old.length, insert });
    },
    notices: () => desk.editor.notices.map(({ message }) => message),
  };
}
