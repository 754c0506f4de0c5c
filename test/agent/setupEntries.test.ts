/** `multi-edit setup NAME --write`: entries that have our name, files that are too long to be shown, misspelt names. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { userWith } from "../support/setupUser.js";
import { builtServer } from "../support/wireServer.js";

const extension = ".pi/agent/extensions/multiEdit.ts";

describe("a program without a setup", () => {
  it.each(["cline", "continue", "kilo"])(
    "%s gets the entry that most MCP clients take, and the section of the page",
    async (name) => {
      const { code, stdout, stderr } = await userWith({}).setup(name);
      const entry = JSON.stringify({ command: process.execPath, args: [builtServer, "mcp"] });
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toMatch(new RegExp(`^There is no setup for "${name}"\\. Usage: `));
      expect(stderr).toContain(`as multi-edit: ${entry}. "Any other MCP client" in client-samples/agents/README.md`);
    },
  );
});

describe("setup coc", () => {
  const path = ".vim/coc-settings.json";
  const entry = { command: process.execPath, args: [builtServer, "--stdio"], filetypes: ["*"] };
  const page = readFileSync("client-samples/vim/README.md", "utf8");

  it("prints the entry of the page, with this program", async () => {
    const { code, stdout } = await userWith({}).setup("coc");
    const shown = JSON.parse(stdout.replace(/^\/\/.*\n/, ""));
    const { languageserver } = JSON.parse(/^```json coc\n([\s\S]*?)^```$/m.exec(page)?.[1] ?? "");
    expect([code, shown]).toEqual([0, { languageserver: { "multi-edit": entry } }]);
    const named = { ...entry, command: "multi-edit-language-server", args: ["--stdio"] };
    expect(languageserver).toEqual({ "multi-edit": named });
  });

  it("adds it to the user's settings, with their comments, and takes out only that", async () => {
    const own = '{\n  // mine\n  "suggest.noselect": true,\n  "languageserver": { "go": { "command": "gopls" } },\n}\n';
    const user = userWith({ [path]: own });
    expect(await user.setup("coc", "--write")).toMatchObject({ code: 0, stderr: "" });
    expect(user.text(path)).toMatch(/^\{\n {2}\/\/ mine\n {2}"suggest.noselect": true,\n/);
    const { languageserver } = JSON.parse(
      user
        .text(path)
        .replace("// mine", "")
        .replace(/,(?=\s*\}\s*$)/, ""),
    );
    expect(languageserver).toEqual({ go: { command: "gopls" }, "multi-edit": entry });
    expect((await user.setup("coc", "--write")).stdout).toMatch(/^Everything is already set up/);
    expect(await user.setup("coc", "--remove")).toMatchObject({ code: 0 });
    expect(user.text(path)).toContain('"gopls"');
    expect(user.text(path)).not.toContain("multi-edit");
  });

  it("makes the file and its folder, and removes both", async () => {
    const user = userWith({});
    await user.setup("coc", "--write");
    expect(JSON.parse(user.text(path))).toEqual({ languageserver: { "multi-edit": entry } });
    await user.setup("coc", "--remove");
    expect(existsSync(join(user.home, ".vim"))).toBe(false);
  });

  it("leaves a server of the user's with our name, and a file that is not JSON, as they are", async () => {
    for (const text of ['{ "languageserver": { "multi-edit": { "command": "mine" } } }', '{ "a": ', "[]"]) {
      const user = userWith({ [path]: text });
      expect(await user.setup("coc", "--write")).toMatchObject({ code: 2, stdout: "" });
      expect(user.text(path)).toBe(text);
    }
  });
});

describe("writing the configuration", () => {
  it.each<[string, string, string, object]>([
    ["claude", ".claude.json", "mcpServers", { command: "node", args: ["mine.js"] }],
    ["opencode", ".config/opencode/opencode.json", "mcp", { type: "local", command: ["deno", "run", "mine.ts"] }],
    ["gemini", ".gemini/settings.json", "mcpServers", { httpUrl: "https://example.org/mcp" }],
  ])(
    "of %s refuses an entry of the user's that has our name, and does not remove it",
    async (name, path, key, entry) => {
      const text = `${JSON.stringify({ [key]: { "multi-edit": entry } })}\n`;
      const user = userWith({ [path]: text });
      const refused = await user.setup(name, "--write");
      expect(refused.code).toBe(2);
      expect(refused.stderr).toContain(`its property "${key}.multi-edit" does not run this program`);
      await user.setup(name, "--remove");
      expect(user.text(path)).toBe(text);
    },
  );

  it.each<[string, object]>([
    ["by its name", { command: "multi-edit", args: ["mcp"] }],
    [
      "by its path",
      { command: "/usr/bin/node", args: ["/old/node_modules/multi-edit-language-server/dist/main.cjs", "mcp"] },
    ],
    ["with npx", { command: "npx", args: ["-y", "multi-edit-language-server@0.1.0", "mcp"], env: { A: "b" } }],
    ["on Windows", { command: "C:\\bin\\multi-edit.cmd", args: ["mcp"] }],
  ])("replaces and removes an entry that runs this program %s", async (_, entry) => {
    const user = userWith({ ".gemini/settings.json": JSON.stringify({ a: 1, mcpServers: { "multi-edit": entry } }) });
    expect(await user.setup("gemini", "--write")).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(user.text(".gemini/settings.json")).mcpServers["multi-edit"]).toMatchObject({ trust: true });
    await user.setup("gemini", "--remove");
    expect(JSON.parse(user.text(".gemini/settings.json"))).toEqual({ a: 1 });
  });

  it("of pi says which file it creates and deletes, and how long that is, rather than show it", async () => {
    const user = userWith({});
    const path = `~/${extension}`;
    const first = await user.setup("pi", "--write");
    const lines = user.text(extension).trimEnd().split("\n").length;
    expect(lines).toBeGreaterThan(100);
    expect(first.stdout).toBe(`Created ${path} (${lines} lines).\n`);
    expect((await user.setup("pi", "--remove")).stdout).toBe(`Deleted ${path} (${lines} lines).\n`);
  });

  it.each([
    ["Claude", "claude"],
    ["open-code", "opencode"],
    ["neovin", "neovim"],
    ["vim", "neovim"],
    ["hx", "helix"],
    ["code", "vscode"],
    ["coc.nvim", "coc"],
  ])("suggests a name for %s", async (sent, meant) => {
    const { code, stderr } = await userWith({}).setup(sent);
    expect(code).toBe(2);
    expect(stderr).toContain(`There is no setup for "${sent}" (did you mean "${meant}"?). Usage:`);
  });

  it.each(["kate", "Zed"])("names the part of README.md that is about %s", async (sent) => {
    for (const options of [[], ["--write"]]) {
      const { code, stderr } = await userWith({}).setup(sent, ...options);
      const section = /^There is no setup for "\w+": see "(.+)" in README\.md\./.exec(stderr)?.[1];
      expect([code, readFileSync("README.md", "utf8")]).toEqual([2, expect.stringContaining(`${section}`)]);
    }
  });
});
