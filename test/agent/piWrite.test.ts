/** pi's own tool `write` beside our extension: which files it is kept away from, and which ones it may write. */
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import multiEdit from "../../client-samples/pi/multiEdit.js";
import { announced } from "../support/agentPeer.js";
import { makeDirectory } from "../support/directory.js";
import { layProject, program } from "../support/hookEvents.js";

type Handler = (event: object, place: object) => Promise<{ block: boolean; reason: string } | undefined>;

/** Returns the function by which pi asks the extension about a write of a file. */
function writer(root: string): (path: string) => ReturnType<Handler> {
  const bin = makeDirectory({ "multi-edit": `#!/bin/sh\nexec '${process.execPath}' '${program.path}' "$@"\n` });
  chmodSync(join(bin, "multi-edit"), 0o755);
  process.env.MULTI_EDIT_PROGRAM = join(bin, "multi-edit");
  onTestFinished(() => void delete process.env.MULTI_EDIT_PROGRAM);
  const handlers: Record<string, Handler> = {};
  const on = (event: string, handler: (event: never, place: never) => Promise<object | undefined>): void => {
    handlers[event] = handler as never;
  };
  multiEdit({ registerTool: () => undefined, on });
  return async (path) => handlers.tool_call?.({ toolName: "write", input: { path, content: "new" } }, { cwd: root });
}

async function untilUnsaved(home: string, paths: readonly string[]): Promise<void> {
  await expect
    .poll(async () => (await announced(home)).map((one) => (one as { unsaved?: string[] }).unsaved), {
      timeout: 10_000,
    })
    .toEqual([paths]);
}

describe("pi's write", () => {
  it("is turned away from unsaved text, with the names of our tools, and left alone otherwise", async () => {
    const { root } = await layProject();
    const write = writer(root);
    for (const path of ["price.ts", "@price.ts", join(root, "price.ts")]) {
      const reason = `This tool would replace the whole text of "${join(root, "price.ts")}", which has unsaved changes in the user's editor. Nothing was changed. To keep these changes, replace parts of the text with edit; read_document returns it. Or ask the user to save or discard the changes.`;
      expect(await write(path)).toEqual({ block: true, reason });
    }
    for (const path of ["saved.ts", "@closed.ts", "new.ts", "../new.ts"])
      expect(await write(path), path).toBeUndefined();
  });

  it("is turned away from a notebook with unsaved cells", async () => {
    const { root, editor } = await layProject();
    const write = writer(root);
    const path = join(root, "a.ipynb");
    writeFileSync(path, "{}");
    expect(await write("a.ipynb")).toBeUndefined();
    const uri = pathToFileURL(path).href.replace("file:", "vscode-notebook-cell:");
    await editor.open({ uri: `${uri}#X0`, text: "print(1)\n" });
    expect(await write("a.ipynb")).toMatchObject({
      block: true,
      reason: expect.stringMatching(/a\.ipynb" is open in Desk/),
    });
    expect(readFileSync(path, "utf8")).toBe("{}");
  });

  it("is turned away from unsaved text if agents are switched off in the editor, or it does not answer", async () => {
    const off = await layProject({ agent: { enabled: false } });
    await untilUnsaved(off.home, [join(off.root, "price.ts")]);
    const refused = { block: true, reason: expect.stringMatching(/agents are switched off .* Ask the user to save/) };
    expect(await writer(off.root)("price.ts")).toEqual(refused);
    expect(await writer(off.root)("closed.ts")).toBeUndefined();
    const { home, root, editor } = await layProject();
    await untilUnsaved(home, [join(root, "price.ts")]);
    editor.process.kill("SIGSTOP");
    const silent = { block: true, reason: expect.stringContaining("it did not answer within") };
    expect(await writer(root)("price.ts")).toEqual(silent);
    expect(await writer(root)("closed.ts")).toBeUndefined();
  }, 60_000);

  it("is left alone if the program is missing", async () => {
    const { root } = await layProject();
    const write = writer(root);
    process.env.MULTI_EDIT_PROGRAM = join(root, "none");
    expect(await write("price.ts")).toBeUndefined();
  });
});
