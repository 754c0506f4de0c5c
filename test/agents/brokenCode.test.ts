/**
 * A real Claude Code whose call renames a function in two of three files reads in the same answer what broke in the third: a
 * real language server tells the real editor, and the editor tells our server.
 */
import { existsSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { columns } from "../editors/diagnosticColumns.js";
import type { Column } from "../editors/diagnosticScenes.js";
import { absence as editorAbsence, startSession } from "../editors/session.js";
import { type Stage as Desk, onStage } from "../editors/stage.js";
import { builtServer } from "../support/wireServer.js";
import { kinds } from "./kinds.js";
import { absence, layStage } from "./stage.js";

const claude = kinds.find(({ name }) => name === "Claude Code")!;

const files = {
  "price.ts": "export const gross = (net: number) => net * 1.19;\n",
  "bill.ts": 'import { gross } from "./price";\nexport const bill = gross(1);\n',
  "offer.ts": 'import { gross } from "./price";\nexport const offer = gross("2");\n',
};
const edits = [
  { path: "price.ts", oldText: "const gross", newText: "const total" },
  { path: "bill.ts", oldText: "{ gross }", newText: "{ total }" },
  { path: "bill.ts", oldText: "gross(1)", newText: "total(1)" },
];

/** Has Claude send the call in the project of an editor's stage; returns the answer that its model gets. */
async function answerToClaude(desk: Desk): Promise<string> {
  const stage = await layStage(claude, builtServer);
  // Both belong to one user, whose sessions are announced in one folder.
  const announced = join(desk.session.home, ".local/state/multi-edit-language-server");
  const seen = join(stage.state, "multi-edit-language-server");
  expect(existsSync(announced)).toBe(true);
  rmSync(seen, { recursive: true, force: true });
  symlinkSync(announced, seen);
  try {
    return await stage.converse(desk.folder, ({ call }) => call("multi_edit", { edits }));
  } finally {
    await stage.close();
  }
}

async function play(column: Column): Promise<void> {
  const session = await startSession(column.kind);
  try {
    await onStage(session, async (desk) => {
      desk.lay({ "tsconfig.json": "{}", ...files });
      await desk.open(...Object.keys(files));
      const count = () => desk.driver.run!(column.count(desk.path("offer.ts")));
      await vi.waitFor(async () => expect(await count()).toBe(1), { timeout: 60_000, interval: 50 });
      await delay(700);
      const answer = await answerToClaude(desk);
      expect(answer).toMatch(/^M price\.ts.*\nM bill\.ts.*\n1 new error \([\w-]+\): /);
      expect(answer).toContain(`offer.ts:1 Module '"./price"' has no exported member 'gross'.`);
    });
  } finally {
    await session.stop();
  }
}

const current = columns.filter(({ kind }) => kind.root === "current");
it.each(current.map((column) => [column.name, column] as const))(
  "Claude Code reads what its call has broken, in %s",
  // On a busy machine, the language server may take longer than a second.
  { timeout: 240_000, retry: 2 },
  async (_, column) => {
    const missing = absence(claude) ?? editorAbsence(column.kind);
    if (missing === undefined) return play(column);
    if (process.env.REQUIRE_AGENTS === "1") throw new Error(missing);
    console.log(`left out: Claude Code in ${column.name}: ${missing}`);
  },
);
