/** Runs a scenario in a real Neovim without a screen, which knows nothing of this project. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Encoding } from "./editorText.js";
import { builtServer } from "./wireServer.js";

/** What Neovim is to do. */
export interface Scenario {
  /** The workspace folder; paths are relative to it. */
  readonly root: string;
  readonly encoding: Encoding;
  /** Files that Neovim opens. */
  readonly open: readonly string[];
  /** Lines (1-based) that are replaced before the call, and not saved. */
  readonly typed: readonly { readonly path: string; readonly line: number; readonly lines: readonly string[] }[];
  /** The request, whose edit Neovim applies, or the command, where the server asks it to. */
  readonly door: "request" | "command";
  readonly call: object;
}

/** A buffer as Neovim keeps it: lines without their ends, which the format says. */
interface Buffer {
  readonly lines: readonly string[];
  readonly fileformat: "unix" | "dos" | "mac";
  readonly endofline: boolean;
  readonly bomb: boolean;
  readonly modified: boolean;
}

/** What came out. */
export interface NeovimOutcome {
  readonly encoding: string;
  /** Texts by path, as Neovim would write them, without byte order marks. */
  readonly before: Readonly<Record<string, string>>;
  readonly after: Readonly<Record<string, string>>;
  /** The texts that the server has of the open files when all is done. */
  readonly read: Readonly<Record<string, string>>;
  readonly result: { readonly applied: boolean; readonly outcome: string } | undefined;
  readonly failure: unknown;
}

/** The program's name on the path. */
const program = "nvim";

/** The first line of `nvim --version`; `undefined`: there is none on the path. */
export function neovimVersion(): string | undefined {
  const { status, stdout } = spawnSync(program, ["--version"], { encoding: "utf8" });
  return status === 0 ? stdout.split("\n", 1)[0] : undefined;
}

/** Starts Neovim on a scenario and waits for its end. Throws with all that it said where the driver fails. */
export function runNeovim(scenario: Scenario): NeovimOutcome {
  const folder = mkdtempSync(join(tmpdir(), "multi-edit-neovim-"));
  try {
    const [given, got] = [join(folder, "scenario.json"), join(folder, "outcome.json")];
    writeFileSync(given, JSON.stringify({ ...scenario, server: [process.execPath, builtServer, "--stdio"] }));
    const driver = fileURLToPath(new URL("../editors/neovim.lua", import.meta.url));
    const homes = Object.fromEntries(
      ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"].map((name) => [name, folder]),
    );
    const { stdout, stderr } = spawnSync(program, ["--clean", "--headless", "-n", "-S", driver], {
      cwd: scenario.root,
      env: { ...process.env, ...homes, SCENARIO: given, OUTCOME: got, LC_ALL: "C.UTF-8" },
      encoding: "utf8",
      timeout: 120_000,
    });
    const outcome = JSON.parse(readOutcome(got, `${stdout}${stderr}`));
    if (outcome.crash !== undefined) throw new Error(`${outcome.crash}\n${stdout}${stderr}`);
    const { encoding, before, after, read, result, failure } = outcome;
    return {
      encoding,
      before: textsOf(before),
      after: textsOf(after),
      read: mapped(read, textOfRead),
      result,
      failure,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readOutcome(path: string, said: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new Error(`Neovim ended without an outcome and said: ${said}`);
  }
}

const textsOf = (buffers: Record<string, Buffer>): Record<string, string> => mapped(buffers, textOf);

function textOf({ lines, fileformat, endofline }: Buffer): string {
  const end = { unix: "\n", dos: "\r\n", mac: "\r" }[fileformat];
  return lines.join(end) + (endofline ? end : "");
}

const textOfRead = ({ text }: { text: string }): string => text;

function mapped<A, B>(record: Readonly<Record<string, A>>, change: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
