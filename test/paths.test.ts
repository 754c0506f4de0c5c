/** Resolving a path to the document that it refers to. */
import { realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createResolver, type Resolved } from "../server/workspace/paths.js";
import { uriOfPath } from "../server/workspace/pathText.js";
import { makeDirectory } from "./support/directory.js";
import { type Setting, scopeOf, tree } from "./support/pathTree.js";

/** The document's display path, marked `open` or `new` if either applies, or the code of the failure. */
function outcomeOf(resolved: Resolved): string {
  if (!resolved.ok) return `error: ${resolved.failure.code}`;
  const { path, open, onDisk } = resolved.place;
  return [path, ...(open === undefined ? [] : ["open"]), ...(onDisk || open !== undefined ? [] : ["new"])].join(" ");
}

/** In `sent` and in outcomes, `{at}` means the directory that contains the tree. */
async function expectOutcomes(setting: Setting, rows: readonly (readonly [sent: string, outcome: string])[]) {
  const resolver = await createResolver(scopeOf(setting));
  const fill = (text: string): string => text.replaceAll("{at}", setting.at);
  const seen: [string, string][] = [];
  for (const [sent] of rows) seen.push([sent, outcomeOf(await resolver.resolve(fill(sent)))]);
  expect(seen).toEqual(rows.map(([sent, outcome]) => [sent, fill(outcome)]));
}

