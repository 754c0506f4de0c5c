/** The package as it is installed: the right files, types that compile, and a program that starts on its own. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { plainSchema, shapeJsonSchemas, strictSchema } from "../server/dialect/jsonSchema.js";
import { methods, protocolVersion } from "../server/lsp/protocol.js";
import { completions } from "../server/programs/cli/completions.js";
import { manPage } from "../server/programs/cli/manPage.js";
import { setupNames } from "../server/programs/setup/setup.js";
import { settingsJsonSchema } from "../server/workspace/settings.js";
import { startAgent } from "./support/mcpAgent.js";
import { manifest, pack, runTypeScript, type Unpacked, unpackPackage } from "./support/packed.js";

let packed: Unpacked;
let folder = "";
let unpacked = "";

beforeAll(() => {
  packed = unpackPackage();
  ({ folder, path: unpacked } = packed);
});

afterAll(() => packed.remove());

describe("the packed files", () => {
  const required = [
    ".agents/plugins/marketplace.json",
    ".claude-plugin/marketplace.json",
    ".github/SECURITY.md",
    "CHANGELOG.md",
    "LICENSE",
    "client-samples/agents/claude/.claude-plugin/plugin.json",
    "client-samples/agents/claude/hooks/hooks.json",
    "client-samples/agents/codex/.codex-plugin/plugin.json",
    "client-samples/agents/codex/.mcp.json",
    "client-samples/agents/codex/hooks/hooks.json",
    "client-samples/agents/gemini/gemini-extension.json",
    "client-samples/agents/gemini/hooks/hooks.json",
    "client-samples/agents/hooks.md",
    "client-samples/agents/opencode/multiEdit.js",
    "client-samples/agents/opencode/package.json",
    "client-samples/pi/multiEdit.ts",
    "client-samples/pi/package.json",
    "client-samples/pi/piTypes.ts",
    "dist/THIRD-PARTY-LICENSES.txt",
    "dist/agent.cjs",
    "dist/calls.cjs",
    "dist/client.cjs",
    "dist/client.js",
    "dist/completions/_multi-edit",
    "dist/completions/multi-edit.bash",
    "dist/completions/multi-edit.fish",
    "dist/doctor.cjs",
    "dist/hook.cjs",
    "dist/main.cjs",
    "dist/man/multi-edit.1",
    "dist/mcp.cjs",
    "dist/program.cjs",
    "dist/protocol.cjs",
    "dist/protocol.js",
    "dist/root.cjs",
    "dist/setup.cjs",
    "dist/schemas/settings.schema.json",
    ...Object.keys(shapeJsonSchemas()).flatMap((shape) =>
      ["", ".strict", ".plain"].map((form) => `dist/schemas/shape-${shape}${form}.schema.json`),
    ),
    "dist/types/cjs/session/client.d.ts",
    "dist/types/esm/session/client.d.ts",
    "dist/types/cjs/lsp/protocol.d.ts",
    "dist/types/cjs/package.json",
    "dist/types/esm/lsp/protocol.d.ts",
    "package.json",
    // The README links to the protocol page.
    "server/PROTOCOL.md",
    "server/README.md",
    "server/SYSTEMS.md",
    "test/README.md",
    "test/bench/README.md",
    "test/bench/chart.svg",
  ];

  it("are all that is needed, and nothing else", () => {
    const paths = pack("--dry-run").flatMap(({ files }) => files.map(({ path }) => path));
    expect(paths).toEqual(expect.arrayContaining(required));
    // A build for tests does not pack the extension for VS Code; test/reach installs it from the package.
    const rest = ["README.md", "dist/multi-edit.vsix"];
    const others = paths.filter((path) => !required.includes(path) && !rest.includes(path));
    expect(
      others.filter((path) => !/^client-samples\/(?!.*demo)|^dist\/types\/(?:cjs|esm)(?:\/\w+)+\.d\.ts$/.test(path)),
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
    for (const [shape, expected] of Object.entries(shapeJsonSchemas())) {
      expect(schema(`shape-${shape}`)).toEqual(expected);
      expect(schema(`shape-${shape}.strict`)).toEqual(strictSchema(expected));
      expect(schema(`shape-${shape}.plain`)).toEqual(plainSchema(expected));
    }
  });

  it("include the completions and the manual page, made from the table of commands", () => {
    const text = (path: string): string => readFileSync(join(unpacked, "dist", path), "utf8");
    expect(text("completions/multi-edit.bash")).toBe(completions.bash(setupNames));
    expect(text("completions/_multi-edit")).toBe(completions.zsh(setupNames));
    expect(text("completions/multi-edit.fish")).toBe(completions.fish(setupNames));
    expect(text("man/multi-edit.1")).toBe(manPage(manifest.version, setupNames));
  });

  it("include the samples, which setup names and which have the package's version", () => {
    const env = { ...process.env, PATH: "" };
    const setup = (...args: string[]): string =>
      execFileSync(process.execPath, [join(unpacked, "dist/main.cjs"), "setup", ...args], { encoding: "utf8", env });
    const plugin = join(realpathSync(unpacked), "client-samples/neovim");
    for (const form of ["plain", "lazy.nvim"]) expect(setup("neovim", form)).toContain(JSON.stringify(plugin));
    const files = [
      "lua/multi_edit/init.lua",
      "lua/multi_edit/health.lua",
      "plugin/multi_edit.lua",
      "doc/multi-edit.txt",
      "doc/tags",
    ];
    expect(files.filter((file) => !existsSync(join(plugin, file)))).toEqual([]);
    // Without the index, `:help multi-edit` finds nothing after `setup neovim --write`.
    expect(readFileSync(join(plugin, "doc/tags"), "utf8")).toContain("\nmulti-edit\tmulti-edit.txt\t/*multi-edit*\n");
    const emacs = join(realpathSync(unpacked), "client-samples/emacs");
    expect(setup("emacs")).toContain(JSON.stringify(emacs));
    expect(readFileSync(join(emacs, "multi-edit.el"), "utf8")).toContain(`\n;; Version: ${manifest.version}\n`);
  });

  it.each(["agent", "calls", "client", "doctor", "hook", "mcp", "setup"])(
    "keep the language server library, which takes long to load, out of %s.cjs",
    (name) => {
      const packages = readFileSync(join(unpacked, `dist/${name}.cjs`), "utf8").match(
        /(?<=^\/\/ node_modules\/)[^/]+/gm,
      );
      expect([...new Set(packages ?? [])].filter((one) => one.startsWith("vscode-"))).toEqual([]);
    },
  );

  it("list the packages whose code is in the bundle", () => {
    const licences = readFileSync(join(unpacked, "dist/THIRD-PARTY-LICENSES.txt"), "utf8");
    for (const name of ["diff", "valibot", "vscode-jsonrpc", "vscode-languageserver"]) {
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
    expect(run("apply", "--help")).toMatch(/^Usage: multi-edit apply /);
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
    consumer = packed.consumer("consumer");
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
    expect(runTypeScript(name, consumer)).toBe("");
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

  it.each([
    ["import", ["--input-type=module", "--eval", `import "${manifest.name}";`]],
    ["require", ["--input-type=commonjs", "--eval", `require("${manifest.name}");`]],
  ])("is named if the package's root is wanted instead, by %s", (_, args) => {
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: consumer, encoding: "utf8" });
    expect([status, stderr]).toEqual([1, expect.stringContaining(`Import "${manifest.name}/protocol" for the names`)]);
  });
});
