/** The checks of what is different on Windows: paths, shares, files that other programs hold, kills, and the places for setup. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, constants, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "../../client-samples/node/client.js";
import { edits } from "./edits.js";
import { type Check, diskText, namesIn, type Place } from "./place.js";

/** The codes of a call's failures, or "applied". */
async function outcome(client: Client, call: Parameters<Client["applyByServer"]>[0]): Promise<string> {
  const answer = await client.applyByServer(call);
  return answer.ok ? "applied" : (answer.data?.failures ?? []).map(({ code }) => code).join();
}

/** Spellings of the path of an open document, for a folder `C:\reach\w-…` and a file name. */
const spellings: readonly (readonly [name: string, spell: (folder: string) => string])[] = [
  ["a URI with an encoded drive", (folder) => `file:///c%3A${slashed(folder).slice(2)}/Open.txt`],
  ["a URI with an upper-case drive", (folder) => `file:///C:${slashed(folder).slice(2)}/Open.txt`],
  ["backslashes", (folder) => `${folder}\\Open.txt`],
  ["slashes", (folder) => `${slashed(folder)}/Open.txt`],
  ["a lower-case drive", (folder) => `c${folder.slice(1)}\\Open.txt`],
  ["another case", (folder) => `${folder.toUpperCase()}\\OPEN.TXT`],
  ["a relative path", () => "sub\\..\\open.TXT"],
  ["Git Bash", (folder) => `/c${slashed(folder).slice(2)}/Open.txt`],
  ["Git Bash's capital", (folder) => `/C${slashed(folder).slice(2)}/Open.txt`],
];

/** Paths that are refused, whatever the call. */
const refused: readonly string[] = [
  ...["CON", "nul", "con.txt", "sub\\AUX.md", "COM1", "LPT1.log", "conin$", "sub/nul "],
  ...["Open.txt:stream", "Open.txt::$DATA", "a<b", "a|b", "a?b", "Open.txt.", "Open.txt ", "sub \\a.txt"],
  ...["\\\\host\\share\\a.txt", "//host/share/a.txt", "file://host/share/a.txt", "\\\\?\\C:\\a.txt", "\\\\.\\pipe\\a"],
  ...["C:Open.txt", "\\Open.txt", "/Open.txt", "/cc/Open.txt"],
];

const slashed = (path: string): string => path.replaceAll("\\", "/");

const pathChecks: readonly Check[] = [
  {
    name: "spellings of the path of an open document: drive, case, slashes, URIs, Git Bash",
    async run(place) {
      const folder = place.folder({ "Open.txt": "0\r\n", "sub/a.txt": "a\n" });
      const client = await place.client(folder);
      client.documents.open(join(folder, "Open.txt"));
      client.documents.change(join(folder, "Open.txt"), "typed 0\r\n");
      for (const [i, [name, spell]] of spellings.entries()) {
        assert.equal(await outcome(client, edits([spell(folder), `typed ${i}`, `typed ${i + 1}`])), "applied", name);
      }
      assert.equal(client.documents.get(join(folder, "Open.txt"))?.text, `typed ${spellings.length}\r\n`);
      assert.equal(diskText(folder, "Open.txt"), "0\r\n");
      await client.stop();
      return `done, ${spellings.length} spellings`;
    },
  },
  {
    name: "names of devices, streams, characters and paths that Windows reads in another way",
    async run(place) {
      const folder = place.folder({ "Open.txt": "0\r\n", "sub/a.txt": "a\n" });
      const client = await place.client(folder);
      client.documents.open(join(folder, "Open.txt"));
      const names = [namesIn(folder), namesIn(join(folder, "sub"))];
      for (const path of refused) {
        for (const oldText of ["", "0"]) {
          assert.equal(await outcome(client, edits([path, oldText, "1\n"])), "invalidParams", path);
        }
      }
      assert.deepEqual([namesIn(folder), namesIn(join(folder, "sub"))], names);
      assert.equal(client.documents.get(join(folder, "Open.txt"))?.text, "0\r\n");
      await client.stop();
      return `refused, ${refused.length} paths`;
    },
  },
  {
    name: "a folder on a share, such as WSL's",
    async run(place) {
      const share = "\\\\wsl.localhost\\Debian";
      const folder = `${share}\\home\\me`;
      mkdirSync(folder, { recursive: true });
      writeFileSync(`${folder}\\open.txt`, "one\n");
      writeFileSync(`${folder}\\closed.txt`, "two\n");
      const client = await place.client(folder);
      client.documents.open(`${folder}\\open.txt`);
      client.documents.change(`${folder}\\open.txt`, "typed one\n");
      const both = edits(["open.txt", "one", "1"], [`${folder}\\closed.txt`, "two", "2"], ["new\\a.txt", "", "new\n"]);
      assert.equal(await outcome(client, both), "applied");
      assert.equal(client.documents.get(`${folder}\\open.txt`)?.text, "typed 1\n");
      assert.deepEqual([diskText(folder, "closed.txt"), diskText(folder, "new", "a.txt")], ["2\n", "new\n"]);
      const uri = "file://wsl.localhost/Debian/home/me/closed.txt";
      assert.equal(await outcome(client, edits([uri, "2", "3"])), "applied");
      const outside = ["\\\\wsl.localhost\\Ubuntu\\a.txt", "\\\\evil\\Debian\\home\\me\\closed.txt"];
      for (const path of outside) assert.equal(await outcome(client, edits([path, "3", "4"])), "invalidParams", path);
      assert.equal(await outcome(client, edits([`${share}\\home\\you.txt`, "", "4"])), "outsideWorkspace");
      assert.equal((await client.undo()).ok, true);
      assert.equal(diskText(folder, "closed.txt"), "2\n");
      await client.stop();
      return undefined;
    },
  },
  {
    name: "a file with the attribute read-only",
    async run(place) {
      const folder = place.folder({ "a.txt": "a\n", "fixed.txt": "f\n" });
      chmodSync(join(folder, "fixed.txt"), 0o444);
      const client = await place.client(folder);
      assert.equal(await outcome(client, edits(["a.txt", "a", "b"], ["fixed.txt", "f", "g"])), "readOnly");
      assert.deepEqual([diskText(folder, "a.txt"), diskText(folder, "fixed.txt")], ["a\n", "f\n"]);
      await client.stop();
      return "refused, nothing changed";
    },
  },
];

