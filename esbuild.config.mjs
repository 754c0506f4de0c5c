/**
 * Builds `dist/`: without arguments the programs, the protocol and the JSON Schemas, with `--types` the protocol's
 * declarations, which need the compiler and would slow down the demo. Prints nothing unless something is wrong.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { licencesOf } from "./client-samples/vscode/licences.mjs";

const root = dirname(fileURLToPath(import.meta.url));
process.chdir(root);

/** @type {import("esbuild").BuildOptions & { metafile: true }} */
const common = {
  bundle: true,
  platform: "node",
  // The CommonJS form of jsonc-parser can't be bundled.
  mainFields: ["module", "main"],
  target: "node20",
  logLevel: "warning",
  legalComments: "none",
  metafile: true,
};

// An ESM bundle of the language server library fails on its first `require`, so the programs are CommonJS. In CommonJS,
// an `import()` of our own modules stays in the same file and still runs only what is needed. The programs are not
// minified, because Node prints the line that threw an uncaught error.
/** @type {import("esbuild").BuildOptions & { metafile: true }} */
// Node scans a CommonJS file that is loaded by `import()` for the names of its exports, which takes longer than running it.
const program = { ...common, format: "cjs", lineLimit: 200, supported: { "dynamic-import": false } };
const banner = { js: "#!/usr/bin/env node" };

/** The file that tells an old Node that it is too old must be written in syntax that such a Node understands. */
const readByAnyNode = { target: ["es2015", "node12"], banner };

/**
 * Keeps a module in a file of its own. An editor that starts the server must not wait while Node reads code for agents'
 * commands, even if that code never runs. An old Node must not read code that it cannot parse, either.
 * @param {string} module
 * @param {string} file
 * @returns {import("esbuild").Plugin}
 */
const apart = (module, file) => ({
  name: `${module} is in ${file}`,
  setup({ onResolve }) {
    const filter = new RegExp(`^\\.[./\\w]*/${module}\\.js$`);
    onResolve({ filter }, ({ kind }) =>
      kind === "dynamic-import" ? { path: `./${file}`, external: true } : undefined,
    );
  },
});
const programApart = apart("serve", "program.cjs");
const commandsApart = apart("commandLine", "agent.cjs");
const mcpApart = apart("mcp", "mcp.cjs");
const callsApart = apart("calls", "calls.cjs");
const hookApart = apart("hook", "hook.cjs");
const doctorApart = apart("doctor", "doctor.cjs");
const setupApart = apart("setup", "setup.cjs");

/**
 * Replaces the module that works out the announcement of the tools by its result.
 * @type {import("esbuild").Plugin}
 */
const announcementDone = {
  name: "the announcement of the tools is data",
  setup({ onLoad }) {
    onLoad({ filter: /\/mcp\/announcement\.ts$/ }, async () => {
      const { announcement } = await evaluated('export { announcement } from "./server/programs/mcp/announcement.ts";');
      return { contents: `export const announcement = () => ${JSON.stringify(announcement())};` };
    });
  },
};

const clientExports = ["listSessions", "MultiEditError", "openSession"];

/** @param {string} name */
const reexported = (name) => `export const ${name} = client.${name};`;

/** The message for those who import the package's root. */
const rootProblem =
  'multi-edit-language-server has no main module. Import "multi-edit-language-server/protocol" for the names and types of the requests, or "multi-edit-language-server/client" to reach the user\'s editors.';

try {
  await (process.argv.includes("--types") ? buildTypes() : buildPrograms());
} catch (error) {
  // esbuild has already printed the errors in the sources with their lines; a stack of its own adds nothing.
  if (!("errors" in error)) throw error;
  process.exitCode = 1;
}

async function buildPrograms() {
  const demo = "client-samples/node/demo.ts";
  const start = { ...program, ...readByAnyNode, entryPoints: ["server/start.ts"], outfile: "dist/main.cjs" };
  const programs = await Promise.all([
    build({ ...start, plugins: [programApart, commandsApart, hookApart] }),
    build({ ...program, entryPoints: ["server/serve.ts"], outfile: "dist/program.cjs" }),
    build({
      ...program,
      entryPoints: ["server/programs/cli/commandLine.ts"],
      outfile: "dist/agent.cjs",
      plugins: [mcpApart, callsApart, doctorApart, hookApart, setupApart],
    }),
    build({
      ...program,
      entryPoints: ["server/programs/cli/calls.ts"],
      outfile: "dist/calls.cjs",
      plugins: [setupApart],
    }),
    build({ ...program, entryPoints: ["server/programs/hook/hook.ts"], outfile: "dist/hook.cjs" }),
    build({
      ...program,
      entryPoints: ["server/programs/cli/doctor.ts"],
      outfile: "dist/doctor.cjs",
      plugins: [setupApart],
    }),
    build({ ...program, entryPoints: ["server/programs/setup/setup.ts"], outfile: "dist/setup.cjs" }),
    build({
      ...program,
      entryPoints: ["server/programs/mcp/mcp.ts"],
      outfile: "dist/mcp.cjs",
      plugins: [setupApart, announcementDone],
    }),
  ]);
  await Promise.all([
    existsSync(demo) && build({ ...program, banner, entryPoints: [demo], outfile: "dist/demo.cjs" }),
    build({ ...common, format: "esm", entryPoints: ["server/lsp/protocol.ts"], outfile: "dist/protocol.js" }),
    build({ ...common, format: "cjs", entryPoints: ["server/lsp/protocol.ts"], outfile: "dist/protocol.cjs" }),
    build({ ...common, format: "cjs", entryPoints: ["server/session/client.ts"], outfile: "dist/client.cjs" }),
    // The JSON-RPC library can be required but not bundled as an ES module.
    writeFile("dist/client.js", `import client from "./client.cjs";\n\n${clientExports.map(reexported).join("\n")}\n`),
    writeFile("dist/root.cjs", `throw new Error(${JSON.stringify(rootProblem)});\n`),
    buildSchemas(),
    buildShellFiles(),
    buildHelpTags(),
  ]);
  await chmod("dist/main.cjs", 0o755);
  await writeFile(
    "dist/THIRD-PARTY-LICENSES.txt",
    await licencesOf(
      programs.map(({ metafile }) => metafile),
      "multi-edit-language-server",
    ),
  );
}

