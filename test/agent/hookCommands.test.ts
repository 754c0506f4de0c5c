/** `multi-edit hook codex` and commands that may apply a patch: which are turned away, and that none is applied. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { announced } from "../support/agentPeer.js";
import { suspend } from "../support/commands.js";
import { makeDirectory } from "../support/directory.js";
import { reasonIn } from "../support/hookColumns.js";
import { answer, events, layProject, saved, unsaved } from "../support/hookEvents.js";

const patch = (path: string): string =>
  `*** Begin Patch\n*** Update File: ${path}\n@@\n-const rate = 0.19;\n+const rate = 0.2;\n*** End Patch`;
const here = (path: string): string => `apply_patch <<'EOF'\n${patch(path)}\nEOF`;

/** A project whose editor also has unsaved text in `sub/price.ts`. */
async function layFolders() {
  const { home, root, editor } = await layProject();
  mkdirSync(join(root, "sub"));
  writeFileSync(join(root, "sub/price.ts"), saved);
  writeFileSync(join(root, "sub/closed.ts"), saved);
  await editor.open({ uri: pathToFileURL(join(root, "sub/price.ts")).href, text: unsaved });
  const paths = ["price.ts", "sub/price.ts"].map((name) => join(root, name));
  await expect
    .poll(async () => (await announced(home)).map((one) => (one as { unsaved?: string[] }).unsaved), {
      timeout: 10_000,
    })
    .toEqual([paths]);
  const texts = () => paths.map((path) => editor.documents.get(pathToFileURL(path).href)?.text);
  const ask = (command: string, cwd: string, ...form: string[]) =>
    answer("codex", { ...events.codex("Bash", command, cwd), tool_use_id: Math.random().toString() }, ...form);
  return { home, root, editor, texts, ask };
}

describe("a command that may apply a patch", () => {
  it("is turned away, and never applied, if a file that the patch names has unsaved text, in whatever folder", async () => {
    const { root, texts, ask } = await layFolders();
    for (const command of [
      `echo "x; cd /tmp" && ${here("price.ts")}`,
      `(cd sub && ls); ${here("price.ts")}`,
      `cd - && ${here("price.ts")}`,
      `cd "$PWD/sub" && ${here("price.ts")}`,
      `timeout 5 ${here("price.ts")}`,
      `bash -c "${here("price.ts")}"`,
      `apply_patch "${patch("sub/../price.ts")}"`,
    ]) {
      for (const form of [[], ["--apply"]]) {
        const reason = reasonIn("codex", await ask(command, root, ...form));
        expect(reason, command).toContain(`"${join(root, "price.ts")}", "${join(root, "sub/price.ts")}"`);
        expect(reason, command).toMatch(/Nothing was run\. Send the patch to mcp__multi_edit__apply_patch/);
        expect(reason.includes("apply_patch <<'EOF'"), command).toBe(form.length > 0);
      }
      expect(await ask(command.replaceAll("price.ts", "closed.ts"), root, "--apply"), command).toBeUndefined();
    }
    expect(texts()).toEqual([unsaved, unsaved]);
    expect(readFileSync(join(root, "price.ts"), "utf8")).toBe(saved);
  }, 60_000);

  it("is turned away if the patch is not shown and the command can reach a file with unsaved text", async () => {
    const { root, ask } = await layFolders();
    const elsewhere = makeDirectory({});
    expect(reasonIn("codex", await ask("apply_patch < a.patch", root))).toContain("price.ts");
    expect(reasonIn("codex", await ask("apply_patch < a.patch", join(root, "sub")))).toContain("sub/price.ts");
    expect(reasonIn("codex", await ask(`cd ${root} && apply_patch < a.patch`, elsewhere))).toContain("price.ts");
    expect(await ask("apply_patch < a.patch", elsewhere)).toBeUndefined();
  });

  it("is turned away if the editor does not answer", async () => {
    const { root, editor, ask } = await layFolders();
    suspend(editor);
    expect(reasonIn("codex", await ask(`nohup ${here("price.ts")}`, root))).toMatch(
      /has unsaved changes in the editor .*, but it did not answer/,
    );
    expect(await ask(`nohup ${here("closed.ts")}`, root)).toBeUndefined();
    editor.process.kill("SIGCONT");
  });

  it("that does nothing else is applied in its folder, also without a space before the text", async () => {
    const { root, texts, ask } = await layFolders();
    const command = `cd sub && ${here("price.ts").replace("apply_patch ", "apply_patch")}`;
    expect(reasonIn("codex", await ask(command, root, "--apply"))).toMatch(/^Done\..*\nM price\.ts/s);
    expect(texts()).toEqual([unsaved, unsaved.replace("0.19", "0.2")]);
  });
});
