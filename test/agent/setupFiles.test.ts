/** `multi-edit setup NAME --write` and `--remove`: what they do to the configuration files of other programs. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { agents, hookNames } from "../../server/agents/agents.js";
import { blockFile, jsonFile } from "../../server/programs/setup/configFile.js";
import { lawRuns } from "../support/extent.js";
import { columnNames, hookColumns } from "../support/hookColumns.js";
import { userWith } from "../support/setupUser.js";
import { builtServer } from "../support/wireServer.js";

/** The files that each program gets, and a text that the user may have in each of them. */
const present = columnNames.map((name) => [name, hookColumns[name].settings.present] as const);
const files: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ...Object.fromEntries(present.filter(([, texts]) => Object.keys(texts).length > 0)),
  emacs: { ".emacs": "(setq inhibit-startup-screen t)\n" },
};
// opencode's hook is a program, in which a line has its options.
const hooked = columnNames.filter((name) => name !== "opencode");
const hookLine = new RegExp(`hook (?:${hooked.join("|")})[^"\\\\]*|hookOptions = .*`, "g");
const created = {
  pi: ".pi/agent/extensions/multiEdit.ts",
  neovim: ".config/nvim/plugin/multi_edit.lua",
  ...Object.fromEntries(Object.entries(files).map(([name, texts]) => [name, Object.keys(texts)[0] ?? ""])),
  emacs: ".config/emacs/init.el",
};

