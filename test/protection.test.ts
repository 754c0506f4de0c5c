/** The names that are protected, in two classes; the user's changes to them; rules for confirmation; Git directories. */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { defaultNames, refusedNames, versionControl } from "../server/workspace/protectedNames.js";
import {
  type ConfirmSetting,
  type FileGate,
  gitDirectoriesWith,
  gitDirectoryAbove,
  isFileLike,
  judge,
  protectsGit,
  toGate,
} from "../server/workspace/protection.js";
import { makeDirectory } from "./support/directory.js";
import { lawRuns } from "./support/extent.js";

const gate = (protectedNames: readonly string[] = defaultNames, confirm: ConfirmSetting = "protected"): FileGate =>
  toGate({ protectedNames, confirm });

const defaultGate = gate();

/** The verdict on a path below a folder: `free`, `asks`, or the reason for the refusal. */
function verdict(path: string, ...gates: readonly FileGate[]): string {
  const judged = judge(gates.length === 0 ? [defaultGate] : gates, `/ws/${path}`, path);
  if (judged === undefined) return "free";
  return judged.kind === "asks" ? "asks" : judged.why;
}

describe("a protected name", () => {
  it.each([
    [".git/config", "protected"],
    ["a/.GIT/config", "protected"],
    ["opencode.json", "protected"],
    ["a/b.code-workspace", "protected"],
    ["b.Code-Workspace", "protected"],
    [".cargo/config.toml", "protected"],
    ["a/.cargo/config.toml", "protected"],
    [".cargo/registry", "free"],
    [".config/nvim/init.lua", "protected"],
    [".config/other/init.lua", "free"],
    ["nvim/init.lua", "free"],
    [".roo/mcp.json", "protected"],
    [".clinerules", "protected"],
    [".local/bin/x", "protected"],
    [".netrc", "protected"],
    [".npmrc", "asks"],
    ["a/.npmrc", "asks"],
    [".gitmodules", "asks"],
    [".devcontainer/devcontainer.json", "asks"],
    [".vscode/launch.json", "asks"],
    [".vscode/tasks.json", "protected"],
    [".vscode/launch.json/x", "asks"],
    [".git/.vscode/launch.json", "protected"],
    [".vscode/x/.vscode/launch.json", "protected"],
    ["templates/.vscode/tasks.json", "asks"],
    ["test/fixtures/.claude/settings.json", "asks"],
    ["templates/.git/config", "protected"],
    [".vscode/templates/tasks.json", "protected"],
    ["package.json", "free"],
    [".github/workflows/ci.yml", "free"],
  ])("decides about %s: %s", (path, expected) => expect(verdict(path)).toBe(expected));

  it("is refused in any spelling, below and above any folder that has no templates", () => {
    const other = fc.constantFrom("src", "a b", ".config", "git", "x.ts", "Library", ".gitx");
    const folders = fc.array(other, { maxLength: 3 });
    const plain = refusedNames.filter((name) => !name.includes("*"));
    fc.assert(
      fc.property(
        folders,
        fc.constantFrom(...plain),
        folders,
        fc.infiniteStream(fc.boolean()),
        (up, name, down, big) => {
          const spelled = [...name]
            .map((sign) => (big.next().value ? sign.toUpperCase() : sign.toLowerCase()))
            .join("");
          const path = [...up, spelled, ...down].join("/");
          expect([verdict(path), verdict(`templates/${path}`)]).toEqual([
            "protected",
            versionControl.includes(name) ? "protected" : "asks",
          ]);
        },
      ),
      { numRuns: lawRuns(5_000) },
    );
  });

  it("of the user's list is refused everywhere, with or without the default names", () => {
    for (const own of [gate(["+secret", "+.npmrc"]), gate(["secret", ".npmrc"])]) {
      expect(verdict("a/Secret/b", own)).toBe("added");
      expect(verdict("templates/secret", own)).toBe("added");
      expect(verdict(".npmrc", own)).toBe("added");
    }
    expect(verdict(".git/config", gate(["+secret"]))).toBe("protected");
    expect(verdict(".git/config", gate(["secret"]))).toBe("free");
  });

  it.each([
    ["a", "x/a/y", "added"],
    ["a", "ab", "free"],
    ["b/a", "x/b/a", "added"],
    ["b/a", "b/x/a", "free"],
    ["b/a", "a", "free"],
    ["*.key", "x/a.key/y", "added"],
    ["*.key", ".key", "added"],
    ["*.key", "a.key.txt", "free"],
    ["*.tar.gz", "a.tar.gz", "added"],
    ["*.tar.gz", "a.gz", "free"],
    ["b/*.key", "b/a.key", "added"],
    ["b/*.key", "c/a.key", "free"],
    ["*", "a", "added"],
    ["id_*", "x/id_rsa", "added"],
    ["id_*", "x/rid_rsa", "free"],
    ["a?c", "abc", "added"],
    ["a?c", "ac", "free"],
    ["a*b*c", "aXbYbZc", "added"],
    ["a*b*c", "aXcYb", "free"],
  ])("of the user's list, %s, and the path %s: %s", (pattern, path, expected) => {
    expect([verdict(path, gate([pattern])), verdict(path, gate([`+${pattern}`]))]).toEqual([expected, expected]);
  });

  it("is named in the verdict, rather than a rule that asks as well", () => {
    const asks = gate([], "always");
    const judged = (path: string, ...gates: FileGate[]) => judge(gates, `/ws/${path}`, path);
    expect(judged("a/.npmrc", gate())).toEqual({ kind: "asks", name: ".npmrc" });
    expect(judged("a/.npmrc", asks, gate(), asks)).toEqual({ kind: "asks", name: ".npmrc" });
    expect(judged("a.txt", asks)).toEqual({ kind: "asks", name: undefined });
    expect(judged("a/.GIT/b", gate())).toEqual({ kind: "refused", why: "protected", by: ".git" });
    expect(judged(".npmrc", gate(defaultNames, "never"))).toEqual({ kind: "refused", why: "unasked", by: ".npmrc" });
    expect(judged("b/.npmrc/.gitmodules", gate())).toEqual({ kind: "asks", name: ".npmrc" });
  });

  it("is none if the user's list is empty", () => {
    expect([".git/config", ".npmrc", ".vscode/tasks.json"].map((path) => verdict(path, gate([])))).toEqual([
      "free",
      "free",
      "free",
    ]);
  });

  it("that the user takes off the list is free", () => {
    const own = gate(["-.npmrc", "-.vscode", "+build/*.key"]);
    expect(verdict(".npmrc", own)).toBe("free");
    expect(verdict(".vscode/tasks.json", own)).toBe("free");
    expect(verdict(".vscode/launch.json", own)).toBe("asks");
    expect(verdict("build/a.key", own)).toBe("added");
    expect(verdict("build/x/a.key", own)).toBe("free");
  });

  it("is only asked about if the user's rules say so", () => {
    expect(verdict(".npmrc", gate(defaultNames, "never"))).toBe("unasked");
    expect(verdict("a.txt", gate(defaultNames, "never"))).toBe("free");
    expect(verdict("a.txt", gate(defaultNames, "always"))).toBe("asks");
    expect(verdict(".git/config", gate(defaultNames, "always"))).toBe("protected");
  });
});

