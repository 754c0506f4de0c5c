/** Which commands for a shell apply a patch, and which only mention one. */
import { describe, expect, it } from "vitest";
import { readPatchCommand } from "../../server/agent/hook/shellPatch.js";

const patch = "*** Begin Patch\n*** Update File: a.ts\n@@\n-x\n+y\n*** End Patch";
const here = (program: string): string => `${program} <<'EOF'\n${patch}\nEOF`;

describe("a command", () => {
  it.each([
    ["alone", here("apply_patch"), { patch, folders: [] }],
    ["under its other name", here("applypatch"), { patch, folders: [] }],
    ["in a folder", `cd /x && ${here("apply_patch")}`, { patch, folders: ["/x"] }],
    [
      "in a quoted folder, and does more",
      `cd "/x y"; ${here("apply_patch")}\nls`,
      { patch: undefined, folders: ["/x y"] },
    ],
    ["from a pipe", `${here("cat")} | apply_patch`, undefined],
    ["from a pipe on the line", `cat <<EOF | apply_patch\n${patch}\nEOF`, { patch: undefined, folders: [] }],
    ["as an argument", `apply_patch "${patch}"`, { patch: undefined, folders: [] }],
    ["in a shell of its own", `bash -lc "${here("apply_patch")}"`, { patch: undefined, folders: [] }],
    [
      "in a shell of its own, in single quotes",
      `sh -c 'apply_patch <<E\n${patch}\nE'`,
      { patch: undefined, folders: [] },
    ],
    ["on a condition", `if true; then ${here("apply_patch")}\nfi`, { patch: undefined, folders: [] }],
    ["with a variable", `LANG=C ${here("apply_patch")}`, { patch: undefined, folders: [] }],
    ["by the program's path", here("/usr/bin/apply_patch"), { patch: undefined, folders: [] }],
    ["after another text", `${here("cat > doc.md")}\n${here("apply_patch")}`, { patch: undefined, folders: [] }],
  ])("that applies a patch %s is recognised", (how, command, expected) => {
    if (how === "from a pipe") return expect(readPatchCommand(`${command}\n`)).toEqual(expected);
    expect(readPatchCommand(command)).toEqual(expected);
  });

  it.each([
    ["searches for one", `grep -rn "*** Begin Patch" . && grep '*** Update File: a.ts' docs`],
    ["searches for the program", "git log --grep apply_patch; which apply_patch_helper; echo apply_patch"],
    ["prints one", `echo "apply_patch <<E\n${patch}\nE"`],
    ["writes one into a page", `cat > doc.md <<EOF\napply_patch <<X\n${patch}\nX\nEOF`],
    ["writes one into a page, indented", `cat > doc.md <<-EOF\napply_patch\n${patch}\n\tEOF\nls`],
    ["has one in a comment", `# apply_patch ${patch.replaceAll("\n", " ")}\nls`],
    ["commits with one in the message", `git commit -m "apply_patch\n${patch}"`],
    ["never ends its text", `cat <<EOF\napply_patch\n${patch}`],
  ])("that %s is not taken for one that applies it", (_what, command) => {
    expect(readPatchCommand(command)).toBeUndefined();
  });

  it("of any length is read quickly", () => {
    const parts = ['a "b" ', "x=1 ", "<<E ", "'a", '"a', "\\", "# ", "sh -c '", "; apply_patch_ ", "<<E\n"];
    for (const one of parts) expect(readPatchCommand(`${one.repeat(100_000)}\n;apply_patch_`), one).toBeUndefined();
  });
});
