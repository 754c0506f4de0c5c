/**
 * Runs in pi's Node: makes calls of `edit` as pi does, with pi's own tool or with the one of an extension, and prints the
 * outcome of each. The calls come on stdin as JSON.
 *
 *     node piPeer.cjs MODULES EXTENSION
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A call, as a model sends it, in a project's folder. */
export interface PiCall {
  readonly tool: "own" | "extension";
  readonly cwd: string;
  readonly call: object;
}

/** The text that the model gets. */
export interface PiOutcome {
  readonly isError: boolean;
  readonly text: string;
}

interface Tool {
  prepareArguments(call: object): object;
  execute(
    id: string,
    args: object,
    signal: undefined,
    onUpdate: undefined,
    context: { readonly cwd: string },
  ): Promise<{ readonly content: readonly { readonly text: string }[] }>;
}

interface Modules {
  createEditToolDefinition(cwd: string): Tool;
  loadExtensions(
    paths: readonly string[],
    cwd: string,
  ): Promise<{
    readonly extensions: readonly [{ readonly tools: ReadonlyMap<string, { readonly definition: Tool }> }];
  }>;
  validateToolArguments(tool: Tool, call: { readonly name: string; readonly arguments: object }): object;
}

async function main(modules: string, extension: string): Promise<void> {
  const part = (path: string): Promise<Modules> => import(join(modules, "@earendil-works", path));
  const [{ createEditToolDefinition }, { loadExtensions }, { validateToolArguments }] = await Promise.all([
    part("pi-coding-agent/dist/core/tools/edit.js"),
    part("pi-coding-agent/dist/core/extensions/loader.js"),
    part("pi-ai/dist/utils/validation.js"),
  ]);
  const ours = (await loadExtensions([extension], "/")).extensions[0].tools.get("edit")?.definition;
  if (ours === undefined) throw new Error("the extension has no tool edit");
  const run = async ({ tool, cwd, call }: PiCall): Promise<PiOutcome> => {
    const used = tool === "own" ? createEditToolDefinition(cwd) : ours;
    try {
      const args = validateToolArguments(used, { name: "edit", arguments: used.prepareArguments(call) });
      const { content } = await used.execute("1", args, undefined, undefined, { cwd });
      return { isError: false, text: content.map(({ text }) => text).join("\n") };
    } catch (error) {
      return { isError: true, text: error instanceof Error ? error.message : String(error) };
    }
  };
  const outcomes: PiOutcome[] = [];
  for (const call of JSON.parse(readFileSync(0, "utf8")) as PiCall[]) outcomes.push(await run(call));
  process.stdout.write(JSON.stringify(outcomes));
}

const [modules = "", extension = ""] = process.argv.slice(2);
void main(modules, extension);
