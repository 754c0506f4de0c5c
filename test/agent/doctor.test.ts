/** What blocks a file although nobody owns it any more: messages name it, and the doctor says what to delete. */
import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { announced, ownStateHome } from "../support/agentPeer.js";
import { runCommand } from "../support/commands.js";
import { layDesk, serverForDesks } from "../support/desk.js";
import { type Entry, makeDirectory } from "../support/directory.js";

const program = serverForDesks();

const call = JSON.stringify({ path: "a.txt", oldText: "one", newText: "two" });
const apply = (cwd: string) => runCommand(program, ["apply", "--mode=disk"], { cwd, input: call });
const doctor = async (cwd: string): Promise<string> => (await runCommand(program, ["doctor"], { cwd })).stdout;

function lay(more: Readonly<Record<string, Entry>> = {}) {
  const home = ownStateHome();
  const folder = makeDirectory({ "a.txt": "one\n", ...more });
  return { home, folder, text: () => readFileSync(join(folder, "a.txt"), "utf8") };
}

/** Plants the lock of a process in another container, last written `age` seconds ago; returns its path. */
function plantClaim(home: string, folder: string, age: number): string {
  const journals = join(home, "multi-edit-language-server", "journals");
  for (const path of [join(journals, ".."), journals]) mkdirSync(path, { recursive: true, mode: 0o700 });
  const path = join(journals, "00000000-00000000-999999-1.0123456789abcdef.claim");
  writeFileSync(path, JSON.stringify({ folders: [folder] }), { mode: 0o600 });
  const written = Date.now() / 1000 - age;
  utimesSync(path, written, written);
  return path;
}

describe("a lock that a process elsewhere has left", () => {
  it("is named by the failure and by the doctor, and blocks nothing once it is deleted", async () => {
    const { home, folder, text } = lay();
    const path = plantClaim(home, folder, 60);
    const { code, stderr } = await apply(folder);
    expect([code, stderr, text()]).toEqual([4, expect.stringContaining(path), "one\n"]);
    expect(stderr).toContain("If no such call is running, the user may delete that file.");
    expect(stderr).not.toContain("999999 ");
    expect(await doctor(folder)).toContain(`"${path}"; if no such call is running, delete that file`);
    rmSync(path);
    expect(await apply(folder)).toMatchObject({ code: 0 });
    expect(await doctor(folder)).not.toContain(".claim");
  });

  it.each([
    ["far in the future", -7_200],
    ["more than an hour ago", 3_700],
  ])("blocks nothing if it was written %s", async (_, age) => {
    const { home, folder, text } = lay();
    plantClaim(home, folder, age);
    expect(await apply(folder)).toMatchObject({ code: 0 });
    expect(text()).toBe("two\n");
  });
});

describe("a trace of an editor, planted by a repository", () => {
  it.each<[name: string, entry: Entry]>([
    [".#a.txt", { link: "x@somewhere.1:1" }],
    [".a.txt.kate-swp", ""],
    [".~lock.a.txt#", ""],
    [".a.txt.swp", Buffer.concat([Buffer.from("b0VIM 9.0"), Buffer.alloc(200)])],
  ])("%s is named by the failure and by the doctor, and blocks nothing once it is deleted", async (name, entry) => {
    const { folder, text } = lay({ [name]: entry, "sub/b.txt": "", [`sub/${name.replace("a.txt", "b.txt")}`]: entry });
    const path = join(folder, name);
    const { code, stderr } = await apply(folder);
    expect([code, stderr, text()]).toEqual([4, expect.stringContaining(`"${path}"`), "one\n"]);
    expect(stderr).toContain("If no editor has it open, the user may delete that file.");
    const said = await doctor(folder);
    for (const trace of [path, join(folder, "sub", name.replace("a.txt", "b.txt"))])
      expect(said).toContain(`because of the file "${trace}"; if it is not open there, delete that file`);
    rmSync(path);
    expect(await apply(folder)).toMatchObject({ code: 0 });
    expect(await doctor(folder)).not.toContain(`"${path}"`);
  });

  it("is named with the file that it blocks, also among packages", async () => {
    const swap = Buffer.concat([Buffer.from("b0VIM 9.0"), Buffer.alloc(200)]);
    const { folder } = lay({
      ".a.txt.swp": swap,
      ".env": "",
      ".env.swp": swap,
      "node_modules/p/b.js": "",
      "node_modules/p/.#b.js": { link: "x@somewhere.1:1" },
    });
    const said = await doctor(folder);
    for (const file of ["a.txt", ".env", "node_modules/p/b.js"]) expect(said).toContain(join(folder, file));
    expect(said).not.toContain(`${join(folder, ".a.txt")} `);
    expect(said).not.toContain(`${join(folder, "env")} `);
  });
});

describe("the doctor shows the settings that hold for the folder", () => {
  it("of an editor, of the settings file, or the defaults", async () => {
    const { home, folder } = lay();
    process.env.XDG_CONFIG_HOME = join(home, "config");
    try {
      expect(await doctor(folder)).toContain('    confirm: "protected"\n    protectedNames: the defaults\n');
      const config = join(home, "config", "multi-edit-language-server");
      mkdirSync(config, { recursive: true });
      writeFileSync(join(config, "settings.json"), '{ "confirm": "always", "protectedNames": ["+secret"] }');
      const fromFile = `Settings from ${join(config, "settings.json")}\n    confirm: "always"\n    protectedNames: +secret\n`;
      expect(await doctor(folder)).toContain(fromFile);
      const settings = { confirm: [{ files: "a/**", ask: "always" }] };
      const { root } = await layDesk(program, { files: { "a.txt": "one\n" }, settings, clientInfo: { name: "Guard" } });
      const [{ id }] = await announced(home);
      const said = await doctor(root);
      expect(said).toContain(
        `Settings from ${id} (Guard in ${root})\n    confirm: [{"files":"a/**","ask":"always"}]\n`,
      );
      const { stdout } = await runCommand(program, ["doctor", "--json"], { cwd: root });
      expect(JSON.parse(stdout).gates).toMatchObject([{ confirm: settings.confirm }]);
    } finally {
      delete process.env.XDG_CONFIG_HOME;
    }
  });
});
