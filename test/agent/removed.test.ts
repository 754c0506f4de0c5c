/** A session whose files somebody has removed, as programs that clean up do: agents reach it again. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { type Announced, announced, filesIn, friend, ownStateHome } from "../support/agentPeer.js";
import { buildProgram } from "../support/build.js";
import { hastyServer, layDesk } from "../support/desk.js";

const program = await buildProgram(new URL("../../server/main.ts", import.meta.url));
afterAll(() => program.remove());

/** Opens an editor whose server renews its announcement every 100 ms. */
async function lay(home: string) {
  const server = hastyServer(program, 300);
  const options = { clientInfo: { name: "Tester" }, files: { "a.txt": "one\n" }, server };
  const { editor } = await layDesk(program, options);
  const [session] = await announced(home);
  return { editor, session };
}

/** The session's announcement, once it is there and names a socket that exists. */
async function backAgain(home: string): Promise<Announced> {
  for (const until = Date.now() + 10_000; Date.now() < until; ) {
    if (filesIn(home).some((name) => name.endsWith(".json"))) {
      const [session] = await announced(home);
      if (existsSync(session.address)) return session;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("the session is not announced with a socket that exists");
}

async function textOf(session: Announced): Promise<unknown> {
  const agent = await friend(session);
  const { result } = await agent.ask(1, "multiEdit/read", { path: "a.txt" });
  return (result as { text: string }).text;
}

describe("a session", () => {
  it("comes back under its id if the whole folder with its record and socket was removed", async () => {
    const home = ownStateHome();
    const { editor, session } = await lay(home);
    rmSync(join(home, "multi-edit-language-server"), { recursive: true });
    const again = await backAgain(home);
    expect(again.id).toBe(session.id);
    expect(statSync(dirname(again.address)).mode & 0o777).toBe(0o700);
    expect(await textOf(again)).toBe("one\n");
    expect(await editor.stop()).toBe(0);
    expect([existsSync(again.address), filesIn(home)]).toEqual([false, []]);
  });

  it("gets a new socket if the temporary directory that held it was removed", async () => {
    const [state, runtime] = [process.env.XDG_STATE_HOME, process.env.XDG_RUNTIME_DIR];
    const root = mkdtempSync(join(tmpdir(), "multi-edit-home-"));
    onTestFinished(() => {
      process.env.XDG_STATE_HOME = state;
      if (runtime !== undefined) process.env.XDG_RUNTIME_DIR = runtime;
      rmSync(root, { recursive: true, force: true });
    });
    // The path is too long for a socket, so it is in a temporary directory of its own.
    const home = join(root, "d".repeat(60), "e".repeat(60));
    mkdirSync(home, { recursive: true });
    process.env.XDG_STATE_HOME = home;
    delete process.env.XDG_RUNTIME_DIR;
    const { editor, session } = await lay(home);
    rmSync(dirname(session.address), { recursive: true });
    const again = await backAgain(home);
    expect(again.id).toBe(session.id);
    expect(again.address).not.toBe(session.address);
    expect(await textOf(again)).toBe("one\n");
    expect(await editor.stop()).toBe(0);
    expect(existsSync(dirname(again.address))).toBe(false);
  });
});
