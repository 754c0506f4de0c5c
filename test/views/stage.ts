/** A session with an editor, two agents and one without an id on its socket, and a clock that the test sets. */
import { onTestFinished } from "vitest";
import { announced, friend, ownStateHome, type Peer } from "../support/agentPeer.js";
import type { Program } from "../support/build.js";
import { makeDirectory } from "../support/directory.js";
import { startEditor } from "../support/fakeEditor.js";
import { movingClock } from "../support/movingClock.js";
import type { Stage } from "./story.js";
import { anyone } from "./world.js";

/** Starts a server with everything that a scenario needs. */
export async function startStage(program: Program, tells: "changes" | "wholeText"): Promise<Stage> {
  const home = ownStateHome();
  const folder = makeDirectory({});
  const clock = movingClock(home);
  const editor = await startEditor({
    server: [process.execPath, ...clock.arguments, program.path, "--stdio"],
    folders: [folder],
    settings: { save: "never" },
    tells,
  });
  onTestFinished(async () => void (await editor.stop()));
  const [session] = await announced(home);
  const agents = new Map<string, Peer>();
  for (const agent of ["ann", "bob"]) agents.set(agent, await friend(session, { name: agent, agent }));
  agents.set(anyone, await friend(session, { name: "somebody" }));
  const pass = async (minutes: number): Promise<void> => {
    // A signal may overtake the editor's notifications.
    await editor.request("multiEdit/status", undefined);
    await clock.pass(editor.process, minutes);
  };
  return { editor, folder, agents, syncsWhole: tells === "wholeText", pass };
}
