/** Announced sessions that cannot be asked: a file is not written if such a session may have unsaved changes to it. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { announced, filesIn, ownStateHome, sessionsIn } from "../support/agentPeer.js";
import { fastClock } from "../support/clocks.js";
import { hurry, type Ran, runCommand, speedNow, suspend } from "../support/commands.js";
import { failed, serverForDesks } from "../support/desk.js";
import { makeDirectory } from "../support/directory.js";
import { type FakeEditor, startEditor } from "../support/fakeEditor.js";
import { frame } from "../support/rawClient.js";
import { startStub } from "../support/sessionStub.js";

const program = serverForDesks();

const textIn = (folder: string, path: string): string => readFileSync(join(folder, path), "utf8");

// Nobody waits 4 s for a session that does not answer.
beforeEach(() => hurry());

function apply(call: object, cwd: string, ...args: string[]): Promise<Ran> {
  return runCommand(program, ["apply", ...args], { cwd, input: JSON.stringify(call) });
}

const edit = { path: "a.txt", oldText: "one", newText: "two" };
const creation = { path: "new.txt", oldText: "", newText: "two\n" };

async function open(folders: readonly string[], name: string): Promise<FakeEditor> {
  const server = [process.execPath, ...fastClock(speedNow()), program.path, "--stdio"] as const;
  const editor = await startEditor({ server, folders, clientInfo: { name } });
  onTestFinished(() => void editor.process.kill("SIGKILL"));
  return editor;
}

/** An editor named Busy, with unsaved changes in `a.txt` and unsaved text for a file that does not exist yet. */
async function layFolder() {
  const home = ownStateHome();
  const folder = makeDirectory({ "a.txt": "one\n" });
  const busy = await open([folder], "Busy");
  await busy.open({ uri: pathToFileURL(join(folder, "a.txt")).href, text: "mine\none\n" });
  await busy.open({ uri: pathToFileURL(join(folder, "new.txt")).href, text: "mine\n" });
  const [session] = await announced(home);
  /** Checks that nothing was written and that no temporary file is left behind. */
  const expectUntouched = (): void => {
    expect([textIn(folder, "a.txt"), readdirSync(folder)]).toEqual(["one\n", ["a.txt"]]);
  };
  return { home, folder, busy, session, expectUntouched };
}

describe("a file in the folder of a session that does not answer", () => {
  it("is locked with --mode=disk, and the message names the session and says what to do", async () => {
    const { folder, busy, session, expectUntouched } = await layFolder();
    suspend(busy);
    const [edited, created] = await Promise.all([edit, creation].map((call) => apply(call, folder, "--mode=disk")));
    expect([edited, created]).toMatchObject([
      { code: 4, stdout: "" },
      { code: 4, stdout: "" },
    ]);
    expect(edited?.stderr).toContain(
      `"a.txt" may be open with unsaved changes in the editor ${session.id} (Busy in ${folder}), but it did not answer within 4 s.`,
    );
    expect(edited?.stderr).toContain("resume or close it. Then send the call again.");
    expectUntouched();
    const { error } = JSON.parse((await apply(edit, folder, "--mode=disk", "--json")).stdout);
    expect(error.failures).toMatchObject([{ code: "locked", path: "a.txt" }]);
  });

  it.each([
    ["the same folder", ""],
    ["the folder above", ".."],
  ])("is locked for another editor that has %s open", async (_, above) => {
    const { home, folder, busy, expectUntouched } = await layFolder();
    const other = await open([join(folder, above)], "Other");
    await announced(home, 2);
    suspend(busy);
    for (const call of [edit, creation]) {
      const given = { ...call, path: join(folder, call.path) };
      const command = { command: "multiEdit.apply", arguments: [given] };
      const refusal = await failed(other.request("workspace/executeCommand", command));
      expect([refusal.codes, refusal.message]).toEqual([["locked"], expect.stringContaining("(Busy in ")]);
      expect(refusal.message).toContain("Nothing was changed");
    }
    expectUntouched();
  });

  it("may be one of several such files: a sentence names each, and the advice is given only once", async () => {
    const { folder, busy } = await layFolder();
    writeFileSync(join(folder, "b.txt"), "one\n");
    suspend(busy);
    const { code, stderr } = await apply({ edits: [edit, { ...edit, path: "b.txt" }] }, folder, "--mode=disk");
    const said = (name: string): string => `"${name}" may be open with unsaved changes in the editor `;
    expect([code, stderr]).toEqual([4, expect.stringContaining(said("a.txt"))]);
    expect(stderr).toContain(said("b.txt"));
    expect(stderr.split("but it did not answer within 4 s.")).toHaveLength(3);
    expect(stderr.split("Then send the call again.")).toHaveLength(2);
    expect(stderr.split("The editor may be")).toHaveLength(2);
    expect(stderr).toContain("Nothing was changed");
  });

  it("is not written on disk by a call that looks for an editor", async () => {
    const { folder, busy, expectUntouched } = await layFolder();
    suspend(busy);
    for (const mode of ["--mode=auto", "--mode=editor"]) {
      expect(await apply(creation, folder, mode)).toMatchObject({ code: 3, stderr: expect.stringContaining("Busy") });
    }
    expectUntouched();
  });
});

