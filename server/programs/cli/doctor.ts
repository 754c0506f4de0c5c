/** Reports which editors can be reached, what problems there are and, unless as JSON, how to fix them. */
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { userWorkspace } from "../../disk/diskWorkspace.js";
import { attempt } from "../../disk/fileSystem.js";
import { tracedFilesIn } from "../../disk/holders.js";
import { tryJournals } from "../../disk/journal.js";
import { foreignLocks } from "../../disk/lock.js";
import { journalProblems } from "../../disk/recover.js";
import { diskSentences, sayUnreached } from "../../disk/sentences.js";
import { addressedToUser } from "../../lsp/edit/forPeople.js";
import { isInCodexSandbox } from "../../session/connect.js";
import { readUserSettings } from "../../session/gates.js";
import { closedSessionOf } from "../../session/holders.js";
import { holds, readRecords, sessionName } from "../../session/record.js";
import type { RequestContext } from "../../session/request.js";
import type { SelectedSession } from "../../session/selectSession.js";
import { asksForSession } from "../../session/sentences.js";
import { defaultSettings, type Settings } from "../../workspace/settings.js";
import type { SetUpFile } from "../setup/findSetUp.js";
import { advice, sessionForDirectory, stateOf, withSessions } from "../shared/describeSessions.js";
import { inHome, withHome } from "../shared/inHome.js";
import { exitCodes, print, printJson, say } from "../shared/output.js";
import { reachSentences } from "../shared/sentences.js";
import type { Arguments } from "./arguments.js";
import { commandSentences, doctorSentences } from "./sentences.js";

/** Lists the sessions that answer, one per line or as JSON; returns the exit code. */
export function listSessions({ json }: Arguments, context: RequestContext): Promise<number> {
  return withSessions(context, async (found, sessions) => {
    if (json) printJson(sessions);
    else for (const session of sessions) print(`${doctorSentences.sessionLine(session)}\n`);
    for (const { record, why } of found.unreached) {
      say(doctorSentences.unreached(sessionName(record), sayUnreached(why).problem));
    }
    for (const problem of found.problems) say(problem);
    if (sessions.length === 0) say(`${reachSentences.noneReached} ${doctorSentences.seeDoctor}`);
    return sessions.length > 0 ? exitCodes.done : exitCodes.noSession;
  });
}

/** Reports on all that a call depends on. Returns the exit code: `noSession` if no editor would get a call. */
export function runDoctor({ json }: Arguments, context: RequestContext): Promise<number> {
  return withSessions(context, async (found, sessions) => {
    const selected = await sessionForDirectory(found, context);
    const chosen = selected.ok ? selected.session : undefined;
    const workspace = userWorkspace([]);
    const unwritable = tryJournals(workspace)?.message;
    const traced = tracedFilesIn(workspace, context.directory);
    const problems = [
      ...(unwritable === undefined ? journalProblems(workspace) : [unwritable]),
      ...foreignLocks(workspace).map(diskSentences.claimed),
      ...traced.map(({ path, by, trace }) => diskSentences.traced(path, by, trace)),
    ];
    const setUp = await (await import("../setup/setup.js")).findSetUp();
    for (const { name, path, missing } of setUp) {
      problems.push(...missing.map((one) => doctorSentences.missing(name, inHome(path), one)));
    }
    const gates = gatesOf(context);
    if (json) {
      printJson({
        directory: context.directory,
        chosen: chosen?.record.id ?? null,
        sessions,
        missed: found.unreached.map(({ record: { secret: _, ...record }, why }) => ({ ...record, why })),
        gates: gates.map(({ source, settings }) => ({ source, ...settings })),
        problems: [...found.problems, ...problems],
      });
    } else {
      const journals = unwritable === undefined ? [doctorSentences.journalsIn(workspace.state)] : [];
      const holding = gates.flatMap(({ source, settings }) => doctorSentences.gate(source, settings));
      const about = [...environment(context), ...holding, ...journals, ...problems.map(addressedToUser)];
      const running = traced.map(({ by }) => by);
      const isAlone = selected.ok && chosen === undefined && sessions.length === 0;
      const unstarted = isAlone ? unstartedEditors(setUp, running, context) : [];
      const next = [
        ...(unstarted.length > 0 ? unstarted : advice(selected, found, context)),
        ...adviceOnOptions(selected, context),
      ].map(addressedToUser);
      print(withHome(`${[...about, "", ...stateOf(found, sessions), "", ...next].join("\n")}\n`));
    }
    return chosen === undefined ? exitCodes.noSession : exitCodes.done;
  });
}

/** The user's settings for confirmation and protection, and where they come from. */
interface ShownGate {
  readonly source: string;
  readonly settings: Pick<Settings, "confirm" | "protectedNames">;
}

/** Returns the gates that hold for the working directory: those of its sessions or, without any, the settings file's. */
function gatesOf({ sessions, directory }: RequestContext): ShownGate[] {
  const read = attempt(() => readRecords(sessions)).value;
  const holding = [...(read?.records ?? []), ...(read?.closed ?? [])].filter((record) => holds(record, [directory]));
  if (holding.length > 0) {
    return holding.map((record) => {
      const { confirm = defaultSettings.confirm, protectedNames = defaultSettings.protectedNames } = record.gates ?? {};
      return { source: sessionName(record), settings: { confirm, protectedNames } };
    });
  }
  const { path, settings, problems } = readUserSettings(directory);
  return [{ source: [path, ...problems].join(": "), settings }];
}

function environment({ version, sessions, directory }: RequestContext): string[] {
  return [
    doctorSentences.system(version),
    doctorSentences.program(process.argv[1], isOnPath("multi-edit")),
    doctorSentences.announcedIn(sessions),
    doctorSentences.workingDirectory(directory),
    ...(isInCodexSandbox() ? [doctorSentences.sandbox] : []),
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

/** If editors are set up but out of reach: says so. `running`: descriptions of editors that have files open here. */
function unstartedEditors(
  setUp: readonly SetUpFile[],
  running: readonly string[],
  { directory, mode, sessions }: RequestContext,
): string[] {
  const known = setUp.flatMap(({ editor, path, missing }) =>
    editor === undefined || missing.length > 0 ? [] : [{ editor, file: inHome(path) }],
  );
  if (known.length === 0 || mode !== "auto" || closedSessionOf(sessions, [directory]) !== undefined) return [];
  const seen = known.find(({ editor }) => running.some((by) => by.startsWith(editor)));
  return [doctorSentences.unstarted(inHome(directory), seen === undefined ? known : [seen], seen !== undefined)];
}

/** Names the option, if any, that lets the person at the terminal change where calls go. */
function adviceOnOptions(selected: SelectedSession, { directory, sessions }: RequestContext): string[] {
  if (!selected.ok) return asksForSession(selected.failure) ? [commandSentences.nameSession] : [];
  return selected.session === undefined && closedSessionOf(sessions, [directory]) === undefined
    ? [doctorSentences.editorOnly]
    : [];
}
