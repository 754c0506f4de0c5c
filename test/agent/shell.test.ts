/** The command line as a person meets it: help, mistakes, completions, and the manual page. */
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CallOptions } from "../../server/dialect/options.js";
import { completions } from "../../server/programs/cli/completions.js";
import { manPage } from "../../server/programs/cli/manPage.js";
import { commandRows, optionRows, shells } from "../../server/programs/cli/table.js";
import { setupNames } from "../../server/programs/setup/setup.js";
import { limits } from "../../server/text/limits.js";
import { ownStateHome } from "../support/agentPeer.js";
import { buildProgram, type Program } from "../support/build.js";
import { type Ran, type RunOptions, runCommand } from "../support/commands.js";
import { makeDirectory } from "../support/directory.js";

let program: Program;
/** The program under the name of the commands. */
let named: Pick<Program, "path">;
beforeAll(async () => {
  program = await buildProgram(new URL("../../server/main.ts", import.meta.url));
  named = { path: join(program.folder, "multi-edit") };
  if (process.platform === "win32") copyFileSync(program.path, named.path);
  else symlinkSync(program.path, named.path);
});
afterAll(() => program.remove());

const run = (args: readonly string[], options?: RunOptions): Promise<Ran> => runCommand(program, args, options);

describe("the help", () => {
  it.each([[[]], [["--help"]], [["-h"]], [["help"]]])(
    "is the page of the commands under their name: %j",
    async (args) => {
      const { code, stdout, stderr } = await runCommand(named, args);
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout).toMatch(/^Usage: multi-edit <command>/);
      for (const name of Object.keys(commandRows)) expect(stdout).toContain(`\n  ${name} `);
      for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    },
  );

  it.each(Object.keys(commandRows))(
    "of %s describes that command and each of its options, and nothing else",
    async (name) => {
      const { code, stdout } = await run([name, "--help"]);
      expect([code, (await run(["help", name])).stdout]).toEqual([0, stdout]);
      expect(stdout.startsWith(`Usage: multi-edit ${name}`)).toBe(true);
      for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
      const shown = [...stdout.matchAll(/^ {2}(?:-h, )?--([a-z-]+)/gm)].map(([, option]) => option);
      const { options } = commandRows[name as keyof typeof commandRows];
      expect(shown.sort()).toEqual([...options].sort());
    },
  );

  it("of setup lists the programs, and that of completion the shells", async () => {
    // Agents give up earlier than people.
    const times = `default: ${limits.commandMs / 1000}; of mcp: ${limits.toolMs / 1000}`;
    expect((await run(["mcp", "--help"])).stdout.replace(/\s+/g, " ")).toContain(times);
    const words = (await run(["setup", "--help"])).stdout.replace(/\s+/g, " ");
    expect(words).toContain(`NAME is one of: ${setupNames.join(", ")} Options:`);
    expect(setupNames).toEqual(expect.arrayContaining(["neovim", "helix", "emacs", "claude"]));
    expect((await run(["completion", "--help"])).stdout).toContain("SHELL is one of:\n  bash, zsh, fish\n");
  });

  it("stays that of the language server under its own name", async () => {
    const { stdout } = await run(["--help"]);
    expect(stdout).toMatch(/^Usage: multi-edit-language-server <transport>/);
    expect((await runCommand(named, ["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(await runCommand(named, ["version"])).toEqual(await runCommand(named, ["--version"]));
  });
});

describe("a mistake", () => {
  const all = Object.keys(commandRows).join(", ");
  it.each([
    [["aply"], "There is no command aply. Did you mean apply?\nSee multi-edit --help."],
    [["stauts"], "There is no command stauts. Did you mean status?\nSee multi-edit --help."],
    [["foo"], `There is no command foo. The commands are ${all}.\nSee multi-edit --help.`],
    [["help", "aply"], "There is no command aply. Did you mean apply?\nSee multi-edit --help."],
    [
      ["apply", "--sesion=1"],
      "The command apply has no option --sesion. Did you mean --session?\nSee multi-edit apply --help.",
    ],
    [["undo", "--clear"], "The command undo has no option --clear.\nSee multi-edit undo --help."],
    [
      ["acp", "gemini", "--acp"],
      "The command acp has no option --acp. Usage: multi-edit acp -- COMMAND [ARGUMENT...]\nSee multi-edit acp --help.",
    ],
    [["apply", "-x"], "The command apply has no option -x.\nSee multi-edit apply --help."],
    [["apply", "--json=yes"], "--json takes no value.\nSee multi-edit apply --help."],
    [["apply", "--mode"], "--mode needs a value: --mode=MODE.\nSee multi-edit apply --help."],
    [["apply", "--mode", "--summary"], "--mode needs a value: --mode=MODE.\nSee multi-edit apply --help."],
    [["apply", "--lenient", "--exact"], "--lenient and --exact can't be used together.\nSee multi-edit apply --help."],
    [
      ["setup", "pi", "--write", "--remove"],
      "--write and --remove can't be used together.\nSee multi-edit setup --help.",
    ],
    [
      ["apply", "--versions=3"],
      '--versions must be a JSON object of URIs and version numbers, such as {"file:///src/a.ts": 7}.\nSee multi-edit apply --help.',
    ],
  ])("%j is explained under the right name, on stderr and, if JSON is asked for, as JSON", async (args, expected) => {
    const { code, stdout, stderr } = await run(args);
    expect([code, stdout, stderr]).toEqual([2, "", `multi-edit: ${expected}\n`]);
    const json = await run([...args, "--json"]);
    const { error } = JSON.parse(json.stdout);
    expect([json.code, error.message, error.failures[0].code]).toEqual([2, json.stderr.trimEnd(), "invalidParams"]);
  });

  it("of an option before the command is no mistake", async () => {
    ownStateHome();
    expect(await runCommand(named, ["--json", "log"])).toMatchObject({ code: 0, stdout: '{"transactions":[]}\n' });
    expect(await runCommand(named, ["--jsn"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Name a command: apply"),
    });
  });

  it("in the input is explained in words, as JSON, too", async () => {
    const { code, stdout, stderr } = await run(["apply", "none.json", "--json"]);
    expect([code, stderr]).toEqual([2, '"none.json" can\'t be read: there is no such file.\n']);
    expect(JSON.parse(stdout)).toMatchObject({
      error: { message: stderr.trimEnd(), failures: [{ code: "invalidParams" }], edits: [] },
    });
    expect(await run(["apply", "."])).toMatchObject({ stderr: '"." can\'t be read: it is a directory.\n' });
    const broken = await run(["apply", "--json"], { input: '{"path": ' });
    expect(JSON.parse(broken.stdout)).toMatchObject({ error: { message: broken.stderr.trimEnd() } });
    const directory = await run(["apply", "--json", "--workspace=none"], { input: "{}" });
    expect(JSON.parse(directory.stdout)).toMatchObject({
      error: { message: expect.stringContaining("not a directory") },
    });
  });
});

describe("the options that a call can carry", () => {
  it("are all there as options of the command, except the reader, who is at the command line", () => {
    const carried: Record<keyof Omit<Required<CallOptions>, "reader">, string> = {
      root: "workspace",
      atomic: "atomic",
      order: "order",
      lenient: "exact",
      confirm: "confirm",
      label: "label",
      result: "summary",
      save: "save",
      unopened: "unopened",
      overwrite: "overwrite",
      allowOmissions: "allow-omissions",
      versions: "versions",
    };
    expect([...commandRows.apply.options]).toEqual(expect.arrayContaining(Object.values(carried)));
  });

  it("have their effect on disk", async () => {
    ownStateHome();
    const root = makeDirectory({ "a.txt": "one\ntwo\n" });
    const edit = (...args: string[]): Promise<Ran> => {
      const edits = [
        { path: "a.txt", oldText: "one", newText: "two" },
        { path: "a.txt", oldText: "two  ", newText: "three" },
      ];
      return run(["preview", "--json", ...args], { cwd: root, input: JSON.stringify({ edits }) });
    };
    const labelled = JSON.parse((await edit("--label=tidy up", "--order=original")).stdout);
    expect(labelled).toMatchObject({ label: "tidy up", diff: expect.stringContaining("-one\n-two\n+two\n+three\n") });
    expect(await edit("--exact", "--order=original")).toMatchObject({ code: 1 });
    expect(JSON.parse((await edit("--order=sequential")).stdout)).toMatchObject({
      error: { failures: [{ code: "ambiguousMatch" }] },
    });
    expect(await edit('--versions={"file:///none": 3}', "--order=original")).toMatchObject({ code: 0 });
  });

  it("can ask nobody if there is no editor", async () => {
    ownStateHome();
    const root = makeDirectory({ "a.txt": "one\n" });
    const input = JSON.stringify({ path: "a.txt", oldText: "one", newText: "two" });
    expect(await run(["apply", "--confirm"], { cwd: root, input })).toMatchObject({ code: 4 });
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("one\n");
  });
});

/** The words that bash offers for a command line, whose last word is the one to complete. */
function offered(line: readonly string[]): string[] {
  const script = `
    source /dev/stdin <<< "$COMPLETIONS"
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
    _multi_edit
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const env = { ...process.env, COMPLETIONS: completions.bash(setupNames) };
  const { stdout, stderr } = spawnSync("bash", ["-c", script, "bash", "multi-edit", ...line], {
    encoding: "utf8",
    env,
  });
  expect(stderr).toBe("");
  return stdout.split("\n").filter((word) => word !== "");
}

describe.runIf(process.platform !== "win32")("the completions for bash", () => {
  it("offer commands, options, values and names", () => {
    expect(offered([""])).toEqual(Object.keys(commandRows));
    expect(offered(["un"])).toEqual(["undo"]);
    expect(offered(["log", "--"]).sort()).toEqual(
      commandRows.log.options.map((name) => `--${name}${optionRows[name].kind === "flag" ? "" : "="}`).sort(),
    );
    expect(offered(["apply", "--mo"])).toEqual(["--mode="]);
    // Bash splits words at the equals sign.
    expect(offered(["apply", "--mode", "="])).toEqual(["auto", "editor", "disk"]);
    expect(offered(["apply", "--mode", "=", "e"])).toEqual(["editor"]);
    expect(offered(["apply", "--save", "n"])).toEqual(["never"]);
    expect(offered(["setup", "ne"])).toEqual(["neovim"]);
    expect(offered(["completion", ""])).toEqual([...shells]);
    expect(offered(["help", "pre"])).toEqual(["preview"]);
    expect(offered(["--json", "un"])).toEqual(["undo"]);
    // Bash itself offers the files.
    expect(offered(["apply", ""])).toEqual([]);
  });

  it("offer directories where a directory is meant", () => {
    const root = makeDirectory({ "sub/a.txt": "", "suffix.txt": "" });
    expect(offered(["apply", "--workspace", "=", join(root, "su")])).toEqual([join(root, "sub")]);
  });

  it("are printed by the command, and are installed by evaluating them", async () => {
    expect(await run(["completion", "bash"])).toEqual({ code: 0, stdout: completions.bash(setupNames), stderr: "" });
    const script = 'eval "$COMPLETIONS"; complete -p multi-edit';
    const env = { ...process.env, COMPLETIONS: completions.bash(setupNames) };
    expect(execFileSync("bash", ["-c", script], { env, encoding: "utf8" })).toContain("_multi_edit multi-edit");
  });
});

describe("the completions for zsh and fish", () => {
  it.each(["zsh", "fish"] as const)(
    "for %s have every command, and every option of each with its values",
    async (shell) => {
      const text = completions[shell](setupNames);
      expect((await run(["completion", shell])).stdout).toBe(text);
      for (const [name, { options }] of Object.entries(commandRows)) {
        const own = text
          .split("\n")
          .filter((line) => line.includes(`from ${name}'`))
          .join("\n");
        const zshCase = new RegExp(`^    ${name}\\) _arguments ([\\s\\S]*?) ;;$`, "m").exec(text)?.[1] ?? "";
        const block = shell === "fish" ? own : zshCase;
        for (const option of options) {
          const row = optionRows[option];
          const written = shell === "fish" ? `-l ${option} ` : `--${option}${row.kind === "flag" ? "[" : "=["}`;
          expect(block).toContain(written);
          if (row.kind === "choice") expect(block).toContain(row.choices.join(" "));
        }
      }
      expect(text).toContain(setupNames.join(" "));
    },
  );

  it("quote every text so that the shells read it as one word", () => {
    // Both shells and bash agree on single quotes, except for fish's backslashes in them.
    const zsh = completions.zsh(setupNames);
    expect(spawnSync("bash", ["-n"], { input: zsh, encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
    const fish = completions
      .fish(setupNames)
      .replaceAll("\\'", "")
      .replace(/'[^'\n]*'/g, "TEXT");
    expect(fish).not.toMatch(/['"\\$;|&]/);
  });

  it("are refused for another shell", async () => {
    expect(await run(["completion", "ksh"])).toMatchObject({
      code: 2,
      stderr: "There are completions for bash, zsh, fish.\n",
    });
  });
});

describe("the manual page", () => {
  const page = manPage("1.2.3", setupNames);

  it("has every command, option, exit code and variable", () => {
    const text = page.replaceAll("\\-", "-");
    for (const name of Object.keys(commandRows)) expect(text).toMatch(new RegExp(`^\\.B "${name}[ "]`, "m"));
    for (const name of Object.keys(optionRows)) expect(text).toMatch(new RegExp(`^\\.B "(?:-h, )?--${name}[="]`, "m"));
    for (const name of ["MULTI_EDIT_SESSION", "MULTI_EDIT_AGENT", "MULTI_EDIT_HISTORY"]) expect(text).toContain(name);
    expect(text).toContain("multi-edit-language-server 1.2.3");
  });

  it.runIf(spawnSync("groff", ["--version"]).status === 0)("is read by groff without a warning", () => {
    const { status, stdout, stderr } = spawnSync("groff", ["-ww", "-man", "-Tascii"], {
      input: page,
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("MULTI-EDIT(1)");
  });
});
