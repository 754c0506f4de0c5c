/** `multi-edit setup NAME --hook`: the lines for the hook, as text to paste. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { columnNames, hookColumns } from "../support/hookColumns.js";
import { userWith } from "../support/setupUser.js";

describe("the configuration", () => {
  it.each(columnNames)(
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
        const [path, comment] = hookColumns[name].settings.written;
        expect(printed).toMatch(comment);
        const text = printed.replace(comment, "");
        if (path.endsWith(".json")) expect(JSON.parse(user.text(path))).toMatchObject(JSON.parse(text));
        else expect(user.text(path)).toContain(text);
      }
    },
    60_000,
  );
});
