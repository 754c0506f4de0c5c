/** The package as it is installed: the right files, types that compile, and a program that starts on its own. */
import { type ExecFileSyncOptionsWithStringEncoding, execFileSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { shapeJsonSchemas } from "../server/dialect/jsonSchema.js";
import { methods, protocolVersion } from "../server/lsp/protocol.js";
import { settingsJsonSchema } from "../server/workspace/settings.js";
import { startAgent } from "./support/mcpAgent.js";

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly bin: Record<string, string>;
  readonly dependencies: Record<string, string>;
}

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const manifest: Manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

let folder = "";
/** The folder of the unpacked package; neither it nor a parent folder contains `node_modules`. */
let unpacked = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "multi-edit-package-"));
  const [packed] = pack("--pack-destination", folder);
  execFileSync("tar", ["-xzf", packed?.filename ?? ""], { cwd: folder });
  unpacked = join(folder, "package");
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the packed files", () => {
  const required = [
    "CHANGELOG.md",
    "LICENSE",
    "dist/THIRD-PARTY-LICENSES.txt",
    "dist/agent.cjs",
    "dist/calls.cjs",
    "dist/doctor.cjs",
    "dist/main.cjs",
    "dist/mcp.cjs",
    "dist/program.cjs",
    "dist/protocol.cjs",
    "dist/protocol.js",
    "dist/setup.cjs",
    "dist/schemas/settings.schema.json",
    ...Object.keys(shapeJsonSchemas()).map((shape) => `dist/schemas/shape-${shape}.schema.json`),
    "dist/types/cjs/lsp/protocol.d.ts",
    "dist/types/cjs/package.json",
    "dist/types/esm/lsp/protocol.d.ts",
    "package.json",
    "SECURITY.md",
    // The README links to the protocol page.
    "server/PROTOCOL.md",
    "server/README.md",
    "test/README.md",
    "test/bench/README.md",
    "test/bench/chart.svg",
  ];

  it("are all that is needed, and nothing else", () => {
    const paths = pack("--dry-run").flatMap(({ files }) => files.map(({ path }) => path));
    expect(paths).toEqual(expect.arrayContaining(required));
    const others = paths.filter((path) => !required.includes(path) && path !== "README.md");
    expect(
      others.filter((path) => !/^client-samples\/(?!.*demo)|^dist\/types\/(?:cjs|esm)\/\w+\/\w+\.d\.ts$/.test(path)),
    ).toEqual([]);
  });

  it("declare every package that the type declarations import", () => {
    const declarations = readdirSync(join(unpacked, "dist/types"), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".d.ts"))
      .map((path) => readFileSync(join(unpacked, "dist/types", path), "utf8"));
    const imported = declarations.flatMap((text) =>
      [...text.matchAll(/(?:from|import\()\s*"([^".][^"]*)"/g)].map((match) => match[1]),
    );
    const packages = imported.map((specifier) => specifier?.split("/")[0]);
    expect([...new Set(packages)]).toEqual(Object.keys(manifest.dependencies));
  });

  it("include the schemas on which the decoder and the settings are based", () => {
    const schema = (name: string): unknown =>
      JSON.parse(readFileSync(join(unpacked, `dist/schemas/${name}.schema.json`), "utf8"));
    expect(schema("settings")).toEqual(settingsJsonSchema());
    for (const [shape, expected] of Object.entries(shapeJsonSchemas()))
      expect(schema(`shape-${shape}`)).toEqual(expected);
  });

  it("list the packages whose code is in the bundle", () => {
    const licences = readFileSync(join(unpacked, "dist/THIRD-PARTY-LICENSES.txt"), "utf8");
    for (const name of ["diff", "vscode-jsonrpc", "vscode-languageserver", "zod"]) {
      expect(licences).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(`, "m"));
    }
  });
});

describe("the program", () => {
  it.each(Object.entries(manifest.bin))("starts as %s with nothing else installed", (_name, bin) => {
    const answer = execFileSync(process.execPath, [join(unpacked, bin), "--version"], {
      cwd: folder,
      encoding: "utf8",
    });
    expect(answer.trim()).toContain(manifest.version);
  });

  it("runs its commands with nothing else installed", () => {
    const env = { ...process.env, XDG_STATE_HOME: folder };
    const run = (...args: string[]): string =>
      execFileSync(process.execPath, [join(unpacked, "dist/main.cjs"), ...args], {
        cwd: folder,
        encoding: "utf8",
        env,
      });
    expect(run("apply", "--help")).toMatch(/^Usage: multi-edit <command>/);
    expect(run("setup", "codex")).toContain("[mcp_servers.multi-edit]");
  });

  it("serves agents over MCP with nothing else installed", async () => {
    const cwd = join(folder, "served");
    mkdirSync(cwd);
    writeFileSync(join(cwd, "a.txt"), "one\n");
    const agent = await startAgent({ path: join(unpacked, "dist/main.cjs") }, cwd, { env: { XDG_STATE_HOME: folder } });
    expect((await agent.client.listTools()).tools).toHaveLength(6);
    const edits = [{ path: "a.txt", oldText: "one", newText: "two" }];
    expect(await agent.call("multi_edit", { edits })).toMatchObject({ isError: false });
    expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("two\n");
  });

  it("can be run as a command", () => {
    const path = join(unpacked, "dist/main.cjs");
    expect(readFileSync(path, "utf8").startsWith("#!/usr/bin/env node\n")).toBe(true);
    // Windows has no such mode; there, npm writes a script that starts Node.
    expect(process.platform === "win32" || (statSync(path).mode & 0o777) === 0o755).toBe(true);
  });
});

describe("the protocol", () => {
  let consumer = "";

  beforeAll(() => {
    consumer = join(folder, "consumer");
    mkdirSync(join(consumer, "node_modules/@types"), { recursive: true });
    cpSync(unpacked, join(consumer, "node_modules", manifest.name), { recursive: true });
    // Links only the declared packages, so that an import of any other package fails even if that package is installed.
    for (const name of [...Object.keys(manifest.dependencies), "@types/node"]) {
      symlinkSync(join(root, "node_modules", name), join(consumer, "node_modules", name), "junction");
    }
    writeFileSync(join(consumer, "package.json"), '{ "type": "module" }');
  });

  it.each(["consumer.mts", "consumer.cts"])("type-checks in %s", (name) => {
    const source = `
      import { type MultiEditParams, type MultiEditResult, methods, protocolVersion } from "${manifest.name}/protocol";

      export const version: 1 = protocolVersion;
      export const method: "multiEdit/apply" = methods.apply;
      export const params: MultiEditParams = { path: "a.ts", oldText: "a", newText: "b", options: { atomic: "file" } };
      export const label = (result: MultiEditResult): string => result.label;
      export const changes = (result: MultiEditResult): number => result.edit?.documentChanges?.length ?? 0;

      // @ts-expect-error there is no such outcome
      export const outcome: MultiEditResult["outcome"] = "perhaps";
      // @ts-expect-error a workspace edit is not a string
      export const edit: MultiEditResult["edit"] = "perhaps";
      // @ts-expect-error there is no such option
      export const options: Exclude<MultiEditParams, string>["options"] = { atomic: "perhaps" };
    `;
    writeFileSync(join(consumer, name), source);
    const flags = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2023", "--types", "node"];
    expect(runTypeScript([...flags, "--ignoreConfig", name], consumer)).toBe("");
  });

  it("can be imported and required", async () => {
    const imported: unknown = await import(pathToFileURL(join(unpacked, "dist/protocol.js")).href);
    expect(imported).toMatchObject({ methods, protocolVersion });
    const required: unknown = createRequire(join(consumer, "a.cjs"))(`${manifest.name}/protocol`);
    expect(required).toMatchObject({ methods, protocolVersion });
  });

  it("can be imported by its name", () => {
    const script = `import { methods } from "${manifest.name}/protocol"; process.stdout.write(methods.apply);`;
    const args = ["--input-type=module", "--eval", script];
    expect(execFileSync(process.execPath, args, { cwd: consumer, encoding: "utf8" })).toBe(methods.apply);
  });
});

/**
 * The files that npm says it packs. The package's scripts are not run, since they would rebuild the program under test.
 */
function pack(...args: string[]): { filename: string; files: { path: string }[] }[] {
  const options: ExecFileSyncOptionsWithStringEncoding = {
    cwd: root,
    encoding: "utf8",
    // On Windows, npm is a script that only a shell can run.
    shell: process.platform === "win32",
    stdio: ["ignore", "pipe", "pipe"],
  };
  return JSON.parse(execFileSync("npm", ["pack", "--ignore-scripts", "--json", ...args], options));
}

/** The compiler's errors. */
function runTypeScript(args: readonly string[], cwd: string): string {
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  try {
    return execFileSync(process.execPath, [compiler, ...args], { cwd, encoding: "utf8" });
  } catch (error) {
    return error instanceof Error && "stdout" in error ? String(error.stdout) : String(error);
  }
}