describe("writing the configuration", () => {
  it.each(Object.entries(files))(
    "of %s keeps everything else, can be repeated, and can be undone",
    async (name, texts) => {
      const user = userWith(texts);
      const first = await user.setup(name, "--write");
      expect(first).toMatchObject({ code: 0, stderr: "" });
      for (const [path, before] of Object.entries(texts)) {
        const after = user.text(path);
        expect(after).toMatch(/multi-edit/);
        const added = first.stdout.split("\n").filter((line) => /^[+](?![+])/.test(line));
        expect(added.length).toBeGreaterThan(0);
        for (const line of before.split("\n").filter((one) => /\w/.test(one) && !one.includes("permissions"))) {
          expect(after).toContain(line.replace(/,?$/, ""));
        }
      }
      const again = await user.setup(name, "--write");
      expect(again).toEqual({ code: 0, stdout: "Everything is already set up; nothing was changed.\n", stderr: "" });
      expect(await user.setup(name, "--remove")).toMatchObject({ code: 0, stderr: "" });
      for (const [path, before] of Object.entries(texts)) {
        expect(user.text(path), path).toBe(before);
      }
      const nothing = await user.setup(name, "--remove");
      expect(nothing.stdout).toBe("Nothing was set up; nothing was changed.\n");
    },
  );

  it.each(Object.entries(created))(
    "of %s creates the files and folders, and removing it deletes these, but no folder of the user's",
    async (name, path) => {
      for (const own of [[], [dirname(path)], [dirname(dirname(path)), ".config/nvim/mine"]]) {
        const user = userWith({});
        for (const folder of own) mkdirSync(join(user.home, folder), { recursive: true });
        const entries = (): string[] => readdirSync(user.home, { recursive: true, encoding: "utf8" }).sort();
        const before = entries();
        expect(await user.setup(name, "--write")).toMatchObject({ code: 0, stderr: "" });
        expect(user.text(path)).toMatch(/multi[-_]edit/);
        expect(await user.setup(name, "--remove")).toMatchObject({ code: 0, stderr: "" });
        expect(entries().filter((one) => !/^\.local(?:$|\/)/.test(one))).toEqual(before);
      }
    },
    30_000,
  );

  it.each(columnNames.filter((name) => name in files))(
    "of %s with a hook keeps everything else, has one hook in the form that was chosen last, and can be undone",
    async (name) => {
      const own = { hooks: [{ type: "command", command: "my-hook" }] };
      const user = userWith({
        ...hookColumns[name].settings.present,
        ".claude/settings.json": JSON.stringify({ hooks: { PreToolUse: [own] } }),
      });
      const before = Object.keys(hookColumns[name].settings.present).map((path) => user.text(path));
      const plugin = join(user.home, ".config/opencode/plugin/multi-edit.js");
      const hooks = (): string[] => {
        const paths = [...Object.keys(hookColumns[name].settings.present).map((path) => join(user.home, path)), plugin];
        const texts = paths.filter((path) => existsSync(path)).map((path) => readFileSync(path, "utf8"));
        return texts.flatMap((text) => text.match(hookLine) ?? []);
      };
      const forms = {
        deny: name === "opencode" ? "hookOptions = [];" : `hook ${name}`,
        apply: name === "opencode" ? 'hookOptions = ["--apply"];' : `hook ${name} --apply`,
      };
      const count = name === "opencode" ? 1 : 2;
      for (const [form, options] of [
        ["deny", ["--hook"]],
        ["apply", ["--hook", "--apply"]],
        ["deny", ["--hook"]],
      ] as const) {
        expect(await user.setup(name, "--write", ...options)).toMatchObject({ code: 0, stderr: "" });
        expect(hooks()).toEqual(Array.from({ length: count }, () => forms[form]));
        const again = await user.setup(name, "--write", ...options);
        expect(again.stdout).toBe("Everything is already set up; nothing was changed.\n");
      }
      if (name === "claude") expect(user.text(".claude/settings.json")).toContain(JSON.stringify("my-hook"));
      await user.setup(name, "--write");
      expect(hooks()).toEqual([]);
      await user.setup(name, "--write", "--hook");
      expect(await user.setup(name, "--remove")).toMatchObject({ code: 0, stderr: "" });
      expect(hooks()).toEqual([]);
      const after = Object.keys(hookColumns[name].settings.present).map((path) => user.text(path));
      expect(after).toEqual(before);
    },
    60_000,
  );

  it("of copilot allows our tools in a file of its own, which has the hook as well; another file of the name stays", async () => {
    const path = ".copilot/hooks/multi-edit.json";
    const user = userWith({ ".copilot/mcp-config.json": JSON.stringify({ mcpServers: { mine: { command: "x" } } }) });
    const hooks = (): object => JSON.parse(user.text(path)).hooks;
    const allowed = { matcher: "multi-edit/.*", command: `echo '{"behavior":"allow"}'` };
    await user.setup("copilot", "--write");
    expect(hooks()).toEqual({ permissionRequest: [expect.objectContaining(allowed)] });
    await user.setup("copilot", "--write", "--hook", "--apply");
    const own = { command: expect.stringMatching(/ hook copilot --apply$/), timeoutSec: 60 };
    expect(hooks()).toMatchObject({ PreToolUse: [{ matcher: "Edit|Write", ...own }], PostToolUse: [own] });
    await user.setup("copilot", "--remove");
    expect(existsSync(join(user.home, path))).toBe(false);
    expect(JSON.parse(user.text(".copilot/mcp-config.json"))).toEqual({ mcpServers: { mine: { command: "x" } } });
    mkdirSync(dirname(join(user.home, path)), { recursive: true });
    writeFileSync(join(user.home, path), "{}");
    expect(await user.setup("copilot", "--write")).toMatchObject({ code: 2 });
    expect(user.text(path)).toBe("{}");
  });

  it("adds a hook only for agents that have hooks; another plugin of the name stays", async () => {
    const path = ".config/opencode/plugin/multi-edit.js";
    const user = userWith({ [path]: "export const Mine = 1;\n" });
    expect(await user.setup("pi", "--write", "--hook")).toEqual({
      code: 2,
      stdout: "",
      stderr: `"multi-edit setup pi" can't add a hook; ${hookNames.join(", ")} have hooks.\n`,
    });
    expect(await user.setup("pi", "--hook")).toMatchObject({ code: 2, stdout: "" });
    expect(await user.setup("opencode", "--write", "--hook")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("this command did not write it"),
    });
    expect(await user.setup("opencode", "--write")).toMatchObject({ code: 0 });
    expect(await user.setup("opencode", "--remove")).toMatchObject({ code: 0 });
    expect(user.text(path)).toBe("export const Mine = 1;\n");
  });

  it("starts this very program if the PATH does not have it", async () => {
    const user = userWith({});
    await user.setup("gemini", "--write");
    const { mcpServers } = JSON.parse(user.text(".gemini/settings.json"));
    expect(mcpServers["multi-edit"]).toMatchObject({
      command: process.execPath,
      args: [builtServer, "mcp", "--timeout", "330"],
    });
    mkdirSync(join(user.home, "bin"), { recursive: true });
    writeFileSync(join(user.home, "bin/multi-edit"), "");
    await user.setup("gemini", "--write");
    expect(JSON.parse(user.text(".gemini/settings.json")).mcpServers["multi-edit"]).toMatchObject({
      command: "multi-edit",
      args: ["mcp", "--timeout", "330"],
    });
  });

  it("of pi names this very program in the extension if the PATH does not have it", async () => {
    const user = userWith({});
    await user.setup("pi", "--write");
    const command = JSON.stringify([process.execPath, builtServer]);
    expect(user.text(".pi/agent/extensions/multiEdit.ts")).toContain(`= ${command};`);
    expect(await user.setup("pi", "--remove")).toMatchObject({ code: 0, stderr: "" });
  });

  it.each(["claude", "codex", "opencode", "gemini"])(
    "of %s by hand starts this very program if the PATH does not have it",
    async (name) => {
      const { stdout } = await userWith({}).setup(name);
      expect(stdout).toContain(JSON.stringify(process.execPath));
      expect(stdout).toContain(JSON.stringify(builtServer));
    },
  );

  it("of Neovim and Emacs has one form, and says so", async () => {
    const { code, stderr } = await userWith({}).setup("neovim", "lazy.nvim", "--write");
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^With --write and --remove, .* but "lazy\.nvim" was given/),
    ]);
  });

  it("keeps the user's own rules for our tools", async () => {
    const permission = { "multi-edit_multi_edit": "ask" };
    const user = userWith({ ".config/opencode/opencode.json": JSON.stringify({ permission }) });
    await user.setup("opencode", "--write");
    expect(JSON.parse(user.text(".config/opencode/opencode.json")).permission).toMatchObject({
      "multi-edit_multi_edit": "ask",
      "multi-edit_apply_patch": "allow",
    });
    await user.setup("opencode", "--remove");
    expect(JSON.parse(user.text(".config/opencode/opencode.json"))).toEqual({ permission });
  });

  it.each([
    '{"other":1,"key":"sk-123"}',
    '{"key":"sk-123","mcpServers":{}}',
    '{\n  "mcpServers": { "other": { "key": "sk-123" } }\n}\n',
  ])("shows no other setting of %j, neither when it adds nor when it removes", async (text) => {
    const user = userWith({ ".gemini/settings.json": text });
    const added = await user.setup("gemini", "--write");
    expect(added.stdout).toContain('"multi-edit"');
    const removed = await user.setup("gemini", "--remove");
    expect(removed.stdout).toContain('"multi-edit"');
    for (const { code, stdout } of [added, removed]) {
      expect(code).toBe(0);
      expect(stdout).not.toContain("sk-123");
      expect(stdout).not.toContain("other");
    }
  });

  it.each([
    ["gemini", ".gemini/settings.json", '{\n  "a": [1\n}\n', "line 3: comma expected."],
    ["gemini", ".gemini/settings.json", "[]\n", "not a JSON object"],
    ["codex", ".codex/config.toml", '[mcp_servers.multi-edit]\ncommand = "x"\n', "already has these settings"],
    ["codex", ".codex/config.toml", 'mcp_servers.multi-edit.command = "x"\n', "already has these settings"],
    ["codex", ".codex/config.toml", '[mcp_servers]\nmulti-edit = { command = "x" }\n', "already has these settings"],
    ["pi", ".pi/agent/extensions/multiEdit.ts", "export default () => 1;\n", "this command did not write it"],
    ["pi", ".pi/agent/extensions/multiEdit.ts", "// My own multi-edit.\n", "this command did not write it"],
    ["claude", ".claude.json", '{ "mcpServers": null }\n', 'its property "mcpServers" is not an object'],
    ["claude", ".claude/settings.json", '{ "permissions": "x" }\n', 'its property "permissions" is not an object'],
    ["claude", ".claude/settings.json", '{ "permissions": { "allow": "x" } }\n', '"permissions.allow" is not a list'],
    [
      "gemini",
      ".gemini/settings.json",
      '{ "mcpServers": {}, "mcpServers": {} }\n',
      "one of its properties is there twice",
    ],
  ])("of %s is refused if %s is not as expected, and changes nothing", async (name, path, text, reason) => {
    const user = userWith({ [path]: text });
    const { code, stdout, stderr } = await user.setup(name, "--write");
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(`~/${path} was not changed: `);
    expect(stderr).toContain(reason);
    expect(user.text(path)).toBe(text);
  });

  it("of opencode leaves one rule for all tools as it is", async () => {
    const before = { permission: "allow", agent: { plan: { permission: "deny" } } };
    const user = userWith({ ".config/opencode/opencode.json": JSON.stringify(before) });
    expect(await user.setup("opencode", "--write")).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(user.text(".config/opencode/opencode.json"))).toMatchObject({
      ...before,
      mcp: { "multi-edit": { type: "local" } },
    });
    await user.setup("opencode", "--remove");
    expect(JSON.parse(user.text(".config/opencode/opencode.json"))).toEqual(before);
  });

  it("of two files changes none if one can't be read", async () => {
    const user = userWith({ ".claude/settings.json": "{" });
    expect(await user.setup("claude", "--write")).toMatchObject({ code: 2, stdout: "" });
    expect(existsSync(join(user.home, ".claude.json"))).toBe(false);
  });

  it("and removing it at the same time is refused", async () => {
    const user = userWith({});
    const { code, stderr } = await user.setup("gemini", "--write", "--remove");
    expect([code, stderr]).toEqual([2, expect.stringContaining("--write and --remove can't be used together.")]);
    expect(existsSync(join(user.home, ".gemini"))).toBe(false);
  });

  it("names the programs it knows", async () => {
    const user = userWith({});
    const { code, stderr } = await user.setup("ed", "--write");
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining([...Object.keys(agents), "coc", "emacs", "helix", "neovim", "vscode"].sort().join(", ")),
    ]);
  });
});

