/** The new diagnostics of the editor's other language servers, in the answer to the call that caused them. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Diagnostic } from "vscode-languageserver/node";
import { newDiagnostics } from "../server/lsp/diagnostics/compare.js";
import type { DiagnosticsParams, DiagnosticsResult } from "../server/lsp/protocol.js";
import { ChangeSet } from "../server/text/changeSet.js";
import { limits } from "../server/text/limits.js";
import { LineIndex } from "../server/text/lines.js";
import { announced, friend, ownStateHome } from "./support/agentPeer.js";
import { batch, type Desk, type DeskOptions, layDesk, patchOf, serverForDesks } from "./support/desk.js";

const program = serverForDesks();

/** A diagnostic at a line, counted from 0, with the severity of an error unless given. */
const at = (line: number, message: string, more: Partial<Diagnostic> = {}): Diagnostic => ({
  range: { start: { line, character: 0 }, end: { line, character: 1 } },
  severity: 1,
  message,
  ...more,
});

type Told = Readonly<Record<string, readonly Diagnostic[]>>;

/** One server's answers: what it has before the call and after it, by path, and whether it is pending. */
interface ToldServer {
  readonly before: Told;
  readonly after: Told;
  readonly pending?: readonly ["before" | "after"];
}

/** A desk whose client tells the diagnostics of some servers. `answer`: replaces the client's answers. */
async function start(
  servers: Readonly<Record<string, ToldServer>>,
  options: DeskOptions & { answer?: (params: DiagnosticsParams) => unknown; reviews?: true } = {},
) {
  const { answer, settings, reviews, ...rest } = options;
  const desk: Desk = await layDesk(program, {
    open: { "a.ts": "one\ntwo\nthree\n", "b.ts": "four\n" },
    settings: { save: "never", ...Object(settings) },
    params: {
      capabilities: {
        workspace: {
          applyEdit: true,
          workspaceEdit: { documentChanges: true, resourceOperations: ["create", "rename", "delete"] },
        },
        experimental: { multiEdit: { diagnostics: true, ...(reviews ? { review: true } : {}) } },
      },
    },
    ...rest,
  });
  const asked: DiagnosticsParams[] = [];
  const filesOf = (told: Told) =>
    Object.entries(told).map(([path, diagnostics]) => ({ uri: desk.uri(path), diagnostics: [...diagnostics] }));
  desk.editor.connection.onRequest("multiEdit/diagnostics", (params: DiagnosticsParams) => {
    asked.push(params);
    if (answer !== undefined) return answer(params);
    const when = params.waitMs === 0 ? "before" : "after";
    const told = Object.entries(servers).map(([name, one]) => ({
      name,
      ...(one.pending?.includes(when) ? { pending: true } : {}),
      files: filesOf(one[when]),
    }));
    return { servers: told } satisfies DiagnosticsResult;
  });
  return { ...desk, asked };
}

/** Inserts ten lines above all others. */
const insertion = batch(["a.ts", "one\n", `${"new\n".repeat(10)}one\n`]);

