/**
 * Gives each test file a state directory of its own, so that no test sees the sessions of a file that runs beside it.
 * Vitest runs it in each test file's process, before the file.
 */
import { mkdtempSync } from "node:fs";
import { join } from "node:path";

process.env.XDG_STATE_HOME = mkdtempSync(join(process.env.XDG_STATE_HOME as string, "file-"));