/**
 * Writes the index of the plugin's help, which plugin managers make, but nobody makes for `multi-edit setup neovim`.
 * Each line is a tag, the file, and the search that finds it, in the order of bytes.
 */
async function buildHelpTags() {
  const doc = "client-samples/neovim/doc";
  const tags = (await readFile(`${doc}/multi-edit.txt`, "utf8")).matchAll(/(?<=^|\s)\*([^*\s|]+)\*(?=\s|$)/gm);
  const lines = [...tags].map(([, tag]) => `${tag}\tmulti-edit.txt\t/*${tag}*\n`);
  await writeFile(`${doc}/tags`, lines.sort().join(""));
}

/** Writes the completions and the manual page from the table that the command line is read by. */
async function buildShellFiles() {
  const { completions, manPage, setupNames } = await evaluated(
    `export { completions } from "./server/programs/cli/completions.ts";
    export { manPage } from "./server/programs/cli/manPage.ts";
    export { setupNames } from "./server/programs/setup/setup.ts";`,
  );
  const { version } = JSON.parse(await readFile("package.json", "utf8"));
  const files = {
    "dist/completions/multi-edit.bash": completions.bash(setupNames),
    "dist/completions/_multi-edit": completions.zsh(setupNames),
    "dist/completions/multi-edit.fish": completions.fish(setupNames),
    "dist/man/multi-edit.1": manPage(version, setupNames),
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}

/** Runs the same functions that the decoder and the settings use, so that a schema cannot differ from them. */
async function buildSchemas() {
  const { plainSchema, settingsJsonSchema, shapeJsonSchemas, strictSchema } = await evaluated(
    `export { settingsJsonSchema } from "./server/workspace/settings.ts";
    export { plainSchema, shapeJsonSchemas, strictSchema } from "./server/dialect/jsonSchema.ts";`,
  );
  const schemas = { settings: settingsJsonSchema() };
  for (const [shape, schema] of Object.entries(shapeJsonSchemas())) {
    schemas[`shape-${shape}`] = schema;
    schemas[`shape-${shape}.strict`] = strictSchema(schema);
    schemas[`shape-${shape}.plain`] = plainSchema(schema);
  }
  await rm("dist/schemas", { recursive: true, force: true });
  await mkdir("dist/schemas", { recursive: true });
  for (const [name, schema] of Object.entries(schemas)) {
    await writeFile(`dist/schemas/${name}.schema.json`, `${JSON.stringify(schema, null, 2)}\n`);
  }
}

/**
 * Runs a module that is given as text, with everything that it imports, and returns its exports.
 * @param {string} contents
 */
async function evaluated(contents) {
  const { outputFiles } = await build({
    ...common,
    format: "esm",
    write: false,
    stdin: { contents, resolveDir: root },
  });
  const source = Buffer.from(outputFiles[0].contents).toString("base64");
  return import(`data:text/javascript;base64,${source}`);
}

/**
 * Writes the declarations of the protocol and of everything that it imports, twice: the text is the same, but the
 * nearest package.json tells a compiler whether they describe an ES module or CommonJS.
 */
async function buildTypes() {
  const entries = ["lsp/protocol", "session/client"];
  await rm("dist/types", { recursive: true, force: true });
  await mkdir("dist/types/cjs", { recursive: true });
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: "../../server",
    outDir: "esm",
  };
  const tsconfig = {
    extends: "../../tsconfig.json",
    compilerOptions,
    include: [],
    files: entries.map((entry) => `../../server/${entry}.ts`),
  };
  await writeFile("dist/types/tsconfig.json", JSON.stringify(tsconfig));
  const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");
  const { status } = spawnSync(process.execPath, [compiler, "-p", "dist/types/tsconfig.json"], { stdio: "inherit" });
  if (status !== 0) process.exit(1);
  await rm("dist/types/tsconfig.json");
  const reached = await declarationsFrom(entries.map((entry) => `dist/types/esm/${entry}.d.ts`));
  for (const file of await readdir("dist/types/esm", { recursive: true, withFileTypes: true })) {
    const path = join(file.parentPath, file.name);
    if (file.isFile() && !reached.has(path)) await rm(path);
  }
  await cp("dist/types/esm", "dist/types/cjs", { recursive: true });
  await writeFile("dist/types/cjs/package.json", '{ "type": "commonjs" }\n');
}

/**
 * The declaration files that the entries need, and the entries. The compiler also writes declarations that no other
 * declaration uses.
 * @param {string[]} entries
 */
async function declarationsFrom(entries) {
  const reached = new Set(entries.map((entry) => join(entry)));
  for (const path of reached) {
    const text = await readFile(path, "utf8");
    for (const [, specifier] of text.matchAll(/(?:from|import\()\s*"(\.[^"]+)\.js"/g)) {
      reached.add(join(dirname(path), `${specifier}.d.ts`));
    }
  }
  return reached;
}
