/** Scenes of calls that break something, in real editors with real language servers. */
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import type { MultiEditResult } from "../../server/lsp/protocol.js";
import type { EditorKind } from "./editor.js";
import type { Stage } from "./stage.js";

/** An editor with the language servers, and the number of diagnostics that it has for the file with a path. */
export interface Column {
  readonly name: string;
  readonly kind: EditorKind;
  /** The names under which the editor knows the servers. */
  readonly names: Readonly<Record<"ts" | "basedpyright" | "mute", string>>;
  /** Code for `Driver.run` that returns the number of diagnostics that the editor has for a file. */
  count(path: string): string;
  /** Code that returns the number of running servers with a name. */
  running(name: string): string;
  /** Code that ends the servers whose names begin so, as if they crashed. */
  kill(name: string): string;
  /** Set if a server that ends takes a buffer's other servers with it. */
  readonly endsTogether?: true;
}

/** A language server that reports nothing, ever. */
export const mute = `
let input = "";
process.stdin.on("data", (chunk) => {
  input += chunk;
  for (let at; (at = /^Content-Length: (\\d+)\\r\\n\\r\\n/.exec(input)) && input.length >= at[0].length + +at[1]; ) {
    const { id, method } = JSON.parse(input.slice(at[0].length, at[0].length + +at[1]));
    input = input.slice(at[0].length + +at[1]);
    if (method === "exit") process.exit();
    if (id === undefined) continue;
    const result = method === "initialize" ? { capabilities: { textDocumentSync: 1 } } : null;
    const answer = JSON.stringify({ jsonrpc: "2.0", id, result });
    process.stdout.write("Content-Length: " + answer.length + "\\r\\n\\r\\n" + answer);
  }
});`;

type Edit = readonly [path: string, oldText: string, newText: string];

/** Has an agent's call applied; returns the result. */
async function applied(stage: Stage, ...edits: readonly Edit[]): Promise<MultiEditResult> {
  const call = { edits: edits.map(([path, oldText, newText]) => ({ path: stage.path(path), oldText, newText })) };
  const { answer, text } = await stage.apply("agent", call);
  if (answer?.ok !== true) throw new Error(text);
  return answer.result;
}

/** Waits until the editor has this number of diagnostics for a file, and the server is done with the file. */
async function whenTold(stage: Stage, { count }: Column, name: string, number: number): Promise<void> {
  const counted = () => stage.driver.run!(count(stage.path(name)));
  await expect.poll(counted, { timeout: 30_000, interval: 50 }).toBe(number);
  // A server may report the same again, with its hints.
  await delay(700);
}

/** Waits until a server runs. */
async function whenRunning({ driver }: Stage, { running }: Column, name: string): Promise<void> {
  await expect.poll(() => driver.run!(running(name)), { timeout: 10_000, interval: 10 }).not.toBe(0);
}

const newErrors = ({ warnings }: MultiEditResult): readonly string[] =>
  warnings.filter((warning) => warning.includes("new error"));

const price = 'export const gross = (net: number) => net * 1.19;\nexport const wrong: number = "old";\n';