describe("laws", () => {
  const entries = [
    { path: ["servers", "ours"], value: { command: "multi-edit", args: ["y"] }, kind: "own" },
    { path: ["rules", "ours"], value: "allow", kind: "default" },
    { path: ["lists", "allow"], value: "ours", kind: "item" },
  ] as const;
  const file = jsonFile("/settings.json", entries);
  const names = fc.constantFrom("servers", "rules", "lists", "a", "b");
  const json = fc.dictionary(
    names,
    fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.dictionary(fc.constantFrom("allow", "x"), fc.array(fc.string()))),
  );
  const valueIn = (text: { ok: boolean; value?: string | undefined }): string => {
    expect(text.ok).toBe(true);
    return text.value ?? "{}";
  };
  /** A configuration to which our part can be added: objects on the way, and a list at its end. */
  const isFit = (value: Record<string, unknown>): boolean =>
    ["servers", "rules", "lists"].every((name) => value[name] === undefined || isObject(value[name])) &&
    ["servers", "rules"].every((name) => !Object.hasOwn((value[name] ?? {}) as object, "ours"));

  it("a JSON file has our part once, however often it is added, and the rest as before once it is removed", () => {
    fc.assert(
      fc.property(json.filter(isFit), fc.constantFrom(0, 2, "\t"), (value, indent) => {
        const before = JSON.stringify(value, undefined, indent);
        const once = valueIn(file.add(before));
        expect(valueIn(file.add(once))).toBe(once);
        expect(JSON.parse(once)).toMatchObject({ servers: { ours: entries[0].value }, rules: { ours: "allow" } });
        expect(withoutEmpty(JSON.parse(valueIn(file.remove(once))))).toEqual(withoutEmpty(JSON.parse(before)));
      }),
      { numRuns: lawRuns(500) },
    );
  });

  it.each([
    [
      "comments beside our part",
      '{\n  "servers": {\n    // x\n    "ours": { "command": "multi-edit" } // y\n  }, // z\n  "a": 1\n}\n',
    ],
    [
      "comments beside other parts",
      '{\n  "a": 1, // x\n  // y\n  "servers": {\n    "b": 1, // z\n    "ours": { "command": "multi-edit" }\n  }\n}\n',
    ],
    [
      "Windows line endings",
      '\uFEFF{\r\n  "servers": {\r\n    "ours": { "command": "multi-edit" }\r\n  },\r\n  "a": 1\r\n}\r\n',
    ],
  ])("removal keeps %s, and the lines of other properties", (_, text) => {
    const after = valueIn(file.remove(text));
    expect(after.match(/\/\/ \w/g)).toEqual(text.match(/\/\/ \w/g));
    expect(after).not.toContain("ours");
    const others = text.split("\n").filter((line) => /"[ab]"/.test(line));
    expect(after.split("\n")).toEqual(expect.arrayContaining(others.map((line) => line.replace("1, // z", "1 // z"))));
  });

  it("a block whose last line is missing is not taken to reach to the end of another block", () => {
    const block = blockFile("/config.toml", { comment: "#", block: "x = 1\n", byHand: /(?!)/ });
    const [start = ""] = valueIn(block.add("")).split("\n");
    const once = valueIn(block.add(`${start}\nmine = 1\n`));
    expect(valueIn(block.add(once))).toBe(once);
    expect(once).toContain("mine = 1");
  });

  it("a file with a block is byte for byte as before once the block is removed", () => {
    const block = blockFile("/config.toml", { comment: "#", block: "[ours]\nx = 1\n", byHand: /^\[ours\]/m });
    const lines = fc.array(fc.constantFrom("", "a = 1", "[t]", "# c"), { maxLength: 6 });
    fc.assert(
      fc.property(lines, fc.boolean(), fc.constantFrom("\n", "\r\n"), (given, ends, eol) => {
        const before = given.join(eol) + (ends ? eol : "");
        const once = valueIn(block.add(before));
        if (before.includes("\r\n")) expect(once).not.toMatch(/[^\r]\n/);
        expect(valueIn(block.add(once))).toBe(once);
        expect(valueIn(block.remove(once))).toBe(before);
      }),
    );
  });
});

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The value without empty objects and lists in its first two levels, which removal may drop. */
function withoutEmpty(value: Record<string, unknown>): Record<string, unknown> {
  const isEmpty = (one: unknown): boolean => typeof one === "object" && one !== null && Object.keys(one).length === 0;
  const inner = Object.entries(value).map(([name, one]): [string, unknown] => [
    name,
    isObject(one) ? Object.fromEntries(Object.entries(one).filter(([, deep]) => !isEmpty(deep))) : one,
  ]);
  return Object.fromEntries(inner.filter(([, one]) => !isEmpty(one)));
}
