/** Bundles a program the way the package's build does, for tests that start it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";

/** A program in a temporary folder. */
export interface Program {
  /** Path of the CommonJS file. */
  readonly path: string;
  /** Temporary folder for everything that belongs to the program; removed along with it. */
  readonly folder: string;
  remove(): void;
}

/** Bundles a TypeScript file with everything it imports. */
export async function buildProgram(entry: URL): Promise<Program> {
  const folder = mkdtempSync(join(tmpdir(), "multi-edit-program-"));
  const path = join(folder, "program.cjs");
  await build({
    entryPoints: [entry.pathname],
    outfile: path,
    bundle: true,
    platform: "node",
    // The CommonJS form of jsonc-parser can't be bundled.
    mainFields: ["module", "main"],
    target: "node20",
    format: "cjs",
    logLevel: "warning",
  });
  return { path, folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