describe("an applied call", () => {
  it("tells which errors are new, wherever the others are now", async () => {
    const { apply, asked, uri } = await start({
      ts: { before: { "a.ts": [at(0, "old")] }, after: { "a.ts": [at(10, "old"), at(3, "Cannot find name 'x'.")] } },
    });
    const result = await apply(insertion);
    expect(result.warnings).toEqual(["1 new error (ts): a.ts:4 Cannot find name 'x'."]);
    expect(result.diagnostics).toEqual({
      new: [{ path: "a.ts", line: 4, severity: "error", message: "Cannot find name 'x'.", server: "ts" }],
      count: 1,
      gone: 0,
      answered: ["ts"],
      pending: [],
    });
    expect(asked).toEqual([
      { uris: [uri("a.ts")], waitMs: 0 },
      { uris: [uri("a.ts")], waitMs: 2_000 },
    ]);
  });

  it("has a hunk say that an error came with its lines, until these lines change", async () => {
    const desk = await start(
      { ts: { before: {}, after: { "a.ts": [at(1, "Cannot find name 'x'.")], "b.ts": [at(0, "no such export")] } } },
      { reviews: true },
    );
    const messages: string[][] = [];
    desk.editor.connection.onNotification(
      "multiEdit/didChangeReview",
      ({ hunks }: { hunks: { message: string }[] }) => {
        messages.push(hunks.map(({ message }) => message));
      },
    );
    await desk.apply(batch(["a.ts", "two", "2"], ["a.ts", "three", "3"]));
    await desk.apply(batch(["a.ts", "one", "1"]));
    await expect.poll(() => messages.at(-1)).toEqual(["you: 3 lines changed; new error: Cannot find name 'x'."]);
    await desk.typeBefore("a.ts", "2", "typed ");
    await expect.poll(() => messages.at(-1)).toEqual(["you: 3 lines changed"]);
  });

  it("says nothing if fifty old warnings have moved by ten lines", async () => {
    const warnings = (shift: number) =>
      Array.from({ length: 50 }, (_, i) => at(i + shift, "unused", { severity: 2, code: 6133 }));
    const text = Array.from({ length: 50 }, (_, i) => `line ${i}\n`).join("");
    const { apply } = await start(
      { ts: { before: { "a.ts": warnings(0) }, after: { "a.ts": warnings(10) } } },
      { open: { "a.ts": text }, settings: { diagnostics: "all" } },
    );
    const result = await apply(batch(["a.ts", "line 0\n", `${"new\n".repeat(10)}line 0\n`]));
    expect(result.warnings).toEqual([]);
    expect(result.diagnostics).toMatchObject({ count: 0, gone: 0, answered: ["ts"] });
  });

  it("names an error in a file that it did not touch, and counts those that are gone", async () => {
    const { apply } = await start({
      ts: { before: { "a.ts": [at(1, "wrong")] }, after: { "b.ts": [at(0, "no such export", { code: 2305 })] } },
    });
    const result = await apply(batch(["a.ts", "two", "2"]));
    expect(result.warnings).toEqual(["1 new error (ts): b.ts:1 no such export."]);
    expect(result.diagnostics).toMatchObject({ count: 1, gone: 1, new: [{ code: 2305 }] });
  });

  it("finds the old errors of a line that it has replaced, and of a file that it has renamed", async () => {
    const { apply } = await start({
      ts: {
        before: { "a.ts": [at(1, "wrong")], "b.ts": [at(0, "bad")] },
        after: { "a.ts": [at(2, "wrong")], "c.ts": [at(0, "bad")] },
      },
    });
    const result = await apply(
      patchOf("*** Update File: a.ts", "-two", "+2", "+2", "*** Update File: b.ts", "*** Move to: c.ts"),
    );
    expect(result.warnings.filter((one) => one.includes("new error"))).toEqual([]);
    expect(result.diagnostics).toMatchObject({ count: 0, gone: 0 });
  });

  it.each([
    ["message", { message: "bad" }],
    ["code", { code: 2 }],
    ["source", { source: "other" }],
    ["severity", { severity: 2 }],
    ["line", { range: at(2, "").range }],
  ] as const)("takes an error with another %s for a new one", async (_, more) => {
    const old = at(0, "wrong", { code: 1, source: "ts" });
    const { apply } = await start(
      { ts: { before: { "a.ts": [old] }, after: { "a.ts": [{ ...old, ...more }] } } },
      { settings: { diagnostics: "all" } },
    );
    expect((await apply(batch(["a.ts", "two", "2"]))).diagnostics).toMatchObject({ count: 1, gone: 1 });
  });

  it("takes no old error for new because of what the user has typed since", async () => {
    const told = (line: number) => [at(line, "wrong")];
    const desk = await start(
      {},
      {
        answer: async ({ waitMs, uris }) => {
          if (waitMs > 0) await desk.editor.type({ uri: uris[0]!, from: 0, to: 0, insert: "typed\n" });
          return { servers: [{ name: "ts", files: [{ uri: uris[0], diagnostics: told(waitMs === 0 ? 2 : 13) }] }] };
        },
      },
    );
    expect((await desk.apply(insertion)).diagnostics).toMatchObject({ count: 0, gone: 0, answered: ["ts"] });
  });

  it("names three in few words, and the number of the rest", async () => {
    const long = "Argument of type 'string' is not assignable to parameter of type 'number'.\nMore.";
    const { apply } = await start({
      ts: { before: {}, after: { "b.ts": Array.from({ length: 30 }, (_, i) => at(i, `${i} ${long}`)) } },
      eslint: { before: {}, after: {}, pending: ["after"] },
    });
    const { warnings, diagnostics } = await apply(batch(["a.ts", "two", "2"]));
    const shown = "Argument of type 'string' is not assignable…".slice(0, 43);
    const named = [1, 2, 3].map((line) => `b.ts:${line} ${line - 1} ${shown}…`).join(" ");
    expect(warnings).toEqual([`30 new errors (ts): ${named} 27 more. eslint has not answered.`]);
    expect(diagnostics?.new).toHaveLength(20);
    expect(diagnostics).toMatchObject({ count: 30, answered: ["ts"], pending: ["eslint"] });
  });

  it("leaves out warnings, unless the setting says all; then errors come first", async () => {
    const told = { ts: { before: {}, after: { "a.ts": [at(0, "unused", { severity: 2 }), at(2, "wrong")] } } };
    const errors = await start(told);
    expect((await errors.apply(batch(["a.ts", "two", "2"]))).warnings).toEqual(["1 new error (ts): a.ts:3 wrong."]);
    const all = await start(told, { settings: { diagnostics: "all" } });
    expect((await all.apply(batch(["a.ts", "two", "2"]))).warnings).toEqual([
      "2 new problems (ts): a.ts:3 wrong. a.ts:1 warning: unused.",
    ]);
  });

  it("leaves out the server's own hints about hunks", async () => {
    const { apply } = await start({
      ts: { before: {}, after: { "a.ts": [at(0, "new hunk", { source: "multi-edit" })] } },
    });
    expect((await apply(batch(["a.ts", "two", "2"]))).warnings).toEqual([]);
  });
});

