/** A long conversation with many documents and several agents, and what it leaves behind: memory, descriptors, files. */
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ReadResult } from "../../server/lsp/protocol.js";
import { limits } from "../../server/text/limits.js";
import { type Announced, announced, friend, type Peer } from "../support/agentPeer.js";
import { type Desk, layDesk } from "../support/desk.js";
import { makeDirectory } from "../support/directory.js";

/** What the server needs when nothing happens: bytes after a collection, and open descriptors. */
interface Memory {
  readonly heapUsed: number;
  /** The part of the heap that is code, which the engine compiles, optimises and throws away when it likes. */
  readonly code: number;
  readonly external: number;
  readonly rss: number;
  readonly descriptors: number;
}

/** One round of work, and the memory after it. */
export interface Round extends Memory {
  /** Seconds since the start. */
  readonly at: number;
  /** The seconds in which the agents worked, and the calls that were answered in them. */
  readonly seconds: number;
  readonly calls: number;
  /** The longest time, in seconds, that an agent waited for an answer. */
  readonly longest: number;
}

/** The size of a run. */
interface SoakOptions {
  /** Seconds of work in all, and the number of rounds in which they are spent. */
  readonly seconds: number;
  readonly rounds: number;
  readonly agents: number;
  readonly report: (line: string) => void;
}

/** What the server loads first: it collects and measures when it gets the signal. */
const probe = `
const fs = require("fs");
process.on("SIGUSR2", () => {
  for (let i = 0; i < 3; i++) gc();
  const descriptors = fs.readdirSync("/proc/self/fd").length;
  const file = process.env.SOAK_READING;
  const v8 = require("v8");
  const { code_and_metadata_size: code, bytecode_and_metadata_size: bytecode } = v8.getHeapCodeStatistics();
  fs.writeFileSync(file + ".new", JSON.stringify({ ...process.memoryUsage(), code: code + bytecode, descriptors }));
  if (process.env.SOAK_SNAPSHOTS) v8.writeHeapSnapshot(process.env.SOAK_SNAPSHOTS + "/" + Date.now() + ".heapsnapshot");
  fs.renameSync(file + ".new", file);
});`;

const nameOf = (document: number): string => `src/file${document}.txt`;
const lineOf = (line: number, count: number): string => `line ${line}: ${count};`;
const linesPerDocument = 100;
const textOf = (): string => Array.from({ length: linesPerDocument }, (_, line) => `${lineOf(line, 0)}\n`).join("");

/** Starts a server that can be measured, with documents that are open and as many that are not. */
export async function laySoak(
  program: { readonly path: string; readonly folder: string; remove(): void },
  documents: number,
): Promise<{ readonly desk: Desk; measure(): Promise<Memory> }> {
  const at = makeDirectory({ "probe.cjs": probe });
  const reading = join(at, "reading.json");
  process.env.SOAK_READING = reading;
  const open = Object.fromEntries(Array.from({ length: documents }, (_, i) => [nameOf(i), textOf()]));
  const files = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`closed/file${i}.txt`, textOf()]));
  const server = [
    process.execPath,
    "--expose-gc",
    "--require",
    join(at, "probe.cjs"),
    program.path,
    "--stdio",
  ] as const;
  const desk = await layDesk(program, { clientInfo: { name: "Soak" }, open, files, server });
  const measure = async (): Promise<Memory> => {
    rmSync(reading, { force: true });
    desk.editor.process.kill("SIGUSR2");
    for (;;) {
      await delay(20);
      try {
        return JSON.parse(readFileSync(reading, "utf8"));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      }
    }
  };
  return { desk, measure };
}

/**
 * Milliseconds without a call after which the server has forgotten what it remembers for some seconds: calls that the user
 * is told about together, and files that were closed just now.
 */
const quietMs = limits.noticeMs + 1_000;

/** The calls that a round has at least in each of its seconds; a machine with nothing else to do answers 70 and more. */
export const leastCalls = 25;

/**
 * Lets the agents work while the user types. After each round, all documents are closed, and the server is measured once
 * nothing happens any more. A round has its full time of work, however long the machine takes for what is between rounds.
 */
export async function soak(
  home: string,
  { desk, measure }: Awaited<ReturnType<typeof laySoak>>,
  { seconds, rounds, agents, report }: SoakOptions,
): Promise<readonly Round[]> {
  const start = performance.now();
  const [session] = await announced(home);
  const documents = Object.keys(desk.texts());
  await readAll(desk, session, agents);
  const done: Round[] = [];
  for (let turn = 0; done.length < rounds; ) {
    const round = new WorkingRound(desk, seconds / rounds);
    const worked = Array.from({ length: agents }, (_, agent) => work(session, { agent, turn, documents, round }));
    const [, ...turns] = await Promise.all([type(desk, round), ...worked]);
    turn = Math.max(...turns);
    const { calls, longest } = round;
    const spent = round.spent();
    await reopen(desk, documents, async () => {
      // The answer shows that the server has read that the documents are closed.
      await desk.editor.request("multiEdit/status", {});
      await delay(quietMs);
      done.push({ ...(await measure()), at: secondsSince(start), seconds: spent, calls, longest });
    });
    report(lineFor(done.at(-1)!));
  }
  return done;
}

/** One round while it lasts. */
class WorkingRound {
  calls = 0;
  longest = 0;
  private readonly begin = performance.now();
  private readonly before: number;

  constructor(
    private readonly desk: Desk,
    private readonly seconds: number,
  ) {
    this.before = this.waited();
  }

  spent(): number {
    return secondsSince(this.begin);
  }

