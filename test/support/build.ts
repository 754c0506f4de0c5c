/** Bundles a program in the same way as the package's build, for tests that start it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";

/** A program in a temporary folder. */
export interface Program {
  /** Path of the CommonJS file. */
  readonly path: string;
  /** Temporary folder for anything that belongs to the program; it is removed together with the program. */
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
