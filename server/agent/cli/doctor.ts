/** Tells people which editors can be reached, what is wrong, and what to do about it. */

import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { userWorkspace } from "../../disk/diskWorkspace.js";
import { tryJournals } from "../../disk/journal.js";
import { journalProblems } from "../../disk/recover.js";
import { sayUnreached } from "../../disk/sentences.js";
import type { Asker } from "../session/request.js";
import { chooseSession, shortOf } from "../session/selectSession.js";
import { closeSessions, type Found, findSessions, type LiveSession } from "../session/sessions.js";
import type { Arguments } from "./arguments.js";
import { exitCodes } from "./exitCodes.js";
import { print, say } from "./print.js";

/** Lists the sessions that answer, a line each. */
export async function listSessions({ json }: Arguments, asker: Asker): Promise<number> {
  const found = await findSessions(asker.sessions, asker.caller);
  try {
    const sessions = found.reached.map(describe);
    if (json) print(`${JSON.stringify(sessions)}\n`);
    else
      for (const { id, client, folders, open } of sessions)
        print(`${id}  ${client}  ${open.length} open  ${folders.join(" ")}\n`);
    for (const { record, why } of found.missed)
      say(`${shortOf(record)} is announced, but ${sayUnreached(why).problem}.`);
    for (const problem of found.problems) say(problem);
    if (sessions.length === 0) say(`${noneReached} "multi-edit doctor" tells more.`);
    return sessions.length > 0 ? exitCodes.done : exitCodes.noSession;
  } finally {
    closeSessions(found);
  }
}

const noneReached = "No editor can be reached.";

/** What an agent needs to know of the editors, in lines. */
export async function describeSessions(asker: Asker): Promise<string> {
  const found = await findSessions(asker.sessions, asker.caller);
  try {
    const choice = await chooseSession(found, { session: asker.session, targets: [], directory: asker.directory });
    const sessions = found.reached.map(describe);
    return [...(await stateOf(found, sessions)), ...advice(choice, asker)].join("\n");
  } finally {
    closeSessions(found);
  }
}

/** What is known of a session that answers, for programs, too. Its secret is not. */
function describe({ record: { id, pid, client, startedAt }, version, status: { folders, open } }: LiveSession) {
  return { id, client, version, pid, startedAt, folders, open };
}

/** Looks at everything that a call depends on. Fails where no editor would be found for the working directory. */
export async function examine({ json }: Arguments, asker: Asker): Promise<number> {
  const found = await findSessions(asker.sessions, asker.caller);
  try {
    const choice = await chooseSession(found, { session: asker.session, targets: [], directory: asker.directory });
    const chosen = choice.ok ? choice.session : undefined;
    const sessions = found.reached.map(describe);
    const workspace = await userWorkspace([]);
    const unwritable = tryJournals(workspace)?.message;
    const problems = unwritable === undefined ? journalProblems(workspace) : [unwritable];
    if (json) {
      const missed = found.missed.map(({ record: { secret: _, ...record }, why }) => ({ ...record, why }));
      const told = {
        directory: asker.directory,
        chosen: chosen?.record.id ?? null,
        sessions,
        missed,
        problems: [...found.problems, ...problems],
      };
      print(`${JSON.stringify(told)}\n`);
    } else {
      const journals = `Journals of files that no editor has are kept in ${workspace.state}`;
      const about = [...environment(asker), ...(unwritable === undefined ? [journals] : []), ...problems];
      print(`${[...about, "", ...(await stateOf(found, sessions)), "", ...advice(choice, asker)].join("\n")}\n`);
    }
    return chosen === undefined ? exitCodes.noSession : exitCodes.done;
  } finally {
    closeSessions(found);
  }
}

function environment({ version, sessions, directory }: Asker): string[] {
  const onPath = isOnPath("multi-edit");
  return [
    `multi-edit-language-server ${version}, Node ${process.versions.node}, ${process.platform}`,
    `Program: ${process.argv[1]}${onPath ? "" : ' ("multi-edit" is not on the PATH: editors and agents need the full path, or "npm link")'}`,
    `Sessions are announced in ${sessions}`,
    `Working directory: ${directory}`,
    ...(process.env.CODEX_SANDBOX_NETWORK_DISABLED === "1"
      ? ["This is a sandbox of Codex, which forbids sockets: use the MCP server, which runs outside of it."]
      : []),
  ];
}

function isOnPath(name: string): boolean {
  return (process.env.PATH ?? "").split(delimiter).some((directory) => {
    try {
      accessSync(join(directory, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

async function stateOf(found: Found, sessions: readonly ReturnType<typeof describe>[]): Promise<string[]> {
  const reached = sessions.flatMap(({ id, client, version, pid, folders, open }) => [
    `${id}  ${client}, process ${pid}, server ${version}`,
    ...folders.map((folder) => `    folder ${folder}`),
    ...open.slice(0, 10).map(({ uri, onDisk }) => `    open ${uri}${onDisk === "differs" ? ", not as on disk" : ""}`),
    ...(open.length > 10 ? [`    and ${open.length - 10} more open`] : []),
  ]);
  const missed = found.missed.flatMap(({ record, why }) => {
    const { problem, hint } = sayUnreached(why);
    return [`${shortOf(record)}, process ${record.pid}: ${problem}.`, `    ${hint}`];
  });
  return [
    sessions.length === 0 ? noneReached : "Editors that can be reached:",
    ...reached,
    ...missed,
    ...found.problems,
    ...(found.removed > 0 ? [`Removed ${found.removed} announcements of sessions that have ended.`] : []),
  ];
}

function advice(choice: Awaited<ReturnType<typeof chooseSession>>, { directory }: Asker): string[] {
  if (!choice.ok) return [`A call for files here would fail: ${choice.failure.message}`];
  if (choice.session !== undefined) return [`Calls for files in ${directory} go to ${shortOf(choice.session.record)}.`];
  return [
    `No editor has ${directory}: calls for files in it write the disk, unless --mode=editor forbids it. To edit through an editor, open the directory in one that runs multi-edit-language-server, as "multi-edit setup" shows.`,
  ];
}
