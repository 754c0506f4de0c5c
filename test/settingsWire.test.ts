/** Settings over the wire: their sources and precedence, and the effect of an invalid setting. */

import { describe, expect, it } from "vitest";
import { MessageType } from "vscode-languageserver/node";
import { batch, type Desk, type DeskOptions, layDesk, serverForDesks } from "./support/desk.js";

const program = serverForDesks();

/** A client that neither answers requests for settings nor accepts registrations. */
const mute = { workspace: { applyEdit: true, workspaceEdit: { documentChanges: true } } };
/** Trailing whitespace prevents a match on every rung that `lenient: false` allows. */
const open = { "a.txt": "old  \nline\n" };

const start = (options: DeskOptions = {}): Promise<Desk> => layDesk(program, { open, ...options });
const push = (desk: Desk, settings: unknown): Promise<void> =>
  desk.editor.notify("workspace/didChangeConfiguration", { settings });
const isLenient = (desk: Desk): Promise<boolean> =>
  desk.propose(batch(["a.txt", "old\nline", "new\nline"])).then(
    () => true,
    () => false,
  );
/** The messages that the editor shows to its user. */
const shown = (desk: Desk): unknown => desk.editor.notices;
const warnings = (desk: Desk): string[] =>
  desk.editor.messages.filter(({ type }) => type === MessageType.Warning).map(({ message }) => message);

describe("settings", () => {
  it("are the defaults if the client sends none", async () => {
    const desk = await start({ capabilities: mute });
    expect(await isLenient(desk)).toBe(true);
    expect(warnings(desk)).toEqual([]);
  });

  it.each([[{ lenient: false }], [{ multiEdit: { lenient: false }, otherServer: { lenient: true } }]])(
    "come in initializationOptions, as %j",
    async (settings) => {
      const desk = await start({ capabilities: mute, settings });
      expect(await isLenient(desk)).toBe(false);
      expect(warnings(desk)).toEqual([]);
    },
  );

  it("are requested as soon as the client is initialized, and calls wait for them", async () => {
    const desk = await start({ params: { initializationOptions: undefined }, settings: { lenient: false } });
    expect(await isLenient(desk)).toBe(false);
    expect(desk.editor.configurations).toEqual([{ items: [{ section: "multiEdit" }] }]);
  });

  it.each([[null], [{}], [{ multiEdit: null }], [{ lenient: null }]])(
    "that are requested and not set (%j) leave those of initializationOptions in force",
    async (answer) => {
      const desk = await start({ params: { initializationOptions: { lenient: false } }, settings: answer });
      expect(await isLenient(desk)).toBe(false);
      expect(warnings(desk)).toEqual([]);
    },
  );

  it.each([
    [{ multiEdit: { lenient: false } }, { multiEdit: {} }],
    [{ lenient: false }, {}],
  ])("are pushed as %j, and withdrawn with %j", async (pushed, withdrawn) => {
    const desk = await start({ capabilities: mute });
    expect(await isLenient(desk)).toBe(true);
    await push(desk, pushed);
    expect(await isLenient(desk)).toBe(false);
    await push(desk, withdrawn);
    expect(await isLenient(desk)).toBe(true);
  });

  it("are requested again if the client only says that they changed", async () => {
    const desk = await start();
    expect(await isLenient(desk)).toBe(true);
    desk.editor.keepSettings({ lenient: false });
    await push(desk, null);
    expect(await isLenient(desk)).toBe(false);
    expect(desk.editor.configurations).toHaveLength(2);
    desk.editor.keepSettings({});
    await push(desk, null);
    expect(await isLenient(desk)).toBe(true);
  });

  it("that are pushed override initializationOptions, and requested ones override both", async () => {
    const pushed = await start({ capabilities: mute, settings: { lenient: false } });
    await push(pushed, { multiEdit: { lenient: true } });
    expect(await isLenient(pushed)).toBe(true);
    const asked = await start({ params: { initializationOptions: { lenient: true } }, settings: { lenient: true } });
    asked.editor.keepSettings({ lenient: false });
    await push(asked, { multiEdit: { lenient: true } });
    expect(await isLenient(asked)).toBe(false);
  });

  it("stay as they were if the client answers with an error", async () => {
    const desk = await start({ settings: { lenient: false } });
    expect(await isLenient(desk)).toBe(false);
    desk.editor.connection.onRequest("workspace/configuration", () => {
      throw new Error("no settings here");
    });
    await push(desk, null);
    expect(await isLenient(desk)).toBe(false);
    expect(warnings(desk).join()).toContain("no settings here");
  });

  it("delay calls until they arrive, but not forever", async () => {
    const desk = await start({ settings: { lenient: false } });
    desk.editor.connection.onRequest("workspace/configuration", () => new Promise(() => undefined));
    await push(desk, null);
    expect(await isLenient(desk)).toBe(false);
  });

  it("are overridden by the options of a call", async () => {
    const desk = await start({ settings: { lenient: false } });
    const call = { ...batch(["a.txt", "old\nline", "new\nline"]), options: { lenient: true } };
    expect((await desk.propose(call)).edits).toMatchObject([{ status: "applied", rung: "trailingBlanks" }]);
  });
});

