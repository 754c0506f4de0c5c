/** Packs the extension, with the server in it, as `dist/multi-edit.vsix` of the repository, which must be built already. */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createVSIX } from "@vscode/vsce";
import { build } from "esbuild";
import { licencesOf } from "./licences.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, "../../dist");
const folder = join(dist, "vscode");
if (!existsSync(join(dist, "program.cjs")))
  throw new Error("The server is not built: run `npm run build` in the repository.");

rmSync(folder, { recursive: true, force: true });
mkdirSync(join(folder, "server"), { recursive: true });
const { metafile } = await build({
  entryPoints: [join(here, "src/extension.ts")],
  outfile: join(folder, "extension.js"),
  bundle: true,
  minify: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["vscode"],
  logLevel: "warning",
  legalComments: "none",
  metafile: true,
});
for (const name of ["main.cjs", "program.cjs"]) cpSync(join(dist, name), join(folder, "server", name));
cpSync(join(dist, "../LICENSE"), join(folder, "LICENSE"));
const licences = [
  readFileSync(join(dist, "THIRD-PARTY-LICENSES.txt"), "utf8"),
  await licencesOf([metafile], "The extension"),
];
writeFileSync(join(folder, "THIRD-PARTY-LICENSES.txt"), licences.join("\n"));
for (const name of ["README.md", "icons"]) cpSync(join(here, name), join(folder, name), { recursive: true });
const { properties } = JSON.parse(readFileSync(join(dist, "schemas/settings.schema.json"), "utf8"));
const { agent, ...plain } = properties;
/** Settings that a folder may have. The others are the user's: a folder must not make itself less protected. */
const ofFolders = ["lenient", "atomic", "save", "diskChanges", "diagnostics", "review", "logLevel", "proofTimeout"];
const settings = Object.entries({ ...plain, "agent.enabled": agent.properties.enabled }).map(
  ([key, { description, ...schema }]) => {
    // For a setting without a default, VS Code would send an empty value.
    if (schema.default === undefined || !description) throw new Error(`The setting ${key} lacks a default or a text.`);
    const scope = ofFolders.includes(key) ? "window" : "machine";
    return [`multiEdit.${key}`, { ...schema, scope, markdownDescription: description }];
  },
);
// The bundle is CommonJS, and has the packages in it; vsce would run the scripts.
const { type, scripts, devDependencies, ...manifest } = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
Object.assign(manifest.contributes.configuration.properties, Object.fromEntries(settings));
writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
await createVSIX({
  cwd: folder,
  packagePath: join(dist, "multi-edit.vsix"),
  dependencies: false,
  allowMissingRepository: true,
  rewriteRelativeLinks: false,
});
