/**
 * What VS Code does when another program, such as an agent's own tool, writes a file that is open: its row of the table in
 * `client-samples/agents/hooks.md`, by keys in one window, as a person would see it.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { before, type Step } from "../editors/diskActs.js";
import { makeEdit, runOurs } from "../editors/ownEdits.js";
import { type Session, startSession, versionOf } from "../editors/session.js";
import { onStage, type Stage } from "../editors/stage.js";
import { gitEnv } from "../support/gitEnv.js";
import { type VsCodeDriver, vscode } from "./vscode.js";
import { pressAll, vscodeRow } from "./vscodeDiskScenes.js";
import { absenceOfVsCode } from "./vscodeInstallation.js";

const missing = absenceOfVsCode();

/** All that the window shows: the text, messages and dialogues; the spaces are as in the text. */
const screen = `[...document.querySelectorAll(".view-lines, .notification-list-item, .monaco-dialog-box")]
  .map((element) => element.textContent.replaceAll("\\u00a0", " ")).join("\\n")`;

/** Waits until the window shows all of these texts. */
async function whenShown({ page }: VsCodeDriver, texts: readonly string[]): Promise<void> {
  const seen = async () => {
    const text = String(await page.evaluate(screen));
    return texts.every((one) => text.includes(one)) ? texts : text;
  };
  await expect.poll(seen, { timeout: 20_000, interval: 100 }).toEqual(texts);
}

async function play(stage: Stage, steps: readonly Step[]): Promise<void> {
  // The scenes run in VS Code only, whose driver has more functions.
  const driver = stage.driver as VsCodeDriver;
  const place = { ...stage.session.place, folder: stage.folder };
  const path = stage.path("price.txt");
  stage.lay({ "price.txt": before });
  await stage.open("price.txt");
  await driver.startTyping(path, "rate");
  await whenShown(driver, ["rate = 0.19"]);
  for (const [act, ...shown] of steps) {
    if ("disk" in act) writeFileSync(path, act.disk);
    else if ("keys" in act) await pressAll(driver, act.keys);
    else if ("edit" in act) await makeEdit(place, path, act.edit);
    else if ("call" in act) runOurs(place, ["apply", "-", "--mode=editor"], { path, ...act.call });
    else if ("shell" in act) execFileSync("sh", ["-c", act.shell], { cwd: stage.folder, env: gitEnv, stdio: "pipe" });
    else await expect.poll(() => readFileSync(path, "utf8"), { timeout: 10_000 }).toBe(act.becomes);
    await whenShown(driver, shown);
  }
}

// The other tests of VS Code fail if it has to be here and is not.
describe.runIf(missing === undefined)("VS Code, if another program writes an open file", { timeout: 180_000 }, () => {
  let session: Session | undefined;
  beforeAll(async () => {
    session = await startSession(vscode);
  }, 180_000);
  afterAll(() => session?.stop());

  it("is the version that the page names", () => {
    const page = readFileSync(new URL("../../client-samples/agents/hooks.md", import.meta.url), "utf8");
    const [named] = /^\| VS Code \d+\.\d+ \|/m.exec(page) ?? [];
    expect(named).toBe(`| VS Code ${versionOf(vscode).split(".", 2).join(".")} |`);
  });

  it.each(Object.entries(vscodeRow.sessions))("%s", async (_, steps) => {
    session ??= await startSession(vscode);
    try {
      await onStage(session, (stage) => play(stage, steps));
    } catch (error) {
      // The window's state is unknown.
      await session.stop();
      session = undefined;
      throw error;
    }
  });
});
