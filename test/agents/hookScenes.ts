/** Scenes with the hook: what happens if the model calls the agent's own tools, on files with unsaved text and on others. */
import { join } from "node:path";
import { expect } from "vitest";
import type { OwnTools } from "./agent.js";
import type { Call } from "./protocols.js";
import type { Scene } from "./scenes.js";
import type { Conversation } from "./stage.js";
import type { SceneEditor, SceneUser, Theatre } from "./theatre.js";

const saved = "const rate = 0.19;\nconst name = 'tax';\n";
const unsaved = `// typed\n${saved}`;
const files = { "price.ts": saved, "open.ts": saved, "closed.ts": saved };
const open = { "price.ts": unsaved, "open.ts": saved };
const edit = { oldText: "const rate = 0.19;", newText: "const rate = 0.2;" };
const changed = { ...open, "price.ts": unsaved.replace("0.19", "0.2") };

/** A conversation in which the model calls any tool. */
interface Sending extends Conversation {
  send(call: Call): Promise<string>;
}

/** A conversation with an agent whose own tools may edit files, beside an editor with unsaved text in `price.ts`. */
async function withOwn(
  { stage: { kind }, root, lay, openEditor, converse }: Theatre,
  play: (own: OwnTools, editor: SceneEditor, conversation: Sending, path: (name: string) => string) => Promise<string>,
  user?: SceneUser,
): Promise<string> {
  const { ownTools: own } = kind;
  if (own === undefined) throw new Error(`${kind.name} has no hook`);
  lay(files);
  const editor = await openEditor(open, user);
  return converse((conversation) =>
    play(own, editor, { ...conversation, send: sender(conversation) }, (name) => join(root, name)),
  );
}

/** Returns the function that makes a call, and resolves with its result and with what else the model is then told. */
function sender({ hear }: Conversation): (call: Call) => Promise<string> {
  return async (call) => {
    const { results, said } = await hear(call);
    return [...results.slice(-1), ...said].join("\n");
  };
}

/** Reads a file, as the agent's own rules demand before an edit; checks the text if the agent has a tool for reads. */
async function readFirst(own: OwnTools, { send }: Sending, path: string, line: string): Promise<void> {
  if (own.read !== undefined) expect(await send(own.read(path))).toContain(line);
}

/** Undoes the last call in the editor; nothing of it may be left, neither there nor on disk. */
async function expectUndone(theatre: Theatre, editor: SceneEditor): Promise<void> {
  await editor.undo();
  expect(editor.texts()).toEqual(open);
  expect(theatre.disk()).toEqual(files);
}

const hookNames = { none: "no hook", deny: "hook", apply: "hook --apply" } as const;