describe("several gates", () => {
  const confirm: readonly ConfirmSetting[] = ["never", "protected", "always", [{ files: "a/**", ask: "always" }]];
  const names = [defaultNames, ["+secret"], ["-.npmrc"], ["secret"], []];
  const made = names.flatMap((protectedNames) => confirm.map((one) => gate(protectedNames, one)));
  const gates = fc.array(fc.constantFrom(...made), { minLength: 1, maxLength: 4 });
  const path = fc.constantFrom("a/b.txt", "secret", ".npmrc", ".git/config", "b.txt", "templates/.vscode/x");
  const strictness = (said: string): number => (said === "free" ? 0 : said === "asks" ? 1 : 2);

  it("are as strict as the strictest of them", () => {
    fc.assert(
      fc.property(gates, path, (all, path) => {
        const each = all.map((one) => strictness(verdict(path, one)));
        expect(strictness(verdict(path, ...all))).toBe(Math.max(...each));
      }),
      { numRuns: lawRuns(5_000) },
    );
  });

  it("never loosen each other, whatever files they are for", () => {
    const holds = fc.constantFrom(undefined, ["/ws"], ["/ws/a", "/ws/templates"], ["/other"]);
    const held = fc.tuple(gates, fc.array(holds, { minLength: 4, maxLength: 4 }));
    fc.assert(
      fc.property(held, path, ([all, holds], path) => {
        const own = all.map((one, i): FileGate => ({ ...one, holds: holds[i] }));
        const said = own.map((_, i) => strictness(verdict(path, ...own.slice(0, i + 1))));
        expect(said).toEqual(said.toSorted());
      }),
      { numRuns: lawRuns(5_000) },
    );
  });

  it("count only for the files that they are for, and a fallback only for the others", () => {
    const fallback: FileGate = { ...gate(defaultNames, "always"), isFallback: true };
    const other: FileGate = { ...gate([], "never"), holds: ["/ws/held"] };
    expect(verdict("held/a", fallback, other)).toBe("free");
    expect(verdict("free/a", fallback, other)).toBe("asks");
    expect(verdict("held-not/a", fallback, other)).toBe("asks");
    expect(verdict("held/a", { ...fallback, isFallback: false }, other)).toBe("asks");
  });

  it("look at the path below their own innermost folder, too, and at the whole path of a file that they are for", () => {
    const holding = (names: readonly string[], ...holds: string[]): FileGate => ({ ...gate(names), holds });
    const said = (one: FileGate, file: string, below: string) => judge([one], file, below)?.kind;
    // The caller's folder is /ws/.git.
    expect(said(holding(defaultNames, "/ws"), "/ws/.git/config", "config")).toBe("refused");
    expect(said(holding(["+in/secret"], "/ws"), "/ws/in/secret", "secret")).toBe("refused");
    expect(said(holding(["+in/secret"], "/ws", "/ws/in"), "/ws/in/secret", "secret")).toBeUndefined();
    expect(said(holding(["+in/secret"], "/ws/in", "/ws"), "/ws/in/secret", "secret")).toBeUndefined();
    expect(said(holding(defaultNames, "/home/.ssh/config"), "/home/.ssh/config", "config")).toBe("refused");
    expect(said(holding(defaultNames, "/ws"), "/other/.git/config", "config")).toBeUndefined();
  });
});