describe("one folder", () => {
  it("resolves every spelling of a file to the same document", async () => {
    const at = makeDirectory(tree);
    await expectOutcomes({ at }, [
      ["src/a.ts", "src/a.ts"],
      ["./src/a.ts", "src/a.ts"],
      ["src//a.ts", "src/a.ts"],
      ["src/./a.ts", "src/a.ts"],
      ["src/../src/a.ts", "src/a.ts"],
      ["nowhere/../src/a.ts", "src/a.ts"],
      ["../ws/src/a.ts", "src/a.ts"],
      ["{at}/ws/src/a.ts", "src/a.ts"],
      ["{at}//ws/src/a.ts", "src/a.ts"],
      ["{at}/ws-secret/../ws/src/a.ts", "src/a.ts"],
      ["~/../ws/src/a.ts", "src/a.ts"],
      ["to-src/a.ts", "src/a.ts"],
      ["a-again.ts", "src/a.ts"],
      ["file://{at}/ws/src/a.ts", "src/a.ts"],
      ["FILE://localhost{at}/ws/src/a.ts", "src/a.ts"],
      ["file:{at}/ws/src/a.ts", "src/a.ts"],
      ["file://{at}/ws/src/%61.ts", "src/a.ts"],
      ["file://{at}/ws/src/../src/a.ts", "src/a.ts"],
      ["@src/a.ts", "src/a.ts"],
      ["@{at}/ws/src/a.ts", "src/a.ts"],
      ["@file://{at}/ws/src/a.ts", "src/a.ts"],
      ["a b+c(1)%41.ts", "a b+c(1)%41.ts"],
      ["file://{at}/ws/a%20b%2Bc%281%29%2541.ts", "a b+c(1)%41.ts"],
      ["file://{at}/ws/a b+c(1)%2541.ts", "a b+c(1)%41.ts"],
      ["file://{at}/ws/%C3%BCn%c3%af.ts", "ünï.ts"],
      ["back\\slash.ts", "back\\slash.ts"],
      ["..dots", "..dots"],
      [".github/ci.yml", ".github/ci.yml"],
    ]);
  });

  it("gives the path at which a file would be created", async () => {
    const at = makeDirectory(tree);
    await expectOutcomes({ at }, [
      ["src/new.ts", "src/new.ts new"],
      ["very/deep/new.ts", "very/deep/new.ts new"],
      ["to-src/deep/new.ts", "src/deep/new.ts new"],
      ["dangling-in", "src/not-yet.ts new"],
      ["to-deep/dangling", "deep/not-yet.ts new"],
      ["file://{at}/ws/new%20one.ts", "new one.ts new"],
      ["@new.ts", "new.ts new"],
      ["@@own.ts", "@own.ts"],
    ]);
  });

  it("follows a dangling link to where the system would create the file", async () => {
    const at = makeDirectory(tree);
    const resolver = await createResolver(scopeOf({ at }));
    const resolved = await resolver.resolve("dangling-in");
    writeFileSync(join(at, "ws/dangling-in"), "");
    expect(resolved.ok && resolved.place.file).toBe(realpathSync(join(at, "ws/dangling-in")));
  });

  it("keeps an @ that belongs to the name", async () => {
    const at = makeDirectory({ ...tree, "ws/own.ts": "without" });
    await expectOutcomes({ at }, [
      ["@own.ts", "@own.ts"],
      ["@scope/x.ts", "@scope/x.ts"],
      ["@scope/new.ts", "@scope/new.ts new"],
      ["@scope", "error: isDirectory"],
      ["@plain.ts", "plain.ts"],
      ["@@plain.ts", "@plain.ts new"],
      ["@", "@ new"],
    ]);
  });

  it("refuses the folder in which the server keeps its persistent files, however it is reached", async () => {
    const own = "ws/.local/state/multi-edit-language-server";
    const entries = { "ws/.local/state/a.ts": "", [`${own}/sessions/0.json`]: "{}", "ws/home": { link: ".local" } };
    const at = makeDirectory({ ...tree, ...entries });
    vi.stubEnv("XDG_STATE_HOME", join(at, "ws/home/state"));
    onTestFinished(() => void vi.unstubAllEnvs());
    await expectOutcomes({ at }, [
      [".local/state/a.ts", ".local/state/a.ts"],
      [".local/state/multi-edit-language-server/sessions/0.json", "error: protectedPath"],
      [".local/state/multi-edit-language-server/sessions/new.json", "error: protectedPath"],
      [".local/state/multi-edit-language-server", "error: protectedPath"],
      ["home/state/multi-edit-language-server/journals/new", "error: protectedPath"],
      [`file://{at}/${own}/sessions/0.json`, "error: protectedPath"],
    ]);
  });

  it("refuses what lies outside, however it is spelt", async () => {
    const at = makeDirectory(tree);
    await expectOutcomes(
      { at },
      [
        "../ws-secret/s.ts",
        "../ws2/only2.ts",
        "src/../../ws-secret/s.ts",
        "{at}/ws-secret/s.ts",
        "{at}/ws/../ws-secret/s.ts",
        "{at}/nowhere/s.ts",
        "file://{at}/ws-secret/s.ts",
        "file://{at}/ws/../ws-secret/s.ts",
        "@../ws-secret/s.ts",
        "~/notes.md",
        "~",
        "~/",
        "..",
        "../",
        "/",
        "/etc/passwd",
        "to-secret/s.ts",
        "to-secret/new.ts",
        "to-secret/",
        "secret.ts",
        "dangling-out",
        "to-src/../to-secret/s.ts",
        "/proc/self/environ",
        `${"../".repeat(60)}etc/passwd`,
      ].map((sent) => [sent, "error: outsideWorkspace"] as const),
    );
  });

  it("refuses protected names in every letter case and Unicode composition, and links to and from them", async () => {
    const at = makeDirectory(tree);
    await expectOutcomes(
      { at },
      [
        ".git/config",
        ".git/hooks/pre-commit",
        ".GIT/config",
        "sub/.Git/config",
        ".g\u200cit/config",
        "．ｇｉｔ/config",
        ".hus\u212ay/pre-commit",
        ".git./config",
        "to-git/config",
        ".vscode/tasks.json",
        "src/../.git/config",
        "@.git/config",
        "{at}/ws/.git/config",
        "file://{at}/ws/%2Egit/config",
        ".git",
      ].map((sent) => [sent, "error: protectedPath"] as const),
    );
  });

  it("refuses spellings that can't name a file, or that programs read differently", async () => {
    const at = makeDirectory(tree);
    await expectOutcomes({ at }, [
      ["", "error: invalidParams"],
      ["src/a.ts\0.png", "error: invalidParams"],
      ["src/a\nb.ts", "error: invalidParams"],
      ["src/\u0085.ts", "error: invalidParams"],
      ["src/\ud800.ts", "error: invalidParams"],
      ["x".repeat(4_097), "error: invalidParams"],
      [`src/${"x".repeat(300)}`, "error: ioError"],
      ["file://evil.host{at}/ws/src/a.ts", "error: invalidParams"],
      ["file://{at}/ws/src/a.ts?x", "error: invalidParams"],
      ["file://{at}/ws/src/a.ts#x", "error: invalidParams"],
      ["file://{at}/ws/src%2Fa.ts", "error: invalidParams"],
      ["file://{at}/ws/src%5ca.ts", "error: invalidParams"],
      ["file://{at}/ws/%2e%2e/ws-secret/s.ts", "error: invalidParams"],
      ["file://{at}/ws/.%2E/ws-secret/s.ts", "error: invalidParams"],
      ["file://{at}/ws/src/a%00.ts", "error: invalidParams"],
      ["file://{at}/ws/src/a%0A.ts", "error: invalidParams"],
      ["file://{at}/ws/src/a%.ts", "error: invalidParams"],
      ["file://{at}/ws/src/%E9.ts", "error: invalidParams"],
      ["file:src/a.ts", "error: invalidParams"],
      ["untitled:Untitled-1", "error: fileNotFound"],
      ["https://example.org/a.ts", "error: fileNotFound"],
    ]);
  });

  it("distinguishes directories from paths that can't exist", async () => {
    const at = makeDirectory(tree);
    await expectOutcomes({ at }, [
      ["src", "error: isDirectory"],
      ["src/", "error: isDirectory"],
      ["src/.", "error: isDirectory"],
      ["src/..", "error: isDirectory"],
      [".", "error: isDirectory"],
      ["new/", "error: isDirectory"],
      ["src/a.ts/", "error: isDirectory"],
      ["file://{at}/ws/src/", "error: isDirectory"],
      ["to-src", "error: isDirectory"],
      ["src/a.ts/b.ts", "error: ioError"],
      ["loop", "error: ioError"],
      ["loop/a.ts", "error: ioError"],
    ]);
  });
});