describe("a file that a session has open and never saved", () => {
  it("is not created on disk", async () => {
    const { folder, expectUntouched } = await layFolder();
    const ran = await apply(creation, folder, "--mode=disk");
    expect(ran).toMatchObject({ code: 4, stderr: expect.stringContaining('"new.txt" is open in Busy') });
    expectUntouched();
  });
});

describe("a file that a session has open outside of its folders", () => {
  it.each(["--mode=disk", "--mode=auto"])("is not written with %s while that session does not answer", async (mode) => {
    const home = ownStateHome();
    const folder = makeDirectory({ "a/a.txt": "one\n", "b/": "", "link.txt": { link: "a/a.txt" } });
    const busy = await open([join(folder, "b")], "Busy");
    await announced(home);
    await busy.open({ uri: pathToFileURL(join(folder, "link.txt")).href, text: "mine\none\n" });
    await expect.poll(() => outsideOf(home)).toEqual([join(folder, "a/a.txt")]);
    suspend(busy);
    const { code, stderr } = await apply(edit, join(folder, "a"), mode);
    expect([code, stderr]).toEqual([
      mode === "--mode=disk" ? 4 : 3,
      expect.stringContaining("did not answer within 4 s"),
    ]);
    expect(textIn(folder, "a/a.txt")).toBe("one\n");
  });

  it("is announced as long as it is open and outside the folders", async () => {
    const { home, folder, busy } = await layFolder();
    const elsewhere = makeDirectory({ "x.txt": "", "y.txt": "" });
    const [x, y] = ["x.txt", "y.txt"].map((name) => join(elsewhere, name));
    for (const path of [x, y]) await busy.open({ uri: pathToFileURL(path!).href, text: "" });
    await expect.poll(() => outsideOf(home)).toEqual([x, y]);
    await busy.close(pathToFileURL(x!).href);
    await expect.poll(() => outsideOf(home)).toEqual([y]);
    const change = (added: string[], removed: string[]) =>
      busy.notify("workspace/didChangeWorkspaceFolders", {
        event: {
          added: added.map((path) => ({ uri: pathToFileURL(path).href, name: path })),
          removed: removed.map((path) => ({ uri: pathToFileURL(path).href, name: path })),
        },
      });
    await change([elsewhere], []);
    await expect.poll(() => outsideOf(home)).toEqual([]);
    await change([], [folder]);
    await expect.poll(() => outsideOf(home)).toEqual([join(folder, "a.txt"), join(folder, "new.txt")]);
  });
});

/** The files that the only session announces as open although they are outside its folders. */
function outsideOf(home: string): unknown {
  const [name = ""] = filesIn(home).filter((file) => file.endsWith(".json"));
  return JSON.parse(readFileSync(join(sessionsIn(home), name), "utf8")).outside;
}

