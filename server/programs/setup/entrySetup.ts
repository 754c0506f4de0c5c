/** The set-up by entries in files: what is printed is what would be added to an empty file. */
import type { Agent, AgentFile, InstalledHook } from "../../agents/agent.js";
import { readable } from "../shared/input.js";
import { configFileOf } from "./configFile.js";
import type { Installation } from "./installation.js";
import type { SetUpProgram, SetupOptions } from "./program.js";
import { setupSentences } from "./sentences.js";

/** The entries of an agent or an editor. */
type Entries = Pick<Agent, "about" | "files" | "lines" | "hook">;

/** Describes how an agent, or an editor that needs no more than entries, is set up. */
export function entrySetup(agent: Entries): SetUpProgram {
  const installed = agent.hook?.installed;
  return {
    forms: { plain: (installation, options) => readable(textOf(agent, installation, options)) },
    hasHook: installed !== undefined,
    files(installation, task, { hook }) {
      const hookFile = installed?.file(installation, task === "add" ? hook : "none");
      const files = [...agent.files(installation), ...(hookFile === undefined ? [] : [hookFile])];
      return readable(joined(files).map(configFileOf));
    },
  };
}

/** Joins the parts of one file. */
function joined(files: readonly AgentFile[]): readonly AgentFile[] {
  const byPath = new Map<string, AgentFile>();
  for (const file of files) {
    const before = byPath.get(file.path);
    if (file.kind === "json" && before?.kind === "json")
      byPath.set(file.path, { ...file, entries: [...before.entries, ...file.entries] });
    else if (file.kind === "block" && before?.kind === "block")
      byPath.set(file.path, { ...file, block: before.block + file.block });
    else byPath.set(file.path, file);
  }
  return [...byPath.values()];
}

function textOf(agent: Entries, installation: Installation, { hook }: SetupOptions): string {
  const [first] = agent.files(installation);
  const text = agent.about + (agent.lines?.(installation) ?? (first === undefined ? "" : contentOf(first)));
  const installed = agent.hook?.installed;
  return hook === "none" || installed === undefined
    ? text
    : text + hookText(installed, agent.about, installation, hook);
}

/** Returns the text of a file that has our part only. */
function contentOf(file: AgentFile): string {
  if (file.kind === "block") return file.block;
  const added = configFileOf(file).add(undefined);
  const text = (added.ok && added.value) || "";
  if (file.kind === "whole") return text;
  // Lists of words are easier to read on one line.
  return text.replace(/\[\n *([^[\]{}]*?)\n *\]/g, (_, list: string) => `[${list.replace(/\n */g, " ")}]`);
}

/** Returns the hook as text to paste, with the name of its file in a comment, unless it is in the same text. */
function hookText(
  installed: InstalledHook,
  about: string,
  installation: Installation,
  form: SetupOptions["hook"],
): string {
  const file = installed.file(installation, form);
  const [comment = ""] = about.split(" ");
  return (file.kind === "block" ? "" : setupSentences.hookIn(comment, file.path)) + contentOf(file);
}
