/** Files that are watched on disk, with a real disk. */
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { FileWatch } from "../server/disk/fileWatch.js";
import { limits } from "../server/text/limits.js";
import { makeDirectory } from "./support/directory.js";

/** Watches files in a new directory; `told` lists the changes by name. */
async function watching(names: readonly string[], files: Readonly<Record<string, string>> = {}) {
  const root = makeDirectory(files);
  const told: string[] = [];
  const watch = new FileWatch((path) => told.push(path.slice(root.length + 1)));
  onTestFinished(() => watch.close());
  for (const name of names) watch.add(join(root, name));
  await delay(50);
  return { root, told, watch, write: (name: string, text: string) => writeFileSync(join(root, name), text) };
}

describe("a watched file", () => {
  it("is told once, after it has stood still", async () => {
    const { told, write } = await watching(["a"], { a: "1", b: "1" });
    write("b", "2");
    for (let i = 0; i < 5; i++) {
      write("a", `text ${i}`);
      await delay(40);
      expect(told).toEqual([]);
    }
    await expect.poll(() => told).toEqual(["a"]);
    await delay(300);
    expect(told).toEqual(["a"]);
  });

  it("is told again after another change, also if another file takes its name", async () => {
    const { root, told, write } = await watching(["a"], { a: "1" });
    write("a", "2");
    await expect.poll(() => told).toHaveLength(1);
    write("new", "3");
    renameSync(join(root, "new"), join(root, "a"));
    await expect.poll(() => told).toHaveLength(2);
  });

  it("is waited for while it is missing or empty, for two seconds at most", async () => {
    const { root, told, write } = await watching(["a"], { a: "1" });
    const start = performance.now();
    rmSync(join(root, "a"));
    await delay(600);
    write("a", "");
    await delay(600);
    expect(told).toEqual([]);
    write("a", "3");
    await expect.poll(() => told).toEqual(["a"]);
    rmSync(join(root, "a"));
    const gone = performance.now();
    await expect.poll(() => told, { timeout: 5_000 }).toHaveLength(2);
    expect(performance.now() - gone).toBeGreaterThan(1_900);
    expect(performance.now() - start).toBeLessThan(9_000);
  });

  it("may be in a folder that does not exist yet, or is removed and made again", async () => {
    const { root, told, write } = await watching(["new/a"]);
    mkdirSync(join(root, "new"));
    write("new/a", "1");
    await expect.poll(() => told, { timeout: 8_000 }).toEqual(["new/a"]);
    rmSync(join(root, "new"), { recursive: true });
    await expect.poll(() => told, { timeout: 8_000 }).toHaveLength(2);
    mkdirSync(join(root, "new"));
    write("new/a", "22");
    await expect.poll(() => told, { timeout: 8_000 }).toHaveLength(3);
    write("new/a", "333");
    await expect.poll(() => told, { timeout: 8_000 }).toHaveLength(4);
  });

  it("may get another text because a folder above it was swapped, or a link to one points elsewhere", async () => {
    const files = { "new/sub/a": "1", "old/sub/a": "2", "next/sub/a": "3" };
    const { root, told, watch } = await watching(["new/sub/a"], files);
    symlinkSync("old", join(root, "link"));
    watch.add(join(root, "link/sub/a"));
    await delay(100);
    renameSync(join(root, "new"), join(root, "before"));
    renameSync(join(root, "next"), join(root, "new"));
    await expect.poll(() => told, { timeout: 5_000 }).toEqual(["new/sub/a"]);
    rmSync(join(root, "link"));
    symlinkSync("new", join(root, "link"));
    await expect.poll(() => told, { timeout: 5_000 }).toEqual(["new/sub/a", "link/sub/a"]);
  });

  it("is looked at from time to time if too many folders are watched", async () => {
    const names = Array.from({ length: limits.watchedFolders + 1 }, (_, i) => `${i}/a`);
    const { told, write } = await watching(names, Object.fromEntries(names.map((name) => [name, "1"])));
    await delay(500);
    write("0/a", "22");
    write(names.at(-1)!, "22");
    await expect.poll(() => told, { timeout: 2_000 }).toContain("0/a");
    await expect.poll(() => told, { timeout: 8_000 }).toEqual(["0/a", names.at(-1)]);
  });

  it("is no longer told once it was removed from the watch", async () => {
    const { root, told, watch, write } = await watching(["a", "b"], { a: "1", b: "1" });
    watch.remove(join(root, "a"));
    write("a", "2");
    write("b", "2");
    await expect.poll(() => told).toEqual(["b"]);
    await delay(300);
    expect(told).toEqual(["b"]);
  });
});
