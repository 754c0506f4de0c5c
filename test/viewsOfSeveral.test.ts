/** Edits of several agents on one session, while minutes pass and the user types and saves. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { announced, friend, ownStateHome } from "./support/agentPeer.js";
import { serverForDesks } from "./support/desk.js";
import { makeDirectory } from "./support/directory.js";
import { startEditor } from "./support/fakeEditor.js";
import { movingClock } from "./support/movingClock.js";

const program = serverForDesks();
const path = "f.py";
const agents = ["ann", "bob", "somebody"] as const;
type Agent = (typeof agents)[number];

/** A document that is open in an editor, and agents on the session's socket; `somebody` has no id. */
async function startSession(opening: string) {
  const home = ownStateHome();
  const folder = makeDirectory({ [path]: opening });
  const uri = pathToFileURL(join(folder, path)).href;
  const clock = movingClock(home);
  const editor = await startEditor({
    server: [process.execPath, ...clock.arguments, program.path, "--stdio"],
    folders: [folder],
    settings: { save: "never" },
  });
  onTestFinished(async () => void (await editor.stop()));
  const [session] = await announced(home);
  const peers = {
    ann: await friend(session, { name: "ann", agent: "ann" }),
    bob: await friend(session, { name: "bob", agent: "bob" }),
    somebody: await friend(session, { name: "somebody" }),
  };
  await editor.open({ uri, text: opening });
  let requests = 0;
  const ask = async (agent: Agent, method: string, params: object): Promise<readonly string[]> => {
    // The editor's notifications and the agent's requests come through different pipes.
    await editor.request("multiEdit/status", undefined);
    const { error } = await peers[agent].ask(++requests, method, params);
    const data = (error as { data?: { failures: readonly { code: string }[] } } | undefined)?.data;
    if (error !== undefined && data === undefined) throw new Error(error.message);
    return data?.failures.map(({ code }) => code) ?? [];
  };
  const text = (): string => editor.documents.get(uri)!.text;
  return {
    text,
    /** Replaces the first occurrence of a text. */
    type: async (from: string, insert: string): Promise<void> => {
      const at = text().indexOf(from);
      expect(at).toBeGreaterThanOrEqual(0);
      await editor.type({ uri, from: at, to: at + from.length, insert });
    },
    save: async (): Promise<void> => {
      writeFileSync(join(folder, path), text());
      await editor.notify("textDocument/didSave", { textDocument: { uri } });
    },
    pass: async (minutes: number): Promise<void> => {
      // A signal may overtake the editor's notifications.
      await editor.request("multiEdit/status", undefined);
      await clock.pass(editor.process, minutes);
    },
    read: (agent: Agent) => ask(agent, "multiEdit/read", { path }),
    /** The codes of a call's failures; none if it is applied. */
    apply: (agent: Agent, oldText: string, newText: string, more: object = {}) =>
      ask(agent, "multiEdit/apply", { path, oldText, newText, ...more }),
    /** The outcome that an edit would have. */
    preview: (agent: Agent, oldText: string) => ask(agent, "multiEdit/preview", { path, oldText, newText: "other" }),
  };
}

/** The text whose second line tells which version it is. */
const version = (number: number): string => `first()\nversion_${number}()\nlast()\n`;

describe("the texts that were on disk", () => {
  /** The versions that have a say about an agent's edits: an edit of their line is refused, because the line has changed. */
  const havingSay = async (session: Awaited<ReturnType<typeof startSession>>, last: number): Promise<number[]> => {
    const having: number[] = [];
    for (let number = 0; number < last; number++) {
      const codes = await session.preview("ann", `version_${number}()`);
      expect([["contentModified"], ["noMatch"]]).toContainEqual(codes);
      if (codes[0] === "contentModified") having.push(number);
    }
    expect(await session.preview("ann", `version_${last}()`)).toEqual([]);
    return having;
  };

  it("have a say as they were about 1, 3 and at most 10 minutes ago, and no others", async () => {
    const session = await startSession(version(0));
    const ages: number[][] = [];
    for (let number = 1; number <= 14; number++) {
      await session.pass(1.05);
      await session.type(`version_${number - 1}`, `version_${number}`);
      await session.save();
      // Each version was on disk until the next one was saved.
      if (number >= 4) ages.push((await havingSay(session, number)).map((one) => (number - one - 1) * 1.05));
    }
    for (const some of ages) {
      const within = (from: number, to: number): number => some.filter((age) => from <= age && age < to).length;
      expect([within(0, 1), within(1, 3)]).toEqual([1, 1]);
      // After the oldest one has become too old, there is none until the next one has come of age.
      expect(some.length - 2).toBe(within(3, 10));
    }
    expect(ages.filter((some) => some.length === 3).length).toBeGreaterThan(ages.length / 2);
    expect(Math.max(...ages.flat())).toBeGreaterThan(7);
  }, 60_000);

  it("have a say if they were there a moment ago, although nobody has saved for long before", async () => {
    const session = await startSession(version(0));
    await session.pass(30);
    await session.type("version_0", "version_1");
    await session.save();
    expect(await havingSay(session, 1)).toEqual([0]);
    await session.pass(4);
    await session.type("version_1", "version_2");
    await session.save();
    expect(await havingSay(session, 2)).toEqual([0, 1]);
    await session.pass(11);
    await session.type("version_2", "version_3");
    await session.save();
    expect(await havingSay(session, 3)).toEqual([2]);
  });

  it("have no say if they were replaced before the agent's latest read, which another agent has not made", async () => {
    const session = await startSession(version(0));
    for (const number of [1, 2]) {
      await session.pass(number);
      await session.type(`version_${number - 1}`, `version_${number}`);
      await session.save();
    }
    await session.read("ann");
    await session.pass(1);
    await session.type("version_2", "version_3");
    await session.save();
    expect(await havingSay(session, 3)).toEqual([2]);
    for (const number of [0, 1, 2])
      expect(await session.preview("bob", `version_${number}()`)).toEqual(["contentModified"]);
  });

  it("place an edit of an agent that read the file before two saves", async () => {
    const lines = "def a():\n    x = load()\n    return x\n";
    const session = await startSession(lines);
    await session.type("    return x", "    # one\n    return x");
    await session.save();
    await session.pass(2);
    await session.type("    return x", "    # two\n    return x");
    await session.save();
    expect(await session.apply("ann", "x = load()\n    return x", "x = load()\n    return y")).toEqual([]);
    expect(session.text()).toBe("def a():\n    x = load()\n    # one\n    # two\n    return y\n");
  });
});

