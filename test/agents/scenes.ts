/** Scenes that every agent goes through: its conversation with a scripted model, beside an editor with unsaved text. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { agentVariables } from "../../server/agents/agents.js";
import type { AgentKind, ToolName } from "./agent.js";
import type { Conversation, HookForm } from "./stage.js";
import type { OpenTexts, SceneEditor, Theatre } from "./theatre.js";
import { tokensOf } from "./tokens.js";

/** One scene; its outcome is a cell of the table. */
export interface Scene {
  /** The row of the table. */
  readonly name: string;
  /** The form of the hook that is set up; `undefined` for none, and for an agent that may not use its own tools unasked. */
  readonly hook?: HookForm;
  /** Plays the scene; returns the cell. */
  run(theatre: Theatre): Promise<string>;
}

/** The cell of a scene in which everything happened as it should. */
const done = "yes";

const saved = "const rate = 0.19;\nconst name = 'tax';\n";
const unsaved = `// typed\n${saved}`;
const low = "export const low = 0.07;\n";
const files = { "price.ts": saved, "sub/tax.ts": low };
const open: OpenTexts = { "price.ts": unsaved, "sub/tax.ts": low.replace(";", "; // typed") };

const batch = {
  edits: [
    { path: "price.ts", oldText: "rate = 0.19", newText: "rate = 0.2" },
    { path: "sub/tax.ts", oldText: "low = 0.07", newText: "low = 0.05" },
  ],
};
const batchDone = { "price.ts": unsaved.replace("0.19", "0.2"), "sub/tax.ts": "export const low = 0.05; // typed\n" };
const oneEdit = { edits: [batch.edits[0]] };
const failing = { edits: [batch.edits[0], { path: "sub/tax.ts", oldText: "low = 0.08", newText: "low = 0.05" }] };
const patch = [
  "*** Begin Patch",
  "*** Update File: price.ts",
  "@@",
  "-const rate = 0.19;",
  "+const rate = 0.2;",
  "*** Add File: new.ts",
  "+export {};",
  "*** End Patch",
].join("\n");

/** The cell of an agent whose mode forbids edits: its refusal, after a check that nothing has changed. */
async function refusal(kind: AgentKind, editor: SceneEditor, call: () => Promise<string>): Promise<string> {
  const before = editor.texts();
  const answer = await call();
  expect(editor.texts()).toEqual(before);
  expect(answer).toMatch(kind.refuses!);
  return "refused by the agent";
}

/** Calls a tool that edits files in a fresh project, and checks the texts; returns the cell. */
async function editInEditor(
  { stage: { kind }, lay, openEditor, converse }: Theatre,
  tool: ToolName,
  args: object,
  check: (editor: SceneEditor, answer: string) => string,
): Promise<string> {
  if (!kind.tools.includes(tool)) return "no such tool";
  lay(files);
  const editor = await openEditor(open);
  return converse(async ({ call }) => {
    if (kind.refuses !== undefined) return refusal(kind, editor, () => call(tool, args));
    return check(editor, await call(tool, args));
  });
}

/** Reads a document to its end, as an answer says how to go on; returns the text and the number of calls. */
async function readToEnd({ call }: Conversation, path: string): Promise<{ text: string; calls: number }> {
  let text = "";
  let startLine: number | undefined = 1;
  let calls = 0;
  while (startLine !== undefined) {
    const answer: string = await call("read_document", startLine === 1 ? { path } : { path, startLine });
    calls++;
    const [, first, , next] = /^Lines (\d+) to (\d+) of \d+.*?(?:startLine (\d+))?\.?\n+/.exec(answer) ?? [];
    expect(Number(first), answer.slice(0, 200)).toBe(startLine);
    // Between the note, which ends with a line ending, and the text, an agent puts up to two more.
    text += answer.slice(answer.indexOf("\n") + 1).replace(/^\n{1,2}/, "");
    startLine = next === undefined ? undefined : Number(next);
  }
  return { text, calls };
}

