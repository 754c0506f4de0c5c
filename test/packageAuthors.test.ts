/** The parts of the package for authors of agents: a type for each shape, and the client for the sockets. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { announced, ownStateHome } from "./support/agentPeer.js";
import { runCommand } from "./support/commands.js";
import { makeDirectory } from "./support/directory.js";
import { startEditor } from "./support/fakeEditor.js";
import { manifest, runTypeScript, type Unpacked, unpackPackage } from "./support/packed.js";

let packed: Unpacked;
let consumer = "";

beforeAll(() => {
  packed = unpackPackage();
  consumer = packed.consumer("author");
});

afterAll(() => packed.remove());

describe("the protocol", () => {
  it.each(["shapes.mts", "shapes.cts"])(
    "has a type for each shape, in which a misspelled field does not compile: %s",
    (name) => {
      const good = [
        [
          "BatchCall",
          '{ path: "a", edits: [{ oldText: "a", newText: "b", line: 3 }, { path: "c", oldText: "a", newText: "b", replaceAll: true, expectedCount: 2 }] }',
        ],
        [
          "BatchCall",
          '{ edits: [{ path: "a", oldText: "a", newText: "b", occurrence: null }], options: { label: "x" } }',
        ],
        ["PiListCall", '{ multi: [{ path: "a", oldText: "a", newText: "b" }] }'],
        [
          "PiListCall",
          '{ path: null, oldText: null, newText: null, multi: [{ path: "a", oldText: "a", newText: "b" }] }',
        ],
        ["PiEditCall", '{ path: "a", oldText: "a", newText: "b", multi: [] }'],
        ["MultiEditCall", '{ file_path: "a", edits: [{ old_string: "a", new_string: "b", replace_all: false }] }'],
        ["MultiEditCall", '{ file_path: "a", old_string: "a", new_string: "b" }'],
        ["EditFileCall", '{ path: "a", edits: [{ oldString: "a", newString: "b", replaceAll: true }] }'],
        ["EditFileCall", '{ path: "a", oldString: "a", newString: "b" }'],
        ["PatchCall", '{ patch: "*** Begin Patch" }'],
        ["ForwardedCall", '{ filePath: "a", anything: 3 }'],
      ];
      const wrong = [
        ["BatchCall", '{ edits: [{ path: "a", oldTxet: "a", newText: "b" }] }'],
        ["BatchCall", '{ edits: [{ path: "a", oldText: "a", newText: "b", repalceAll: true }] }'],
        ["BatchCall", '{ edits: [{ pathh: "a", oldText: "a", newText: "b" }] }'],
        ["BatchCall", '{ edits: [{ path: "a", oldText: "a" }] }'],
        ["PiEditCall", '{ pathh: "a", oldText: "a", newText: "b" }'],
        ["MultiEditCall", '{ filepath: "a", old_string: "a", new_string: "b" }'],
        ["EditFileCall", '{ path: "a", oldString: "a", new_string: "b" }'],
        ["PatchCall", '{ pacth: "*** Begin Patch" }'],
        ["MultiEditParams", '{ pathh: "a", oldTxet: 3 }'],
        ["MultiEditParams", '{ edits: [{ path: "a", oldTxet: "a", newText: "b" }] }'],
        ["MultiEditParams", '{ path: "a", oldText: "a", newText: "b", options: { atmic: "all" } }'],
        ["MultiEditParams", "3"],
      ];
      const all = good.filter(([type]) => type !== "ForwardedCall");
      const source = [
        `import type * as protocol from "${manifest.name}/protocol";`,
        ...good.map(([type, value], index) => `export const good${index}: protocol.${type} = ${value};`),
        ...all.map(([, value], index) => `export const any${index}: protocol.MultiEditParams = ${value};`),
        ...wrong.map(
          ([type, value], index) => `// @ts-expect-error\nexport const wrong${index}: protocol.${type} = ${value};`,
        ),
      ];
      writeFileSync(join(consumer, name), source.join("\n"));
      expect(runTypeScript(name, consumer)).toBe("");
    },
  );
});

describe("the client for agents", () => {
  /** The example on the protocol page. */
  const example = (): string => {
    const page = readFileSync(join(packed.path, "server/PROTOCOL.md"), "utf8");
    return /^```js agent\n([\s\S]*?)^```$/m.exec(page)?.[1] ?? "";
  };

  /** An editor that has `src/price.ts` open, with unsaved text. */
  async function openPrice() {
    const home = ownStateHome();
    const work = makeDirectory({ "src/price.ts": "export const rate = 0.19;\n" });
    const server = [process.execPath, join(packed.path, "dist/main.cjs"), "--stdio"] as const;
    const editor = await startEditor({ server, folders: [work], clientInfo: { name: "Tester", version: "1" } });
    const uri = pathToFileURL(join(work, "src/price.ts")).href;
    await editor.open({ uri, text: "// mine\nexport const rate = 0.19;\n" });
    await announced(home);
    return { work, editor, uri };
  }

  const imports = (code: string): string => {
    const path = pathToFileURL(join(consumer, "node_modules", manifest.name, "dist/client.js")).href;
    return code.replace(`"${manifest.name}/client"`, JSON.stringify(path));
  };

  it("works as the example on the protocol page says", async () => {
    const { work, editor, uri } = await openPrice();
    writeFileSync(join(work, "agent.mjs"), imports(example()));
    const { code, stdout, stderr } = await runCommand({ path: join(work, "agent.mjs") }, [], { cwd: work });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("-export const rate = 0.19;\n+export const rate = 0.2;\n");
    expect(editor.documents.get(uri)?.text).toBe("// mine\nexport const rate = 0.2;\n");
    await editor.stop();
  });

  it("sends all requests, reports failures as errors, and finds nothing if no editor has the file", async () => {
    const { work, editor } = await openPrice();
    const script = `
      import { listSessions, MultiEditError, openSession } from "${manifest.name}/client";
      const client = { name: "tester", agent: "r2" };
      const session = await openSession({ client, directory: ${JSON.stringify(work)}, files: ["src/price.ts"] });
      const call = { path: "src/price.ts", oldText: "0.19", newText: "0.2" };
      const lines = [session.editor, (await listSessions({ client })).length];
      lines.push((await session.read({ path: "src/price.ts", startLine: 1, endLine: 1 })).text);
      lines.push((await session.preview(call)).outcome, (await session.apply(call, { label: "mine" })).label);
      const failure = await session.apply({ ...call, oldText: "none" }).catch((error) => error);
      lines.push(failure instanceof MultiEditError, failure.failures[0].code, failure.isUnknown);
      lines.push((await session.undo()).outcome, (await session.status()).transactions[0].by);
      const cancelled = await session.apply(call, { signal: AbortSignal.abort() }).catch((error) => error.failures[0].code);
      lines.push(cancelled);
      session.close();
      lines.push(await openSession({ client, directory: "/", files: ["/nowhere/a.ts"] }) === undefined);
      lines.push(await openSession({ client, session: "none" }).catch((error) => error.failures[0].code));
      process.stdout.write(JSON.stringify(lines));
    `;
    writeFileSync(join(work, "agent.mjs"), imports(script));
    const { stdout, stderr } = await runCommand({ path: join(work, "agent.mjs") }, [], { cwd: work });
    expect([stderr, JSON.parse(stdout || "null")]).toEqual([
      "",
      [
        ...["Tester 1", 1, "// mine\n", "proposed", "mine", true, "noMatch", false, "applied"],
        ...[{ name: "tester", agent: "r2" }, "cancelled", true, "noSession"],
      ],
    ]);
    await editor.stop();
  });

  it.each(["client.mts", "client.cts"])("type-checks in %s", (name) => {
    const source = `
      import { type EditorSession, MultiEditError, openSession } from "${manifest.name}/client";
      import type { BatchCall } from "${manifest.name}/protocol";

      export async function edit(call: BatchCall): Promise<string | undefined> {
        const session: EditorSession | undefined = await openSession({ client: { name: "agent" } });
        // @ts-expect-error a field is misspelled
        await session?.undo({ transactoin: "1" });
        try {
          return (await session?.apply(call, { save: "always" }))?.diff;
        } catch (error) {
          return error instanceof MultiEditError ? error.failures[0]?.code : undefined;
        }
      }
    `;
    writeFileSync(join(consumer, name), source);
    expect(runTypeScript(name, consumer)).toBe("");
  });
});