describe("several folders, no folder, and a root", () => {
  it("use the folder in which a relative path exists, and the first one for a new file", async () => {
    const at = makeDirectory(tree);
    const open = [`file://${at}/ws2/unsaved.ts`];
    await expectOutcomes({ at, folders: ["ws", "ws2"], open }, [
      ["only1.ts", "only1.ts"],
      ["only2.ts", "only2.ts"],
      ["unsaved.ts", "unsaved.ts open"],
      ["src/a.ts", "error: ambiguousPath"],
      ["{at}/ws2/src/a.ts", "src/a.ts"],
      ["../ws2/only2.ts", "only2.ts"],
      [".git/config", "error: protectedPath"],
      ["../ws-secret/s.ts", "error: outsideWorkspace"],
    ]);
    const resolver = await createResolver(scopeOf({ at, folders: ["ws2", "ws"] }));
    const created = await resolver.resolve("new.ts");
    expect(created.ok && created.place.file).toBe(join(at, "ws2/new.ts"));
    const ambiguous = await resolver.resolve("src/a.ts");
    expect(!ambiguous.ok && ambiguous.failure.message).toContain(join(at, "ws/src/a.ts"));
    expect(!ambiguous.ok && ambiguous.failure.message).toContain(join(at, "ws2/src/a.ts"));
  });

  it("show a path relative to the innermost folder, and don't count a file in nested folders twice", async () => {
    const at = makeDirectory(tree);
    await expectOutcomes({ at, folders: ["ws", "ws/src"] }, [
      ["{at}/ws/src/a.ts", "a.ts"],
      ["../src/a.ts", "a.ts"],
      ["only1.ts", "only1.ts"],
    ]);
  });

  it("include a folder that is a link", async () => {
    const at = makeDirectory({ ...tree, "by-link": { link: "ws" } });
    await expectOutcomes({ at, folders: ["by-link"] }, [
      ["src/a.ts", "src/a.ts"],
      ["{at}/by-link/src/a.ts", "src/a.ts"],
      ["{at}/ws/src/a.ts", "src/a.ts"],
      ["{at}/by-link/.vscode/tasks.json", "error: protectedPath"],
      ["../ws-secret/s.ts", "error: outsideWorkspace"],
    ]);
  });

  it("allow only open documents if there is no folder", async () => {
    const at = makeDirectory(tree);
    const open = [`file://${at}/ws/src/a.ts`, `file://${at}/ws/.git/config`];
    await expectOutcomes({ at, folders: [], open }, [
      ["{at}/ws/src/a.ts", "{at}/ws/src/a.ts open"],
      ["{at}/ws/a-again.ts", "{at}/ws/src/a.ts open"],
      ["{at}/ws/src/b.ts", "error: outsideWorkspace"],
      ["{at}/ws/src/new.ts", "error: outsideWorkspace"],
      ["{at}/ws/.git/config", "error: protectedPath"],
      ["src/a.ts", "error: outsideWorkspace"],
    ]);
    await expectOutcomes({ at, folders: [], open, root: join(at, "ws") }, [
      ["src/a.ts", "src/a.ts open"],
      ["src/b.ts", "error: outsideWorkspace"],
    ]);
  });

  it("include folders that the user adds, whose protected names stay protected", async () => {
    const at = makeDirectory({ ...tree, "home/.git/config": "" });
    await expectOutcomes({ at, added: ["~", join(at, "ws2/"), "relative/is/ignored"] }, [
      ["~/notes.md", "{at}/home/notes.md"],
      ["{at}/ws2/only2.ts", "{at}/ws2/only2.ts"],
      ["~/.git/config", "error: protectedPath"],
      ["src/a.ts", "src/a.ts"],
      ["only2.ts", "only2.ts new"],
      ["{at}/ws-secret/s.ts", "error: outsideWorkspace"],
    ]);
    await expectOutcomes({ at, folders: [], added: [join(at, "ws")], root: join(at, "ws") }, [
      ["src/a.ts", "src/a.ts"],
      ["../ws-secret/s.ts", "error: outsideWorkspace"],
    ]);
  });

  it("resolve paths against a root, wherever it is, but a path must lead to a place inside them", async () => {
    const at = makeDirectory(tree);
    const rows = [
      ["a.ts", "a.ts"],
      ["../only1.ts", "{at}/ws/only1.ts"],
      ["{at}/ws/only1.ts", "{at}/ws/only1.ts"],
    ] as const;
    await expectOutcomes({ at, folders: ["ws", "ws2"], root: join(at, "ws/src") }, rows);
    await expectOutcomes({ at, root: uriOfPath(join(at, "ws/src")) }, rows);
    await expectOutcomes({ at, root: join(at, "ws-secret") }, [
      ["s.ts", "error: outsideWorkspace"],
      ["../ws/src/a.ts", "{at}/ws/src/a.ts"],
      ["{at}/ws/src/a.ts", "{at}/ws/src/a.ts"],
    ]);
    await expectOutcomes({ at, root: at }, [["ws/src/a.ts", "ws/src/a.ts"]]);
    await expectOutcomes({ at, root: join(at, "ws/to-src") }, [["a.ts", "a.ts"]]);
    await expectOutcomes({ at, root: join(at, "ws/to-secret") }, [["s.ts", "error: outsideWorkspace"]]);
    await expectOutcomes({ at, root: "ws" }, [["a.ts", "error: invalidParams"]]);
  });
});

