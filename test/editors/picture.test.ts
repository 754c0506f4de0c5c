/**
 * The picture in the README, recorded from a real Neovim with unsaved text and an agent's edit. `UPDATE_PICTURE=1`
 * writes it; without it, its text is compared with a fresh recording.
 */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { removeTree } from "../support/directory.js";
import { writeSetup } from "./attach.js";
import type { Place } from "./editor.js";
import { neovim } from "./neovim.js";
import { createScreen, type Frame, type Shot, svgOf, textOf } from "./screen.js";
import { absence, layPlace } from "./session.js";
import { startTerminal } from "./terminal.js";

const picture = new URL("../../client-samples/neovim/picture.svg", import.meta.url);
const columns = 100;
const rows = 24;

const file = `export const rate = 0.19;

export function gross(net: number): number {
  return net * (1 + rate);
}
`;

/** The agent's patch, for the file as it is on disk, and the commands by which a person would show and send it. */
const patch = `*** Begin Patch
*** Update File: src/price.ts
@@
-export const rate = 0.19;
+export const rate = 0.2;
*** End Patch
`;
const [show, call] = ["cat agent.patch", "multi-edit apply < agent.patch"];

const missing = absence(neovim);

it("shows what happens in a real Neovim", { timeout: 60_000 }, async () => {
  if (missing !== undefined) {
    const leftOut = `left out: the README's picture, which shows a real Neovim: ${missing}`;
    if (process.env.REQUIRE_EDITORS === "1") throw new Error(leftOut);
    console.log(leftOut);
    return;
  }
  const frames = await record();
  if (process.env.UPDATE_PICTURE === "1") writeFileSync(picture, svgOf(frames, { columns, still: 2 }));
  const written = framesIn(readFileSync(picture, "utf8"));
  expect(written).toEqual(frames.map(({ caption, shot }) => ({ caption, words: wordsOf(shot) })));
});

/** Plays the scene; returns its frames. */
async function record(): Promise<Frame[]> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "me-")));
  const place = await layPlace(neovim, base, undefined);
  try {
    return await play(place);
  } finally {
    place.link.close();
    await removeTree(base);
  }
}

/** Writes the files of the scene, and the editor's configuration. */
function setUp(place: Place): void {
  mkdirSync(join(place.folder, "src"));
  mkdirSync(join(place.folder, ".git"));
  writeFileSync(join(place.folder, "src/price.ts"), file);
  writeFileSync(join(place.folder, "agent.patch"), patch);
  writeSetup(place, "neovim");
  const config = join(place.home, ".config/nvim");
  writeFileSync(join(config, "init.lua"), 'vim.o.number = true\nvim.o.background = "dark"\n');
}

async function play(place: Place): Promise<Frame[]> {
  setUp(place);
  // No prompt but a dollar sign, and no history.
  const env = {
    ...place.env,
    COLORTERM: "truecolor",
    SHELL: "/bin/bash",
    PS1: "$ ",
    PROMPT_COMMAND: "PS1='$ '",
    HISTFILE: "",
  };
  const screen = createScreen(columns, rows);
  const terminal = startTerminal({ ...place, env }, ["nvim", "-n", "src/price.ts"], { columns, rows });
  terminal.child.stdout?.on("data", (chunk: Buffer) => void screen.print(chunk.toString()));
  /** Waits until the screen shows all of these texts, and has not changed for a while. */
  const shows = async (...texts: readonly string[]): Promise<Shot> => {
    let last = "";
    for (const end = performance.now() + 20_000; performance.now() < end; ) {
      await delay(250);
      const text = textOf(screen.shoot());
      if (text === last && texts.every((one) => text.includes(one))) return withoutChance(screen.shoot(), place);
      last = text;
    }
    throw new Error(`not on the screen: ${texts.join("; ")}; but\n${last}`);
  };
  try {
    await shows("export function gross");
    terminal.write("A // ask Ann");
    await shows("// ask Ann");
    terminal.write("\u001b");
    const typed = await shows("// ask Ann", "[+]");
    terminal.write(":belowright 14split | terminal\r");
    await shows("$");
    terminal.write(":file a shell\ri");
    await shows("-- TERMINAL --");
    terminal.write(`${show}\r`);
    await shows("*** End Patch");
    terminal.write(call);
    const called = await shows("multi-edit apply");
    terminal.write("\r");
    const done = await shows("rate = 0.2; // ask Ann", "through the editor");
    terminal.write("\u001c\u000e");
    terminal.write("\u0017k");
    await delay(300);
    terminal.write(":MultiEditNext\r");
    const reviewed = await shows('"multi-edit": 1 line changed', "export const rate = 0.19; // ask Ann");
    terminal.write(":.MultiEditUndo\r");
    const undone = await shows("1 export const rate = 0.19; // ask Ann", "Undo src/price.ts:1");
    return [
      { caption: "You type a comment and do not save.", shot: typed, seconds: 3 },
      {
        caption: "An agent sends a patch for the same line; here, a shell command plays the agent.",
        shot: called,
        seconds: 3,
      },
      {
        caption: "The edit arrives in the editor: your comment is kept, and the file on disk is unchanged.",
        shot: done,
        seconds: 6,
      },
      { caption: "You review what has changed: above it is the former line.", shot: reviewed, seconds: 5 },
      { caption: "You keep each change or undo it, and the agent hears of that.", shot: undone, seconds: 4 },
    ];
  } finally {
    await terminal.stop();
  }
}

/** The screen with fixed words in place of those that differ from run to run. */
function withoutChance({ rows: shown, cursor }: Shot, { folder }: Place): Shot {
  const fixed = (text: string): string =>
    text
      .replace(folder, "/home/me/shop")
      .replace(/(through the editor )[0-9a-f]{12}/, "$15f1c0e9a7b24")
      .replace(/\d+ seconds? ago/, "1 second ago");
  return { rows: shown.map((runs) => runs.map((run) => ({ ...run, text: fixed(run.text) }))), cursor };
}

/** The words of a screen, without the spaces that only the layout needs. */
const wordsOf = (shot: Shot): string => textOf(shot).replace(/\s+/g, "");

function framesIn(svg: string): { caption: string; words: string }[] {
  return svg
    .split('<g class="f ')
    .slice(1)
    .map((frame) => {
      const texts = [...frame.matchAll(/<text([^>]*)>([^<]*)<\/text>/g)].map(([, attributes = "", text = ""]) => ({
        isCaption: attributes.includes("caption"),
        text: text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&"),
      }));
      return {
        caption: texts.find(({ isCaption }) => isCaption)?.text ?? "",
        words: texts
          .filter(({ isCaption }) => !isCaption)
          .map(({ text }) => text)
          .join("")
          .replace(/\s+/g, ""),
      };
    });
}
