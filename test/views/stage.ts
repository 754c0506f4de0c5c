/** A session with an editor, two agents and one without an id on its socket, and a clock that the test sets. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { announced, friend, ownStateHome, type Peer } from "../support/agentPeer.js";
import type { Program } from "../support/build.js";
import { makeDirectory } from "../support/directory.js";
import { startEditor } from "../support/fakeEditor.js";
import type { Stage } from "./story.js";
import { anyone } from "./world.js";

/** Starts a server with everything that a scenario needs. */
export async function startStage(program: Program, tells: "changes" | "wholeText"): Promise<Stage> {
  const home = ownStateHome();
  const folder = makeDirectory({});
  const clock = join(home, "clock");
  mkdirSync(home, { recursive: true });
  const preload = join(home, "clock.cjs");
  writeFileSync(preload, movingClock(clock));
  const editor = await startEditor({
    server: [process.execPath, "--require", preload, program.path, "--stdio"],
    folders: [folder],
    settings: { save: "never" },
    tells,
  });
  onTestFinished(async () => void (await editor.stop()));
  const [session] = await announced(home);
  const agents = new Map<string, Peer>();
  for (const agent of ["ann", "bob"]) agents.set(agent, await friend(session, { name: agent, agent }));
  agents.set(anyone, await friend(session, { name: "somebody" }));
  let minutes = 0;
  const pass = async (more: number): Promise<void> => {
    minutes += more;
    const ahead = String(minutes * 60_000);
    writeFileSync(clock, ahead);
    const isSet = (): boolean => existsSync(`${clock}.set`) && readFileSync(`${clock}.set`, "utf8") === ahead;
    for (let tries = 0; !isSet(); tries++) {
      if (tries > 500) throw new Error("the server does not set its clock");
      // A signal may get lost.
      if (tries % 20 === 0) editor.process.kill("SIGUSR2");
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
  return { editor, folder, agents, syncsWhole: tells === "wholeText", pass };
}

/** A script that puts the clocks of a process forward by as many milliseconds as the file says, on a signal. */
const movingClock = (file: string): string => `
const { readFileSync, writeFileSync } = require("node:fs");
let ahead = 0;
const now = Date.now.bind(Date);
const sinceStart = performance.now.bind(performance);
Date.now = () => now() + ahead;
performance.now = () => sinceStart() + ahead;
const file = ${JSON.stringify(file)};
process.on("SIGUSR2", () => {
  const text = readFileSync(file, "utf8");
  ahead = Number(text);
  writeFileSync(file + ".set", text);
});
`;
