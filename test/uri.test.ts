/** URIs and the textual rules for paths on every platform. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { URI } from "vscode-uri";
import {
  expandShellPath,
  foldName,
  fromDirectory,
  isInside,
  namesDirectory,
  pathOfSyncedUri,
  pathOfUri,
  shareOf,
  uriOfPath,
  windowsProblem,
} from "../server/workspace/pathText.js";

/** The path of a URI; `undefined` if the URI is refused. */
function strict(uri: string, platform: NodeJS.Platform): string | undefined {
  const result = pathOfUri(uri, platform);
  return result.ok ? result.path : undefined;
}

describe("paths to URIs", () => {
  it.each([
    ["/ws/a.ts", "file:///ws/a.ts"],
    ["/ws/a+b (1)@c&d=e,f;g:h'i!j*k.ts", "file:///ws/a%2Bb%20%281%29%40c%26d%3De%2Cf%3Bg%3Ah%27i%21j%2Ak.ts"],
    ["/ws/100%#?[x].ts", "file:///ws/100%25%23%3F%5Bx%5D.ts"],
    ["/ws/é~-_.😀", "file:///ws/%C3%A9~-_.%F0%9F%98%80"],
  ])("%s", (path, uri) => {
    expect(uriOfPath(path, "linux")).toBe(uri);
    expect(pathOfSyncedUri(uri, "linux")).toBe(path);
  });

  it.each([
    ["C:\\ws\\a b.ts", "file:///c%3A/ws/a%20b.ts"],
    ["C:\\", "file:///c%3A/"],
    ["\\\\host\\share\\a.ts", "file://host/share/a.ts"],
  ])("%s on Windows", (path, uri) => {
    expect(uriOfPath(path, "win32")).toBe(uri);
  });

  const name = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }).map((text) => text.replaceAll("/", "-"));
  const path = fc.array(name, { minLength: 1, maxLength: 5 }).map((names) => `/${names.join("/")}`);

  it("are read back unchanged by another parser", () => {
    fc.assert(
      fc.property(path, (path) => {
        expect(URI.parse(uriOfPath(path, "linux"), true).path).toBe(path);
      }),
    );
  });

  it("are read back unchanged by both of our parsers, even if another library wrote them", () => {
    fc.assert(
      fc.property(path, (path) => {
        for (const uri of [uriOfPath(path, "linux"), URI.file(path).toString()]) {
          expect(pathOfSyncedUri(uri, "linux")).toBe(path);
          if (!path.includes("\\")) expect(strict(uri, "linux")).toBe(path);
        }
      }),
    );
  });
});

describe("URIs to paths", () => {
  it.each([
    ["file:///C:/ws/a.ts", "C:\\ws\\a.ts"],
    ["file:///c%3A/ws/a.ts", "C:\\ws\\a.ts"],
    ["file:///c:", "C:\\"],
    ["file:///c:/", "C:\\"],
    ["file:///ws/a.ts", undefined],
    ["file:///c:ws/a.ts", undefined],
    ["file://server/share/a.ts", "\\\\server\\share\\a.ts"],
    ["file://wsl.localhost/Debian/home/a.ts", "\\\\wsl.localhost\\Debian\\home\\a.ts"],
    ["file://wsl%24/Debian/a.ts", "\\\\wsl$\\Debian\\a.ts"],
    ["file://localhost/c:/ws/a.ts", "C:\\ws\\a.ts"],
    ["file://server/", undefined],
    ["file://./pipe/x", undefined],
    ["file://a%2Fb/share/x", undefined],
    ["file:///c:/ws%5Ca.ts", undefined],
    ["file:///c:/ws\\a.ts", undefined],
  ])("%s on Windows", (uri, path) => {
    expect(strict(uri, "win32")).toBe(path);
    if (path?.startsWith("\\\\")) expect(pathOfSyncedUri(uri, "win32")).toBe(path);
    if (path?.startsWith("\\\\")) expect(strict(uri, "linux")).toBeUndefined();
  });

  it.each([
    ["file:///ws/100%.ts", "/ws/100%.ts"],
    ["file:///ws/100%25.ts", "/ws/100%.ts"],
    ["file:///ws/%zz%41%E9.ts", "/ws/%zzA%E9.ts"],
    ["file:///ws/%FF%C3%A9%C3%F0%9F%98%80%ED%A0%80.ts", "/ws/%FFé%C3😀%ED%A0%80.ts"],
    ["file:///ws/%252e.ts", "/ws/%2e.ts"],
    ["file:///ws/a.ts?query#fragment", "/ws/a.ts"],
    ["file:/ws/a.ts", "/ws/a.ts"],
    ["file://elsewhere/ws/a.ts", undefined],
    ["file:///ws/a%00.ts", undefined],
    ["file:a.ts", undefined],
    ["untitled:a.ts", undefined],
  ])("tolerantly: %s", (uri, path) => {
    expect(pathOfSyncedUri(uri, "linux")).toBe(path);
  });
});