describe("a pattern of the setting confirm", () => {
  it.each([
    ["infra/**", "infra/a/b.tf", true],
    ["infra/**", "infra", true],
    ["infra/**", "x/infra/a", false],
    ["infra", "x/infra/a", true],
    ["infra/", "infra/a", true],
    ["*.lock", "a/b.lock", true],
    ["*.lock", "a/b.lock.txt", false],
    ["a/*.ts", "a/b.ts", true],
    ["a/*.ts", "a/b/c.ts", false],
    ["a/**/c.ts", "a/c.ts", true],
    ["a/**/c.ts", "a/x/y/c.ts", true],
    ["a/?.ts", "a/b.ts", true],
    ["a/?.ts", "a/bb.ts", false],
    ["/ws/a/**", "a/b", true],
    ["/other/a/**", "a/b", false],
    ["/a/**", "a/b", true],
    ["./a/**", "a/b", true],
    ["./a/**", "x/a/b", false],
    ["./*.lock", "a.lock", true],
    ["./*.lock", "a/b.lock", false],
    ["app/[id]/*", "app/[id]/page.ts", true],
    ["/ws/a/**", "b/a/c", false],
    ["ws/a/**", "a/b", false],
    ["infra\\", "infra/a", true],
    ["a/**/b/**/c", "a/b/x/b/y/z/c", true],
    ["a/**/b/**/c", "a/b/x/b/y/z/d", false],
    ["**", "a", true],
    ["a*b*c.ts", "aXbYbZc.ts", true],
  ])("%s matches %s: %s", (pattern, path, expected) => {
    expect(isFileLike(pattern, `/ws/${path}`, path)).toBe(expected);
  });

  it.each([
    ["linux", false],
    ["darwin", true],
    ["win32", true],
  ])("on %s matches names that differ in case only: %s", (platform, expected) => {
    const real = Object.getOwnPropertyDescriptor(process, "platform")!;
    onTestFinished(() => void Object.defineProperty(process, "platform", real));
    Object.defineProperty(process, "platform", { value: platform });
    expect([
      isFileLike("Infra/*.TF", "/ws/infra/a.tf", "infra/a.tf"),
      isFileLike("é", "/ws/e\u0301", "e\u0301"),
    ]).toEqual([...[expected, expected]]);
    expect(isFileLike("infra/*.tf", "/ws/infra/a.tf", "infra/a.tf")).toBe(true);
  });

  it("takes no longer than its length times the path's, whatever both are", () => {
    const start = performance.now();
    expect(isFileLike(`${"a*".repeat(1_000)}b`, `/${"a".repeat(4_000)}`, "a".repeat(4_000))).toBe(false);
    expect(isFileLike(`${"**/a/".repeat(500)}b`, "/", "a/".repeat(2_000))).toBe(false);
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});

describe("a Git directory is recognised by its contents", () => {
  it.each([
    ["a separate Git directory", ["gd/HEAD", "gd/objects/", "gd/refs/"], "gd/hooks/post-commit", "gd"],
    ["a bare repository", ["x/bare/HEAD", "x/bare/objects/", "x/bare/refs/"], "x/bare/config", "x/bare"],
    ["the directory of a worktree", ["wt/HEAD", "wt/commondir"], "wt/config.worktree", "wt"],
    ["nothing of the kind", ["src/HEAD", "src/refs/"], "src/config", undefined],
  ])("%s", (_, entries, file, expected) => {
    const root = makeDirectory(Object.fromEntries(entries.map((entry) => [entry, ""])));
    const found = gitDirectoryAbove(join(root, file), new Map());
    expect(found).toBe(expected === undefined ? undefined : join(root, expected));
  });

  it("and each directory is examined once", () => {
    const root = makeDirectory({ "bare/HEAD": "", "bare/objects/": "", "bare/refs/": "" });
    const known = new Map<string, boolean>();
    expect(gitDirectoryAbove(join(root, "bare/hooks/x"), known)).toBe(join(root, "bare"));
    expect([...known]).toEqual([
      [join(root, "bare/hooks"), false],
      [join(root, "bare"), true],
    ]);
    rmSync(join(root, "bare/HEAD"));
    expect(gitDirectoryAbove(join(root, "bare/hooks/x"), known)).toBe(join(root, "bare"));
    expect(gitDirectoryAbove(join(root, "bare/hooks/x"), new Map())).toBeUndefined();
  });

  it.each([
    [["x/HEAD", "x/commondir"], true],
    [["x/HEAD"], false],
    [["x/commondir"], false],
    [["x/head", "x/OBJECTS/a", "x/Refs/a"], true],
    [["x/HEAD/a", "x/objects/a", "x/refs/a"], false],
    [["x/HEAD", "x/objects", "x/refs"], false],
    [["x/HEAD", "y/objects/a", "x/refs/a"], false],
  ])("if a call made %j: %s", (names, isOne) => {
    const root = makeDirectory({});
    expect(gitDirectoriesWith(names.map((name) => join(root, name)))).toEqual(isOne ? [join(root, "x")] : []);
  });

  it("only if the user's gates protect it", () => {
    expect([[], [gate()], [gate([]), gate()], [gate(["-.git"])], [gate(["x"])]].map(protectsGit)).toEqual([
      ...[false, true, true, false, false],
    ]);
  });

  it("also if a call would only complete it", () => {
    const root = makeDirectory({});
    const plant = ["plant/HEAD", "plant/config", "plant/objects/a", "plant/refs/a"].map((path) => join(root, path));
    expect(gitDirectoriesWith(plant)).toEqual([join(root, "plant")]);
    expect(gitDirectoriesWith(plant.slice(0, 3))).toEqual([]);
    mkdirSync(join(root, "plant/refs"), { recursive: true });
    writeFileSync(join(root, "plant/HEAD"), "ref: refs/heads/main\n");
    expect(gitDirectoriesWith([join(root, "plant/objects/a")])).toEqual([join(root, "plant")]);
    expect(gitDirectoriesWith([join(root, "plant/config")])).toEqual([]);
  });
});
