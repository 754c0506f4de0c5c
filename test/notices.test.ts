/** Messages about calls, in editors that show neither what an agent changed nor the answer to a command. */
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { announced, friend, ownStateHome } from "./support/agentPeer.js";
import { batch, type DeskOptions, failed, layDesk, patchOf, serverForDesks } from "./support/desk.js";

const program = serverForDesks();

const MessageType = { error: 1, info: 3 } as const;

const undo = "To undo it, run: multi-edit undo.";

/** An editor, an agent that is connected to it, and what the editor was told to show. */
async function start(options: DeskOptions = {}) {
  const home = ownStateHome();
  const desk = await layDesk(program, { open: { "a.txt": "one\ntwo\n" }, settings: { save: "never" }, ...options });
  const [session] = await announced(home);
  const agent = await friend(session, { name: "robot" });
  const send = (call: object) => agent.ask(1, "multiEdit/apply", call);
  const told = () => desk.editor.notices;
  return { ...desk, session, agent, send, told };
}

describe("an agent's call", () => {
  it("is shown with the agent, the file, its lines and the way back", async () => {
    const { send, told } = await start();
    await send(batch(["a.txt", "one\n", "1\n1\n"]));
    await expect.poll(told).toEqual([{ type: MessageType.info, message: `"robot" changed a.txt (+2 -1). ${undo}` }]);
  });

  it("is shown with new, renamed and deleted files", async () => {
    const { send, told } = await start({ files: { "b.txt": "b\n", "c.txt": "c\n" } });
    await send(
      patchOf("*** Update File: b.txt", "*** Move to: d.txt", "*** Delete File: c.txt", "*** Add File: e.txt", "+e"),
    );
    await expect.poll(told).toEqual([
      {
        type: MessageType.info,
        message: `"robot" changed e.txt (new, +1), d.txt (renamed), c.txt (deleted). ${undo}`,
      },
    ]);
  });

  it("is not shown on its own if another one was just shown: one message after 5 seconds sums up the calls", {
    timeout: 20_000,
  }, async () => {
    const { send, told, agent, session } = await start();
    await send(batch(["a.txt", "one", "1"]));
    await send(batch(["a.txt", "1", "uno"]));
    await send(batch(["a.txt", "nowhere", "1"]));
    await (await friend(session, { name: "other" })).ask(1, "multiEdit/apply", batch(["a.txt", "two", "2"]));
    await send(patchOf("*** Add File: b.txt", "+b"));
    await agent.ask(2, "multiEdit/undo", {});
    await expect.poll(told, { timeout: 15_000 }).toHaveLength(2);
    expect(told()[1]!.message).toMatch(
      /^"robot" and "other" changed a\.txt \(\+2 -2\), b\.txt \(new, \+1\) in 3 calls\. To undo the last call, run: multi-edit undo\. "robot" undid a call: b\.txt \(deleted\)\. A call of "robot" failed: The old text of edit 1 \(a\.txt\) was not found\./,
    );
  });

  it("is shown if it fails, with edits that are counted from 1", async () => {
    const { send, told } = await start();
    await send(batch(["a.txt", "one", "1"], ["a.txt", "nowhere", "1"]));
    await expect.poll(told).toMatchObject([{ type: MessageType.info }]);
    expect(told()[0]!.message).toMatch(
      /^A call of "robot" failed: Nothing was changed: 1 of 2 edits failed\. The old text of edit 2 \(a\.txt\)/,
    );
  });

  it("is not shown if the editor shows it itself, or if it changes nothing", async () => {
    const capabilities = { experimental: { multiEdit: { didApply: true } } };
    const { editor, send, agent, told } = await start({ capabilities });
    await send(batch(["a.txt", "one", "1"]));
    await send(batch(["a.txt", "nowhere", "1"]));
    await agent.ask(2, "multiEdit/preview", batch(["a.txt", "two", "2"]));
    await agent.ask(3, "multiEdit/undo", {});
    await editor.request("multiEdit/status", null);
    expect(told()).toEqual([]);
  });
});

const helix: DeskOptions = { clientInfo: { name: "helix", version: "25.07.1" } };

describe("an editor that removes a message when another server has made progress", () => {
  it("gets an agent's message a second time, and no third", { timeout: 20_000 }, async () => {
    const { send, told } = await start(helix);
    await send(batch(["a.txt", "one", "1"]));
    await send(batch(["a.txt", "two", "2"]));
    const first = `"robot" changed a.txt (+1 -1). ${undo}`;
    await expect
      .poll(() => told().map(({ message }) => message), { timeout: 15_000 })
      .toEqual([first, first, first, first]);
    expect(told()).toHaveLength(4);
  });

  it("gets it once if the user has sent a command since", { timeout: 20_000 }, async () => {
    const { send, apply, told } = await start(helix);
    await send(batch(["a.txt", "one", "1"]));
    await apply(batch(["a.txt", "two", "2"]));
    // The next message shows that the time for the repetition of the first one has passed.
    await send(patchOf("*** Add File: b.txt", "+b"));
    await expect.poll(told, { timeout: 15_000 }).toHaveLength(3);
    expect(told().map(({ message }) => message.split(". ")[0])).toEqual([
      '"robot" changed a.txt (+1 -1)',
      "You changed a.txt (+1 -1)",
      '"robot" changed b.txt (new, +1)',
    ]);
  });
});

describe("the user's own command", () => {
  it("is shown at once in an editor that hides the answers to commands", async () => {
    const { editor, apply, undo: takeBack, told } = await start(helix);
    await apply(batch(["a.txt", "one", "1"]));
    await failed(apply(batch(["a.txt", "nowhere", "1"])));
    await takeBack();
    await failed(
      editor.request("workspace/executeCommand", { command: "multiEdit.preview", arguments: [{}] }) as never,
    );
    expect(told().map(({ type }) => type)).toEqual([
      MessageType.info,
      MessageType.error,
      MessageType.info,
      MessageType.error,
    ]);
    expect(told()[0]!.message).toBe(`You changed a.txt (+1 -1). ${undo}`);
    expect(told()[1]!.message).toMatch(/^The old text of edit 1 \(a\.txt\) was not found, /);
    expect(told()[2]!.message).toBe("You undid a call: a.txt (+1 -1).");
  });

  it("is not shown in other editors, whose plugins show the answer", async () => {
    const { editor, apply, told } = await start();
    await apply(batch(["a.txt", "one", "1"]));
    await failed(apply(batch(["a.txt", "nowhere", "1"])));
    await delay(20);
    await editor.request("multiEdit/status", null);
    expect(told()).toEqual([]);
  });

  it("has no message if the user rejects or cancels it", async () => {
    const { editor, apply, told } = await start(helix);
    editor.answerQuestionsWith("Reject");
    await failed(apply({ ...batch(["a.txt", "one", "1"]), options: { confirm: true } }));
    expect(told()).toEqual([]);
  });
});
