/** `npm run demo`: runs the built server on real files and compares every result with one worked out by hand. */
import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { MultiEditResult } from "../../server/lsp/protocol.js";
import { type Answer, type Client, startClient } from "./client.js";
import {
  calls,
  type DemoCall,
  type Expected,
  nextVersion,
  openFiles,
  packages,
  typed,
  withTyped,
} from "./demoCalls.js";
import { patchCalls } from "./demoPatches.js";
import { callLine, diffLines, type FileState, paint, print, quoted, summaryLines } from "./demoView.js";

/** The demo is bundled into `dist/`, next to the server. */
const root = dirname(__dirname);

/** The state of the demo. */
interface Stage {
  readonly folder: string;
  readonly client: Client;
  /** The expected text of each file, by path: the editor's text if the file is open, otherwise the text on disk. */
  readonly expected: Map<string, string>;
  /** For each path, the text that is expected on disk until the editor saves anything. */
  readonly unsaved: Map<string, string>;
  readonly problems: string[];
}

main().catch((error: unknown) => {
  print(paint("red", `The demo stopped: ${error instanceof Error ? error.message : String(error)}`));
  process.exitCode = 1;
});

async function main(): Promise<void> {
  const start = performance.now();
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "multi-edit-demo-")));
  try {
    const original = copyPackages(folder);
    const all = [...calls, ...patchCalls(original, nextTexts())];
    const command = [process.execPath, join(root, "dist/main.cjs"), "--stdio"] as const;
    // The editor must not save anything before the demo has checked the disk.
    const client = await startClient({ command, folder, settings: { save: "never" } });
    const stage: Stage = { folder, client, expected: new Map(original), unsaved: new Map(original), problems: [] };
    try {
      introduce(stage);
      for (const [at, call] of all.entries()) await show(stage, at + 1, call);
      checkDisk(stage);
    } finally {
      const code = await client.stop();
      if (code !== 0) stage.problems.push(`the server ended with exit code ${code}`);
    }
    conclude(stage, { calls: all.length, original, milliseconds: performance.now() - start });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Fills the workspace and returns the text of every file, by path. */
function copyPackages(folder: string): Map<string, string> {
  for (const { name, folder: sources } of packages) {
    const from = join(root, "node_modules", name);
    cpSync(join(from, sources), join(folder, name), { recursive: true, filter: isSource });
    copyFileSync(join(from, "README.md"), join(folder, name, "README.md"));
  }
  return new Map(filesIn(folder).map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}

/** Returns the texts of the package's next version, keyed by path in the workspace. */
function nextTexts(): Map<string, string> {
  const { of, name, folder } = nextVersion;
  const sources = join(root, "node_modules", name, folder);
  const paths = filesIn(sources).filter(isSource);
  return new Map(paths.map((path) => [`${of}/${path}`, readFileSync(join(sources, path), "utf8")]));
}

function isSource(path: string): boolean {
  return !/\.(?:d\.ts|map)$/.test(path);
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll("\\", "/"),
    );
}

function introduce({ folder, client, expected }: Stage): void {
  for (const path of openFiles) client.documents.open(join(folder, path));
  for (const path of new Set(typed.map((each) => each.path))) {
    expected.set(path, withTyped(path, expected.get(path) ?? ""));
    client.documents.change(join(folder, path), expected.get(path) ?? "");
  }
  const { name, version } = client.initialized.serverInfo ?? {};
  print(
    "",
    `${paint("bold", `${name} ${version}`)}: an agent's edits go through the editor, which has the unsaved text.`,
    "",
    `  files   ${expected.size} real files, copied from ${packages.map((each) => each.name).join(", ")}`,
    `  editor  a small LSP client; ${openFiles.length} files are open, ${paint("yellow", `${typed.length} have unsaved text`)}`,
    "  server  dist/main.cjs --stdio, which has never seen these files",
    "",
  );
}

/** Sends one call and shows the outcome. */
async function show(stage: Stage, number: number, demo: DemoCall): Promise<void> {
  const { client, folder, expected, problems } = stage;
  const states = new Map([...expected.keys()].map((path) => [path, stateOf(client, join(folder, path))]));
  const start = performance.now();
  const answer = await (demo.by === "client" ? client.apply(demo.call) : client.applyByServer(demo.call));
  const time = `${(performance.now() - start).toFixed(1)} ms`;

  print(
    `${paint(["bold", "inverse"], ` ${number} `)} ${paint("bold", demo.title)}. ${demo.note}`,
    callLine(demo.by === "client" ? "multiEdit/apply" : "multiEdit.apply", demo.call),
  );
  for (const change of demo.expected) expect(stage, change);
  if (demo.by === "server") expectWritten(stage, demo.expected);
  const found = [...outcomeProblems(demo, answer), ...textProblems(stage)];
  let story: string;
  if (answer.ok) {
    const { files, text } = answer.result;
    if (demo.shown !== undefined) print(...summaryLines(text, files, states));
    for (const file of files.filter(({ path }) => demo.shown === undefined || path === demo.shown)) {
      const unsaved = typed.filter(({ path }) => path === file.path).map(({ text: inserted }) => inserted.trimEnd());
      print(...diffLines(file, states.get(file.path) ?? "new", unsaved));
    }
    if (demo.git) found.push(...gitProblems(folder, answer.result.diff));
    const how = demo.by === "client" ? "applied by the client" : "applied by the server, verified by the editor's text";
    story = `${rungsOf(answer.result)}; ${how}${demo.git && hasGit ? ", git apply --check agrees" : ""}`;
  } else {
    print(...quoted(answer.message));
    const open = client.documents.all().length;
    story = `refused as expected, error ${answer.code}; the ${open} open documents and the disk are unchanged`;
  }
  if (found.length === 0) print(`    ${paint("green", "ok")} ${paint("dim", `${story}; ${time}`)}`);
  for (const problem of found) print(`    ${paint("red", `NOT AS EXPECTED: ${problem}`)}`);
  print("");
  problems.push(...found.map((problem) => `call ${number}: ${problem}`));
}

function stateOf(client: Client, path: string): FileState {
  const document = client.documents.get(path);
  if (document === undefined) return "not open";
  return document.saved ? "open" : "open, not saved";
}

/** Returns a summary of the edits, such as `4 edits, found on the rung exact`. */
function rungsOf({ edits }: MultiEditResult): string {
  const rungs = [...new Set(edits.flatMap(({ rung }) => rung ?? []))];
  return `${edits.length} ${edits.length === 1 ? "edit" : "edits"}, found on the rung ${rungs.join(", ")}`;
}

function outcomeProblems(demo: DemoCall, answer: Answer<MultiEditResult>): string[] {
  const edits = answer.ok ? answer.result.edits : (answer.data?.edits ?? []);
  const failures = answer.ok ? [] : (answer.data?.failures ?? []).map(({ code }) => code);
  const outcome = answer.ok ? answer.result.outcome : failures.join(", ");
  const wanted = demo.outcome === "applied" ? "applied" : demo.outcome.refused.join(", ");
  const rungs = edits.map(({ rung = "none" }) => rung).join(", ");
  const wantedRungs = demo.rungs.map((rung = "none") => rung).join(", ");
  return [
    ...(outcome === wanted ? [] : [`the outcome is ${outcome}, not ${wanted}`]),
    ...(rungs === wantedRungs ? [] : [`the rungs are ${rungs}, not ${wantedRungs}`]),
  ];
}

/**
 * Applies an expected change to the expected texts; throws if the change does not fit them, which would be a mistake in
 * the demo.
 */
function expect({ expected, unsaved }: Stage, change: Expected): void {
  const { path } = change;
  const text = expected.get(path) ?? "";
  if ("movedTo" in change) {
    expected.set(change.movedTo, text);
    unsaved.set(change.movedTo, unsaved.get(path) ?? "");
  }
  if ("movedTo" in change || "deleted" in change) {
    expected.delete(path);
    unsaved.delete(path);
    return;
  }
  const { before, after, times = 1 } = change;
  if (!unsaved.has(path)) unsaved.set(path, "");
  const parts = text.split(before ?? text);
  if (before !== undefined && parts.length !== times + 1) {
    throw new Error(`${path} contains ${JSON.stringify(before)} ${parts.length - 1} times`);
  }
  expected.set(path, before === undefined ? after : parts.join(after));
}

/** Expects changes to closed files to be on disk already, because the server applied the call itself. */
function expectWritten({ folder, client, expected, unsaved }: Stage, changes: readonly Expected[]): void {
  for (const change of changes) {
    const path = "movedTo" in change ? change.movedTo : change.path;
    const text = expected.get(path);
    if (text !== undefined && client.documents.get(join(folder, path)) === undefined) unsaved.set(path, text);
  }
}

/** Returns the problems found in all of the workspace's files, not only in those that the call names. */
function textProblems({ folder, client, expected }: Stage): string[] {
  const there = new Map(
    filesIn(folder).map((path) => [
      path,
      client.documents.get(join(folder, path))?.text ?? readFileSync(join(folder, path), "utf8"),
    ]),
  );
  const paths = [...new Set([...expected.keys(), ...there.keys()])];
  return paths.flatMap((path) => (there.get(path) === expected.get(path) ? [] : [`the text of ${path} differs`]));
}

/** Checks that no open document has been written yet, saves them all, and then checks every file on disk. */
function checkDisk({ folder, client, expected, unsaved, problems }: Stage): void {
  const onDisk = (path: string): string => readFileSync(join(folder, path), "utf8");
  for (const [path, text] of unsaved)
    if (onDisk(path) !== text) problems.push(`${path} was not as expected on disk before the demo saved`);
  for (const document of client.documents.all()) client.documents.save(document.path);
  for (const [path, text] of expected) if (onDisk(path) !== text) problems.push(`${path} is not as expected on disk`);
}

const hasGit = spawnSync("git", ["--version"]).status === 0;

function gitProblems(folder: string, diff: string): string[] {
  if (!hasGit) return [];
  // Inside a repository, git would resolve the diff's paths against the repository's root and skip them.
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: dirname(folder) };
  const { status, stderr } = spawnSync("git", ["apply", "--check"], { cwd: folder, env, input: diff });
  return status === 0 ? [] : [`git apply --check: ${stderr.toString().trim()}`];
}

/** The data for the closing summary. */
interface Whole {
  readonly calls: number;
  readonly original: ReadonlyMap<string, string>;
  readonly milliseconds: number;
}

function conclude({ expected, problems }: Stage, { calls, original, milliseconds }: Whole): void {
  const same = [...original].filter(([path, text]) => expected.get(path) === text).length;
  const changed = new Set([...original.keys(), ...expected.keys()]).size - same;
  const kept = typed.filter((one) => [...expected.values()].some((text) => text.includes(one.text))).length;
  if (problems.length === 0) {
    print(
      paint(["bold", "green"], `All ${calls} calls had the expected result.`),
      `  ${changed} files were changed, created, moved or deleted, and ${same} were left alone: every text is as expected.`,
      `  ${kept} unsaved comments are still there; the agent replaced the other one. No open file was written before the demo saved.`,
      `  ${(milliseconds / 1000).toFixed(1)} s in all. How to attach your editor: README.md. How this client works: client-samples/node/.`,
    );
  } else {
    print(paint(["bold", "red"], `Problems: ${problems.length}`), ...problems);
    process.exitCode = 1;
  }
  print("");
}
