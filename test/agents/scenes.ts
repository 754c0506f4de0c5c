/** Scenes that every agent goes through: its conversation with a scripted model, beside an editor with unsaved text. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { limits } from "../../server/text/limits.js";
import type { Desk, DeskOptions } from "../support/desk.js";
import type { Conversation, Stage } from "./stage.js";

/** One scene; its outcome is a cell of the table. */
export interface Scene {
  /** The row of the table. */
  readonly name: string;
  /** What the editor has; `undefined` if no editor runs when the agent is started. */
  readonly desk?: DeskOptions;
  /** Plays the scene; returns the cell. */
  run(theatre: Theatre): Promise<string>;
}

/** The place of a scene. */
export interface Theatre {
  readonly stage: Stage;
  /** The editor; a scene without one has only its folder. */
  readonly desk: Desk;
  /** Runs the agent in the project's folder, or in a folder below it. */
  converse<T>(play: (conversation: Conversation) => Promise<T>, folder?: string): Promise<T>;
}

/** The cell of a scene in which everything happened as it should. */
export const done = "yes";

const saved = "const rate = 0.19;\nconst name = 'tax';\n";
const unsaved = "// typed\nconst rate = 0.19;\nconst name = 'tax';\n";
const twoFiles: DeskOptions = {
  files: { "price.ts": saved, "tax.ts": "export const low = 0.07;\n" },
  open: { "price.ts": unsaved, "tax.ts": "export const low = 0.07; // typed\n" },
};

const batch = {
  edits: [
    { path: "price.ts", oldText: "rate = 0.19", newText: "rate = 0.2" },
    { path: "tax.ts", oldText: "low = 0.07", newText: "low = 0.05" },
  ],
};
const batchDone = {
  "price.ts": unsaved.replace("0.19", "0.2"),
  "tax.ts": "export const low = 0.05; // typed\n",
};

export const scenes: readonly Scene[] = [
  {
    name: "the first request describes the tools",
    desk: twoFiles,
    async run({ stage, converse }) {
      const names = await converse(async ({ first }) => stage.kind.declared(first));
      return `${names.length}: ${names.join(", ")}`;
    },
  },
  {
    name: "reads unsaved text",
    desk: twoFiles,
    async run({ converse }) {
      const text = await converse(({ call }) => call("read_document", { path: "price.ts" }));
      expect(text).toContain("// typed\nconst rate = 0.19;\n");
      return done;
    },
  },
  {
    name: "edits two files, and keeps unsaved text",
    desk: twoFiles,
    async run({ converse, desk }) {
      const text = await converse(({ call }) => call("multi_edit", batch));
      expect(desk.texts()).toEqual(batchDone);
      expect(desk.disk()).toEqual(twoFiles.files);
      return `${done}; the answer has ${text.length} characters`;
    },
  },
];
void [mkdirSync, writeFileSync, join, limits];