  /**
   * A round goes on until it has its calls. Seconds in which other programs have the processors do not count; if there are
   * three times as many of the others as there should be, the calls wait for something else, and the round ends with too few.
   */
  isOver(): boolean {
    if (this.spent() < this.seconds) return false;
    return this.calls >= leastCalls * this.seconds || this.spent() - (this.waited() - this.before) > 3 * this.seconds;
  }

  private waited(): number {
    return waitedOf("thread-self") + waitedOf(this.desk.editor.process.pid ?? 0);
  }
}

/** Seconds since a time given by `performance.now()`. */
const secondsSince = (time: number): number => (performance.now() - time) / 1000;

/** Seconds that a process's main thread, or this thread, has waited for a processor, because other programs had it. */
function waitedOf(pid: number | "thread-self"): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[1]) / 1e9;
}

/** The agents read all documents until the server keeps as many earlier texts of each as it may. */
async function readAll(desk: Desk, session: Announced, agents: number): Promise<void> {
  const peers = await Promise.all(
    Array.from({ length: agents }, (_, agent) => friend(session, { name: `agent ${agent}`, agent: `agent${agent}` })),
  );
  for (let times = 0; times * agents < limits.viewsKept; times++) {
    for (const path of Object.keys(desk.texts())) {
      await desk.typeBefore(path, "line 50:", "k");
      await Promise.all(peers.map((peer) => peer.ask(`${times} ${path}`, "multiEdit/read", { path })));
    }
  }
  for (const peer of peers) peer.end();
}

/** One round of an agent, which connects again from time to time. Returns its next turn. */
async function work(
  session: Announced,
  { agent, turn: first, documents, round }: WorkOptions & { readonly round: WorkingRound },
): Promise<number> {
  let turn = first;
  while (!round.isOver()) {
    const peer = await friend(session, { name: `agent ${agent}`, agent: `agent${agent}` });
    const ask: Ask = async (id, method, params) => {
      const asked = performance.now();
      const answer = await peer.ask(id, method, params);
      round.longest = Math.max(round.longest, secondsSince(asked));
      round.calls++;
      return answer;
    };
    const last = turn + 50;
    for (; turn < last && !round.isOver(); turn++) await task(ask, { agent, turn, documents: documents.length });
    peer.end();
  }
  return turn;
}

/** An agent's number, its first task, and the documents. */
interface WorkOptions {
  readonly agent: number;
  readonly turn: number;
  readonly documents: readonly string[];
}

/** The user types in one document after the other, and closes and opens some again. */
async function type(desk: Desk, round: WorkingRound): Promise<void> {
  const documents = Object.keys(desk.texts());
  for (let key = 0; !round.isOver(); key++) {
    const path = nameOf(key % documents.length);
    await desk.typeBefore(path, "line 50:", "k");
    if (key % 40 === 39) await reopen(desk, [path]);
    await delay(50);
  }
}

type Ask = Peer["ask"];

/** One task of an agent: it reads, edits what it has read, sends calls that fail, and undoes. */
async function task(
  ask: Ask,
  { agent, turn, documents }: { readonly agent: number; readonly turn: number; readonly documents: number },
): Promise<void> {
  const isClosed = turn % 10 === 9;
  const path = isClosed
    ? `closed/file${((turn / 10 + agent * 5) % 20) | 0}.txt`
    : nameOf((turn * 7 + agent) % documents);
  const line = agent * 10 + (turn % 10);
  const { result } = await ask(`r${turn}`, "multiEdit/read", { path });
  const found = new RegExp(`^line ${line}: (\\d+);$`, "m").exec((result as ReadResult).text);
  if (found === null) throw new Error(`${path} has no line ${line}`);
  const edit = { path, oldText: found[0], newText: lineOf(line, Number(found[1]) + 1) };
  await ask(`p${turn}`, "multiEdit/preview", edit);
  const applied = await ask(`a${turn}`, "multiEdit/apply", edit);
  if (applied.error !== undefined) throw new Error(`${path}: ${applied.error.message}`);
  await ask(`f${turn}`, "multiEdit/apply", { ...edit, oldText: "none of this", newText: "x" });
  if (turn % 5 !== 0) return;
  const { transaction } = applied.result as { readonly transaction?: string };
  await ask(`u${turn}`, "multiEdit/undo", { transaction });
}

/** Saves documents as editors do, by a new file, closes them, and opens them again. `between`: what is done meanwhile. */
async function reopen(desk: Desk, paths: readonly string[], between?: () => Promise<void>): Promise<void> {
  while (desk.editor.pendingEdit() !== undefined) await desk.editor.pendingEdit();
  const texts = desk.texts();
  for (const path of paths) {
    writeFileSync(join(desk.root, `${path}.new`), texts[path] ?? "");
    renameSync(join(desk.root, `${path}.new`), join(desk.root, path));
    await desk.editor.close(desk.uri(path));
  }
  await between?.();
  for (const path of paths) await desk.editor.open({ uri: desk.uri(path), text: texts[path] ?? "" });
}

const megabytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(2);

/** A line about one round. */
function lineFor({ at, heapUsed, code, external, rss, descriptors, seconds, calls, longest }: Round): string {
  const memory = `heap ${megabytes(heapUsed)} MB, of it code ${megabytes(code)}, external ${megabytes(external)}`;
  const work = `${calls} calls in ${seconds.toFixed(1)} s, the longest ${longest.toFixed(2)} s`;
  return `after ${at.toFixed(0)} s: ${memory}, resident ${megabytes(rss)}, ${descriptors} descriptors; ${work}`;
}

/** The names below a folder that the server makes for a while, and should have removed. */
export function strays(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.multi-edit-|\.new$|\.journal|\.lock|(?:^|\/)sessions\/./.test(name),
  );
}