/** `UV_FS_O_EXLOCK` of libuv's uv/win.h: opens a file without sharing it. */
const unshared = 0x1000_0000;

/** Opens a file as a program that shares it with nobody; returns a function that lets go of it. */
async function hold(path: string): Promise<() => Promise<void>> {
  const script = `require("fs").openSync(process.argv[1], ${constants.O_RDWR | unshared}); console.log("held"); process.stdin.resume().on("end", () => process.exit());`;
  const child = spawn(process.execPath, ["-e", script, path], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "exit");
  await once(child.stdout, "data");
  return async () => {
    child.stdin.end();
    await ended;
  };
}

/** The names of the journals and of the copies that are not complete. */
const journals = ({ state }: Place): string[] =>
  existsSync(join(state, "journals")) ? namesIn(join(state, "journals")) : [];

const three = edits(["a.txt", "a", "1"], ["held.txt", "h", "2"], ["c.txt", "c", "3"]);

const heldChecks: readonly Check[] = [
  {
    name: "a file that another program holds without sharing it",
    async run(place) {
      const folder = place.folder({ "a.txt": "a", "held.txt": "h", "c.txt": "c", "other.txt": "o" });
      const names = namesIn(folder);
      const client = await place.client(folder);
      const letGo = await hold(join(folder, "held.txt"));
      const start = performance.now();
      assert.equal(await outcome(client, three), "locked");
      const waited = performance.now() - start;
      assert.ok(waited >= 2_000 && waited < 10_000, `waited ${waited} ms`);
      assert.deepEqual([diskText(folder, "a.txt"), diskText(folder, "c.txt")], ["a", "c"]);
      assert.deepEqual([namesIn(folder), journals(place)], [names, []]);
      assert.equal(await outcome(client, edits(["other.txt", "o", "p"])), "applied");
      await letGo();
      assert.equal(await outcome(client, three), "applied");
      assert.deepEqual([diskText(folder, "a.txt"), diskText(folder, "held.txt")], ["1", "2"]);
      await client.stop();
      return "locked after 2 s, nothing changed, other files can be written";
    },
  },
  {
    name: "a file that another program holds for a moment",
    async run(place) {
      const folder = place.folder({ "a.txt": "a", "held.txt": "h", "c.txt": "c" });
      const client = await place.client(folder);
      const letGo = await hold(join(folder, "held.txt"));
      const answer = outcome(client, three);
      await delay(700);
      await letGo();
      assert.equal(await answer, "applied");
      assert.deepEqual([diskText(folder, "a.txt"), diskText(folder, "held.txt")], ["1", "2"]);
      await client.stop();
      return "waited for, done";
    },
  },
];

/** The number of files in the batches around which the writer is killed, and how often it is. */
const [files, kills] = [40, 20];