/** The scenes with the hook. */
export const hookScenes: readonly Scene[] = [
  {
    name: "hook: its own read returns unsaved text, and names the tool for edits",
    hook: "deny",
    run: (theatre) =>
      withOwn(theatre, async (own, _, { send }, path) => {
        if (own.read === undefined) return "has no tool that reads files";
        const answer = await send(own.read(path("price.ts")));
        expect(answer).toContain("// typed");
        expect(answer).toContain("const name = 'tax';");
        // Our tool may take the place of the agent's own; its answer needs not name another of our tools.
        if (own.isReplaced) expect(answer).toContain(", from the editor, including unsaved changes.");
        else {
          expect(answer).toMatch(/from the user's editor, including unsaved changes, .* To change this file, use /);
          expect(answer).toContain(own.named);
        }
        return "yes";
      }),
  },
  {
    name: "hook: after a command, is told if a file with unsaved text has changed on disk",
    hook: "deny",
    run: (theatre) =>
      withOwn(theatre, async (_own, _editor, { send }) => {
        const command = theatre.stage.kind.shell.call("env");
        expect(await send(command)).not.toContain("changed on disk");
        theatre.lay({ "price.ts": "// by a command\n" });
        const said = await send(command);
        if (!/price\.ts\W{1,4}changed on disk, but the user's editor has other, unsaved text/.test(said))
          return "is not told";
        expect(await send(command)).not.toContain("changed on disk");
        return "yes";
      }),
  },
  {
    name: "hook: after its own edit, is told if a file with unsaved text has changed on disk, too",
    hook: "deny",
    run: (theatre) =>
      withOwn(theatre, async (own, _, conversation, path) => {
        await readFirst(own, conversation, path("closed.ts"), "const rate = 0.19;");
        theatre.lay({ "price.ts": "// by a formatter\n" });
        const said = await conversation.send(own.edit(path("closed.ts"), edit));
        return /price\.ts\W{1,4}changed on disk, but the user's editor/.test(said) ? "yes" : "is not told";
      }),
  },
  {
    name: "hook: after its own search, is told which files have unsaved text that it did not see",
    hook: "deny",
    run: (theatre) =>
      withOwn(theatre, async (own, _, { send }) => {
        if (own.search === undefined) return "searches with commands";
        const said = await send(own.search(theatre.root, "rate"));
        expect(said).toContain("open.ts");
        return /unsaved text in \W{1,4}\S*price\.ts\W{1,4}, which it did not see/.test(said) ? "yes" : "is not told";
      }),
  },
  {
    name: "hook: after its own edit, reads what the user says of an earlier edit, once",
    hook: "deny",
    run: (theatre) =>
      withOwn(
        theatre,
        async (own, editor, conversation, path) => {
          const { call, send } = conversation;
          await call("multi_edit", { edits: [{ path: path("price.ts"), ...edit }] });
          await readFirst(own, conversation, path("open.ts"), "const rate = 0.19;");
          await editor.comment("price.ts", 1, "use cents");
          const said = await send(own.edit(path("open.ts"), edit));
          const isTold = /Since your last edit, the user says of price\.ts:2: \W{1,4}use cents/.test(said);
          await expect.poll(() => editor.texts()["open.ts"], { timeout: 5_000 }).toBe(theatre.disk()["open.ts"]);
          // Of what its own tool has written, it hears with its next answer to ours, too.
          await editor.comment("open.ts", 0, "and euros");
          const back = { edits: [{ path: path("price.ts"), oldText: "0.2", newText: "0.21" }] };
          const answer = await call("multi_edit", back);
          expect(answer).toMatch(/says of open\.ts:1: "and euros"/);
          expect(answer.includes("use cents")).toBe(!isTold);
          return isTold ? "yes" : "with its next call of our tools";
        },
        { hasSample: true, reviews: true },
      ),
  },
  {
    name: "hook: its own edit of unsaved text is turned away, ours is made, and undo takes it back",
    hook: "deny",
    run: (theatre) =>
      withOwn(theatre, async (own, editor, conversation, path) => {
        await readFirst(own, conversation, path("price.ts"), "// typed");
        const reason = await conversation.send(own.edit(path("price.ts"), edit));
        expect(reason).toContain("unsaved changes");
        expect(reason).toContain(own.named);
        expect([editor.texts(), theatre.disk()]).toEqual([open, files]);
        await conversation.call("multi_edit", { edits: [{ path: path("price.ts"), ...edit }] });
        expect([editor.texts(), theatre.disk()]).toEqual([changed, files]);
        await expectUndone(theatre, editor);
        return "yes";
      }),
  },
  {
    name: "hook --apply: its own edit of unsaved text is made in the editor, and undo takes it back",
    hook: "apply",
    run: (theatre) =>
      withOwn(theatre, async (own, editor, conversation, path) => {
        await readFirst(own, conversation, path("price.ts"), "// typed");
        const answer = await conversation.send(own.edit(path("price.ts"), edit));
        expect(answer).toContain("Done. This call was applied in the user's editor");
        expect(answer).toContain("M price.ts, not saved");
        expect([editor.texts(), theatre.disk()]).toEqual([changed, files]);
        await expectUndone(theatre, editor);
        return "yes";
      }),
  },
  {
    name: "hook --apply: its own edit of a line that is not on disk",
    hook: "apply",
    run: (theatre) =>
      withOwn(theatre, async (own, editor, conversation, path) => {
        await readFirst(own, conversation, path("price.ts"), "// typed");
        const answer = await conversation.send(own.edit(path("price.ts"), { oldText: "// typed", newText: "// ours" }));
        expect(theatre.disk()).toEqual(files);
        if (own.missing !== undefined) {
          expect(answer).toContain(own.missing);
          expect(editor.texts()).toEqual(open);
          return "refused by the agent itself";
        }
        expect(answer).toContain("Done.");
        expect(editor.texts()).toEqual({ ...open, "price.ts": unsaved.replace("typed", "ours") });
        return "made in the editor";
      }),
  },
  ...(["deny", "apply"] as const).map(
    (hook): Scene => ({
      name: `hook${hook === "apply" ? " --apply" : ""}: its own tools change saved and closed files as if there were no hook`,
      hook,
      run: (theatre) =>
        withOwn(theatre, async (own, editor, conversation, path) => {
          for (const name of ["open.ts", "closed.ts"]) {
            await readFirst(own, conversation, path(name), "const rate = 0.19;");
            expect(await conversation.send(own.edit(path(name), edit))).toMatch(own.done);
          }
          const done = saved.replace("0.19", "0.2");
          expect(theatre.disk()).toEqual({ ...files, "open.ts": done, "closed.ts": done });
          expect(editor.texts()).toEqual(open);
          return "yes";
        }),
    }),
  ),
  ...(["none", "deny", "apply"] as const).map(
    (hook): Scene => ({
      name: `${hookNames[hook]}: its own edits of an open file without unsaved text, one after the other`,
      hook,
      run: (theatre) =>
        withOwn(
          theatre,
          async (own, editor, conversation, path) => {
            await readFirst(own, conversation, path("open.ts"), "const rate = 0.19;");
            const ways = [];
            for (const [oldText, newText] of [
              ["rate = 0.19", "rate = 0.2"],
              ["rate = 0.2", "rate = 0.21"],
            ] as const) {
              const answer = await conversation.send(
                own.edit(path("open.ts"), { oldText: `const ${oldText};`, newText: `const ${newText};` }),
              );
              const isApplied = answer.includes("Done. This call was applied in the user's editor");
              if (!isApplied) expect(answer).toMatch(own.done);
              ways.push(isApplied ? "made in the editor" : "written, and the editor loads it");
              const text = theatre.disk()["open.ts"];
              expect(text).toContain(newText);
              await expect.poll(() => editor.texts()["open.ts"], { timeout: 5_000 }).toBe(text);
            }
            expect(editor.questions()).toBe(0);
            return [...new Set(ways)].join("; then ");
          },
          { hasSample: true },
        ),
    }),
  ),
  {
    name: "no hook: its own edit of a file with unsaved text",
    hook: "none",
    run: (theatre) =>
      withOwn(
        theatre,
        async (own, editor, conversation, path) => {
          await readFirst(own, conversation, path("price.ts"), "const rate = 0.19;");
          expect(await conversation.send(own.edit(path("price.ts"), edit))).toMatch(own.done);
          await expect.poll(() => editor.texts(), { timeout: 5_000 }).toEqual(changed);
          expect(theatre.disk()["price.ts"]).toBe(saved.replace("0.19", "0.2"));
          return "merged into the unsaved text";
        },
        { hasSample: true },
      ),
  },
];
