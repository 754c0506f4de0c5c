/** The warning of the commands if a call that may go to an editor goes to the disk. */
import { expect, it } from "vitest";
import { announced, ownStateHome } from "../support/agentPeer.js";
import { runCommand } from "../support/commands.js";
import { layDesk, serverForDesks } from "../support/desk.js";
import { makeDirectory } from "../support/directory.js";

const program = serverForDesks();
const call = (path: string, oldText = "one", newText = "two"): string => JSON.stringify({ path, oldText, newText });

it("warns if no editor has the files and names the mode that forbids the disk, but not if the disk was chosen", async () => {
  const home = ownStateHome();
  const desk = await layDesk(program, { clientInfo: { name: "Tester" }, files: { "a.txt": "one\n" } });
  await announced(home);
  const elsewhere = makeDirectory({ "b.txt": "one\n" });
  const warning = /^Warning: no editor has these files open .* With --mode=editor, such a call is refused\.$/m;
  for (const [args, words] of [
    [["preview"], /the call would change them on disk\./],
    [["apply"], /the call changed them on disk\./],
  ] as const) {
    const { code, stderr } = await runCommand(program, args, { input: call("b.txt"), cwd: elsewhere });
    expect([code, stderr, stderr]).toEqual([0, expect.stringMatching(warning), expect.stringMatching(words)]);
  }
  const chosen = await runCommand(program, ["apply", "--mode=disk"], {
    input: call("b.txt", "two", "six"),
    cwd: elsewhere,
  });
  expect([chosen.code, chosen.stderr]).toEqual([0, expect.not.stringMatching(warning)]);
  const inEditor = await runCommand(program, ["apply"], { input: call("a.txt"), cwd: desk.root });
  expect([inEditor.code, inEditor.stderr]).toEqual([0, expect.not.stringMatching(warning)]);
  expect(desk.disk()["a.txt"]).toBe("two\n");
});
