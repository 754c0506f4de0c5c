/** The real `apply_patch`, as published by OpenAI, run in a new folder for each trial. */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { filesBelow } from "../support/directory.js";
import type { Content, Outcome, Trial } from "./trial.js";

/** The program, ready to run. */
export interface CodexBinary {
  /**
   * Runs the program on a trial. The promise is rejected if the program neither succeeds nor fails in an ordinary way.
   */
  apply(trial: Trial): Promise<Outcome>;
  /** Removes the scratch folder. */
  close(): void;
}

/**
 * Makes the program at a path runnable. The program decides what to do based on the name under which it is started, so
 * this function creates a link named `apply_patch`.
 */
export function codexBinary(program: string): CodexBinary {
  const scratch = mkdtempSync(join(tmpdir(), "multi-edit-codex-"));
  const link = join(scratch, "apply_patch");
  const home = join(scratch, "home");
  symlinkSync(program, link);
  mkdirSync(home);
  let trials = 0;
  return {
    apply: async (trial) => {
      const root = join(scratch, `${trials++}`);
      mkdirSync(root);
      for (const [path, content] of trial.files) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), content);
      }
      try {
        const { status, said } = await run(link, { root, home, patch: trial.patch });
        if (status !== 0 && status !== 1) throw new Error(`apply_patch ended with ${status}: ${said}`);
        return { ok: status === 0, files: readTree(root), said };
      } finally {
        rmSync(root, { recursive: true, force: true });
      }
    },
    close: () => rmSync(scratch, { recursive: true, force: true }),
  };
}

function run(
  link: string,
  { root, home, patch }: { root: string; home: string; patch: string },
): Promise<{ status: number | null; said: string }> {
  return new Promise((resolve, reject) => {
    // No other variables are passed on: one that asks for backtraces, for example, would only slow the program down.
    const child = spawn(link, [], { cwd: root, env: { CODEX_HOME: home }, stdio: "pipe" });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        said += text;
      });
    }
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, said: said.replaceAll(root, "<root>").trim() }));
    // The program may close its input early; its output is what counts.
    child.stdin.on("error", () => undefined);
    child.stdin.end(patch);
  });
}

const readTree = (root: string): Map<string, Content> =>
  new Map([...filesBelow(root)].map(([path, bytes]) => [path, contentOf(bytes)]));

/** The text if the bytes are valid UTF-8, otherwise the bytes. */
function contentOf(bytes: Uint8Array): Content {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // A TypeError means that the bytes are not UTF-8.
    return bytes;
  }
}
