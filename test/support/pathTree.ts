/** A tree with every kind of difficult path, and the scopes in which tests resolve paths in it. */
import { join } from "node:path";
import { createDocuments } from "../../server/workspace/documents.js";
import type { Scope } from "../../server/workspace/paths.js";
import { uriOfPath } from "../../server/workspace/pathText.js";
import { toGate } from "../../server/workspace/protection.js";
import type { Entry } from "./directory.js";

/**
 * A workspace with every kind of difficult path, a second workspace, and beside them a folder that has a similar name
 * and holds a secret.
 */
export const tree: Record<string, Entry> = {
  "ws/src/a.ts": "a",
  "ws/src/b.ts": "b",
  "ws/only1.ts": "1",
  "ws/.git/config": "",
  "ws/.github/ci.yml": "",
  "ws/editor/tasks.json": "",
  "ws/.vscode": { link: "editor" },
  "ws/to-git": { link: ".git" },
  "ws/to-src": { link: "src" },
  "ws/a-again.ts": { link: "src/a.ts" },
  "ws/a-hard.ts": { hardLink: "ws/src/a.ts" },
  "ws/to-secret": { link: "../ws-secret" },
  "ws/secret.ts": { link: "../ws-secret/s.ts" },
  "ws/dangling-in": { link: "src/not-yet.ts" },
  "ws/dangling-out": { link: "../ws-secret/not-yet.ts" },
  "ws/deep/er/dangling": { link: "../not-yet.ts" },
  "ws/to-deep": { link: "deep/er" },
  "ws/loop": { link: "loop" },
  "ws/@scope/x.ts": "x",
  "ws/@own.ts": "own",
  "ws/plain.ts": "plain",
  "ws/a b+c(1)%41.ts": "odd",
  "ws/ünï.ts": "unicode",
  "ws/back\\slash.ts": "one name here",
  "ws/..dots": "a name, not a way up",
  "ws2/src/a.ts": "a of 2",
  "ws2/only2.ts": "2",
  "ws-secret/s.ts": "secret",
  "home/notes.md": "notes",
};

const protectedNames = [".git", ".vscode", ".husky"];
const rule = { loneCrEndsLine: true };

/** The resolver's view of the tree. */
export interface Setting {
  /** The directory that contains the tree. */
  readonly at: string;
  readonly folders?: readonly string[];
  readonly root?: string;
  readonly added?: readonly string[];
  /** URIs of open documents. */
  readonly open?: readonly string[];
}

/** A scope whose open documents have version 1; the names `.git`, `.vscode` and `.husky` are protected. */
export function scopeOf({ at, folders = ["ws"], root, added = [], open = [] }: Setting): Scope {
  const openTexts = createDocuments();
  for (const uri of open) openTexts.open(uri, 1, "open", rule);
  return {
    root,
    folders: folders.map((name) => ({ uri: uriOfPath(join(at, name)), path: join(at, name) })),
    additionalFolders: added,
    gates: [toGate({ protectedNames, confirm: "never" })],
    openTexts,
    home: join(at, "home"),
  };
}
