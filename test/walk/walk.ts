/**
 * One ordinary call to a server in this process: two edits in an open document, and the server code that runs for them.
 */
import { deepStrictEqual } from "node:assert";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Client, startClient } from "./client.js";
import { type RanFile, startCoverage } from "./coverage.js";

/**
 * `propose`: the client gets the edit. `apply`: the server has the client apply the edit and verifies the result.
 * `disk`: the same as `apply`, with an additional edit to a file that is not open.
 */
export const walkNames = ["propose", "apply", "disk"] as const;

/** The name of the call to serve. */
export type WalkName = (typeof walkNames)[number];

const openText = `import { rate } from "./rate.js";

/** The price with tax, in cents. */
export function gross(net: number): number {
  const tax = net * rate;
  return Math.round(net + tax);
}
`;
const openAfter = openText.replace("net * rate", "Math.ceil(net * rate)").replace("Math.round(net + tax)", "net + tax");
const closedText = "export const rate = 0.19;\n";
const closedAfter = "export const rate = 0.2;\n";

const openEdits = [
  { path: "price.ts", oldText: "const tax = net * rate;", newText: "const tax = Math.ceil(net * rate);" },
  { path: "price.ts", oldText: "return Math.round(net + tax);", newText: "return net + tax;" },
];
const closedEdit = { path: "rate.ts", oldText: closedText.trim(), newText: closedAfter.trim() };

/**
 * Serves the call as the first one in a new session of the server compiled into this folder. Throws if the call does
 * not have the expected outcome. The server keeps running.
 */
export async function walkOnce(name: WalkName, compiled: string): Promise<RanFile[]> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "multi-edit-walk-")));
  try {
    process.env.XDG_STATE_HOME = join(folder, "state");
    const root = join(folder, "project");
    mkdirSync(root);
    const [open, closed] = [join(root, "price.ts"), join(root, "rate.ts")];
    writeFileSync(open, openText);
    writeFileSync(closed, closedText);
    const client = await startClient(compiled, root);
    await client.open(pathToFileURL(open).href, openText);
    const coverage = await startCoverage(compiled);
    stopClock();
    const outcome = await callOf(name, client);
    const ran = await coverage.take();
    const expected = {
      propose: { outcome: "proposed", open: openText, closed: closedText },
      apply: { outcome: "applied", open: openAfter, closed: closedText },
      disk: { outcome: "applied", open: openAfter, closed: closedAfter },
    }[name];
    deepStrictEqual({ outcome, open: client.text(), closed: readFileSync(closed, "utf8") }, expected);
    return ran;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Stops the server's clock; on a busy machine, the code for slow calls would otherwise run as well. */
function stopClock(): void {
  const now = performance.now();
  performance.now = () => now;
}

async function callOf(name: WalkName, client: Client): Promise<string> {
  const call = { edits: name === "disk" ? [...openEdits, closedEdit] : openEdits };
  const { outcome } = await (name === "propose" ? client.propose(call) : client.apply(call));
  return outcome;
}
