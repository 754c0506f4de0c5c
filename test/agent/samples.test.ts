/**
 * Checks that the samples for agents work as described: pi's extension and the script, each run against the built
 * program and an editor.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import multiEdit from "../../client-samples/pi/multiEdit.js";
import type { PiTool } from "../../client-samples/pi/piTypes.js";
import { agents as allAgents } from "../../server/agents/agents.js";
import { callFields, editFields } from "../../server/dialect/fields.js";
import type { StatusResult } from "../../server/lsp/protocol.js";
import { toolSentences } from "../../server/programs/mcp/sentences.js";
import { tokensOf } from "../agents/tokens.js";
import { announced, ownStateHome } from "../support/agentPeer.js";
import { buildProgram, type Program } from "../support/build.js";
import { runCommand } from "../support/commands.js";
import { type Desk, type DeskOptions, layDesk } from "../support/desk.js";
import { makeDirectory } from "../support/directory.js";
import { columnNames } from "../support/hookColumns.js";
import { startAgent } from "../support/mcpAgent.js";

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
    multiEdit({ registerTool: (tool) => void registered.push(tool), on: () => undefined });
    return Object.fromEntries(registered.map((tool) => [tool.name, tool]));
  }
  function run(name: string, params: unknown, cwd: string, signal?: AbortSignal) {
    const tool = tools()[name]!;
    return tool.execute("1", tool.prepareArguments(params), signal, undefined, { cwd });
  }

  it("edits several files through the editor, and returns the diff in pi's form", async () => {
    const { root, texts } = await layTable();
    const edits = [
      { path: "a.txt", oldText: "one", newText: "two" },
      { path: "@b.txt", oldText: "one", newText: "two" },
    ];
    const { content, details } = await run("edit", { edits }, root);
    // The same text as the MCP tools return.
    expect(content[0]?.text).toBe("M a.txt, not saved\nM b.txt, on disk (no editor has it open)");
    expect(details?.diff.split("\n")).toEqual([
      "a.txt",
      "    1 mine",
      "-   2 one",
      "+   2 two",
      "b.txt",
      "-   1 one",
      "+   1 two",
    ]);
    expect(details).toMatchObject({ patch: expect.stringContaining("+++ b/a.txt"), firstChangedLine: 2 });
    expect(texts()["a.txt"]).toBe("mine\ntwo\n");
    const indented = await run("edit", { path: "b.txt", oldText: "    two\n", newText: "    three\n" }, root);
    expect(indented.content[0]?.text).toMatch(/^M b\.txt, on disk \(.*\)\nedit 0, line 1: /);
  });

  it("reads the editor's text", async () => {
    const { root } = await layTable();
    const read = async (params: object) => (await run("read_document", params, root)).content.map(({ text }) => text);
    const unsaved = ", from the editor, including unsaved changes.";
    expect(await read({ path: "a.txt" })).toEqual([`Lines 1 to 2 of 2${unsaved}`, "mine\none\n"]);
    expect(await read({ path: "a.txt", startLine: 2 })).toEqual([`Lines 2 to 2 of 2${unsaved}`, "one\n"]);
    // pi's own tool takes these, too.
    expect(await read({ path: "a.txt", offset: 0, limit: 1 })).toEqual([`Lines 1 to 1 of 2${unsaved}`, "mine\n"]);
    expect(await read({ path: "a.txt", offset: 2.5, limit: 0 })).toEqual([`Lines 2 to 2 of 2${unsaved}`, "one\n"]);
    const nulls = { startLine: null, endLine: null, offset: null, limit: null };
    expect(await read({ path: "a.txt", ...nulls })).toEqual([`Lines 1 to 2 of 2${unsaved}`, "mine\none\n"]);
    expect(await read({ path: "a.txt", startLine: "2", endLine: 1 })).toEqual([`Lines 2 to 2 of 2${unsaved}`, "one\n"]);
    expect(await read({ path: "b.txt" })).toEqual([expect.stringMatching(/^Lines 1 to 1 of 1, from disk: /), "one\n"]);
  });

  it("finds all edits of a call in the text before it, as pi's own tool does", async () => {
    const { root, texts } = await layTable();
    const edits = [
      { oldText: "mine", newText: "one" },
      { oldText: "one", newText: "two" },
    ];
    await run("edit", { path: "a.txt", edits }, root);
    expect(texts()["a.txt"]).toBe("one\ntwo\n");
  });

  it("knows every name that the server knows for the arguments in its schema", () => {
    const { parameters, prepareArguments } = tools().edit!;
    const { properties } = parameters as { properties: { edits: { items: { properties: object } } } };
    const known: Readonly<Record<string, { readonly spellings: readonly string[] }>> = { ...editFields, ...callFields };
    for (const name of Object.keys(properties.edits.items.properties)) {
      for (const spelling of known[name]?.spellings ?? []) {
        expect(prepareArguments({ edits: [{ [spelling]: "x" }] }), spelling).toEqual({ edits: [{ [name]: "x" }] });
      }
    }
    for (const spelling of [...callFields.edits.spellings, ...callFields.multi.spellings]) {
      expect(prepareArguments({ [spelling]: [{}] }), spelling).toEqual({ edits: [{}] });
    }
    for (const spelling of callFields.patch.spellings) {
      expect(prepareArguments({ [spelling]: "x" }), spelling).toEqual({ patch: "x" });
    }
  });

  it("reads long texts in parts, and says how to go on, in the words of the MCP server", async () => {
    const text = Array.from({ length: 3_000 }, (_, line) => `line ${line} ${"x".repeat(20)}\n`).join("");
    const wide = `${"y".repeat(60_000)}\nend\n`;
    const { root } = await layTable({ files: { "a.txt": text, "b.txt": wide, "@c.txt": "c\n" }, open: {} });
    const read = async (params: object) => (await run("read_document", params, root)).content.map((part) => part.text);
    let [all, next] = ["", 1];
    for (let calls = 0; calls < 2; calls++) {
      const [note, part = ""] = await read({ path: "@a.txt", startLine: next });
      all += part;
      const last = next + part.split("\n").length - 2;
      const shown = { first: next, last, total: 3_000, from: "unopened", longLine: undefined } as const;
      expect(note).toBe(toolSentences.linesShown({ ...shown, isCut: calls === 0 }));
      next = last + 1;
    }
    expect(all).toBe(text);
    const longLine = { length: 60_001, shown: 50_000 };
    expect(await read({ path: "b.txt" })).toEqual([
      toolSentences.linesShown({ first: 1, last: 1, total: 2, from: "unopened", longLine, isCut: true }),
      "y".repeat(50_000),
    ]);
    expect(await read({ path: "b.txt", offset: 2, limit: 1 })).toEqual([
      expect.stringMatching(/^Lines 2 to 2 /),
      "end\n",
    ]);
    // The name of this file begins with the mark.
    expect(await read({ path: "@c.txt", startLine: 2 })).toEqual([expect.stringMatching(/^No lines in this/), ""]);
    expect(await read({ path: "@c.txt" })).toEqual([expect.stringMatching(/^Lines 1 to 1 of 1, from disk/), "c\n"]);
  });

  it.each([
    ["with the write that is turned away", "write"],
    ["with a read of another line", "read"],
  ])("does not take text for seen that the model has not got: %s", async (_, toolName) => {
    const { root, texts, typeBefore } = await layTable({
      files: { "a.txt": "first\none\n" },
      open: { "a.txt": "first\none\n" },
    });
    await run("read_document", { path: "a.txt" }, root);
    await typeBefore("a.txt", "first", "one\n");
    const handlers: Record<string, (event: object, place: object) => Promise<object | undefined>> = {};
    process.env.MULTI_EDIT_PROGRAM = join(bin, "multi-edit");
    const on = (event: string, handler: (event: never, place: never) => Promise<object | undefined>) => {
      handlers[event] = handler as never;
    };
    multiEdit({ registerTool: () => undefined, on });
    const event = toolName === "write" ? "tool_call" : "tool_result";
    const input = { path: "a.txt", content: "", offset: 2, limit: 1 };
    const answer = await handlers[event]?.({ toolName, input }, { cwd: root });
    expect(JSON.stringify(answer)).toContain("unsaved changes");
    await run("edit", { path: "a.txt", edits: [{ oldText: "one", newText: "two" }] }, root);
    expect(texts()["a.txt"]).toBe("one\nfirst\ntwo\n");
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
    const wrong = patch.replace("-one", "-none");
    expect(await run(wrong)).toMatchObject({ code: 1, stderr: expect.stringMatching(/correct the edits .+\n$/) });
  });
});

describe("the lines to paste", () => {
  const [page, hooks] = ["README.md", "hooks.md"].map((name) =>
    readFileSync(new URL(`../../client-samples/agents/${name}`, import.meta.url), "utf8"),
  ) as [string, string];
  const blocks = [...`${page}${hooks}`.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, kind = "", text = ""]) => ({
    kind,
    text,
  }));
  const setup = (name: string): string =>
    execFileSync(process.execPath, [program.path, "setup", name], {
      encoding: "utf8",
      env: { ...process.env, PATH: `${makeDirectory({ "multi-edit": "" })}${delimiter}${process.env.PATH}` },
    });

  const headings = columnNames.map((name) => [name, allAgents[name].title] as const);

  it.each(headings)("of %s are those that setup prints, with their explanations", (name, heading) => {
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

  it.each(["agents", "pi"])("for the models, on the page of %s, are the MCP server's instructions", (name) => {
    const text = readFileSync(new URL(`../../client-samples/${name}/README.md`, import.meta.url), "utf8");
    const [, lines = ""] = /^```markdown\n([\s\S]*?)^```$/m.exec(text) ?? [];
    const { instructions } = toolSentences;
    const patchOfPi = 'edit takes a patch instead, as {"patch"}.';
    const expected =
      name === "pi"
        ? instructions.replace("multi_edit", "edit").replace("apply_patch takes a patch instead.", patchOfPi)
        : instructions;
    expect(lines.replace(/\s+/g, " ").trim()).toBe(expected.replace(/\s+/g, " "));
  });

  it("for the hooks are those of the plugins and the extension", () => {
    const unit = (name: string): { hooks: Record<string, { matcher: string; hooks: object[] }[]> } =>
      JSON.parse(
        readFileSync(new URL(`../../client-samples/agents/${name}/hooks/hooks.json`, import.meta.url), "utf8"),
      );
    const json = blocks.filter(({ kind }) => kind === "json").map(({ text }) => JSON.parse(text) as object);
    expect(json).toContainEqual(unit("claude"));
    expect(json).toContainEqual(unit("gemini"));
    const manifest = new URL("../../client-samples/agents/gemini/qwen-extension.json", import.meta.url);
    const { hooks: own, mcpServers } = JSON.parse(readFileSync(manifest, "utf8")) as Record<string, object>;
    expect(json).toContainEqual({ hooks: own });
    expect(json).toContainEqual({ mcpServers });
    const toml = blocks.map(({ text }) => text).find((text) => text.startsWith("[[hooks.PreToolUse]]")) ?? "";
    const values = (text: string): string[] =>
      [...text.matchAll(/"?(?:matcher|type|command)"? *[=:] *"([^"]*)"/g)].map(([, one = ""]) => one);
    expect(values(toml)).toHaveLength(6);
    expect(values(toml)).toEqual(values(JSON.stringify(unit("codex"))));
  });

  it("name the number of tokens that the tools cost", async () => {
    const { client } = await startAgent(program, makeDirectory({}));
    const { tools } = await client.listTools();
    const costOf = (announced: typeof tools): number =>
      tokensOf(
        announced
          .map(({ name, description, inputSchema }) => JSON.stringify({ name, description, inputSchema }))
          .join(""),
      );
    const loaded = tools.filter(({ _meta: meta }) => meta?.["anthropic/alwaysLoad"] === true);
    expect([tools.length, tools.length - loaded.length]).toEqual([6, 4]);
    expect(Math.round(costOf(tools) / 500) * 500).toBe(1_500);
    expect(costOf(loaded) / costOf(tools)).toBeCloseTo(0.5, 1);
    expect(page.match(/about [\d,]+ tokens in each request/g)).toEqual(
      Array(2).fill("about 1,500 tokens in each request"),
    );
  });

  it("are valid JSON if they are labelled as JSON", () => {
    const json = blocks.filter(({ kind }) => kind === "json");
    expect(json.length).toBeGreaterThan(3);
    for (const { text } of json) expect(() => JSON.parse(text)).not.toThrow();
  });
});

describe("the package for Emacs", () => {
  it("has no function twice: the later one would silently replace the other", () => {
    const folder = fileURLToPath(new URL("../../client-samples/emacs/", import.meta.url));
    const files = readdirSync(folder).filter((name) => name.endsWith(".el"));
    const text = files.map((name) => readFileSync(join(folder, name), "utf8")).join("\n");
    const names = [...text.matchAll(/^\((?:cl-)?defun (\S+)/gm)].map(([, name = ""]) => name);
    expect(names.length).toBeGreaterThan(100);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });
});
