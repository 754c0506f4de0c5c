/** The units of installation in `client-samples` and the manifest for the MCP registry, as far as no agent is needed. */
import { lstatSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { limits } from "../server/text/limits.js";
import { geminiPolicy, units } from "./agents/units.js";
import { manifest } from "./support/packed.js";
import { projectRoot } from "./support/project.js";

const root = fileURLToPath(new URL("../", import.meta.url));
const json = (path: string): unknown => JSON.parse(readFileSync(join(root, path), "utf8"));
const page = readFileSync(join(root, "client-samples/agents/README.md"), "utf8");

describe("the units of installation", () => {
  it.each([
    "client-samples/agents/claude/.claude-plugin/plugin.json",
    "client-samples/agents/codex/.codex-plugin/plugin.json",
    "client-samples/agents/gemini/gemini-extension.json",
    "client-samples/agents/opencode/package.json",
    "client-samples/pi/package.json",
    "client-samples/agents/server.json",
    "gemini-extension.json",
  ])("%s has the version of the package", (path) => {
    expect(json(path)).toMatchObject({ version: manifest.version });
  });

  it.each(units.map((unit) => [unit.name, unit] as const))("%s: the page shows the commands", (_, unit) => {
    const place = { home: "/home", installed: "/agents", url: "", put: () => undefined };
    for (const [program = "", ...args] of unit.install?.(place) ?? []) {
      // pi and Qwen Code are started with a Node of their own; the tests can't answer Gemini's question.
      const words = [program, ...args].filter((word) => !/\/node$|^--consent$/.test(word));
      const line = words
        .map((word, index) =>
          index === 0 ? (/^cli(-entry)?\.js$/.test(basename(word)) ? unit.setup : basename(word)) : word,
        )
        .join(" ");
      const shown = line.replaceAll(/\S+/g, (word) =>
        word.startsWith(projectRoot) ? `"${word.replace(projectRoot, "$package")}"` : word,
      );
      expect(page.split("\n")).toContain(shown);
    }
  });

  // Gemini CLI copies a clone and then removes it, so a link in the copy would lead to a path that anybody can take.
  it("Gemini CLI: the repository's root has a copy of the manifest, which is no link", () => {
    expect(lstatSync(join(root, "gemini-extension.json")).isFile()).toBe(true);
    expect(json("gemini-extension.json")).toEqual(json("client-samples/agents/gemini/gemini-extension.json"));
  });

  it("Gemini CLI: the page shows the rule that the tests add", () => {
    expect(page).toContain(`\`\`\`toml\n${geminiPolicy}\`\`\`\n`);
  });
});

/**
 * The rules of the registry's schema of 2025-12-11 and of its page on official requirements, as far as they concern this
 * kind of server: one npm package that is started as a process.
 */
const exactVersion = z
  .string()
  .max(255)
  .regex(/^\d+\.\d+\.\d+(?:-[\w.-]+)?$/);
const argument = z.union([
  z.object({ type: z.literal("positional"), value: z.string() }),
  z.object({ type: z.literal("positional"), valueHint: z.string() }),
  z.looseObject({ type: z.literal("named"), name: z.string() }),
]);
// The schema allows other fields, but a misspelled one would be lost.
const registryEntry = z.strictObject({
  $schema: z.literal("https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100).optional(),
  description: z.string().min(1).max(100),
  version: exactVersion,
  packages: z
    .array(
      z.strictObject({
        registryType: z.literal("npm"),
        identifier: z.string().min(1),
        version: exactVersion,
        runtimeHint: z.literal("npx").optional(),
        transport: z.strictObject({ type: z.literal("stdio") }),
        packageArguments: z.array(argument).optional(),
        environmentVariables: z.array(z.object({ name: z.string(), description: z.string().optional() })).optional(),
      }),
    )
    .min(1),
});

describe("the manifest for the MCP registry", () => {
  const entry = json("client-samples/agents/server.json") as z.infer<typeof registryEntry>;

  it("follows the rules of the schema", () => {
    expect(registryEntry.safeParse(entry).error).toBeUndefined();
    const [first] = entry.packages;
    for (const wrong of [
      { name: "multi-edit" },
      { name: "io.github.user/multi/edit" },
      { name: "io.github.user name/multi-edit" },
      { packagez: [] },
      { description: "x".repeat(101) },
      { version: "latest" },
      { packages: [{ ...first, version: "^0.1.0" }] },
      { packages: [{ ...first, transport: undefined }] },
      { packages: [{ ...first, packageArguments: [{ type: "positional" }] }] },
    ]) {
      expect(registryEntry.safeParse({ ...entry, ...wrong }).success, JSON.stringify(wrong)).toBe(false);
    }
  });

  it("names this package, which names the entry, and starts a program of the package", () => {
    expect(entry.packages).toMatchObject([{ identifier: manifest.name, version: manifest.version }]);
    // Without this field, the registry does not accept the entry.
    expect(json("package.json")).toMatchObject({ mcpName: entry.name });
    // npx runs the program that has the package's name.
    expect(Object.keys(manifest.bin)).toContain(manifest.name);
    const [command, timeout] = entry.packages[0]?.packageArguments ?? [];
    expect(command).toEqual({ type: "positional", value: "mcp" });
    // The time that fits agents of which nothing is known.
    expect(timeout).toMatchObject({ type: "named", name: "--timeout", default: String(limits.toolMs / 1000) });
  });
});