describe("Windows' rules", () => {
  it.each([
    ["src\\a.ts", true],
    ["src/a.ts", true],
    ["C:\\ws\\a.ts", true],
    ["c:/ws/a.ts", true],
    ["..\\ws\\.\\a.ts", true],
    ["console.ts", true],
    ["nullable.txt", true],
    ["com10.txt", true],
    ["C:a.ts", false],
    ["C:", false],
    ["\\ws\\a.ts", false],
    ["/ws/a.ts", false],
    ["\\\\server\\share\\a.ts", false],
    ["//server/share/a.ts", false],
    ["\\\\?\\C:\\ws\\a.ts", false],
    ["\\\\.\\pipe\\x", false],
    ["\\??\\C:\\ws", false],
    ["a.ts:stream", false],
    [".git::$INDEX_ALLOCATION\\config", false],
    ["src\\nul", false],
    ["NUL.txt", false],
    ["nul .txt", false],
    ["con", false],
    ["aux\\a.ts", false],
    ["COM1.log", false],
    ["lpt¹", false],
    ["CONIN$", false],
    ["src.\\a.ts", false],
    ["a.ts ", false],
    ["a.ts.", false],
    ["...", false],
    ["a*.ts", false],
    ["a?.ts", false],
    ["a|b", false],
    ['"a"', false],
  ])("%s", (path, isUsable) => {
    expect(windowsProblem(path) === undefined).toBe(isUsable);
  });

  it.each([
    ["\\\\wsl.localhost\\Debian\\home\\a.ts", undefined],
    ["//WSL.localhost/debian/home/a.ts", undefined],
    ["\\\\wsl.localhost\\Ubuntu\\a.ts", "network share"],
    ["\\\\evil\\Debian\\a.ts", "network share"],
    ["\\\\.\\Debian\\a.ts", "network share"],
    ["\\\\?\\UNC\\wsl.localhost\\Debian\\a.ts", "network share"],
    ["\\\\wsl.localhost\\Debian\\nul", "name of a device"],
    ["\\\\wsl.localhost\\Debian\\a.ts:stream", "can't contain"],
  ])("only take the share of a workspace folder: %s", (path, problem) => {
    const shares = [shareOf("C:\\ws"), shareOf("\\\\wsl.localhost\\Debian\\home\\me")];
    if (problem === undefined) expect(windowsProblem(path, shares)).toBeUndefined();
    else expect(windowsProblem(path, shares)).toContain(problem);
    expect(windowsProblem(path)).toBeDefined();
  });

  it("leave Git Bash's drives to Windows", () => {
    expect(expandShellPath("/c/a.ts", "/home/a", "linux")).toBe("/c/a.ts");
  });

  it("ignore case in deciding whether a path is inside", () => {
    expect(isInside("C:\\Ws", "c:\\ws\\a.ts", "win32")).toBe(true);
    expect(isInside("C:\\Ws", "D:\\Ws\\a.ts", "win32")).toBe(false);
    expect(isInside("C:\\ws", "C:\\ws-secret\\a.ts", "win32")).toBe(false);
  });

  it("accept both slashes as the end of a directory's name", () => {
    expect(["a\\", "a/", "a\\..", "."].map((path) => namesDirectory(path, "win32"))).toEqual([true, true, true, true]);
    expect(["a\\", "a..", "a/b"].map((path) => namesDirectory(path, "linux"))).toEqual([false, false, false]);
  });
});

describe("a folded name", () => {
  it.each([".git", ".GIT", "．git", ".g\u200bit", ".git\ufeff", ".git. .", ".gi\u00adt"])("%j is .git", (name) =>
    expect(foldName(name)).toBe(foldName(".git")),
  );

  it("is the same for composed and decomposed spellings", () => {
    expect(foldName("\u00e9")).toBe(foldName("e\u0301"));
    expect(foldName("stra\u00dfe")).toBe(foldName("STRASSE"));
  });

  it.each([".github", "git", ".gitignore", "..git", ".gi", ".", ".."])("%j is not .git", (name) =>
    expect(foldName(name)).not.toBe(foldName(".git")),
  );
});

describe("a path as shells write it", () => {
  it.each<[path: string, platform: NodeJS.Platform, expanded: string]>([
    ["~", "linux", "/home/a"],
    ["~/a.ts", "linux", "/home/a/a.ts"],
    ["~\\a.ts", "linux", "~\\a.ts"],
    ["~b/a.ts", "linux", "~b/a.ts"],
    ["a/~/a.ts", "linux", "a/~/a.ts"],
    ["~/a.ts", "win32", "/home/a/a.ts"],
    ["~\\a.ts", "win32", "/home/a\\a.ts"],
    ["~b\\a.ts", "win32", "~b\\a.ts"],
    ["/c/Users/a.ts", "win32", "C:/Users/a.ts"],
    ["/C", "win32", "C:/"],
    ["/cc/a.ts", "win32", "/cc/a.ts"],
    ["//c/a.ts", "win32", "//c/a.ts"],
  ])("%s on %s", (path, platform, expanded) => {
    expect(expandShellPath(path, "/home/a", platform)).toBe(expanded);
    // A path is made absolute before it is sent unless the server itself expands it.
    const isExpanded = path !== expanded;
    expect(fromDirectory(platform === "win32" ? "C:\\ws" : "/ws", path, platform) === path).toBe(isExpanded);
  });
});

describe("a path for another process", () => {
  it.each<[path: string, platform: NodeJS.Platform, sent: string]>([
    ["src/a.ts", "linux", "/ws/src/a.ts"],
    ["../a.ts", "linux", "/a.ts"],
    ["/b/a.ts", "linux", "/b/a.ts"],
    ["file:///b/a.ts", "linux", "file:///b/a.ts"],
    ["untitled:Untitled-1", "linux", "untitled:Untitled-1"],
    ["a:b", "linux", "/ws/a:b"],
    ["src\\a.ts", "win32", "C:\\ws\\src\\a.ts"],
    ["D:\\a.ts", "win32", "D:\\a.ts"],
    ["D:a.ts", "win32", "D:a.ts"],
  ])("%s on %s", (path, platform, sent) => {
    expect(fromDirectory(platform === "win32" ? "C:\\ws" : "/ws", path, platform)).toBe(sent);
  });
});
