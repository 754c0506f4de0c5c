/** Programs that tests start: the server as the package's build has made it, or a file bundled in the same way. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** The program that users run. The tests' set-up has built it. */
export const builtServer = fileURLToPath(new URL("../../dist/main.cjs", import.meta.url));

const serverEntry = new URL("../../server/main.ts", import.meta.url);

/** A program in a temporary folder. */
export interface Program {
  /** Path of the CommonJS file. */
  readonly path: string;
  /** Temporary folder for everything that belongs to the program; removed along with it. */
  readonly folder: string;
  remove(): void;
}

/** Bundles a TypeScript file with everything it imports; the server is there already. */
export async function buildProgram(entry: URL): Promise<Program> {
  const folder = mkdtempSync(join(tmpdir(), "multi-edit-program-"));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  if (entry.href === serverEntry.href) return { path: builtServer, folder, remove };
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
  return { path, folder, remove };
}
