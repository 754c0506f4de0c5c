/** The checks of what is different on macOS, for a Linux that gives its answers (`asOnMacos.ts`). */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { edits } from "./edits.js";
import { type Check, diskText, type Place } from "./place.js";
import { killChecks } from "./windowsChecks.js";

/** A name with an accent in one character, as it is typed, and in two, as HFS+ keeps it. */
const [typedName, keptName] = ["caf\u00e9.txt", "cafe\u0301.txt"];

/** The only session's record. */
function sessionIn(state: string): { readonly address: string; readonly pid: number } {
  const folder = join(state, "sessions");
  const [name, another] = readdirSync(folder).filter((each) => each.endsWith(".json"));
  assert.deepEqual([typeof name, another], ["string", undefined]);
  return JSON.parse(readFileSync(join(folder, name ?? ""), "utf8"));
}

/** Runs a check with other variables. */
async function withVariables(values: Readonly<Record<string, string | undefined>>, act: () => Promise<void>) {
  const before = Object.fromEntries(Object.keys(values).map((name) => [name, process.env[name]]));
  const set = (all: Readonly<Record<string, string | undefined>>): void => {
    for (const [name, value] of Object.entries(all)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
  set(values);
  await act().finally(() => set(before));
  return undefined;
}

/** Starts a client whose only document has unsaved text. */
async function typing(place: Place, name: string, settings: object = {}, ask?: () => Promise<string>) {
  const folder = place.folder({ [name]: "one\n", "b.txt": "one\n" });
  const client = await place.client(folder, { settings, ...(ask && { ask }) });
  client.documents.open(join(folder, name));
  client.documents.change(join(folder, name), "typed one\n");
  return { folder, client, text: () => client.documents.get(join(folder, name))?.text };
}

const nameChecks: readonly Check[] = [
  {
    name: "names that the disk keeps in NFD, and others spell in NFC",
    async run(place) {
      const { folder, client, text } = await typing(place, typedName);
      assert.ok(readdirSync(folder).includes(keptName));
      for (const [i, name] of [keptName, typedName].entries()) {
        assert.match((await place.run(folder, ["read", name])).stdout, /typed/);
        const call = JSON.stringify(edits([name, ["one", "1"][i] ?? "", `${i + 1}`]));
        const applied = await place.run(folder, ["apply", "--mode=editor"], call);
        assert.equal(applied.code, 0, applied.stderr);
      }
      assert.deepEqual([text(), diskText(folder, typedName)], ["typed 2\n", "one\n"]);
      await client.stop();
      return "both spellings reach the open document";
    },
  },
  {
    name: "a file that does not exist yet has one identity in both spellings",
    async run(place) {
      const folder = place.folder({ "a.txt": "a\n" });
      const [made, kept] = ["n\u00e9.txt", "ne\u0301.txt"];
      const call = JSON.stringify(edits([made, "", "one\n"], [kept, "one", "two"]));
      const applied = await place.run(folder, ["apply"], call);
      assert.equal(applied.code, 0, applied.stderr);
      assert.deepEqual([readdirSync(folder), diskText(folder, kept)], [["a.txt", kept], "two\n"]);
      return undefined;
    },
  },
  {
    name: "a rule of confirm holds for both spellings, in any case",
    async run(place) {
      let asked = 0;
      const settings = { confirm: [{ files: "CAF\u00c9.txt", ask: "always" }] };
      const { folder, client } = await typing(place, typedName, settings, async () => {
        asked += 1;
        return "Reject";
      });
      for (const name of [typedName, keptName]) {
        assert.equal((await client.applyByServer(edits([name, "one", "1"]))).ok, false);
      }
      assert.equal(asked, 2);
      assert.equal(diskText(folder, typedName), "one\n");
      await client.stop();
      return "asked for both";
    },
  },
];

const placeChecks: readonly Check[] = [
  {
    name: "a socket whose path would have 104 bytes has a shorter one, and is reached",
    async run(place) {
      const rest = "/multi-edit-language-server/sessions/0123456789ab.sock";
      const home = join(place.base, "x".repeat(104 - rest.length - place.base.length - 1));
      assert.equal(Buffer.byteLength(home + rest), 104);
      // As long as macOS's own, which ends with a slash.
      const temporary = join(place.base, "t".repeat(48 - place.base.length - 1));
      assert.equal(Buffer.byteLength(temporary), 48);
      for (const folder of [home, temporary]) mkdirSync(folder, { mode: 0o700 });
      const variables = { XDG_STATE_HOME: home, XDG_RUNTIME_DIR: undefined, TMPDIR: `${temporary}/` };
      return withVariables(variables, async () => {
        const { folder, client } = await typing(place, "a.txt");
        assert.match((await place.run(folder, ["read", "a.txt"])).stdout, /typed one/);
        const { address } = sessionIn(join(home, "multi-edit-language-server"));
        assert.ok(Buffer.byteLength(address) <= 103 && address.startsWith(`${temporary}/`), address);
        await client.stop();
      });
    },
  },
  {
    name: "without variables, state and settings are in ~/Library/Application Support",
    run: (place) =>
      withVariables({ XDG_STATE_HOME: undefined, XDG_CONFIG_HOME: undefined }, async () => {
        const ours = join(process.env.HOME ?? "", "Library/Application Support/multi-edit-language-server");
        mkdirSync(ours, { recursive: true, mode: 0o700 });
        writeFileSync(join(ours, "settings.json"), '{ "protectedNames": ["+secret.txt"] }');
        const { folder, client } = await typing(place, "a.txt");
        await client.status();
        assert.ok(existsSync(sessionIn(ours).address));
        await client.stop();
        const other = place.folder({ "secret.txt": "one\n" });
        const refused = await place.run(other, ["apply"], JSON.stringify(edits(["secret.txt", "one", "1"])));
        assert.notEqual(refused.code, 0);
        assert.deepEqual([diskText(other, "secret.txt"), diskText(folder, "a.txt")], ["one\n", "one\n"]);
      }),
  },
];

const processChecks: readonly Check[] = [
  {
    name: "a session that was killed, without /proc",
    async run(place) {
      const { folder, client } = await typing(place, "a.txt");
      await client.status();
      const { pid } = sessionIn(place.state);
      process.kill(pid, "SIGKILL");
      await delay(500);
      const applied = await place.run(folder, ["apply"], JSON.stringify(edits(["a.txt", "one", "1"])));
      assert.equal(applied.code, 0, applied.stderr);
      assert.equal(diskText(folder, "a.txt"), "1\n");
      assert.deepEqual(
        readdirSync(join(place.state, "sessions")).filter((name) => name.endsWith(".json")),
        [],
      );
      return "its record is removed, the file is changed on disk";
    },
  },
  {
    name: "each file that a call writes is synced, also if the disk syncs no directories",
    async run(place) {
      const folder = place.folder({ "a.txt": "one\n", "b.txt": "one\n" });
      const log = join(place.base, "synced");
      writeFileSync(log, "");
      await withVariables({ SYNC_LOG: log }, async () => {
        const call = JSON.stringify(edits(["a.txt", "one", "1"], ["made.txt", "", "new\n"]));
        const applied = await place.run(folder, ["apply"], call);
        assert.equal(applied.code, 0, applied.stderr);
      });
      const synced = readFileSync(log, "utf8").split("\n");
      assert.ok(synced.includes(join(folder, "a.txt")), synced.join("\n"));
      assert.ok(synced.includes(folder), synced.join("\n"));
      assert.ok(synced.some((path) => path.startsWith(join(place.state, "journals"))));
      assert.deepEqual([diskText(folder, "a.txt"), diskText(folder, "made.txt")], ["1\n", "new\n"]);
      return undefined;
    },
  },
];

/** All of them, in the order in which they run. */
export const macosChecks: readonly Check[] = [...nameChecks, ...placeChecks, ...processChecks, ...killChecks];
