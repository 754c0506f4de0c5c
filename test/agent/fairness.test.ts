/** Agents share one session fairly: many calls of one agent do not keep the others waiting. */
import { describe, expect, it } from "vitest";
import { announced, friend, ownStateHome } from "../support/agentPeer.js";
import { batch, layDesk, serverForDesks } from "../support/desk.js";

const program = serverForDesks();

/** An option that keeps the desk from being shared, because its server must use this test's state directory. */
const alone = { clientInfo: { name: "Tester", version: "7" } };

const request = (id: number, method: string, params: unknown): object => ({ jsonrpc: "2.0", id, method, params });

describe("many calls of one agent", () => {
  it("get every second turn as long as another agent's calls are waiting", async () => {
    const home = ownStateHome();
    const text = "busy 1\nbusy 2\nbusy 3\nbusy 4\nother 1\nother 2\n";
    const desk = await layDesk(program, { ...alone, open: { "a.txt": text } });
    const [session] = await announced(home);
    const busy = await friend(session, { name: "busy", agent: "busy" });
    const other = await friend(session, { name: "other", agent: "other" });
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    desk.editor.beforeEdits(() => released);
    const call = (id: number, name: string) => ({
      ...request(id, "multiEdit/apply", {
        ...batch(["a.txt", `${name} ${id}`, `${name} ${id}+`]),
        options: { label: `${name} ${id}` },
      }),
    });
    busy.send(...[1, 2, 3, 4].map((id) => call(id, "busy")));
    await busy.ask("status", "multiEdit/status", null);
    other.send(...[1, 2].map((id) => call(id, "other")));
    await other.ask("status", "multiEdit/status", null);
    release();
    for (const id of [1, 2]) await other.answer(id);
    for (const id of [1, 2, 3, 4]) await busy.answer(id);
    expect(desk.editor.asked.map(({ label }) => label)).toEqual([
      "busy 1",
      "busy 2",
      "other 1",
      "busy 3",
      "other 2",
      "busy 4",
    ]);
    expect(desk.texts()).toEqual({ "a.txt": text.replaceAll("\n", "+\n") });
  });
});
