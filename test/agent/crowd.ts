/**
 * Many agents, a user who types, and an editor that can't be relied on: counts the edits and keys that are lost,
 * misplaced or made twice.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { MultiEditErrorData, MultiEditResult, ReadResult } from "../../server/lsp/protocol.js";
import { type Announced, friend, type Peer } from "../support/agentPeer.js";
import { type Desk, kill } from "../support/desk.js";
import type { Behaviour } from "../support/editorAnswers.js";

/** The size of a run. */
export interface CrowdOptions {
  readonly agents: number;
  /** Number of edits to send, by all agents together. */
  readonly edits: number;
  /** Milliseconds between two keys. */
  readonly keyMs: number;
  /** Seed for all random choices. */
  readonly seed: number;
  /** The number of edits after which the editor dies; `undefined` if it does not. */
  readonly diesAfter?: number;
  /** Gets a line after every 1,000 edits, so that a run that something ends from outside shows how far it came. */
  readonly report?: (line: string) => void;
}

/** The counts of a run. */
export interface CrowdTally {
  /** Edits by outcome; those of a failed call under the code of its first failure. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly keys: number;
  /** Sentences about edits that were lost, misplaced or made twice, and about lost keys. */
  readonly wrong: readonly string[];
}

/** The documents of a crowd of this size. Every agent has a line of its own in each, and so has the user. */
export function crowdTexts(agents: number): Record<string, string> {
  const text = textOf(new Array<number>(agents).fill(0), "");
  return Object.fromEntries(Array.from({ length: documents }, (_, i) => [pathOf(i), text]));
}

const documents = 4;
const pathOf = (document: number): string => `crowd${document}.txt`;
const lineOf = (agent: number, count: number): string => `agent ${agent}: ${count};`;

/** A document's text, by the agents' counts and the keys typed. */
function textOf(counts: readonly number[], keys: string): string {
  const lines = counts.map((count, agent) => `${lineOf(agent, count)}\nunchanged after ${agent}\n`);
  const middle = lines.length >> 1;
  return [...lines.slice(0, middle), `keys: ${keys}|\n`, ...lines.slice(middle)].join("");
}

/** The editor's habits, each as often as it is listed. It also refuses every edit for a version that is out of date. */
const habits: readonly Behaviour[] = [
  ...new Array<Behaviour>(16).fill("honest"),
  ...new Array<Behaviour>(4).fill("answersLate"),
  "refuses",
  "refuses",
  "lies",
  "answersNull",
  "answersErrors",
  "doesButDenies",
  "doesButAnswersNull",
  "doesButAnswersErrors",
  "doesButNeverAnswers",
];

/** Failures that leave everything as it was, and after which an agent sends its call again. */
const expected = new Set(["clientRefused", "contentModified", "timeout"]);

/** Milliseconds after which an answer is missing. The server's own limits are far shorter. */
const answerMs = 60_000;

/** Runs the crowd on a desk that has the crowd's documents open. Throws if the server ends. */
export async function runCrowd(desk: Desk, session: Announced, options: CrowdOptions): Promise<CrowdTally> {
  if (options.diesAfter !== undefined) return await crowd(desk, session, options);
  const server = desk.editor.process;
  let whenEnded = (): void => undefined;
  const ended = new Promise<never>((_, reject) => {
    whenEnded = () => {
      const how = `${server.exitCode ?? server.signalCode}`;
      reject(new Error(`the server ended with ${how}: ${desk.editor.stderr().slice(-2000)}`));
    };
    server.once("exit", whenEnded);
  });
  // After the server's end, the promises of what was sent to it may never settle.
  return await Promise.race([crowd(desk, session, options), ended]).finally(() => server.off("exit", whenEnded));
}

