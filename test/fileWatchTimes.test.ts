/**
 * How soon a watched file is told: noticed within 200 ms, told once it has stood still for 100 ms, and after two seconds in
 * any case. The disk is real; the clock of this process stands still unless a test moves it, so a slow machine fails nothing.
 */
import { watch as watchFolder, writeFileSync } from "node:fs";
import type { lstat } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { FileWatch } from "../server/disk/fileWatch.js";
import { makeDirectory } from "./support/directory.js";

/** The number of looks at files that have not ended. A look takes as long as the disk does, whatever the clock says. */
let looks = 0;
vi.mock("node:fs/promises", async (load) => {
  const real = await load<typeof import("node:fs/promises")>();
  const counted = async (...args: Parameters<typeof lstat>): Promise<unknown> => {
    looks++;
    return real.lstat(...args).finally(() => looks--);
  };
  return { ...real, lstat: counted };
});

/** The real one: it lets the system and the disk answer. */
const { setImmediate: soon } = globalThis;
const turn = (): Promise<void> => new Promise((resolve) => soon(resolve));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => void vi.useRealTimers());

/** Waits until all looks at files have ended, and what follows from them is done. */
async function looked(): Promise<void> {
  do {
    await turn();
    await turn();
  } while (looks > 0);
}

/** Lets time pass, in steps of 10 ms. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 10) {
    vi.advanceTimersByTime(10);
    await looked();
  }
}

/** Watches a file; `told` has its path for each change. */
async function watching() {
  const root = makeDirectory({ a: "0" });
  const told: string[] = [];
  const watch = new FileWatch((path) => told.push(path));
  watch.add(join(root, "a"));
  const heard = new Set<string | null>();
  const own = watchFolder(root, (_, name) => void heard.add(name));
  onTestFinished(() => {
    watch.close();
    own.close();
  });
  await looked();
  let texts = 0;
  return {
    told,
    /** Writes another text, of another size, because the clock of a disk is coarse. */
    write: () => writeFileSync(join(root, "a"), "x".repeat(++texts)),
    /** Waits until the system has told this process of all writes so far. */
    async heard(): Promise<void> {
      // The system tells of changes in their order, and all who watch a folder at once.
      const mark = `mark ${++texts}`;
      writeFileSync(join(root, mark), "");
      while (!heard.has(mark)) await turn();
      await looked();
    },
  };
}

describe("a change of a watched file", () => {
  it("is told within 200 ms after the system's own word, but not before the file has stood still for 100 ms", async () => {
    const { told, write, heard } = await watching();
    write();
    await heard();
    await pass(90);
    expect(told).toEqual([]);
    await pass(110);
    expect(told).toHaveLength(1);
    await pass(3_000);
    expect(told).toHaveLength(1);
  });

  it("is told as soon after the last of several writes", async () => {
    const { told, write, heard } = await watching();
    write();
    await heard();
    for (let i = 0; i < 10; i++) {
      await pass(80);
      write();
      expect(told).toEqual([]);
    }
    await pass(90);
    expect(told).toEqual([]);
    await pass(110);
    expect(told).toHaveLength(1);
  });

  it("is told after two seconds if a program goes on writing, and again after it has ended", async () => {
    const { told, write, heard } = await watching();
    write();
    await heard();
    for (let passed = 0; passed < 1_980; passed += 30) {
      await pass(30);
      write();
    }
    expect(told).toEqual([]);
    await pass(60);
    expect(told).toHaveLength(1);
    write();
    await heard();
    await pass(200);
    expect(told).toHaveLength(2);
  });
});
