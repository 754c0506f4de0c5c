/** Whose settings file may loosen the gates, and whose can only add to them. */
import { chmodSync, chownSync, closeSync, mkdirSync, openSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { readUserSettings } from "../../server/session/gates.js";
import { limits } from "../../server/text/limits.js";
import { defaultSettings } from "../../server/workspace/settings.js";
import { ownConfigHome, ownStateHome } from "../support/agentPeer.js";

const loose = { confirm: "never", protectedNames: [] };

/** Lays a settings file; returns its folder, and the folder of a workspace elsewhere. */
function lay(mode: number, text = JSON.stringify(loose)) {
  const home = ownStateHome();
  const config = ownConfigHome(home);
  mkdirSync(config, { recursive: true });
  const path = join(config, "settings.json");
  writeFileSync(path, text);
  chmodSync(path, mode);
  const workspace = join(home, "workspace");
  mkdirSync(workspace);
  return { home, config, path, workspace };
}

describe("the user's settings file", () => {
  it.each([0o600, 0o644, 0o400, 0o755])("holds with the mode %o, which lets only its owner write", (mode) => {
    const { workspace } = lay(mode);
    expect(readUserSettings(workspace)).toMatchObject({ settings: loose, isStricterOnly: false, problems: [] });
  });

  it.each([0o620, 0o602, 0o666, 0o622])(
    "does not hold with the mode %o, and the user must agree to everything",
    (mode) => {
      const { workspace } = lay(mode);
      const { settings, problems } = readUserSettings(workspace);
      expect(settings).toEqual({ ...defaultSettings, confirm: "always" });
      expect(problems).toEqual([expect.stringContaining("other users may change it")]);
    },
  );

  it("does not hold if another user owns it", () => {
    const { path, workspace } = lay(0o600);
    if (process.getuid?.() === 0) chownSync(path, 12345, 12345);
    else {
      rmSync(path);
      // This file is root's.
      symlinkSync("/etc/passwd", path);
    }
    const { settings, problems } = readUserSettings(workspace);
    expect(settings).toEqual({ ...defaultSettings, confirm: "always" });
    expect(problems).toEqual([expect.stringContaining("it belongs to another user")]);
  });

  it.each([
    ["it is no JSON", (path: string) => writeFileSync(path, "{"), "it is not valid JSON"],
    ["it is a folder", (path: string) => mkdirSync(path), "it is not a regular file"],
    ["it is a link to itself", (path: string) => symlinkSync(path, path), "ELOOP"],
  ])("holds for nothing if %s, and the user must agree to everything", (_, make, problem) => {
    const { path, workspace } = lay(0o600);
    rmSync(path);
    make(path);
    const { settings, isStricterOnly, problems } = readUserSettings(workspace);
    expect([settings, isStricterOnly]).toEqual([{ ...defaultSettings, confirm: "always" }, false]);
    expect(problems).toEqual([expect.stringContaining(problem)]);
  });

  it("that is missing leaves the default settings", () => {
    const { path, workspace } = lay(0o600);
    rmSync(path);
    expect(readUserSettings(workspace)).toEqual({
      path,
      settings: defaultSettings,
      isStricterOnly: false,
      problems: [],
    });
  });

  it("protects the default names if its list of names has a mistake, and the user must agree to everything", () => {
    const { workspace } = lay(0o600, JSON.stringify({ ...loose, protectedNames: 7 }));
    const { settings } = readUserSettings(workspace);
    expect(settings).toMatchObject({ protectedNames: defaultSettings.protectedNames, confirm: "always" });
  });

  it("is closed after it was read", () => {
    const { path, workspace } = lay(0o600);
    // The system gives the lowest free number to the next file.
    const free = (): number => {
      const file = openSync(path, "r");
      closeSync(file);
      return file;
    };
    const before = free();
    for (let i = 0; i < 50; i++) readUserSettings(workspace);
    expect(free()).toBeLessThan(before + 25);
  });

  it("says so if it has a single mistake", () => {
    const { workspace } = lay(0o600, JSON.stringify({ ...loose, save: "sometimes" }));
    expect(readUserSettings(workspace).problems).toEqual([expect.stringMatching(/ has mistakes\. .*"sometimes"/)]);
  });

  it("is read up to its largest size, and beyond it, the user must agree to everything", () => {
    const text = JSON.stringify(loose).padEnd(limits.settingsFileBytes);
    expect(readUserSettings(lay(0o600, text).workspace)).toMatchObject({ settings: loose, problems: [] });
    const { settings, problems } = readUserSettings(lay(0o600, `${text} `).workspace);
    expect(settings).toEqual({ ...defaultSettings, confirm: "always" });
    expect(problems).toHaveLength(1);
  });

  it("that can't be there, because its folder is a file, counts as missing", () => {
    const home = ownStateHome();
    const config = ownConfigHome(home);
    mkdirSync(dirname(config), { recursive: true });
    writeFileSync(config, "");
    expect(readUserSettings(home)).toMatchObject({ settings: defaultSettings, isStricterOnly: false, problems: [] });
  });

  it("can only make the gates stricter if it is in the workspace", () => {
    const { config } = lay(0o600);
    expect(readUserSettings(config)).toMatchObject({ isStricterOnly: true });
  });

  /** What leads to the file from the workspace could have been changed there. */
  it.each([
    ["the file", "workspace/s.json", { "config/multi-edit-language-server/settings.json": "workspace/s.json" }],
    [
      "the folder",
      "dotfiles/s.json",
      { "workspace/settings.json": "dotfiles/s.json", "config/multi-edit-language-server": "workspace" },
    ],
    ["a link to the folder", "dotfiles/settings.json", { "workspace/config/multi-edit-language-server": "dotfiles" }],
  ])("can only make the gates stricter if %s is in the workspace", (_, file, links) => {
    const home = ownStateHome();
    ownConfigHome("workspace/config/multi-edit-language-server" in links ? join(home, "workspace") : home);
    for (const name of ["workspace/config", "dotfiles", "config", dirname(file)])
      mkdirSync(join(home, name), { recursive: true });
    writeFileSync(join(home, file), JSON.stringify(loose), { mode: 0o600 });
    for (const [link, target] of Object.entries(links)) {
      mkdirSync(dirname(join(home, link)), { recursive: true });
      symlinkSync(join(home, target), join(home, link));
    }
    const user = readUserSettings(join(home, "workspace"));
    expect(user).toMatchObject({ settings: loose, isStricterOnly: true });
    expect(user.problems).toHaveLength(1);
    expect(readUserSettings(join(home, "elsewhere"))).toMatchObject({ settings: loose, isStricterOnly: false });
  });
});