describe("open documents", () => {
  it("are found under every name of their file, and keep the client's URI", async () => {
    const at = makeDirectory(tree);
    const uri = `file://${at}/ws/to-src/%61.ts`;
    const resolver = await createResolver(scopeOf({ at, open: [uri] }));
    for (const sent of ["src/a.ts", "a-again.ts", "to-src/a.ts", "a-hard.ts", `file://${at}/ws/src/a.ts`, uri]) {
      const resolved = await resolver.resolve(sent);
      expect(resolved.ok && [sent, resolved.place.uri, resolved.place.path]).toEqual([sent, uri, "src/a.ts"]);
    }
  });

  it("are found even if the editor leaves a % unescaped", async () => {
    const at = makeDirectory(tree);
    const uri = `file://${at}/ws/100%-ünï%20x.ts`;
    await expectOutcomes({ at, open: [uri] }, [
      ["100%-ünï x.ts", "100%-ünï x.ts open"],
      [uri, "100%-ünï x.ts open"],
    ]);
  });

  it("are two documents if the editor has one file open twice: the spelling decides, or the path is ambiguous", async () => {
    const at = makeDirectory(tree);
    const open = [`file://${at}/ws/to-src/a.ts`, `file://${at}/ws/a-again.ts`];
    const resolver = await createResolver(scopeOf({ at, open }));
    const uris = await Promise.all(
      ["to-src/a.ts", "a-again.ts", open[0]!, "src/a.ts"].map(async (sent) => {
        const resolved = await resolver.resolve(sent);
        return resolved.ok ? resolved.place.uri : resolved.failure.code;
      }),
    );
    expect(uris).toEqual([open[0], open[1], open[0], "ambiguousPath"]);
  });

  it("of other schemes are found by their exact URI only", async () => {
    const at = makeDirectory(tree);
    const open = ["untitled:Untitled-1", "remote://host/x/.git/config", "remote://host/x/%2Egit/config"];
    await expectOutcomes({ at, open }, [
      ["untitled:Untitled-1", "untitled:Untitled-1 open"],
      ["untitled:untitled-1", "error: fileNotFound"],
      ["Untitled-1", "Untitled-1 new"],
      ["remote://host/x/.git/config", "error: protectedPath"],
      ["remote://host/x/%2Egit/config", "error: protectedPath"],
    ]);
  });

  it("outside the folders are refused, even by their exact URI or by a hard link", async () => {
    const at = makeDirectory({ ...tree, "ws/s-hard.ts": { hardLink: "ws-secret/s.ts" } });
    const open = [`file://${at}/ws-secret/s.ts`];
    await expectOutcomes({ at, open }, [
      [open[0]!, "error: outsideWorkspace"],
      ["{at}/ws-secret/s.ts", "error: outsideWorkspace"],
      ["s-hard.ts", "error: outsideWorkspace"],
    ]);
  });

  it("give no access to hard links that are outside the folders or protected", async () => {
    const at = makeDirectory({
      ...tree,
      "ws/.git/hard.ts": { hardLink: "ws/src/a.ts" },
      "ws-secret/hard.ts": { hardLink: "ws/src/a.ts" },
    });
    await expectOutcomes({ at, open: [`file://${at}/ws/src/a.ts`] }, [
      ["a-hard.ts", "src/a.ts open"],
      ["to-git/hard.ts", "error: protectedPath"],
      ["{at}/ws-secret/hard.ts", "error: outsideWorkspace"],
    ]);
  });

  it("give all hard links of a closed file the same identity", async () => {
    const at = makeDirectory(tree);
    const resolver = await createResolver(scopeOf({ at }));
    const [a, hard, b] = await Promise.all(["src/a.ts", "a-hard.ts", "src/b.ts"].map((sent) => resolver.resolve(sent)));
    if (!a?.ok || !hard?.ok || !b?.ok) throw new Error("All three exist inside.");
    expect(hard.place.identity).toBe(a.place.identity);
    expect(b.place.identity).not.toBe(a.place.identity);
  });
});
