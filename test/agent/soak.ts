/** A long conversation with many documents and several agents, and what it leaves behind: memory, descriptors, files. */
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ReadResult } from "../../server/lsp/protocol.js";
import { announced, friend, type Peer } from "../support/agentPeer.js";
import { type Desk, layDesk } from "../support/desk.js";
import { makeDirectory } from "../support/directory.js";

/** The server's memory in bytes after a collection, and its open descriptors. */
export interface Reading {
  /** Seconds since the start. */
  readonly at: number;
  readonly heapUsed: number;
  readonly external: number;
  readonly rss: number;
  readonly descriptors: number;
  readonly calls: number;
}

/** The size of a run. */
interface SoakOptions {
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
  if (process.env.SOAK_SNAPSHOTS) require("v8").writeHeapSnapshot(process.env.SOAK_SNAPSHOTS + "/" + Date.now() + ".heapsnapshot");
  fs.writeFileSync(file + ".new", JSON.stringify({ ...process.memoryUsage(), descriptors }));
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
): Promise<{ readonly desk: Desk; measure(): Promise<Omit<Reading, "at" | "calls">> }> {
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
  const measure = async (): Promise<Omit<Reading, "at" | "calls">> => {
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
 * Lets the agents work while the user types, and after each round closes all documents, measures the server, and opens them
 * again: what the server remembers of an open document has limits that a short run does not reach.
 */
export async function soak(
  home: string,
  { desk, measure }: Awaited<ReturnType<typeof laySoak>>,
  { seconds, rounds, agents, report }: SoakOptions,
): Promise<readonly Reading[]> {
  const start = performance.now();
  const secondsNow = (): number => (performance.now() - start) / 1000;
  const [session] = await announced(home);
  const documents = Object.keys(desk.texts());
  let calls = 0;
  const work = async (agent: number, end: number): Promise<void> => {
    for (let turn = 0; secondsNow() < end; ) {
      const peer = await friend(session, { name: `agent ${agent}`, agent: `agent${agent}` });
      for (const last = turn + 50; turn < last && secondsNow() < end; turn++)
        calls += await taskOf(peer, { agent, turn: turn + calls, documents: documents.length });
      peer.end();
    }
  };
  const type = async (end: number): Promise<void> => {
    for (let key = 0; secondsNow() < end; key++) {
      const path = nameOf(key % documents.length);
      await desk.typeBefore(path, "line 50:", "k");
      if (key % 40 === 39) await reopen(desk, [path]);
      await delay(50);
    }
  };
  const readings: Reading[] = [];
  for (let round = 1; round <= rounds; round++) {
    const end = (seconds * round) / rounds;
    await Promise.all([type(end), ...Array.from({ length: agents }, (_, agent) => work(agent, end))]);
    await reopen(desk, documents, async () => {
      const { heapUsed, external, rss, descriptors } = await measure();
      readings.push({ at: secondsNow(), heapUsed, external, rss, descriptors, calls });
    });
    report(lineFor(readings.at(-1)!));
  }
  return readings;
}

/** One task of an agent: it reads, edits what it has read, sends calls that fail, and undoes; returns the number of calls. */
async function taskOf(
  peer: Peer,
  { agent, turn, documents }: { readonly agent: number; readonly turn: number; readonly documents: number },
): Promise<number> {
  const isClosed = turn % 10 === 9;
  const path = isClosed
    ? `closed/file${((turn / 10 + agent * 5) % 20) | 0}.txt`
    : nameOf((turn * 7 + agent) % documents);
  const line = agent * 10 + (turn % 10);
  const { result } = await peer.ask(`r${turn}`, "multiEdit/read", { path });
  const found = new RegExp(`^line ${line}: (\\d+);$`, "m").exec((result as ReadResult).text);
  if (found === null) throw new Error(`${path} has no line ${line}`);
  const edit = { path, oldText: found[0], newText: lineOf(line, Number(found[1]) + 1) };
  await peer.ask(`p${turn}`, "multiEdit/preview", edit);
  const applied = await peer.ask(`a${turn}`, "multiEdit/apply", edit);
  if (applied.error !== undefined) throw new Error(`${path}: ${applied.error.message}`);
  await peer.ask(`f${turn}`, "multiEdit/apply", { ...edit, oldText: "none of this", newText: "x" });
  if (turn % 5 !== 0) return 4;
  const { transaction } = applied.result as { readonly transaction?: string };
  await peer.ask(`u${turn}`, "multiEdit/undo", { transaction });
  return 5;
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

/** A line about one measurement. */
function lineFor({ at, heapUsed, external, rss, descriptors, calls }: Reading): string {
  const memory = `heap ${megabytes(heapUsed)} MB, external ${megabytes(external)}, resident ${megabytes(rss)}`;
  return `after ${at.toFixed(0)} s and ${calls} calls: ${memory}, ${descriptors} descriptors`;
}

/** The names below a folder that the server makes for a while, and should have removed. */
export function strays(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.multi-edit-|\.new$|\.journal|\.lock|(?:^|\/)sessions\/./.test(name),
  );
}
