/** Has an editor load the files that the server names, as the samples do, and treat merged files as read. */
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { AdoptDiskTextParams, DidChangeOnDiskParams } from "../../server/lsp/protocol.js";
import type { FakeEditor } from "./fakeEditor.js";

/** The files that an editor was told to load, and to treat as read. */
export interface Loads {
  readonly uris: string[];
  readonly adopted: AdoptDiskTextParams[];
}

/**
 * Answers for an editor; returns what the server has asked for. `loads`: `false` if the editor loads nothing. `loadMs`: the
 * milliseconds that it takes to load a file.
 */
export function answerLoads(editor: FakeEditor, loads = true, loadMs = 0): Loads {
  const asked: Loads = { uris: [], adopted: [] };
  let before = Promise.resolve();
  const load = async ({ uris }: DidChangeOnDiskParams): Promise<void> => {
    for (const uri of uris) {
      if (loadMs > 0) await delay(loadMs);
      asked.uris.push(uri);
      const { text } = editor.documents.get(uri)!;
      const disk = readFileSync(fileURLToPath(uri), "utf8");
      if (loads) await editor.type({ uri, from: 0, to: text.length, insert: disk });
    }
  };
  // One file after the other, as editors do.
  editor.connection.onNotification("multiEdit/didChangeOnDisk", (params: DidChangeOnDiskParams) => {
    before = before.then(() => load(params));
    return before;
  });
  editor.connection.onRequest("multiEdit/adoptDiskText", (params: AdoptDiskTextParams) => {
    asked.adopted.push(params);
    return { adopted: true };
  });
  return asked;
}
