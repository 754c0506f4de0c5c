/** pi's extension in the real pi: its types, the calls that pi lets through, and what the user sees. */
import { execFileSync } from "node:child_process";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { announced, stateHome } from "../support/agentPeer.js";
import { makeDirectory } from "../support/directory.js";
import { runTypeScript } from "../support/packed.js";
import { builtServer } from "../support/wireServer.js";
import { pi } from "./kinds.js";
import { absence, alone, layStage, versionOf } from "./stage.js";
import { layTheatre, type SceneEditor, type Theatre } from "./theatre.js";

const reason = absence(pi);
const extension = fileURLToPath(new URL("../../client-samples/pi/multiEdit.ts", import.meta.url));
const modules = join(process.env.AGENTS_ROOT ?? "", "pi/node_modules");

if (reason === undefined) {
  const name = `pi ${versionOf(pi)}`;
  describe(`${name}, its types and its screen`, describeLibrary);
  describe(`${name}, its calls`, { timeout: 120_000 }, describeCalls);
} else it("the extension in pi: not available", () => expect(process.env.REQUIRE_AGENTS, reason).not.toBe("1"));

function describeLibrary(): void {
  it("accepts the extension's types", () => {
    const folder = makeDirectory({
      "use.ts": `
        import type { ExtensionFactory } from "@earendil-works/pi-coding-agent";
        import multiEdit from "./multiEdit.js";
        export const factory: ExtensionFactory = multiEdit;
        // @ts-expect-error pi passes an object
        export const wrong: (pi: string) => void = multiEdit;
      `,
      "multiEdit.ts": readFileSync(extension, "utf8"),
      "piTypes.ts": readFileSync(join(extension, "../piTypes.ts"), "utf8"),
      "package.json": '{ "type": "module" }',
    });
    symlinkSync(modules, join(folder, "node_modules"));
    expect(runTypeScript("use.ts", folder, "--skipLibCheck", "--exactOptionalPropertyTypes")).toBe("");
  });

  it("shows the files of a call, its diff and the server's failure, in lines that fit", () => {
    const shown = (result: object | undefined, width: number): string => screenOf({ edits, result }, width);
    const edits = ["src/a.ts", "src/b.ts"].map((path) => ({ path, oldText: "x", newText: "y" }));
    expect(shown(undefined, 60)).toBe("edit src/a.ts, src/b.ts");
    const diff = `src/a.ts\n-   1 ${"漢".repeat(40)}\n+   1 y\u001b[2J\nsrc/b.ts\n-   1 x\n+   1 y`;
    const content = [{ type: "text", text: "M src/a.ts, saved\nM src/b.ts, not saved" }];
    const done = shown({ content, details: { diff, patch: "" }, isError: false }, 60);
    expect(done.split("\n")).toEqual([
      "edit src/a.ts, src/b.ts",
      "M src/a.ts, saved",
      "M src/b.ts, not saved",
      "src/a.ts",
      `-   1 ${"漢".repeat(26)}`,
      "漢".repeat(14),
      "+   1 y[2J",
      "src/b.ts",
      "-   1 x",
      "+   1 y",
    ]);
    const failed = [{ type: "text", text: "The old text of edit 0 was not found." }];
    expect(shown({ content: failed, isError: true }, 60).split("\n").slice(1)).toEqual([failed[0]?.text]);
    for (const width of [12, 20, 33]) shown({ content, details: { diff, patch: "" }, isError: false }, width);
  });
}

/** Ends what a test has laid. */
const endings: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0)) await end();
});

/** Lays a project whose file is open, with unsaved text. */
async function layProject(
  text: string,
): Promise<{ theatre: Theatre; editor: SceneEditor; textNow: () => string; state: string }> {
  const stage = await layStage(pi, builtServer);
  stateHome(stage.state);
  const theatre = layTheatre(stage, builtServer);
  endings.push(() => theatre.close(), stage.close);
  theatre.lay({ "sub/a.ts": "" });
  const editor = await theatre.openEditor({ "sub/a.ts": text });
  return { theatre, editor, textNow: () => editor.texts()["sub/a.ts"]!, state: stage.state };
}

/** Waits until the editor has announced that it has unsaved text in a file. */
async function untilAnnounced(state: string, path: string): Promise<void> {
  await expect
    .poll(async () => (await announced(state)).map((one) => (one as { unsaved?: string[] }).unsaved), {
      timeout: 10_000,
    })
    .toEqual([[path]]);
}