describe("several agents, with saves between their calls", () => {
  const twins = "def a():\n    x = load()\n    return x\n\ndef b():\n    x = load()\n    return x\n";

  it("have their edits placed by their own reads, whatever the others do", async () => {
    const session = await startSession(twins);
    await session.read("ann");
    await session.type("    return x", "    # typed\n    return x");
    await session.save();
    await session.read("bob");
    // Ann may have read the file again with a tool of her own; Bob has read what is there.
    const edit = ["    x = load()\n    return x", "    pass"] as const;
    expect(await session.apply("ann", ...edit)).toEqual(["ambiguousMatch"]);
    expect(await session.apply("bob", ...edit)).toEqual([]);
    const made = twins.replace(/x = load\(\)\n {4}return x\n$/, "pass\n");
    expect(session.text()).toBe(made.replace("    return x", "    # typed\n    return x"));
    // The number is right in what Ann has read, but a line was typed between the two that her edit replaces by one.
    expect(await session.apply("ann", ...edit, { line: 2 })).toEqual(["contentModified"]);
    const other = ["    return x\n", "    return x + 1\n", { line: 3 }] as const;
    expect(await session.apply("ann", ...other)).toEqual([]);
    expect(session.text()).toBe(made.replace("    return x", "    # typed\n    return x + 1"));
  });

  it("do not know each other's batches: what one has made is to the other as if it were typed", async () => {
    const session = await startSession(twins);
    await session.read("ann");
    await session.read("bob");
    expect(await session.apply("ann", "def a():\n    x = load()", "def a():\n    # by ann\n    x = load()")).toEqual(
      [],
    );
    // Bob's old text still starts in the first function.
    expect(
      await session.apply("bob", "def a():\n    x = load()\n    return x", "def a():\n    x = load()\n    return y"),
    ).toEqual([]);
    const made = twins.replace("    x = load()\n    return x", "    # by ann\n    x = load()\n    return y");
    expect(session.text()).toBe(made);
    // Ann has not seen Bob's line, and Bob has changed it.
    expect(await session.apply("ann", "    x = load()\n    return x\n\ndef b", "    return load()\n\ndef b")).toEqual([
      "contentModified",
    ]);
    expect(await session.apply("ann", "    # by ann\n    x = load()", "    # by Ann\n    x = load()")).toEqual([]);
    expect(session.text()).toBe(made.replace("by ann", "by Ann"));
  });

  it("keep what they have made and seen across saves", async () => {
    const session = await startSession("one()\ntwo()\nthree()\nfour()\n");
    await session.read("ann");
    expect(await session.apply("ann", "two()", "two_by_ann()")).toEqual([]);
    await session.save();
    await session.read("bob");
    expect(await session.apply("bob", "four()", "four_by_bob()")).toEqual([]);
    await session.type("three()", "# typed\nthree()");
    await session.save();
    await session.pass(2);
    expect(await session.apply("ann", "two_by_ann()\nthree()", "two_by_ann()\n3()")).toEqual([]);
    expect(await session.apply("bob", "two_by_ann()\nthree()\nfour_by_bob()", "2()\nthree()\nfour_by_bob()")).toEqual(
      [],
    );
    expect(session.text()).toBe("one()\n2()\n# typed\n3()\nfour_by_bob()\n");
  });

  it("share with an agent without an id what all of them have made", async () => {
    const session = await startSession("one()\ntwo()\nthree()\n");
    await session.read("somebody");
    expect(await session.apply("ann", "two()", "two_by_ann()")).toEqual([]);
    await session.type("three()", "# typed\nthree()");
    expect(await session.apply("somebody", "two_by_ann()\nthree()", "two_by_ann()\n3()")).toEqual([]);
    expect(session.text()).toBe("one()\ntwo_by_ann()\n# typed\n3()\n");
  });
});
