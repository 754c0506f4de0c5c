/**
 * Checks that the samples for agents work as described: pi's extension and the script, each run against the built
 * program and an editor.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import multiEdit, { type PiTool } from "../../client-samples/pi/multiEdit.js";
import type { StatusResult } from "../../server/lsp/protocol.js";
import { announced, ownStateHome } from "../support/agentPeer.js";
import { buildProgram, type Program } from "../support/build.js";
import { runCommand } from "../support/commands.js";
import { type Desk, type DeskOptions, layDesk } from "../support/desk.js";
import { makeDirectory } from "../support/directory.js";

let program: Program;
/** A directory that contains only the program `multi-edit`. */
let bin = "";
beforeAll(async () => {
  program = await buildProgram(new URL("../../server/main.ts", import.meta.url));
  bin = mkdtempSync(join(tmpdir(), "multi-edit-bin-"));
  writeFileSync(join(bin, "multi-edit"), `#!/bin/sh\nexec '${process.execPath}' '${program.path}' "$@"\n`);
  chmodSync(join(bin, "multi-edit"), 0o755);
});
afterAll(() => {
  program.remove();
  rmSync(bin, { recursive: true, force: true });
});

const files = { "a.txt": "one\n", "b.txt": "one\n" };

async function layTable(options: DeskOptions = {}): Promise<Desk> {
  const home = ownStateHome();
  const desk = await layDesk(program, {
    clientInfo: { name: "Tester" },
    files,
    open: { "a.txt": "mine\none\n" },
    ...options,
  });
  await announced(home);
  return desk;
}

describe("the extension for pi", () => {
  /** The extension's tools, as pi would register them. */
  function tools(): Record<string, PiTool> {
    process.env.MULTI_EDIT_PROGRAM = join(bin, "multi-edit");
    onTestFinished(() => void delete process.env.MULTI_EDIT_PROGRAM);
    const registered: PiTool[] = [];
    multiEdit({ registerTool: (tool) => void registered.push(tool) });
    return Object.fromEntries(registered.map((tool) => [tool.name, tool]));
  }
  const run = (name: string, params: unknown, cwd: string, signal?: AbortSignal) =>
    tools()[name]!.execute("1", params, signal, undefined, { cwd });

  it("edits several files through the editor, and returns the diff in pi's form", async () => {
    const { root, texts } = await layTable();
    const edits = [
      { path: "a.txt", oldText: "one", newText: "two" },
      { path: "@b.txt", oldText: "one", newText: "two" },
    ];
    const { content, details } = await run("edit", { edits }, root);
    expect(content[0]?.text).toBe(
      "2 files (2 edits)\nChanged on disk, because no editor has b.txt open.\nM a.txt\nM b.txt",
    );
    expect(details?.diff.split("\n")).toEqual([
      "    1 mine",
      "-   2 one",
      "+   2 two",
      "     ...",
      "-   1 one",
      "+   1 two",
    ]);
    expect(details).toMatchObject({ patch: expect.stringContaining("+++ b/a.txt"), firstChangedLine: 2 });
    expect(texts()["a.txt"]).toBe("mine\ntwo\n");
  });

  it("reads the editor's text", async () => {
    const { root } = await layTable();
    const read = async (params: object) => (await run("read_document", params, root)).content.map(({ text }) => text);
    const unsaved = ", from the editor, including unsaved changes.";
    expect(await read({ path: "a.txt" })).toEqual([`Lines 1 to 2 of 2${unsaved}`, "mine\none\n"]);
    expect(await read({ path: "a.txt", startLine: 2 })).toEqual([`Lines 2 to 2 of 2${unsaved}`, "one\n"]);
    expect(await read({ path: "b.txt" })).toEqual([expect.stringMatching(/^Lines 1 to 1 of 1, from disk: /), "one\n"]);
  });

  it("identifies itself as the same agent in all its calls", async () => {
    const { root, editor } = await layTable();
    await run("edit", { edits: [{ path: "a.txt", oldText: "one", newText: "two" }] }, root);
    await run("edit", { edits: [{ path: "a.txt", oldText: "two", newText: "three" }] }, root);
    const { agents } = (await editor.request("multiEdit/status", null)) as StatusResult;
    expect(agents).toMatchObject([{ name: "multi-edit", agent: expect.stringMatching(/^[0-9a-f-]{36}$/) }]);
  });

  it("throws the message for the model", async () => {
    const { root, texts } = await layTable();
    await expect(run("edit", { edits: [{ path: "a.txt", oldText: "none", newText: "two" }] }, root)).rejects.toThrow(
      "The old text of edit 0 (a.txt) was not found",
    );
    await expect(run("edit", { edits: 7 }, root)).rejects.toThrow("edits");
    expect(texts()["a.txt"]).toBe("mine\none\n");
  });

  it("cancels a call that the user stops", async () => {
    const { root, editor, texts } = await layTable({ settings: { confirm: "always" } });
    const stopping = new AbortController();
    editor.beforeAnswers(() => {
      stopping.abort();
      return new Promise(() => undefined);
    });
    const edits = [{ path: "a.txt", oldText: "one", newText: "two" }];
    await expect(run("edit", { edits }, root, stopping.signal)).rejects.toThrow();
    expect(texts()["a.txt"]).toBe("mine\none\n");
  });
});