describe("a call for another editor to change a file on disk", () => {
  const patch = (...lines: string[]): string => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
  const replace = ["*** Delete File: a.txt", "*** Update File: b.txt", "*** Move to: a.txt", "@@", "-one", "+two"];
  const calls: readonly (readonly [what: string, call: object])[] = [
    ["put another file in its place", { patch: patch(...replace) }],
    [
      "move a file onto its name",
      { patch: patch("*** Update File: b.txt", "*** Move to: new.txt", "@@", "-one", "+two") },
    ],
    ["delete it", { patch: patch("*** Delete File: a.txt"), options: { unopened: "editor" } }],
    ["change it", { ...edit, options: { unopened: "editor" } }],
    ["create it", { ...creation, options: { unopened: "editor" } }],
  ];

  it.each(calls)("is refused if the editor would %s while a session may have it open", async (_, call) => {
    const { home, folder, busy } = await layFolder();
    writeFileSync(join(folder, "b.txt"), "one\n");
    const other = await open([folder], "Other");
    await announced(home, 2);
    await other.open({ uri: pathToFileURL(join(folder, "b.txt")).href, text: "one\n" });
    const command = { command: "multiEdit.apply", arguments: [call] };
    for (const holder of ['.txt" is open in Busy', '.txt" may be open with unsaved changes in the editor ']) {
      const refusal = await failed(other.request("workspace/executeCommand", command));
      expect([refusal.codes, refusal.message]).toEqual([["locked"], expect.stringContaining(holder)]);
      expect([readdirSync(folder).sort(), textIn(folder, "a.txt")]).toEqual([["a.txt", "b.txt"], "one\n"]);
      suspend(busy);
    }
  });

  it("is refused if it would undo a move from a name under which another editor has since opened a text", async () => {
    const home = ownStateHome();
    const folder = makeDirectory({ "b.txt": "one\n" });
    const [mover, other] = [await open([folder], "Mover"), await open([folder], "Other")];
    await announced(home, 2);
    await mover.open({ uri: pathToFileURL(join(folder, "b.txt")).href, text: "one\n" });
    const moved = patch("*** Update File: b.txt", "*** Move to: c.txt", "@@", "-one", "+two");
    await mover.request("workspace/executeCommand", { command: "multiEdit.apply", arguments: [{ patch: moved }] });
    await other.open({ uri: pathToFileURL(join(folder, "b.txt")).href, text: "mine\n" });
    const refusal = await failed(mover.request("multiEdit/undo", {}));
    expect([refusal.codes, refusal.message]).toEqual([["locked"], expect.stringContaining('"b.txt" is open in Other')]);
    expect(readdirSync(folder)).toEqual(["c.txt"]);
  });
});

describe("a file that two editors have open", () => {
  it("is changed in neither while one of them does not answer", async () => {
    const { home, folder, busy } = await layFolder();
    const other = await open([folder], "Other");
    await announced(home, 2);
    await other.open({ uri: pathToFileURL(join(folder, "a.txt")).href, text: "one\n" });
    expect(await apply(edit, folder)).toMatchObject({ code: 3, stderr: expect.stringContaining("Several editors") });
    suspend(busy);
    expect(await apply(edit, folder)).toMatchObject({ code: 3, stderr: expect.stringContaining("(Busy in ") });
    expect(other.asked).toEqual([]);
  });
});

describe("an editor that opens a file while the command waits for another one", () => {
  it("is asked again, and its file is not written", async () => {
    const home = ownStateHome();
    const folder = makeDirectory({ "a.txt": "one\n" });
    const quick = await open([folder], "Quick");
    await announced(home);
    const status = { folders: [pathToFileURL(folder).href], open: [] };
    await startStub(home, {
      folders: [folder],
      serve: ({ id }, socket) => {
        // If both editors are asked at the same time, Quick answers before it opens this file.
        const opened = quick.open({ uri: pathToFileURL(join(folder, "a.txt")).href, text: "mine\none\n" });
        const answer = frame({ jsonrpc: "2.0", id, result: status });
        setTimeout(() => void opened.then(() => socket.write(answer)), 1_500 / speedNow());
        return undefined;
      },
    });
    const { code, stderr } = await apply(edit, folder, "--mode=disk");
    expect([code, stderr]).toEqual([4, expect.stringContaining('"a.txt" is open in Quick')]);
    expect(textIn(folder, "a.txt")).toBe("one\n");
  });
});