async function crowd(
  desk: Desk,
  session: Announced,
  { agents, edits, keyMs, seed, report, diesAfter = Number.POSITIVE_INFINITY }: CrowdOptions,
): Promise<CrowdTally> {
  const random = randomFrom(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const counts = Array.from({ length: documents }, () => new Array<number>(agents).fill(0));
  const run: Run = { outcomes: {}, wrong: [], counts };
  const { outcomes, wrong } = run;
  let [left, isDead] = [edits, false];
  /** The edits of which the editor's death leaves unknown whether they were made. */
  const inDoubt: (readonly [document: number, agent: number])[] = [];

  const gone = endOf(desk);
  // A behaviour is chosen when an edit arrives, for the edit after it.
  desk.editor.beforeEdits(() => {
    desk.editor.behave(pick(habits));
    setTimeout(() => desk.editor.answerNow(), 5 + 40 * random());
  });

  const work = async (peer: Peer, agent: number): Promise<void> => {
    for (let call = 0; left > 0; call++) {
      const chosen = counts.map((_, document) => document).filter(() => random() < 0.5);
      if (chosen.length === 0) continue;
      const thousands = Math.floor(left / 1000);
      left -= chosen.length;
      if (left > 0 && Math.floor(left / 1000) < thousands) report?.(`${left} edits left: ${JSON.stringify(outcomes)}`);
      const sent = chosen.map((document) => {
        const count = counts[document]![agent]!;
        return { path: pathOf(document), oldText: lineOf(agent, count), newText: lineOf(agent, count + 1) };
      });
      if (edits - left >= diesAfter) void die();
      try {
        await Promise.race([send(run, peer, { call, agent, chosen, sent }), gone]);
      } catch (error) {
        if (!isDead) throw error;
        for (const document of chosen) inDoubt.push([document, agent]);
        return;
      }
      if (wrong.length > 20) return;
    }
  };
  const typing = startTyping(desk, keyMs, random);
  /** The user's last key is synced before the editor dies. */
  const die = async (): Promise<void> => {
    await typing.stop();
    isDead = true;
    kill(desk.editor);
  };
  const peers = await Promise.all(
    Array.from({ length: agents }, (_, i) => friend(session, { name: `agent ${i}`, agent: `agent${i}` })),
  );
  // Even if an agent fails, the typing must end with the run.
  await Promise.all(peers.map(work)).finally(typing.stop);
  const typed = await typing.stop();
  desk.editor.behave("honest");
  const texts = desk.texts();
  for (const [document, agent] of inDoubt)
    if (texts[pathOf(document)]?.includes(lineOf(agent, counts[document]![agent]! + 1))) counts[document]![agent]!++;
  for (let document = 0; document < documents; document++) {
    const should = textOf(counts[document]!, typed[document]!);
    const is = texts[pathOf(document)];
    if (is !== should) wrong.push(`${pathOf(document)} is\n${is}\ninstead of\n${should}`);
  }
  return { outcomes, keys: typed.join("").length, wrong };
}

/** Rejects when the server has ended: then some answers never come. */
function endOf({ editor }: Desk): Promise<never> {
  const gone = new Promise<never>((_, reject) => {
    editor.process.once("exit", () => reject(new Error("the server has ended")));
  });
  gone.catch(() => undefined); // Whoever waits for an answer gets the error.
  return gone;
}

/** What a run has come to. `counts`: the edits that were made, by document and agent. */
interface Run {
  readonly outcomes: Record<string, number>;
  readonly wrong: string[];
  readonly counts: readonly number[][];
}

/** An agent's call: one edit in each of the chosen documents. */
interface Sent {
  readonly call: number;
  readonly agent: number;
  readonly chosen: readonly number[];
  readonly sent: readonly object[];
}

/** Sends a call, and notes what came of it. */
async function send({ outcomes, wrong, counts }: Run, peer: Peer, { call, agent, chosen, sent }: Sent): Promise<void> {
  const { result, error } = await inTime(peer.ask(call, "multiEdit/apply", { edits: sent }));
  const data = (error as { data?: MultiEditErrorData } | undefined)?.data;
  const outcome = (result as MultiEditResult | undefined)?.outcome ?? data?.failures[0]?.code ?? "noAnswer";
  outcomes[outcome] = (outcomes[outcome] ?? 0) + chosen.length;
  if (outcome === "applied") for (const document of chosen) counts[document]![agent]!++;
  else if (outcome !== "unknown" && !expected.has(outcome)) wrong.push(`agent ${agent}: ${outcome}: ${error?.message}`);
  if (outcome !== "unknown") return;
  // Each edit may have been made or not.
  for (const document of chosen) {
    const { result } = await peer.ask(`read ${document}`, "multiEdit/read", { path: pathOf(document) });
    const { text } = result as ReadResult;
    const now = [0, 1].find((more) => text.includes(lineOf(agent, counts[document]![agent]! + more)));
    if (now === undefined) wrong.push(`agent ${agent}: ${pathOf(document)} has neither the old nor the new line`);
    else counts[document]![agent]! += now;
  }
}

/** Rejects if an answer is missing. */
async function inTime<T>(answer: Promise<T>): Promise<T> {
  const none = delay(answerMs, undefined, { ref: false }).then(() => {
    throw new Error(`no answer for ${answerMs} ms`);
  });
  return await Promise.race([answer, none]);
}

/** Types one key after another into random documents. `stop` returns the keys of each document. */
function startTyping(desk: Desk, keyMs: number, random: () => number) {
  const typed = new Array<string>(documents).fill("");
  let isOver = false;
  const type = async (): Promise<readonly string[]> => {
    for (let key = 0; !isOver; key++) {
      const document = Math.floor(random() * documents);
      const letter = String.fromCharCode(97 + (key % 26));
      await desk.typeBefore(pathOf(document), "|\n", letter);
      typed[document] += letter;
      await delay(keyMs);
    }
    return typed;
  };
  const typing = type();
  typing.catch(() => undefined); // Whoever stops the typing gets the error.
  return {
    stop: () => {
      isOver = true;
      return typing;
    },
  };
}

/** Returns a generator of numbers from 0 to 1 that depend only on the seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
