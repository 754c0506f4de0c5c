/** Texts that a save has replaced before anybody merged them are kept for seven days. */
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { keepText } from "../../server/disk/keptTexts.js";
import { inServerFolder } from "../../server/workspace/serverFolder.js";
import { ownStateHome } from "../support/agentPeer.js";

const [minute, day] = [60_000, 86_400_000];

/** Makes a file as old as this, in milliseconds. */
function age(path: string, ms: number): void {
  const time = (Date.now() - ms) / 1_000;
  utimesSync(path, time, time);
}

/** Keeps a text, which must work; returns the copy's path. */
function kept(path: string, text: string): string {
  const copy = keepText(path, text);
  if (copy === undefined) throw new Error("not kept");
  return copy;
}

describe("a replaced text", () => {
  it("is kept in a file of the user's own, named after the file", () => {
    ownStateHome();
    const copy = kept("/p/a.txt", "theirs\n");
    expect(dirname(copy)).toBe(inServerFolder("replaced"));
    expect(basename(copy)).toMatch(/-a\.txt$/);
    expect([readFileSync(copy, "utf8"), statSync(copy).mode & 0o777]).toEqual(["theirs\n", 0o600]);
    expect(kept("/q/a.txt", "theirs\n")).not.toBe(copy);
    expect(kept("/p/a.txt", "others\n")).not.toBe(copy);
  });

  it("is removed when the next one is kept after seven days, and not before", () => {
    ownStateHome();
    const [young, old] = [kept("/p/young.txt", "1\n"), kept("/p/old.txt", "2\n")];
    age(young, 7 * day - minute);
    age(old, 7 * day - minute);
    const first = kept("/p/new.txt", "3\n");
    expect(readdirSync(dirname(young)).sort()).toEqual([young, old, first].map((path) => basename(path)).sort());
    age(old, 7 * day + minute);
    const second = kept("/p/newer.txt", "4\n");
    expect(readdirSync(dirname(young)).sort()).toEqual([young, first, second].map((path) => basename(path)).sort());
    expect(readFileSync(young, "utf8")).toBe("1\n");
  });

  it("is kept for seven more days if it is replaced again", () => {
    ownStateHome();
    const copy = kept("/p/a.txt", "1\n");
    age(copy, 7 * day + minute);
    expect(kept("/p/a.txt", "1\n")).toBe(copy);
    kept("/p/b.txt", "2\n");
    expect(readFileSync(copy, "utf8")).toBe("1\n");
  });

  it("is kept although something old in the folder can't be removed", () => {
    ownStateHome();
    const folder = join(dirname(kept("/p/a.txt", "1\n")), "folder");
    mkdirSync(folder);
    age(folder, 8 * day);
    expect(readFileSync(kept("/p/b.txt", "2\n"), "utf8")).toBe("2\n");
  });

  it.each(["x", "ä", "😀"])("is kept if its file has the longest name that can be made of %s", (character) => {
    ownStateHome();
    const name = `${character.repeat(251 / Buffer.byteLength(character))}.txt`;
    const copy = kept(`/p/${name}`, "1\n");
    expect(readFileSync(copy, "utf8")).toBe("1\n");
    expect(copy).toMatch(/\.txt$/);
  });
});
