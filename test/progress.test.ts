/**
 * Long calls over the wire: the client shows their progress, they can be cancelled, and other requests are served
 * meanwhile.
 */
import { describe, expect, it } from "vitest";
import { CancellationTokenSource } from "vscode-jsonrpc/node";
import { type Desk, failed, layDesk, serverForDesks, slowServer } from "./support/desk.js";

const program = serverForDesks();

/** A new file, and a chain of edits, each of which must be found in the text left by the earlier ones. */
const lines = Array.from({ length: 1_000 }, (_, i) => `line ${i} of a text that is long enough to take its time`);
const long = {
  path: "new.txt",
  edits: [
    { oldText: "", newText: `${lines.join("\n")}\n` },
    ...lines.map((line, i) => ({ oldText: `${line}\n`, newText: `${i}\n` })),
  ],
};
const after = `${lines.map((_, i) => i).join("\n")}\n`;

/** A desk whose server measures a few milliseconds as more than a second. */
const layLongDesk = (capabilities: object): Promise<Desk> =>
  layDesk(program, { capabilities, server: slowServer(program, 500), open: { "a.txt": "a\n" } });

interface Seen {
  readonly tokens: unknown[];
  readonly values: { kind: string; percentage?: number; cancellable?: boolean }[];
}

/** Records the progress that the server reports. */
function watch({ editor }: Desk): Seen {
  const seen: Seen = { tokens: [], values: [] };
  editor.connection.onRequest("window/workDoneProgress/create", ({ token }: { token: unknown }) => {
    seen.tokens.push(token);
    return null;
  });
  editor.connection.onUnhandledProgress(({ value }) => seen.values.push(value as Seen["values"][number]));
  return seen;
}

const capabilities = { window: { workDoneProgress: true } };

describe("a call that takes more than a second", () => {
  it("shows its progress and its end if the client supports it", async () => {
    const desk = await layLongDesk(capabilities);
    const seen = watch(desk);
    const { edit } = await desk.propose(long);
    expect(edit?.documentChanges?.[1]).toMatchObject({ edits: [{ newText: after }] });
    expect(seen.tokens).toHaveLength(1);
    expect(seen.values[0]).toMatchObject({ kind: "begin", cancellable: true });
    expect(seen.values.at(-1)).toMatchObject({ kind: "end" });
    const shown = seen.values.slice(1, -1).map(({ percentage }) => percentage ?? -1);
    expect(shown).toEqual([...new Set(shown)].sort((a, b) => a - b));
    expect(shown.every((percentage) => percentage > 0 && percentage <= 100)).toBe(true);
  });

  it("can be cancelled by the user in the progress display, with nothing changed", async () => {
    const desk = await layLongDesk(capabilities);
    const seen = watch(desk);
    desk.editor.connection.onUnhandledProgress(({ token }) => {
      void desk.editor.notify("window/workDoneProgress/cancel", { token });
    });
    expect((await failed(desk.apply(long))).codes).toEqual(["cancelled"]);
    expect(desk.disk()).toEqual({ "a.txt": "a\n" });
    expect(seen.values.at(-1)).toMatchObject({ kind: "end" });
  });

  it("shows nothing to a client that can't show it", async () => {
    const desk = await layLongDesk({});
    const seen = watch(desk);
    await desk.propose(long);
    expect(seen).toEqual({ tokens: [], values: [] });
  });

  it("lets keystrokes, other requests and its own cancellation be handled meanwhile", async () => {
    const desk = await layLongDesk({});
    const source = new CancellationTokenSource();
    const order: string[] = [];
    const answer = failed(desk.propose(long, source.token)).then(({ codes }) => {
      order.push(...codes);
    });
    await desk.typeBefore("a.txt", "a", "typed ");
    order.push((await desk.read({ path: "a.txt" })).text);
    source.cancel();
    await answer;
    expect(order).toEqual(["typed a\n", "cancelled"]);
  });
});