/** The scenes, by name. In the first one, the server has just been started. */
export const scenes: Readonly<Record<string, (stage: Stage, column: Column) => Promise<void>>> = {
  "says nothing about what a server that was still loading reports later": async (stage, column) => {
    stage.lay({ "tsconfig.json": "{}", "price.ts": price });
    await stage.open("price.ts");
    await whenRunning(stage, column, "ts");
    const result = await applied(stage, ["price.ts", "1.19", "1.2"]);
    expect(newErrors(result)).toEqual([]);
    expect(result.diagnostics).toMatchObject({ count: 0, pending: [column.names.ts] });
  },
  "names what a rename in two of three files breaks in the third, and no error that was there": async (
    stage,
    column,
  ) => {
    stage.lay({
      "tsconfig.json": '{ "compilerOptions": { "noEmit": true } }',
      "price.ts": price,
      "bill.ts": 'import { gross } from "./price";\nexport const bill = gross(1);\n',
      "offer.ts": 'import { gross } from "./price";\nexport const offer = gross(2);\n',
    });
    await stage.open("price.ts", "bill.ts", "offer.ts");
    await whenTold(stage, column, "price.ts", 1);
    const result = await applied(
      stage,
      ["price.ts", "const gross", "const total"],
      ["bill.ts", "{ gross }", "{ total }"],
      ["bill.ts", "gross(1)", "total(1)"],
    );
    expect(newErrors(result)).toEqual([
      expect.stringMatching(
        /^1 new error \([\w-]+\): \S*offer\.ts:1 Module '"\.\/price"' has no exported member 'gross'\.$/,
      ),
    ]);
    expect(result.diagnostics).toMatchObject({ count: 1, gone: 0, pending: [], answered: [column.names.ts] });
  },
  "takes none of fifty old errors for new if ten lines are inserted above them": async (stage, column) => {
    const uses = Array.from({ length: 50 }, (_, i) => `missing(${i});\n`).join("");
    stage.lay({ "uses.ts": `export const first = 1;\n${uses}` });
    await stage.open("uses.ts");
    await whenTold(stage, column, "uses.ts", 50);
    const lines = Array.from({ length: 10 }, (_, i) => `export const added${i} = ${i};\n`).join("");
    const result = await applied(stage, ["uses.ts", "export const first", `${lines}export const first`]);
    expect(result.warnings).toEqual([]);
    expect(result.diagnostics).toEqual({ new: [], count: 0, gone: 0, answered: [column.names.ts], pending: [] });
  },
  "hears a server that is asked for its diagnostics": async (stage, column) => {
    stage.lay({ "bill.py": "rate = 0.19\nprint(rate)\nprint(nothing)\n" });
    await stage.open("bill.py");
    await expect.poll(() => stage.driver.run!(column.count(stage.path("bill.py"))), { timeout: 30_000 }).not.toBe(0);
    const result = await applied(stage, ["bill.py", "rate = 0.19", "\nvat = 0.19"]);
    expect(result.diagnostics).toMatchObject({ count: 1, answered: [column.names.basedpyright] });
    expect(result.warnings.join("\n")).toMatch(/^1 new error \(basedpyright\): \S*bill\.py:3 "rate" is not defined/m);
  },
  "names a server that never reports as pending, after a second": async (stage, column) => {
    stage.lay({ "notes.md": "one\n" });
    await stage.open("notes.md");
    await whenRunning(stage, column, "mute");
    const start = performance.now();
    const result = await applied(stage, ["notes.md", "one", "1"]);
    expect(performance.now() - start).toBeLessThan(2_500);
    expect(result.warnings).toEqual([]);
    expect(result.diagnostics).toMatchObject({ count: 0, pending: [column.names.mute] });
  },
  "does not wait for a server that has died, and calls nothing gone": async (stage, column) => {
    stage.lay({ "price.ts": price });
    await stage.open("price.ts");
    await whenTold(stage, column, "price.ts", 1);
    stage.wire.gate(["multiEdit/diagnostics"], ({ message, release }) => {
      const { waitMs } = message.params as { readonly waitMs: number };
      const ended = waitMs === 0 ? Promise.resolve() : stage.driver.run!(column.kill("ts"));
      void ended.then(() => release());
    });
    const result = await applied(stage, ["price.ts", "1.19", "1.2"]);
    expect(newErrors(result)).toEqual([]);
    expect(result.diagnostics).toMatchObject({ count: 0, gone: 0, pending: [column.names.ts] });
  },
  "does not wait if no server has a file like those that change": async (stage) => {
    stage.lay({ "a.txt": "one\n" });
    await stage.open("a.txt");
    const start = performance.now();
    await applied(stage, ["a.txt", "one", "1"]);
    expect(performance.now() - start).toBeLessThan(700);
  },
};