describe("an invalid setting", () => {
  it.each<[unknown, RegExp]>([
    [{ lenient: "no" }, /"lenient".*uses true instead/],
    [{ atomic: "some" }, /"atomic".*uses "all" instead/],
    [{ proofTimeout: 0 }, /"proofTimeout".*uses 2000 instead/],
    [{ additionalFolders: "/tmp" }, /"additionalFolders"/],
    [{ protectedNames: ["a//b"] }, /"protectedNames\.0"/],
    [7, /a number, not an object/],
    [{ multiEdit: [] }, /"multiEdit" is a list/],
  ])("%j causes a warning, and the default stays", async (settings, warning) => {
    const desk = await start({ capabilities: mute, settings });
    expect(await isLenient(desk)).toBe(true);
    expect(warnings(desk)).toHaveLength(1);
    expect(warnings(desk)[0]).toMatch(warning);
  });

  it("affects neither the other settings of its source nor a valid value of an earlier source", async () => {
    const desk = await start({ capabilities: mute, settings: { lenient: false } });
    await push(desk, { lenient: 1, atomic: "none" });
    expect(await isLenient(desk)).toBe(false);
    expect(warnings(desk)).toHaveLength(1);
    expect(warnings(desk)[0]).toMatch(/uses false instead/);
    const some = await desk.propose(batch(["a.txt", "gone", "x"], ["a.txt", "line", "LINE"]));
    expect(some.edits.map(({ status }) => status)).toEqual(["failed", "applied"]);
  });

  it("causes one warning, however often and from whatever source it comes", async () => {
    const wrong = { leniant: true, other: 1 };
    const desk = await start({ settings: wrong });
    for (let i = 0; i < 3; i++) {
      await push(desk, { multiEdit: wrong });
      await push(desk, null);
      expect(await isLenient(desk)).toBe(true);
    }
    expect(warnings(desk)).toEqual([expect.stringContaining('"leniant" (did you mean "lenient"?) or "other"')]);
    expect(shown(desk)).toHaveLength(1);
    await push(desk, { multiEdit: { another: 1 } });
    await isLenient(desk);
    expect(warnings(desk)).toHaveLength(2);
    expect(shown(desk)).toHaveLength(2);
  });
});

describe("the problems with the settings", () => {
  it.each([
    ["sent at the start", { capabilities: mute, settings: { confrim: "always", atomic: "some", lenient: false } }],
    [
      "requested",
      { params: { initializationOptions: { confrim: "always" } }, settings: { atomic: "some", lenient: false } },
    ],
    ["logged at no level", { settings: { confrim: "always", atomic: "some", lenient: false, logLevel: "error" } }],
  ])("of settings that are %s are shown in one message, and the other settings hold", async (_, options) => {
    const desk = await start(options);
    expect(await isLenient(desk)).toBe(false);
    const [notice, ...others] = desk.editor.notices;
    expect(others).toEqual([]);
    expect(notice).toMatchObject({ type: MessageType.Warning });
    expect(notice?.message).toMatch(/^multi-edit: .*All other settings are in force\.$/);
    expect(notice?.message).toContain('There is no setting "confrim" (did you mean "confirm"?)');
    expect(notice?.message).toContain('The setting "atomic" can\'t be used');
    expect(await desk.editor.request("multiEdit/status", null)).toMatchObject({
      settingProblems: [expect.stringContaining('"atomic"'), expect.stringContaining('"confrim"')],
    });
  });

  it("are shown again only if there are others", async () => {
    const desk = await start({ capabilities: mute });
    for (const settings of [{ confrim: 1 }, {}, { confrim: 1 }, { svae: 1 }]) await push(desk, settings);
    await isLenient(desk);
    expect(shown(desk)).toMatchObject(
      [{ message: /"confrim"/ }, { message: /"svae"/ }].map(({ message }) => ({
        message: expect.stringMatching(message),
      })),
    );
  });
});

describe("the log level", () => {
  const messagesAt = async (options: DeskOptions): Promise<Set<MessageType>> => {
    const desk = await start({ capabilities: mute, ...options });
    await desk.editor.notify("textDocument/didChange", {
      textDocument: { uri: "untitled:not open", version: 2 },
      contentChanges: [],
    });
    await push(desk, { nonsense: 1, logLevel: (options.settings as { logLevel?: string } | undefined)?.logLevel });
    await isLenient(desk);
    return new Set(desk.editor.messages.map(({ type }) => type));
  };
  const { Error: error, Warning: warn, Info: info, Log: debug } = MessageType;

  it.each<[DeskOptions, MessageType[]]>([
    [{ settings: { logLevel: "error" } }, []],
    [{ settings: { logLevel: "warn" } }, [warn]],
    [{ settings: { logLevel: "info" } }, [info, warn]],
    [{ settings: { logLevel: "debug" } }, [info, debug, warn]],
    [{}, [info, warn]],
    [{ settings: { logLevel: "error" }, args: ["--log-level", "debug"] }, [info, debug, warn]],
    [{ settings: { logLevel: "debug" }, args: ["--log-level", "error"] }, []],
  ])("of %j lets messages of the types %j through", async (options, expected) => {
    const seen = await messagesAt(options);
    expect(seen).toEqual(new Set(expected));
    expect(seen).not.toContain(error);
  });

  it("may be lowered while the server runs", async () => {
    const desk = await start({ capabilities: mute });
    await push(desk, { logLevel: "error" });
    await push(desk, { logLevel: "error", nonsense: 1 });
    await isLenient(desk);
    expect(warnings(desk)).toEqual([]);
  });
});
