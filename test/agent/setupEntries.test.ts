/** `multi-edit setup NAME --write`: entries that have our name, files that are too long to be shown, misspelt names. */
import { readFileSync } from "node:fs";
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
