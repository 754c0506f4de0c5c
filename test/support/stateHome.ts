/**
 * Runs once before all tests. Builds the program that the tests start, if a source is newer, and keeps the server's state
 * files out of the home directory of the user who runs the tests.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { isAll } from "./extent.js";
import { onlyInAll } from "./suites.js";

const projectRoot = fileURLToPath(new URL("../../", import.meta.url));

/** Prepares the tests; the returned function runs after them. */
export function setup(): () => void {
  if (isAll) {
    process.env.LAW_SEED ??= String(Date.now() % 2 ** 31);
    console.log(`LAW_SEED=${process.env.LAW_SEED} repeats the random inputs of the laws`);
  } else if (process.argv.slice(3).every((word) => word.startsWith("-"))) {
    for (const [path, reason] of Object.entries(onlyInAll)) console.log(`left to npm run test:all: ${path}: ${reason}`);
  }
  const home = mkdtempSync(join(tmpdir(), "multi-edit-state-"));
  process.env.XDG_STATE_HOME = home;
  if (isStale()) execFileSync(process.execPath, ["esbuild.config.mjs"], { cwd: projectRoot, stdio: "inherit" });
  const programs = mkdtempSync(join(tmpdir(), "multi-edit-programs-"));
  // Some tests start programs as another user.
  chmodSync(programs, 0o755);
  process.env.PROGRAM_HOST = join(programs, "programHost.cjs");
  buildSync({
    entryPoints: ["test/support/programHost.ts", "test/support/compileCache.ts", "test/rows/preload.ts"].map((path) =>
      join(projectRoot, path),
    ),
    outdir: programs,
    entryNames: "[name]",
    outExtension: { ".js": ".cjs" },
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    logLevel: "warning",
  });
  return () => {
    for (const folder of [home, programs]) rmSync(folder, { recursive: true, force: true });
  };
}

/** Reports whether something that is built has changed since the last build. */
function isStale(): boolean {
  // The build writes this file last.
  const built = statSync(join(projectRoot, "dist/THIRD-PARTY-LICENSES.txt"), { throwIfNoEntry: false });
  const sources = readdirSync(join(projectRoot, "server"), { recursive: true, encoding: "utf8" });
  const paths = ["package.json", "esbuild.config.mjs", ...sources.map((path) => join("server", path))];
  return built === undefined || paths.some((path) => statSync(join(projectRoot, path)).mtimeMs > built.mtimeMs);
}