describe("the script", () => {
  it("applies its input, and says what to do next", async () => {
    const { root, texts } = await layTable();
    const script = fileURLToPath(new URL("../../client-samples/agents/apply.sh", import.meta.url));
    const wrapper = `process.exit(require("child_process").spawnSync(${JSON.stringify(script)}, process.argv.slice(1), { stdio: "inherit" }).status)`;
    const run = (input: string) =>
      runCommand({ ...program, path: "-e" }, [wrapper, "--", "--mode=editor"], {
        cwd: root,
        input,
        env: { PATH: `${bin}${delimiter}${process.env.PATH}` },
      });
    const patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** End Patch\n";
    expect(await run(patch)).toMatchObject({ code: 0, stderr: expect.stringMatching(/Done\.\n$/) });
    expect(texts()["a.txt"]).toBe("mine\ntwo\n");
    expect(await run(patch)).toMatchObject({ code: 1, stderr: expect.stringMatching(/correct the edits .+\n$/) });
  });
});

describe("the lines to paste", () => {
  const page = readFileSync(new URL("../../client-samples/agents/README.md", import.meta.url), "utf8");
  const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, kind = "", text = ""]) => ({ kind, text }));
  const setup = (name: string): string =>
    execFileSync(process.execPath, [program.path, "setup", name], {
      encoding: "utf8",
      env: { ...process.env, PATH: `${makeDirectory({ "multi-edit": "" })}${delimiter}${process.env.PATH}` },
    });

  const agents = { claude: "Claude Code", codex: "Codex", opencode: "opencode", gemini: "Gemini CLI" };

  it.each(Object.entries(agents))("of %s are those that setup prints, with their explanations", (name, heading) => {
    const section = page.split(/^## /m).find((one) => one.startsWith(`${heading}\n`)) ?? "";
    const printed = setup(name).split("\n");
    const isComment = (line: string): boolean => /^(?:#|\/\/) /.test(line);
    // Lines that belong in a different file are printed as comments and have their own block on the page.
    const [main = ""] = [...section.matchAll(/^```\w+\n([\s\S]*?)^```$/gm)].map(([, text = ""]) => text);
    const lines = printed.filter((line) => !isComment(line));
    expect(lines.join("\n").trim()).toBe(main.trim());
    const plain = (text: string): string => text.replace(/^- |^```\w*$|["`]/gm, "").replace(/\s+/g, " ");
    const comments = printed.filter(isComment).map((line) => line.replace(/^\S+ /, ""));
    const [place = "", ...sentences] = plain(comments.join(" ")).split(/(?<=[.:}]) (?=[A-Z{]|\w+: )/);
    expect(place.startsWith(`${heading}, in `)).toBe(true);
    expect(sentences.length).toBeGreaterThan(2);
    expect(sentences.filter((sentence) => !plain(section).includes(sentence))).toEqual([]);
  });

  it("of pi create the folder first, and copy the extension into it", () => {
    const home = mkdtempSync(join(tmpdir(), "multi-edit-pi-"));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const built = fileURLToPath(new URL("../../dist/main.cjs", import.meta.url));
    const printed = execFileSync(process.execPath, [built, "setup", "pi"], { encoding: "utf8" });
    execFileSync("sh", ["-e"], { input: printed, env: { ...process.env, HOME: home } });
    const sample = new URL("../../client-samples/pi/multiEdit.ts", import.meta.url);
    expect(readFileSync(join(home, ".pi/agent/extensions/multiEdit.ts"))).toEqual(readFileSync(sample));
  });

  it.each(["neovim", "emacs", "pi"])("of %s name samples that exist", (name) => {
    const built = fileURLToPath(new URL("../../dist/main.cjs", import.meta.url));
    const printed = execFileSync(process.execPath, [built, "setup", name], { encoding: "utf8" });
    const paths = [...printed.matchAll(/\/\S*client-samples\/[\w./]+/g)].map(([path]) => path);
    expect(paths.length).toBeGreaterThan(0);
    expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  });

  it("are valid JSON if they are labelled as JSON", () => {
    const json = blocks.filter(({ kind }) => kind === "json");
    expect(json.length).toBeGreaterThan(3);
    for (const { text } of json) expect(() => JSON.parse(text)).not.toThrow();
  });
});
