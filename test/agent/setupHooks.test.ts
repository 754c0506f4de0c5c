/** `multi-edit setup NAME --hook`: the lines for the hook, as text to paste. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { userWith } from "../support/setupUser.js";

describe("the configuration", () => {
  it.each(["claude", "codex", "copilot", "opencode", "gemini", "qwen"] as const)(
    "of %s with a hook is printed without --write, as it would be written, and nothing is written",
    async (name) => {
      for (const options of [["--hook"], ["--hook", "--apply"]]) {
        const user = userWith({});
        const plain = await user.setup(name);
        const { code, stdout, stderr } = await user.setup(name, ...options);
        expect([code, stderr, stdout.startsWith(plain.stdout)]).toEqual([0, "", true]);
        const printed = stdout.slice(plain.stdout.length);
        expect(existsSync(join(user.home, name === "opencode" ? ".config" : `.${name}`))).toBe(false);
        const written = await user.setup(name, "--write", ...options);
        // opencode's plugin is a program.
        if (name !== "opencode") expect(written.stdout).not.toContain("Created");
        const [path, comment] = {
          claude: [".claude/settings.json", /^\n# The hook, in .*\.claude\/settings\.json:\n/],
          codex: [".codex/config.toml", /^/],
          copilot: [".copilot/hooks/multi-edit.json", /^\n\/\/ The hook, in .*hooks\/multi-edit\.json:\n/],
          qwen: [".qwen/settings.json", /^\n\/\/ The hook, in .*\.qwen\/settings\.json:\n/],
          gemini: [".gemini/settings.json", /^\n\/\/ The hook, in .*\.gemini\/settings\.json:\n/],
          opencode: [".config/opencode/plugin/multi-edit.js", /^\n\/\/ The hook, in .*plugin\/multi-edit\.js:\n/],
        }[name] as [string, RegExp];
        expect(printed).toMatch(comment);
        const text = printed.replace(comment, "");
        if (path.endsWith(".json")) expect(JSON.parse(user.text(path))).toMatchObject(JSON.parse(text));
        else expect(user.text(path)).toContain(text);
      }
    },
    60_000,
  );
});
