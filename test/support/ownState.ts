/**
 * Gives each test file a state directory of its own, so that no test sees the sessions of a file that runs beside it, and
 * the laws their seed, if there is one for all of them. Says what the programs that it starts load first. Vitest runs this
 * in each test file's process, before the file.
 */
import { mkdtempSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, expect } from "vitest";
import { isAll } from "./extent.js";

process.env.XDG_STATE_HOME = mkdtempSync(join(process.env.XDG_STATE_HOME as string, "file-"));

const { LAW_SEED, PROGRAM_HOST = "", ROWS } = process.env;
if (LAW_SEED !== undefined) (await import("fast-check")).configureGlobal({ seed: Number(LAW_SEED) });

const preloads = isAll ? [] : ["compileCache.cjs"];
if (ROWS !== undefined) {
  // `npm run rows` wants to know what runs in this process, and in those that it starts.
  const { recordTo } = await import("../rows/recorder.js");
  const path = (expect.getState().testPath ?? "").replace(/^.*\/(?=test\/)/, "");
  process.env.ROWS_TO = join(ROWS, encodeURIComponent(path));
  preloads.push("preload.cjs");
  afterAll(recordTo(process.env.ROWS_TO));
}
if (preloads.length > 0) {
  process.env.NODE_OPTIONS = preloads.map((name) => `--require ${join(dirname(PROGRAM_HOST), name)}`).join(" ");
}