export const scenes: readonly Scene[] = [
  {
    name: "the first request describes the tools",
    async run({ stage: { kind }, lay, openEditor, converse }) {
      lay(files);
      await openEditor(open);
      const names = await converse(async ({ first }) => kind.declared(first));
      expect(names).toEqual(kind.tools);
      return names.length === 6 ? done : `yes: ${names.join(", ")}`;
    },
  },
  {
    name: "the file in which it finds the lines for the model",
    async run({ stage: { kind }, lay, openEditor, converse }) {
      const page = new URL(`../../client-samples/${kind.setup === "pi" ? "pi" : "agents"}/README.md`, import.meta.url);
      const lines = /^```markdown\n([\s\S]*?)^```$/m.exec(readFileSync(page, "utf8"))?.[1] ?? "";
      expect(lines).toMatch(/^Edit files with /);
      lay({ ...files, [kind.projectFile]: `Rules of this project:\n${lines}` });
      await openEditor(open);
      const { system, said } = await converse(async ({ first }) => first);
      expect([system, ...said].join("\n")).toContain(`Rules of this project:\n${lines.trimEnd()}`);
      return kind.projectFile;
    },
  },
  {
    name: "reads unsaved text",
    async run({ lay, openEditor, converse }) {
      lay(files);
      await openEditor(open);
      const answer = await converse(({ call }) => call("read_document", { path: "price.ts" }));
      expect(answer).toContain("unsaved");
      expect(answer).toContain(unsaved.trimEnd());
      return done;
    },
  },
  {
    name: "edits two files in one call, and keeps unsaved text",
    run: (theatre) =>
      editInEditor(theatre, "multi_edit", batch, (editor) => {
        expect(editor.texts()).toEqual(batchDone);
        expect(theatre.disk()).toEqual(files);
        return done;
      }),
  },
  {
    name: "applies a patch that also adds a file",
    run: (theatre) =>
      editInEditor(theatre, "apply_patch", { patch }, (editor) => {
        expect(editor.texts()["price.ts"]).toBe(batchDone["price.ts"]);
        expect(theatre.disk()["new.ts"]).toBe("export {};\n");
        return done;
      }),
  },
  {
    name: "gets the whole message of a call that fails, and nothing changes",
    run: (theatre) =>
      editInEditor(theatre, "multi_edit", failing, (editor, answer) => {
        expect(editor.texts()).toEqual({ ...open });
        expect(answer).toContain(theatre.messageOf(failing));
        return done;
      }),
  },
  {
    name: "tokens of the answer to an edit in each of two files",
    run: (theatre) =>
      editInEditor(theatre, "multi_edit", batch, (_, answer) => {
        expect(tokensOf(answer)).toBeLessThanOrEqual(40);
        return String(tokensOf(answer));
      }),
  },
  {
    name: "undoes its own last edit, and keeps unsaved text",
    async run({ stage: { kind }, lay, openEditor, converse }) {
      if (!kind.tools.includes("undo_last_edit")) return "no such tool";
      lay(files);
      const editor = await openEditor(open);
      return converse(async ({ call }) => {
        await call("multi_edit", batch);
        expect(editor.texts()).toEqual(batchDone);
        await call("undo_last_edit", {});
        expect(editor.texts()).toEqual({ ...open });
        return done;
      });
    },
  },
  {
    name: "reads what the user says of its edit in its next answer, once",
    async run({ stage: { kind }, lay, openEditor, converse }) {
      if (!kind.tools.includes("multi_edit")) return "no such tool";
      lay(files);
      const editor = await openEditor(open, { reviews: true });
      return converse(async ({ call }) => {
        await call("multi_edit", batch);
        await editor.comment("sub/tax.ts", 0, "use cents");
        const answer = await call("multi_edit", { edits: [{ ...batch.edits[0], oldText: "0.2", newText: "0.21" }] });
        expect(answer).toMatch(/^Since your last edit, the user says of sub\/tax\.ts:1: "use cents"\.\n/);
        expect(editor.texts()["price.ts"]).toContain("0.21");
        expect(await call("multi_edit", oneEdit)).not.toContain("use cents");
        return done;
      });
    },
  },
  {
    name: "shows the diff of a preview",
    async run({ stage: { kind }, lay, openEditor, converse }) {
      if (!kind.tools.includes("preview_edits")) return "no such tool";
      lay(files);
      const editor = await openEditor(open);
      const answer = await converse(({ call }) => call("preview_edits", batch));
      expect(answer).toContain("-const rate = 0.19;\n+const rate = 0.2;\n");
      expect(editor.texts()).toEqual({ ...open });
      return done;
    },
  },
  {
    name: "is told if no editor has the file and it was changed on disk",
    async run({ stage: { kind }, lay, openEditor, converse, disk }) {
      lay(files);
      const editor = await openEditor({ "price.ts": unsaved });
      const edit = { edits: [batch.edits[1]] };
      return converse(async ({ call }) => {
        if (kind.refuses !== undefined) return refusal(kind, editor, () => call("multi_edit", edit));
        expect(await call("multi_edit", edit)).toMatch(/on disk/);
        expect(disk()["sub/tax.ts"]).toBe("export const low = 0.05;\n");
        return done;
      });
    },
  },
  {
    name: "sets a variable for its commands, by which an undo that it types is known as the agent's",
    async run({ converse }) {
      // A sandbox that the user can switch off does not count.
      const lasting = agentVariables.filter((name) => !name.startsWith("CODEX_SANDBOX"));
      const setIn = (environment: string): string[] =>
        lasting.filter((name) => new RegExp(`(?:^|\\W|\\\\n)${name}=\\w`, "m").test(environment));
      await converse(async ({ run }) => {
        // A busy machine may make an agent lose what a command prints just before it ends.
        const first = await run("env");
        const environment = setIn(first).length > 0 ? first : `${first}\n${await run("env")}`;
        expect(setIn(environment), environment).not.toEqual([]);
      });
      return done;
    },
  },
  {
    name: "calls in which it reads 80,000 characters to their end",
    async run({ lay, openEditor, converse }) {
      const text = Array.from({ length: 1_000 }, (_, i) => `line ${i} ${"x".repeat(72)}\n`).join("");
      lay({ "long.txt": text });
      await openEditor({ "long.txt": text });
      const read = await converse((conversation) => readToEnd(conversation, "long.txt"));
      expect(read.text.trimEnd()).toBe(text.trimEnd());
      return String(read.calls);
    },
  },
  {
    name: "started below the root: the paths of an answer are arguments of the next call",
    async run({ stage: { kind }, root, lay, openEditor, converse }) {
      lay(files);
      const editor = await openEditor(open);
      return converse(
        async ({ call }) => {
          if (kind.refuses !== undefined) return refusal(kind, editor, () => call("multi_edit", oneEdit));
          const answer = await call("multi_edit", {
            edits: [
              { path: "tax.ts", oldText: "0.07", newText: "0.05" },
              { ...batch.edits[0], path: "../price.ts" },
            ],
          });
          for (const [, path = ""] of answer.matchAll(/(\S+\.ts)\b/g)) {
            expect(await call("read_document", { path }), path).toContain("// typed");
          }
          expect(editor.texts()).toEqual(batchDone);
          return done;
        },
        join(root, "sub"),
      );
    },
  },
  {
    name: "finds an editor that starts later",
    async run({ stage: { kind }, lay, openEditor, converse }) {
      lay(files);
      return converse(async ({ call }) => {
        await call("read_document", { path: "price.ts" });
        const editor = await openEditor(open);
        if (kind.refuses !== undefined) return refusal(kind, editor, () => call("multi_edit", batch));
        await call("multi_edit", batch);
        expect(editor.texts()).toEqual(batchDone);
        return done;
      });
    },
  },
  ...(["quits", "is killed"] as const).map(
    (end): Scene => ({
      name: `changes the disk after the editor ${end}, and is told so`,
      async run({ stage: { kind }, lay, openEditor, converse, disk }) {
        if (kind.refuses !== undefined) return "can't edit";
        lay(files);
        const editor = await openEditor(open);
        return converse(async ({ call }) => {
          expect(await call("multi_edit", oneEdit)).not.toMatch(/on disk/);
          await (end === "quits" ? editor.quit() : editor.kill());
          expect(await call("multi_edit", oneEdit)).toMatch(/on disk/);
          expect(disk()["price.ts"]).toBe(saved.replace("0.19", "0.2"));
          return done;
        });
      },
    }),
  ),
];
