/** Tells the user about agents' calls and commands' answers, as far as the client does not show them itself. */
import { type FileChange, nameAfter } from "../../plan/outcome.js";
import { oneLine } from "../../text/chars.js";
import { limits } from "../../text/limits.js";
import { addressedToUser, countedFromOne } from "../edit/forPeople.js";
import type { LineCounts } from "../history.js";
import type { Caller } from "../protocol.js";
import type { ShownFile } from "../sentences.js";
import { announcedBy, messageTypes, type Session } from "../session.js";
import { notices, type QuestionEnd } from "./sentences.js";

/** Tells the user that a message on the screen is no longer a question, in a client that may keep showing it. */
export function noticeWithdrawn(session: Session, label: string, end: QuestionEnd): void {
  showInfo(session, notices.withdrawn(label, end));
}

/** Shows the user a sentence. */
export function showInfo({ connection }: Session, message: string): void {
  const params = { type: messageTypes.info, message };
  // The library's own method would send `window/showMessageRequest`, which asks the user a question.
  connection.sendNotification("window/showMessage", params).catch(() => undefined);
}

/** One call that the user has not been told about. */
interface Notice {
  readonly kind: "applied" | "undone" | "failed";
  /** Name of the agent; `undefined` if the user sent the call. */
  readonly agent: string | undefined;
  readonly files: readonly ShownFile[];
  /** The message of a call that failed. */
  readonly problem: string;
}

/** The calls of agents that wait for the next message, and the time of the last one. */
interface Pending {
  readonly notices: Notice[];
  /** As given by `performance.now()`. */
  lastAt: number;
  timer: NodeJS.Timeout | undefined;
  /** Repeats the last message, in a client that may have lost it. */
  repeat: NodeJS.Timeout | undefined;
}

const pendingBySession = new WeakMap<Session, Pending>();

/** Tells the user which files a call or an undo has changed. */
export function noticeApplied(
  session: Session,
  kind: "applied" | "undone",
  { caller, files, counts }: NoticedChange,
): void {
  const lines = new Map(counts.map((one) => [one.uri, one]));
  const noticed = files.map((file): ShownFile => {
    const { added = 0, removed = 0 } = lines.get(file.document.uri) ?? {};
    return { path: nameAfter(file).path, kind: file.kind, added, removed };
  });
  notice(session, caller, { kind, files: noticed, problem: "" });
}

/** The changes that a call made. */
export interface NoticedChange {
  readonly caller: Caller | undefined;
  readonly files: readonly FileChange[];
  readonly counts: readonly LineCounts[];
}

/** Tells the user that a call has failed, or that its outcome is unknown. `message`: the answer's message. */
export function noticeFailed(session: Session, caller: Caller | undefined, message: string): void {
  const problem = oneLine(addressedToUser(countedFromOne(message)), limits.callMessage) ?? "";
  notice(session, caller, { kind: "failed", files: [], problem });
}

function notice(session: Session, caller: Caller | undefined, about: Omit<Notice, "agent">): void {
  if (caller !== undefined && announcedBy(session).didApply === true) return;
  const agent = caller?.name;
  const pending: Pending = pendingBySession.get(session) ?? {
    notices: [],
    lastAt: Number.NEGATIVE_INFINITY,
    timer: undefined,
    repeat: undefined,
  };
  pendingBySession.set(session, pending);
  // The user waits for the outcome of a command, but must not be flooded by agents.
  if (caller === undefined) {
    clearTimeout(pending.repeat);
    show(session, [{ ...about, agent }]);
    return;
  }
  pending.notices.push({ ...about, agent });
  const tell = (): void => {
    pending.lastAt = performance.now();
    pending.timer = undefined;
    clearTimeout(pending.repeat);
    const told = pending.notices.splice(0);
    show(session, told);
    if (!session.facts.losesMessages) return;
    pending.repeat = setTimeout(show, limits.noticeAgainMs, session, told).unref();
  };
  const wait = pending.lastAt + limits.noticeMs - performance.now();
  if (wait <= 0 && pending.timer === undefined) tell();
  else pending.timer ??= setTimeout(tell, wait).unref();
}

/** Shows one message about these calls. */
function show({ connection }: Session, about: readonly Notice[]): void {
  const [applied, undone, failed] = [toldOf(about, "applied"), toldOf(about, "undone"), toldOf(about, "failed")];
  const parts = [
    ...(applied.agents.length > 0 ? [notices.applied(applied.agents, applied.files)] : []),
    ...(applied.agents.length > 0 ? [notices.howToUndo(applied.agents.length)] : []),
    ...(undone.agents.length > 0 ? [notices.undone(undone.agents, undone.files)] : []),
    ...(failed.agents.length > 0 ? [notices.failed(failed.agents, failed.problem)] : []),
  ];
  const isError = failed.agents.includes(undefined);
  const params = { type: isError ? messageTypes.error : messageTypes.info, message: notices.joined(parts) };
  // The library's own method would send `window/showMessageRequest`, which asks the user a question.
  connection.sendNotification("window/showMessage", params).catch(() => undefined);
}

/** Collects the calls of one kind: their agents, their files, and the problem of the last one that failed. */
function toldOf(about: readonly Notice[], kind: Notice["kind"]) {
  const calls = about.filter((one) => one.kind === kind);
  return { agents: calls.map(({ agent }) => agent), files: merged(calls), problem: calls.at(-1)?.problem ?? "" };
}

/** Returns each changed file once, with the sums of its lines. */
function merged(calls: readonly Notice[]): ShownFile[] {
  const files = new Map<string, ShownFile>();
  for (const file of calls.flatMap((call) => call.files)) {
    const before = files.get(file.path);
    const kind = before?.kind === "create" && file.kind === "update" ? "create" : file.kind;
    const [added, removed] = [file.added + (before?.added ?? 0), file.removed + (before?.removed ?? 0)];
    files.set(file.path, { ...file, kind, added, removed });
  }
  return [...files.values()];
}
