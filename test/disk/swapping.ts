/**
 * A race on real files: a program keeps exchanging a directory of the workspace for a link to a directory outside, while
 * calls read and write files below it.
 */
import { type ChildProcess, spawn } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FakeEditor, startEditor } from "../support/fakeEditor.js";

/** Counts of calls, and descriptions of those that reached a file outside. */
export interface SwapTally {
  reads: number;
  writes: number;
  /** The calls that succeeded, so that the race was really run. */
  succeeded: number;
  /** How often the directory was exchanged, to the last thousand. */
  swaps: number;
  readonly wrong: string[];
}

const secret = "a secret outside of the workspace";

/** Exchanges `d` and `link` with one system call each time, on Linux; otherwise with three renames. */
const swapper = `
import ctypes, os, sys
a, b, c = [os.path.join(sys.argv[1], name).encode() for name in ("d", "link", "between")]
libc = ctypes.CDLL(None)
while os.getppid() != 1:
    for _ in range(1000):
        if not hasattr(libc, "renameat2") or libc.renameat2(-100, a, -100, b, 2) != 0:
            os.rename(a, c); os.rename(b, a); os.rename(c, b)
    print(flush=True)
`;

/** Runs calls for some seconds against the built server `program`. */
export async function runSwaps(program: string, seconds: number): Promise<SwapTally> {
  const at = realpathSync(mkdtempSync(join(tmpdir(), "multi-edit-swaps-")));
  const [ws, outside] = [join(at, "ws"), join(at, "outside")];
  mkdirSync(join(ws, "d"), { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(ws, "d", "a.txt"), "one\n");
  writeFileSync(join(outside, "a.txt"), `${secret}\none\n`);
  symlinkSync(outside, join(ws, "link"));
  const tally: SwapTally = { reads: 0, writes: 0, succeeded: 0, swaps: 0, wrong: [] };
  const before = process.env.XDG_STATE_HOME;
  process.env.XDG_STATE_HOME = join(at, "state");
  const settings = { save: "never" };
  const editor = await startEditor({ server: [process.execPath, program, "--stdio"], folders: [ws], settings });
  process.env.XDG_STATE_HOME = before;
  const swapping: ChildProcess = spawn("python3", ["-c", swapper, ws], { stdio: ["ignore", "pipe", "ignore"] });
  swapping.stdout?.on("data", (lines: Buffer) => {
    tally.swaps += 1000 * lines.length;
  });
  try {
    const end = performance.now() + seconds * 1000;
    for (let turn = 0; performance.now() < end; turn++) await swapOnce(editor, turn, tally);
    const names = readdirSync(outside);
    if (names.join() !== "a.txt") tally.wrong.push(`files were made outside: ${names.join(", ")}`);
    const text = readFileSync(join(outside, "a.txt"), "utf8");
    if (text !== `${secret}\none\n`) tally.wrong.push(`the file outside was changed: ${text}`);
  } finally {
    swapping.kill("SIGKILL");
    await editor.stop();
    rmSync(at, { recursive: true, force: true });
  }
  return tally;
}

async function swapOnce(editor: FakeEditor, turn: number, tally: SwapTally): Promise<void> {
  const command = (call: object) =>
    editor.request("workspace/executeCommand", { command: "multiEdit.apply", arguments: [call] });
  const edit = { path: "d/a.txt", oldText: "one", newText: "one" };
  const calls: readonly (readonly [kind: "reads" | "writes", send: () => Promise<unknown>])[] = [
    ["reads", () => editor.request("multiEdit/read", { path: "d/a.txt" })],
    ["reads", () => editor.request("multiEdit/preview", { ...edit, newText: `two ${turn}` })],
    ["reads", () => editor.request("multiEdit/apply", { ...edit, oldText: "none of this" })],
    ["writes", () => command({ path: "d/a.txt", oldText: "one", newText: `one ${turn}` })],
    ["writes", () => command({ path: `d/new${turn}.txt`, oldText: "", newText: "made\n" })],
  ];
  for (const [kind, send] of calls) {
    tally[kind] += 1;
    const answer = await send().then(
      (result) => {
        tally.succeeded += 1;
        return JSON.stringify(result);
      },
      (error: { message: string; data?: unknown }) => `${error.message} ${JSON.stringify(error.data)}`,
    );
    if (answer.includes(secret)) tally.wrong.push(`an answer shows the file outside: ${answer.slice(0, 200)}`);
  }
}