function describeCalls(): void {
  it("lets every call through that its own tool takes, and those of other tools", async () => {
    const { theatre, textNow } = await layProject("0\n");
    const calls: ((oldText: string, newText: string) => object)[] = [
      (oldText, newText) => ({ path: "sub/a.ts", edits: [{ oldText, newText }] }),
      (oldText, newText) => ({ path: "sub/a.ts", edits: JSON.stringify([{ oldText, newText }]) }),
      (oldText, newText) => ({ path: "sub/a.ts", edits: JSON.stringify({ oldText, newText }) }),
      (oldText, newText) => ({ path: "sub/a.ts", edits: { oldText, newText } }),
      (oldText, newText) => ({ path: "sub/a.ts", oldText, newText }),
      (oldText, newText) => ({ path: "@sub/a.ts", oldText, newText, edits: [] }),
      (oldText, newText) => ({ path: null, edits: [{ path: "sub/a.ts", oldText, newText }] }),
      (oldText, newText) => ({ file_path: "sub/a.ts", old_string: oldText, new_string: newText }),
      (oldText, newText) => ({ input: patchOf(oldText, newText) }),
      (oldText, newText) => ({ patch: patchOf(oldText, newText), description: "more" }),
    ];
    await theatre.converse(async ({ call }) => {
      for (const [index, args] of calls.entries()) {
        const answer = await call("multi_edit", args(`${index}`, `${index + 1}`));
        expect(textNow(), `${JSON.stringify(args("a", "b"))}: ${answer}`).toBe(`${index + 1}\n`);
      }
      for (const args of [{ path: "@sub/a.ts" }, { file_path: "sub/a.ts", offset: 1, limit: 1 }]) {
        expect(await call("read_document", args)).toContain(`including unsaved changes.\n${calls.length}\n`);
      }
      expect(await call("multi_edit", {})).toBe(theatre.messageOf({}));
    });
  });

  it("keeps pi's read and write away from unsaved text, and from no other file", async () => {
    const { theatre, textNow } = await layProject("// typed\none\n");
    theatre.lay({ "b.ts": "on disk\n" });
    await theatre.converse(async ({ callOwn }) => {
      const write = (path: string) => callOwn({ tool: "write", arguments: { path, content: "new\n" } });
      const readOwn = (path: string, offset = 1, limit = 2) =>
        callOwn({ tool: "read", arguments: { path, offset, limit } });
      expect(await readOwn("sub/a.ts")).toContain("including unsaved changes.\n// typed\none\n");
      expect(await readOwn("sub/a.ts", 0, 0)).toContain("including unsaved changes.\n// typed\n");
      expect(await write("@sub/a.ts")).toMatch(
        /sub\/a\.ts", which has unsaved changes in the user's editor\. .* parts of the text with edit;/,
      );
      expect(await readOwn("b.ts")).toBe("on disk\n");
      expect(await write("b.ts")).not.toContain("editor");
      expect(await write("c.ts")).not.toContain("editor");
    });
    expect(textNow()).toBe("// typed\none\n");
    expect(theatre.disk()).toEqual({ "sub/a.ts": "", "b.ts": "new\n", "c.ts": "new\n" });
  });

  it("keeps pi's write away from unsaved text in an editor that can't be asked, and from no other file", async () => {
    const { theatre, editor, state } = await layProject("// typed\none\n");
    await untilAnnounced(state, join(theatre.root, "sub/a.ts"));
    editor.suspend();
    await theatre.converse(async ({ callOwn }) => {
      const write = (path: string) => callOwn({ tool: "write", arguments: { path, content: "new\n" } });
      expect(await write("sub/a.ts")).toMatch(/a\.ts" has unsaved changes in the editor .* did not answer within /);
      expect(await write("sub/new.ts")).not.toContain("editor");
    });
    expect(theatre.disk()).toEqual({ "sub/a.ts": "", "sub/new.ts": "new\n" });
  });

  it("finds all edits of a call in the text before it", async () => {
    const { theatre, textNow } = await layProject("one\ntwo\n");
    const edits = [
      { oldText: "one", newText: "two" },
      { oldText: "two", newText: "three" },
    ];
    await theatre.converse(({ call }) => call("multi_edit", { path: "sub/a.ts", edits }));
    expect(textNow()).toBe("two\nthree\n");
  });
}

const patchOf = (oldText: string, newText: string): string =>
  `*** Begin Patch\n*** Update File: sub/a.ts\n@@\n-${oldText}\n+${newText}\n*** End Patch`;

/** The lines of a call in pi's own view of a tool, without colours; fails if one of them is wider than the screen. */
function screenOf(call: { readonly edits: object; readonly result: object | undefined }, width: number): string {
  const dist = join(modules, "@earendil-works/pi-coding-agent/dist");
  const script = `
    const [component, theme, loader, renderers, tui] = await Promise.all([
      import("${dist}/modes/interactive/components/tool-execution.js"),
      import("${dist}/modes/interactive/theme/theme.js"),
      import("${dist}/core/extensions/loader.js"),
      import("${dist}/core/tools/renderers/index.js"),
      import("${modules}/@earendil-works/pi-tui/dist/index.js"),
    ]);
    theme.initTheme("dark");
    const { extensions, errors } = await loader.loadExtensions([${JSON.stringify(extension)}], "/");
    if (errors.length > 0) throw new Error(JSON.stringify(errors));
    const tool = renderers.withBuiltInRenderers("edit", extensions[0].tools.get("edit").definition);
    const { edits, result } = ${JSON.stringify(call)};
    const view = new component.ToolExecutionComponent("edit", "1", { edits }, {}, tool, { requestRender() {} }, "/");
    if (result !== undefined) view.updateResult(result);
    const lines = view.render(${width});
    if (lines.some((line) => tui.visibleWidth(line) > ${width})) throw new Error("too wide");
    console.log(lines.join("\\n"));
  `;
  const node = join(modules, ".bin/node");
  const [program, args] = alone([node, "--input-type=module", "--eval", script]);
  const screen = execFileSync(program, args, {
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: "/nonexistent" },
  });
  const colours = new RegExp(`${String.fromCodePoint(27)}\\[[\\d;]*m`, "g");
  const lines = screen.replace(colours, "").split("\n");
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join("\n");
}
