/**
 * Measures the server's size: counts the files and named functions of `server/` that run for one ordinary call. Usage:
 * `npm run walk -- propose|apply|disk|agent|hook`; without a name, it counts all of them. `--list` also prints the files and
 * functions that ran.
 */
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { walkNames, walkOnce } from "./walk.js";

/**
 * The server, with one .js file per .ts file so that V8's coverage refers to our own files. npm runs in the package's
 * folder.
 */
const compiled = resolve("dist/walk");

const { values, positionals } = parseArgs({
  options: { list: { type: "boolean" }, compiled: { type: "boolean" } },
  allowPositionals: true,
});
const unknown = positionals.find((name) => !walkNames.some((walk) => walk === name));
if (unknown !== undefined) throw new Error(`there is no walk ${unknown}; there are: ${walkNames.join(", ")}`);
const chosen = walkNames.filter((name) => positionals.length === 0 || positionals.includes(name));
const [only] = chosen;
// An agent in this process has streams of its own.
const output = process.stdout;

if (chosen.length === 1 && only !== undefined) {
  if (values.compiled !== true) await compile();
  const ran = await walkOnce(only, compiled);
  const functions = ran.reduce((sum, file) => sum + file.functions.length, 0);
  const lines = [`${only}: ${ran.length} files, ${functions} functions`];
  if (values.list)
    lines.push(...ran.map((file) => `  ${file.path} (${file.functions.length}): ${file.functions.join(", ")}`));
  // The server's open handles would otherwise keep the process alive.
  output.write(`${lines.join("\n")}\n`, () => process.exit());
} else {
  // Each call runs in a separate process: state left in memory by one call would make the next call run less code.
  const flags = ["--compiled", ...(values.list ? ["--list"] : [])];
  await compile();
  for (const name of chosen)
    execFileSync(process.execPath, [process.argv[1] ?? "", name, ...flags], { stdio: "inherit" });
}

async function compile(): Promise<void> {
  rmSync(compiled, { recursive: true, force: true });
  // Excludes the programs directly in `server/`, which start when they are loaded.
  await build({
    entryPoints: ["server/*/**/*.ts"],
    outbase: "server",
    outdir: compiled,
    platform: "node",
    target: "node20",
    format: "esm",
    logLevel: "warning",
  });
}