describe("a server", () => {
  it("that was still loading before the call has nothing new, and is pending", async () => {
    const { apply } = await start({
      ts: { before: {}, after: { "a.ts": [at(0, "old")] }, pending: ["before"] },
    });
    const result = await apply(batch(["a.ts", "two", "2"]));
    expect(result.warnings).toEqual([]);
    expect(result.diagnostics).toMatchObject({ count: 0, answered: [], pending: ["ts"] });
  });

  it("of which there are two with one name, or that lists a file twice, has the errors of both", async () => {
    const answer = ({ waitMs, uris: [uri] }: DiagnosticsParams) => {
      const file = (...diagnostics: Diagnostic[]) => ({ uri, diagnostics: waitMs > 0 ? diagnostics : [] });
      const [one, two] = [[file(at(0, "one")), file()], [file(at(2, "two"))]];
      return { servers: [one, two].map((files) => ({ name: "eslint", files })) };
    };
    const { apply } = await start({}, { answer });
    const { diagnostics } = await apply(batch(["a.ts", "two", "2"]));
    expect(diagnostics?.new.map(({ message }) => message)).toEqual(["one", "two"]);
  });

  it("with more than can be read is pending, and what it says is clipped", async () => {
    const many = Array.from({ length: limits.diagnosticsRead }, (_, i) => at(i, "old"));
    const odd = at(0, "long ".repeat(1_000), { code: { value: 1 } as unknown as number });
    const { apply } = await start({
      ts: { before: {}, after: { "a.ts": [odd] } },
      eslint: { before: { "b.ts": many }, after: { "b.ts": [at(0, "new"), ...many] } },
    });
    const { diagnostics } = await apply(batch(["a.ts", "two", "2"]));
    expect(diagnostics).toMatchObject({ count: 1, gone: 0, answered: ["ts"], pending: ["eslint"] });
    expect(diagnostics?.new[0]?.message).toHaveLength(limits.diagnosticsMessage);
    expect(diagnostics?.new[0]?.code).toBeUndefined();
  });

  it("that reports the old errors where they were, although their lines have moved, is pending", async () => {
    const told = { "a.ts": [at(0, "wrong"), at(1, "bad")] };
    const { apply } = await start({ ts: { before: told, after: told } });
    const result = await apply(insertion);
    expect(result.warnings).toEqual([]);
    expect(result.diagnostics).toMatchObject({ count: 0, gone: 0, answered: [], pending: ["ts"] });
  });

  it("that answers only to the second of two calls has the old errors where both have moved them", async () => {
    let calls = 0;
    const { apply, uri } = await start(
      {},
      {
        answer: ({ waitMs }) => {
          if (waitMs === 0) calls++;
          const isSeen = waitMs > 0 && calls === 2;
          const file = { uri: uri("a.ts"), diagnostics: [at(isSeen ? 22 : 2, "wrong")] };
          return { servers: [{ name: "ts", pending: waitMs > 0 && !isSeen, files: [file] }] };
        },
      },
    );
    expect((await apply(insertion)).diagnostics).toMatchObject({ pending: ["ts"] });
    const second = await apply(batch(["a.ts", "two\n", `${"more\n".repeat(10)}two\n`]));
    expect(second.diagnostics).toEqual({ new: [], count: 0, gone: 0, answered: ["ts"], pending: [] });
  });

  it("that has died meanwhile is pending, and its errors are not gone", async () => {
    const { apply } = await start(
      {},
      {
        answer: ({ waitMs }) => ({
          servers: waitMs === 0 ? [{ name: "ts", files: [] }] : [],
        }),
      },
    );
    expect((await apply(batch(["a.ts", "two", "2"]))).diagnostics).toMatchObject({
      gone: 0,
      pending: ["ts"],
    });
  });
});