describe("a session that completes the handshake but does not report its open files", () => {
  it.each([
    ["never answers", () => undefined, "did not answer within 4 s"],
    ["answers with nothing", () => ({ result: null }), "does not understand the session's list"],
    [
      "answers with something else",
      () => ({ result: { folders: [7], open: "none" } }),
      "does not understand the session's list",
    ],
    ["is too busy", () => ({ error: { code: -32803, message: "32 requests are served already." } }), "32 requests"],
  ])("because it %s has its files refused at every door", async (_, serve, why) => {
    const home = ownStateHome();
    const folder = makeDirectory({ "a.txt": "one\n" });
    await startStub(home, { folders: [folder], serve });
    const modes = [
      ["disk", 4],
      ["auto", 3],
      ["editor", 3],
    ] as const;
    const ran = await Promise.all(modes.map(([mode]) => apply(edit, folder, `--mode=${mode}`)));
    expect(ran.map(({ code }) => code)).toEqual(modes.map(([, code]) => code));
    for (const { stderr } of ran) expect(stderr).toContain(why);
    expect([textIn(folder, "a.txt"), filesIn(home)]).toEqual(["one\n", expect.arrayContaining([expect.any(String)])]);
  });
});

describe("a session that can't be asked", () => {
  it("does not lock files in other folders", async () => {
    const home = ownStateHome();
    const folder = makeDirectory({ "a/a.txt": "one\n", "b/": "" });
    await startStub(home, { isSilent: true, folders: [join(folder, "b")] });
    expect(await apply(edit, join(folder, "a"), "--mode=disk")).toMatchObject({ code: 0 });
    expect(textIn(folder, "a/a.txt")).toBe("two\n");
  });

  it("because it is of a newer version locks all files, because its own are unknown", async () => {
    const home = ownStateHome();
    const folder = makeDirectory({ "a.txt": "one\n" });
    mkdirSync(sessionsIn(home), { recursive: true, mode: 0o700 });
    writeFileSync(join(sessionsIn(home), "0123456789ab.json"), '{"format":2}', { mode: 0o600 });
    const { code, stderr } = await apply(edit, folder, "--mode=disk");
    expect([code, stderr]).toEqual([4, expect.stringMatching(/"a\.txt" may be open .* of a newer version .* Update/)]);
    expect(textIn(folder, "a.txt")).toBe("one\n");
  });

  it("because it is of a newer version locks only the files that its announcement names", async () => {
    const home = ownStateHome();
    const folder = makeDirectory({ "a/a.txt": "one\n", "b/a.txt": "one\n", "c/a.txt": "one\n" });
    mkdirSync(sessionsIn(home), { recursive: true, mode: 0o700 });
    const record = {
      format: 2,
      folders: [{ uri: "", path: join(folder, "a") }],
      outside: [join(folder, "b/a.txt")],
    };
    writeFileSync(join(sessionsIn(home), "0123456789ab.json"), JSON.stringify(record), { mode: 0o600 });
    for (const [name, mode, code] of [
      ["a", "auto", 3],
      ["a", "disk", 4],
      ["b", "auto", 3],
      ["b", "disk", 4],
      ["c", "auto", 0],
    ] as const) {
      const ran = await apply(edit, join(folder, name), `--mode=${mode}`);
      expect(ran.code, `${name} ${mode}`).toBe(code);
      if (code !== 0)
        expect(ran.stderr).toMatch(/of a newer version .* Update this program, multi-edit, to that version/);
    }
    expect(["a", "b", "c"].map((name) => textIn(folder, `${name}/a.txt`))).toEqual(["one\n", "one\n", "two\n"]);
  });

  it("and has ended no longer locks any file", async () => {
    const { folder, busy } = await layFolder();
    busy.process.kill("SIGKILL");
    await expect.poll(() => busy.process.signalCode).toBe("SIGKILL");
    expect(await apply(edit, folder, "--mode=disk")).toMatchObject({ code: 0 });
    expect(textIn(folder, "a.txt")).toBe("two\n");
  });
});
