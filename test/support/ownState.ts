/**
 * Gives each test file a state directory of its own, so that no test sees the sessions of a file that runs beside it, and
 * the laws their seed, if there is one for all of them. Vitest runs it in each test file's process, before the file.
 */
import { mkdtempSync } from "node:fs";
import { join } from "node:path";

process.env.XDG_STATE_HOME = mkdtempSync(join(process.env.XDG_STATE_HOME as string, "file-"));

const { LAW_SEED } = process.env;
if (LAW_SEED !== undefined) (await import("fast-check")).configureGlobal({ seed: Number(LAW_SEED) });
