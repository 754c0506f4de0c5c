/**
 * Folders that are not what their paths say: mounted a second time, in a submodule, or on a disk that ignores case. What can't
 * be made here, because it needs root or a file system that this kernel lacks, is left out, and one line says so.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { ownStateHome } from "../support/agentPeer.js";
import { serverForDesks } from "../support/desk.js";
import { fillDirectory, makeDirectory } from "../support/directory.js";
import { type FakeEditor, startEditor } from "../support/fakeEditor.js";

const program = serverForDesks();

/** Mounts something until the end of the test; returns `false`, and says so, if that is impossible here. */
function mounts(how: readonly string[], at: string): boolean {
  mkdirSync(at, { recursive: true });
  try {
    execFileSync("mount", [...how, at], { stdio: "pipe" });
  } catch (error) {
    console.log(`left out: mount ${how.join(" ")}, because ${String((error as { stderr?: Buffer }).stderr).trim()}`);
    return false;
  }
  onTestFinished(() => void execFileSync("umount", [at]));
  return true;
}

async function editorIn(folder: string): Promise<FakeEditor> {
  ownStateHome();
  const server = [process.execPath, program.path, "--stdio"] as const;
  const settings = { save: "never", protectedNames: ["+secret.txt"] };
  const editor = await startEditor({ server, folders: [folder], settings, clientInfo: { name: "Tester" } });
  onTestFinished(() => void editor.process.kill("SIGKILL"));
  return editor;
}

/** Sends an edit that replaces `one`; returns the code of its failure, or `applied`. */
async function edited(editor: FakeEditor, path: string, newText = "two"): Promise<string> {
  const params = { command: "multiEdit.apply", arguments: [{ path, oldText: "one", newText }] };
  return await editor.request("workspace/executeCommand", params).then(
    () => "applied",
    (error: { data?: { failures?: { code: string }[] } }) => error.data?.failures?.[0]?.code ?? String(error),
  );
}

it("a folder that is mounted a second time holds the same documents, and its protected names stay protected", async () => {
  const ws = makeDirectory({ "src/a.txt": "one\n", "src/.git/config": "one\n", "src/secret.txt": "one\n" });
  if (!mounts(["--bind", join(ws, "src")], join(ws, "again"))) return;
  const editor = await editorIn(ws);
  const uri = pathToFileURL(join(ws, "src/a.txt")).href;
  await editor.open({ uri, text: "typed\none\n" });
  expect(await edited(editor, "again/a.txt")).toBe("applied");
  // The edit is in the editor's document, and the file is as it was.
  expect([editor.documents.get(uri)?.text, readFileSync(join(ws, "src/a.txt"), "utf8")]).toEqual([
    "typed\ntwo\n",
    "one\n",
  ]);
  for (const path of ["again/.git/config", "again/secret.txt"])
    expect(await edited(editor, path)).toBe("protectedPath");
  // Both paths are one file, so the second edit meets the text that the first one has made.
  writeFileSync(join(ws, "src/b.txt"), "one\n");
  const edits = ["src/b.txt", "again/b.txt"].map((path, i) => ({ path, oldText: "one", newText: `new ${i}` }));
  const call = { command: "multiEdit.apply", arguments: [{ edits }] };
  await expect(editor.request("workspace/executeCommand", call)).rejects.toMatchObject({
    data: { failures: [{ code: "consumed" }] },
  });
  expect(readFileSync(join(ws, "src/b.txt"), "utf8")).toBe("one\n");
});

it("a Git directory that is mounted under another name stays protected", async () => {
  const git = { HEAD: "one\n", config: "one\n", "objects/": "", "refs/": "" };
  const ws = makeDirectory(Object.fromEntries(Object.entries(git).map(([name, text]) => [`.git/${name}`, text])));
  if (!mounts(["--bind", join(ws, ".git")], join(ws, "tools"))) return;
  const editor = await editorIn(ws);
  expect(await edited(editor, "tools/config")).toBe("protectedPath");
  expect(await edited(editor, "tools/HEAD")).toBe("protectedPath");
  expect(readFileSync(join(ws, ".git/config"), "utf8")).toBe("one\n");
});

it("a submodule's files can be changed, but neither its `.git` file nor its Git directory", async () => {
  const at = makeDirectory({ "lib/a.txt": "one\n", "ws/a.txt": "one\n" });
  const git = (folder: string, ...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always", ...args], {
      cwd: join(at, folder),
      stdio: "pipe",
    });
  for (const folder of ["lib", "ws"]) {
    git(folder, "init", "--quiet");
    git(folder, "add", ".");
    git(folder, "commit", "--quiet", "-m", "first");
  }
  git("ws", "submodule", "--quiet", "add", "../lib", "sub");
  const editor = await editorIn(join(at, "ws"));
  const kept = ["ws/sub/.git", "ws/.git/modules/sub/HEAD"].map((path) => readFileSync(join(at, path), "utf8"));
  expect(await edited(editor, "sub/a.txt")).toBe("applied");
  for (const path of ["sub/.git", "sub/../.git/modules/sub/HEAD", "sub/../.git/modules/sub/hooks/new"])
    expect([path, await edited(editor, path)]).toEqual([path, "protectedPath"]);
  expect(["ws/sub/.git", "ws/.git/modules/sub/HEAD"].map((path) => readFileSync(join(at, path), "utf8"))).toEqual(kept);
});

const disks = {
  vfat: { make: ["mkfs.vfat"], prepare: () => undefined },
  "ext4 with folded names": {
    make: ["mkfs.ext4", "-q", "-F", "-O", "casefold", "-E", "encoding=utf8"],
    prepare: (folder: string) => void execFileSync("chattr", ["+F", folder]),
  },
} as const;

it.each(Object.entries(disks))("on %s, another case of a name is the same file", async (_, { make, prepare }) => {
  const at = makeDirectory({});
  const image = join(at, "image");
  const [command, ...args] = make;
  try {
    execFileSync("truncate", ["-s", "8M", image]);
    execFileSync(command, [...args, image], { stdio: "pipe" });
  } catch (error) {
    console.log(`left out: ${command}, because ${error instanceof Error ? error.message.trim() : error}`);
    return;
  }
  if (!mounts(["-o", "loop", image], join(at, "disk"))) return;
  const ws = join(at, "disk/ws");
  mkdirSync(ws);
  prepare(ws);
  fillDirectory(ws, { "a.txt": "one\n", ".git/config": "one\n", "secret.txt": "one\n" });
  const editor = await editorIn(ws);
  for (const path of [".GIT/config", ".git/CONFIG", ".Git/Config", "SECRET.TXT", "Secret.txt"])
    expect([path, await edited(editor, path)]).toEqual([path, "protectedPath"]);
  const uri = pathToFileURL(join(ws, "a.txt")).href;
  await editor.open({ uri, text: "typed\none\n" });
  expect(await edited(editor, "A.TXT")).toBe("applied");
  expect([editor.documents.get(uri)?.text, readFileSync(join(ws, "a.txt"), "utf8")]).toEqual(["typed\ntwo\n", "one\n"]);
});
