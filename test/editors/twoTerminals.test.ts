/** Two terminals with a Neovim each, in the same folder with the same file: where an agent's calls go. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { removeTree } from "../support/directory.js";
import { blockOf, runAsUser } from "./attach.js";
import type { Place } from "./editor.js";
import { neovim } from "./neovim.js";
import { createScreen, type Screen, whenShown } from "./screen.js";
import { absence, layPlace } from "./session.js";
import { startTerminal, type Terminal } from "./terminal.js";

const missing = absence(neovim);

/** The terminal loses and gets the focus, as programs are told that ask for it. */
const focus = "\u001b[O\u001b[I";

interface Desk {
  readonly terminal: Terminal;
  readonly screen: Screen;
}

function startDesk(place: Place): Desk {
  const size = { columns: 100, rows: 20 };
  const screen = createScreen(size.columns, size.rows);
  const terminal = startTerminal(place, ["nvim", "-n", "price.txt"], size);
  terminal.child.stdout?.on("data", (chunk: Buffer) => void screen.print(chunk.toString()));
  return { terminal, screen };
}

/** Waits until both editors have this number of documents open, and this number of them with unsaved text. */
const whenOpen = (place: Place, documents: number, unsaved: number): Promise<void> =>
  vi.waitFor(
    () => {
      const sessions = JSON.parse(runAsUser(place, ["multi-edit", "sessions", "--json"])) as {
        readonly open: readonly { readonly onDisk: string }[];
      }[];
      const open = sessions.flatMap((one) => one.open);
      expect([sessions.length, open.length]).toEqual([2, documents]);
      expect(open.filter(({ onDisk }) => onDisk === "differs")).toHaveLength(unsaved);
    },
    { timeout: 20_000, interval: 50 },
  );

/** Replaces a text in each of the files, in one call. */
function replace(place: Place, oldText: string, newText: string, paths: readonly string[]): string {
  const call = JSON.stringify({ edits: paths.map((path) => ({ path, oldText, newText })) });
  return runAsUser(place, ["sh", "-c", `printf %s '${call}' | multi-edit apply`]);
}

async function play(place: Place): Promise<void> {
  mkdirSync(join(place.home, ".config/nvim"), { recursive: true });
  const lua = blockOf("client-samples/neovim/README.md", "lua neovim");
  writeFileSync(join(place.home, ".config/nvim/init.lua"), lua);
  const file = (name: string): string => join(place.folder, name);
  for (const name of ["price.txt", "vat.txt"]) writeFileSync(file(name), "rate = 0.19\n");
  const desks: Desk[] = [];
  const shows = ({ screen }: Desk, ...texts: readonly string[]): Promise<string> => whenShown(screen, texts);
  const start = async (): Promise<Desk> => {
    const desk = startDesk(place);
    desks.push(desk);
    await shows(desk, "rate = 0.19", "price.txt");
    return desk;
  };
  try {
    // One after the other, because two that start at once in a new home both make its folders, and one complains.
    const [first, second] = [await start(), await start()];
    await whenOpen(place, 2, 0);
    for (const [before, after] of [["0.19", "0.20"] as const, ["0.20", "0.21"] as const]) {
      replace(place, before, after, ["price.txt"]);
      expect(readFileSync(file("price.txt"), "utf8")).toBe(`rate = ${after}\n`);
    }
    for (const desk of desks) {
      desk.terminal.write(focus);
      await shows(desk, "rate = 0.21");
    }
    await whenOpen(place, 2, 0);
    // Each has unsaved text in another file.
    first.terminal.write("omine\u001b");
    second.terminal.write(":e vat.txt\romine\u001b");
    for (const desk of desks) await shows(desk, "mine", "[+]");
    await whenOpen(place, 3, 2);
    expect(() => replace(place, "mine", "yours", ["price.txt", "vat.txt"])).toThrow(
      /can't change text in several:\n {2}"price.txt": \w+ \(Neovim .*\)\n {2}"vat.txt": \w+ \(Neovim .*\)\nNothing was changed\. Send one call for each/,
    );
    for (const name of ["price.txt", "vat.txt"]) replace(place, "mine", "yours", [name]);
    for (const desk of desks) await shows(desk, "yours", "[+]");
    expect(readFileSync(file("vat.txt"), "utf8")).toBe("rate = 0.19\n");
  } finally {
    await Promise.all(desks.map(({ terminal }) => terminal.stop()));
  }
}

it("two Neovims: a file saved in both is edited in one and loaded by the other; unsaved files need a call each", {
  timeout: 60_000,
}, async () => {
  if (missing !== undefined) {
    if (process.env.REQUIRE_EDITORS === "1") throw new Error(missing);
    return console.log(`left out: two Neovims: ${missing}`);
  }
  const base = realpathSync(mkdtempSync(join(tmpdir(), "me-")));
  const place = await layPlace(neovim, base, undefined);
  try {
    await play(place);
  } finally {
    place.link.close();
    await removeTree(base);
  }
});
