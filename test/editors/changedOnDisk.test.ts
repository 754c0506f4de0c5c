/**
 * What each editor does when another program, such as an agent's own tool, writes a file that is open: the rows of the
 * table in `client-samples/agents/hooks.md`, by keys in a terminal, as a person would see them.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { removeTree } from "../support/directory.js";
import { gitEnv } from "../support/gitEnv.js";
import { before, type Row, type Step } from "./diskActs.js";
import { rows } from "./diskScenes.js";
import type { Place } from "./editor.js";
import { helixFormatting } from "./helixDiskScenes.js";
import { makeEdit, runOurs } from "./ownEdits.js";
import { createScreen, whenShown } from "./screen.js";
import { absence, layPlace } from "./session.js";
import { startTerminal } from "./terminal.js";

describe.each([...rows, helixFormatting])("$name, if another program writes an open file", (row) => {
  const missing = absence(row.kind);
  it.each(Object.entries(row.sessions))("%s", { timeout: 60_000 }, async (_, steps) => {
    if (missing === undefined) return play(row, steps);
    if (process.env.REQUIRE_EDITORS === "1") throw new Error(missing);
    console.log(`left out: ${row.name}, if another program writes an open file: ${missing}`);
  });
});

/** Waits until the server has announced itself and has had time to compare the file. */
async function whenServed({ home }: Place): Promise<void> {
  const records = join(home, ".local/state/multi-edit-language-server/sessions");
  while (!existsSync(records) || readdirSync(records).length === 0) await delay(50);
  await delay(500);
}

async function play({ kind, command, setUp }: Row, steps: readonly Step[]): Promise<void> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "me-")));
  const place = await layPlace(kind, base, undefined);
  try {
    // Helix takes the repository as the workspace folder.
    mkdirSync(join(place.folder, ".git"));
    const path = join(place.folder, "price.txt");
    writeFileSync(path, before);
    setUp(place);
    const size = { columns: 100, rows: 20 };
    const screen = createScreen(size.columns, size.rows);
    const terminal = startTerminal(place, command, size);
    terminal.child.stdout?.on("data", (chunk: Buffer) => void screen.print(chunk.toString()));
    try {
      await whenShown(screen, ["rate = 0.19", "price.txt"]);
      await whenServed(place);
      for (const [act, ...shown] of steps) {
        if ("disk" in act) writeFileSync(path, act.disk);
        else if ("keys" in act) terminal.write(act.keys);
        else if ("edit" in act) await makeEdit(place, path, act.edit);
        else if ("call" in act) runOurs(place, ["apply", "-", "--mode=editor"], { path, ...act.call });
        else if ("shell" in act)
          execFileSync("sh", ["-c", act.shell], { cwd: place.folder, env: gitEnv, stdio: "pipe" });
        else await expect.poll(() => readFileSync(path, "utf8")).toBe(act.becomes);
        await whenShown(screen, shown);
      }
    } finally {
      await terminal.stop();
    }
  } finally {
    place.link.close();
    await removeTree(base);
  }
}