/** Kills around a batch on disk, on any system. */
export const killChecks: readonly Check[] = [
  {
    name: `a writer that is killed ${kills} times while it changes ${files} files`,
    async run(place) {
      const at = Array.from({ length: files }, (_, i) => `f${i}.txt`);
      const call = JSON.stringify(edits(...at.map((name) => [name, "old", "new"] as const)));
      const seen = { old: 0, between: 0, new: 0 };
      for (let round = 0; round < kills; round++) {
        const folder = place.folder(Object.fromEntries([...at, "last.txt"].map((name) => [name, "old\n"])));
        const changed = () => at.filter((name) => diskText(folder, name) !== "old\n").length;
        await killAt(place, folder, call, Math.floor((round / kills) * files));
        const then = changed();
        seen[then === 0 ? "old" : then === files ? "new" : "between"] += 1;
        // The next call ends what was cut off.
        const next = await place.run(folder, ["apply"], JSON.stringify(edits(["last.txt", "old", "new"])));
        assert.equal(next.code, 0, next.stderr);
        assert.ok([0, files].includes(changed()), `${then} files were changed, and then ${changed()}`);
        assert.deepEqual(namesIn(folder), [...at, "last.txt"].sort());
        assert.deepEqual(journals(place), []);
      }
      assert.ok(seen.between >= kills / 4, JSON.stringify(seen));
      return `${seen.between} of ${kills} in between; then all files or none`;
    },
  },
];

/** Starts a call that writes to disk and kills it as soon as the file with this index has another text. */
async function killAt({ command: [program, main] }: Place, folder: string, call: string, index: number): Promise<void> {
  const child = spawn(program, [main, "apply", "--mode=disk"], { cwd: folder, stdio: ["pipe", "ignore", "ignore"] });
  let isRunning = true;
  const ended = once(child, "exit").then(() => {
    isRunning = false;
  });
  child.stdin.on("error", () => undefined);
  child.stdin.end(call);
  while (isRunning && diskText(folder, `f${index}.txt`) === "old\n") await delay(0);
  child.kill("SIGKILL");
  await ended;
}

const processChecks: readonly Check[] = [
  {
    name: "an agent behind `multi-edit acp` that goes on when its editor has ended",
    async run({ command: [program, main], folder }) {
      const cwd = folder({});
      const agent = 'require("fs").writeFileSync("pid", String(process.pid)); setInterval(() => {}, 1000);';
      const stdio = ["pipe", "ignore", "ignore"] as const;
      const proxy = spawn(program, [main, "acp", "--", program, "-e", agent], { cwd, stdio: [...stdio] });
      const ended = once(proxy, "exit");
      while (!existsSync(join(cwd, "pid")) || diskText(cwd, "pid") === "") await delay(50);
      proxy.stdin?.end();
      await ended;
      const pid = Number(diskText(cwd, "pid"));
      assert.throws(() => process.kill(pid, 0), { code: "ESRCH" });
      return "ended; wine's taskkill can't end what it has started";
    },
  },
];

/** The files that `setup` writes, below the home that the driver has made. */
const setUp: readonly (readonly [name: string, path: string])[] = [
  ["neovim", "state/nvim/plugin/multi_edit.lua"],
  ["emacs", "config/.emacs.d/init.el"],
  ["claude", ".claude.json"],
  ["codex", ".codex/config.toml"],
  ["copilot", ".copilot/mcp-config.json"],
  ["gemini", ".gemini/settings.json"],
  ["opencode", ".config/opencode/opencode.json"],
  ["qwen", ".qwen/settings.json"],
  ["pi", ".pi/agent/extensions/multiEdit.ts"],
];

const setupChecks: readonly Check[] = [
  {
    name: "setup NAME --write, and --remove, in the places of each program: %APPDATA%, %LOCALAPPDATA%, the home",
    async run(place) {
      const [folder, home] = [place.folder({}), join(place.base, "home")];
      for (const [name, path] of setUp) {
        const written = await place.run(folder, ["setup", name, "--write"]);
        assert.equal(written.code, 0, `${name}: ${written.stderr}`);
        assert.match(diskText(home, path), /multi-edit/, `${name}: ${written.stdout}`);
        assert.equal((await place.run(folder, ["setup", name, "--remove"])).code, 0, name);
        assert.doesNotMatch(diskText(home, path), /multi-edit/, name);
      }
      return `done, ${setUp.length} programs`;
    },
  },
];

/** All of them, in the order in which they run. */
export const windowsChecks: readonly Check[] = [
  ...pathChecks,
  ...heldChecks,
  ...killChecks,
  ...processChecks,
  ...setupChecks,
];
