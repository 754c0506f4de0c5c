/** A program in its own terminal, as a person would use it: keys go in, a screen comes out. */
import { spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import type { Place } from "./editor.js";
import { type EditorProcess, whileRunning, withUs } from "./process.js";

/** A terminal that runs a program. */
export interface Terminal extends EditorProcess {
  /** Sends keys the way a terminal does: `\r` for Enter. */
  write(keys: string): void;
  /** Pastes a text, which programs can distinguish from typed keys. */
  paste(text: string): void;
  /** The amount of output so far, for `whenShown`. */
  mark(): number;
  /**
   * Waits until a text is printed after the mark. Ignores spaces, because programs move the cursor instead of printing
   * them.
   */
  whenShown(text: string, mark: number): Promise<void>;
}

/** Maximum number of characters of the output that an error message quotes. */
const toldOutput = 4_000;

/** Starts a program in a terminal inside the editor's root, with the workspace folder as its working directory. */
export function startTerminal(
  { inside, env, folder }: Pick<Place, "inside" | "env" | "folder">,
  command: readonly string[],
  { columns, rows } = { columns: 150, rows: 45 },
): Terminal {
  const line = [...inside, ...command].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const onTerminal = ["script", "-qec", `stty cols ${columns} rows ${rows}; exec ${line}`, "/dev/null"];
  const child = spawn("setpriv", [...withUs, ...onTerminal], { cwd: folder, env });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
    // The terminal's answer to a request for its type, which some programs wait for.
    if (chunk.includes("\u001b[c")) child.stdin.write("\u001b[?62;22c");
    // The answer to a request for its state, without which Neovim 0.12 shows a warning, and then may wait for Enter.
    if (chunk.includes("\u001b[5n")) child.stdin.write("\u001b[0n");
  });
  child.stderr.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stdin.on("error", () => undefined);
  const ended = new Promise<void>((resolve) => child.on("exit", () => resolve()));
  return {
    child,
    whileItRuns: (promise) => whileRunning(promise, ended, () => plain(output)),
    said: () => plain(output).slice(-toldOutput),
    write: (keys) => void child.stdin.write(keys),
    paste: (text) => void child.stdin.write(`\u001b[200~${text}\u001b[201~`),
    mark: () => output.length,
    whenShown: async (text, mark) => {
      const sought = text.replace(/\s/g, "");
      for (const end = performance.now() + 10_000; performance.now() < end; await delay(10))
        if (plain(output.slice(mark)).replace(/\s/g, "").includes(sought)) return;
      throw new Error(`not on the screen: ${text}; but ${plain(output).slice(-toldOutput)}`);
    },
    stop: async () => {
      // The program ends along with its terminal.
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Printed text without the escape sequences that move the cursor or set colours. */
function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences start with a control character
  return text.replace(/\u001b\[[0-9;?<>=]*[a-zA-Z]|\u001b[()][A-Z0-9]|\u001b[=>]/g, " ");
}
