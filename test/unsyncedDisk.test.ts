/**
 * A batch over an open and a closed file on a disk whose `fsync` fails from some point on: the editor and the disk must
 * still agree.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { diskWorkspace } from "../server/disk/diskWorkspace.js";
import { recover } from "../server/disk/recover.js";
import { straceProblem } from "./disk/strace.js";
import { batch, layDesk, serverForDesks, told } from "./support/desk.js";
import { makeDirectory } from "./support/directory.js";

const program = serverForDesks();

const reason = straceProblem();

/**
 * Makes every `fsync` call fail from number `first` on; returns the answer and the texts in the editor, on disk, and
 * after a recovery.
 */
async function withoutSync(first: number) {
  const home = makeDirectory({});
  const strace = ["strace", "-f", "--seccomp-bpf", "-o", "/dev/null", "-e", "trace=fsync"] as const;
  const desk = await layDesk(program, {
    server: [
      "env",
      `XDG_STATE_HOME=${home}`,
      ...strace,
      `--inject=fsync:error=EIO:when=${first}+`,
      ...[process.execPath, program.path, "--stdio"],
    ],
    files: { "b.txt": "old\n" },
    open: { "a.txt": "old\n" },
  });
  const { outcome, text, ...answer } = await told(desk.apply(batch(["a.txt", "old", "new"], ["b.txt", "old", "new"])));
  const onDisk = readFileSync(join(desk.root, "b.txt"), "utf8");
  const { batches } = recover(diskWorkspace([desk.root], { state: join(home, "multi-edit-language-server/journals") }));
  return {
    ...{ outcome, text, answer, onDisk, recovered: batches.map((one) => one.outcome) },
    ...{ inEditor: desk.texts()["a.txt"], later: readFileSync(join(desk.root, "b.txt"), "utf8") },
  };
}

// Without strace, no system call can be made to fail; if strace is required, its absence is a failure.
if (reason !== undefined) {
  it("strace is not available", () => {
    const leftOut = `left out: a disk that does not sync, because ${reason}`;
    if (process.env.REQUIRE_FAULTS === "1") throw new Error(leftOut);
    console.log(leftOut);
  });
} else {
  it("the editor and the disk both have the edit or neither has it, and the answer says which", {
    timeout: 120_000,
  }, async () => {
    const outcomes: string[] = [];
    for (let first = 1; outcomes.at(-1) !== "applied"; first++) {
      expect(first).toBeLessThan(30);
      const { outcome, text, answer, onDisk, recovered, inEditor, later } = await withoutSync(first);
      const isUnconfirmed = text.includes("did not confirm");
      outcomes.push(isUnconfirmed ? "unconfirmed" : outcome);
      const side = outcome === "applied" || isUnconfirmed ? "new\n" : "old\n";
      expect([inEditor, later], `from call ${first} on: ${text}`).toEqual([side, side]);
      if (outcome !== "unknown") expect(onDisk).toBe(side);
      if (!isUnconfirmed) continue;
      expect([onDisk, recovered, answer.codes]).toEqual([side, ["applied"], []]);
      expect(answer.edits.map(({ status }) => status)).toEqual(["applied", "applied"]);
      expect(text).toContain("These files also contain the edit but are not saved: a.txt.");
    }
    expect(new Set(outcomes)).toEqual(new Set(["failed", "unknown", "unconfirmed", "applied"]));
  });
}