describe("a client", () => {
  it("that never answers about the diagnostics delays neither the edit nor other calls, and the answer by 2.2 s", async () => {
    const { apply, texts } = await start({}, { answer: () => new Promise(() => undefined) });
    const begin = performance.now();
    const answer = apply(batch(["a.ts", "two", "2"]));
    await expect.poll(() => texts()["a.ts"]).toBe("one\n2\nthree\n");
    const second = apply(batch(["b.ts", "four", "4"]));
    await expect.poll(() => texts()["b.ts"]).toBe("4\n");
    expect(performance.now() - begin).toBeLessThan(2_000);
    const result = await answer;
    expect(result.outcome).toBe("applied");
    expect(result.diagnostics).toBeUndefined();
    expect(performance.now() - begin).toBeLessThan(4_000);
    await second;
  });

  it("whose answers can't be used changes nothing", async () => {
    for (const answer of [
      null,
      { servers: 1 },
      { servers: [null, { name: 1 }, { name: "ts", files: [null, { uri: "x" }] }] },
    ]) {
      const { apply } = await start({}, { answer: () => answer });
      expect((await apply(batch(["a.ts", "two", "2"]))).outcome).toBe("applied");
    }
    const { apply } = await start(
      {},
      {
        answer: ({ waitMs }) => ({
          servers: [
            {
              name: "ts",
              files:
                waitMs === 0
                  ? []
                  : [
                      {
                        uri: "file:///x.ts",
                        diagnostics: [
                          null,
                          { range: 1 },
                          { range: { start: { line: -1, character: 0 } }, message: "m" },
                        ],
                      },
                    ],
            },
          ],
        }),
      },
    );
    expect((await apply(batch(["a.ts", "two", "2"]))).diagnostics).toMatchObject({ count: 0 });
  });

  it("is not asked if it does not announce it, if the setting is off, if it has no servers, or for a call that fails", async () => {
    const off = await start({ ts: { before: {}, after: {} } }, { settings: { diagnostics: "off" } });
    await off.apply(insertion);
    expect(off.asked).toEqual([]);
    const plain = await start({}, { params: {} });
    expect((await plain.apply(insertion)).diagnostics).toBeUndefined();
    expect(plain.asked).toEqual([]);
    const none = await start({});
    await none.apply(insertion);
    expect(none.asked.map(({ waitMs }) => waitMs)).toEqual([0]);
    const failing = await start({ ts: { before: {}, after: {} } });
    await failing.apply(batch(["a.ts", "nowhere", "2"])).catch(() => undefined);
    expect(failing.asked).toEqual([]);
  });

  it("such as Helix, that keeps them to itself, is named once to agents", async () => {
    const home = ownStateHome();
    const { apply } = await start({}, { params: {}, clientInfo: { name: "helix", version: "25.07" } });
    const [session] = await announced(home);
    const agent = await friend(session, { name: "robot" });
    const send = async (id: number, old: string, next: string) =>
      (await agent.ask(id, "multiEdit/apply", batch(["a.ts", old, next]))).result as { warnings: string[] };
    const sentence = "This editor can't say whether a call causes errors.";
    expect((await apply(batch(["a.ts", "three", "3"]))).warnings).toEqual([]);
    expect((await send(1, "one", "1")).warnings).toEqual([sentence]);
    expect((await send(2, "two", "2")).warnings).toEqual([]);
  });
});

describe("old diagnostics", () => {
  const lines = fc.array(fc.constantFrom("a", "bb", "", "ccc"), { minLength: 1, maxLength: 30 });

  it("are not new after any insertion of whole lines, and none is gone", () => {
    fc.assert(
      fc.property(
        lines,
        fc.array(fc.nat()),
        fc.array(fc.tuple(fc.nat(), lines), { maxLength: 4 }),
        (text, marked, insertions) => {
          const textA = text.map((line) => `${line}\n`).join("");
          const linesA = LineIndex.of(textA, { loneCrEndsLine: false });
          const places = insertions.map(([n, inserted]) => ({ line: n % text.length, inserted }));
          const changes = places.map(({ line, inserted }) => {
            const from = linesA.start(line);
            return { from, to: from, insert: inserted.map((one) => `${one}\n`).join("") };
          });
          const change = ChangeSet.of(textA.length, changes);
          const linesB = LineIndex.of(change.apply(textA), { loneCrEndsLine: false });
          // The lines that a person would count: those inserted at or above a line push it down.
          const moved = (line: number) =>
            line + places.filter((one) => one.line <= line).reduce((sum, { inserted }) => sum + inserted.length, 0);
          const before = marked.map((n) => at(n % text.length, "same"));
          const after = before.map(({ range }) => at(moved(range.start.line), "same"));
          const fresh = at(linesB.lineCount - 1, "fresh");
          const found = newDiagnostics(
            { before, after: [fresh, ...after], text: { linesA, linesB, change } },
            "utf-16",
          );
          expect(found).toEqual({ added: [fresh], gone: 0 });
        },
      ),
    );
  });
});
