/** Describes opencode, whose hooks are in a plugin. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Agent, EditorLines } from "./agent.js";
import { configFolder, likePlugin, ourNames, patientMcp, patientMs } from "./parts.js";

const configIn = (...names: readonly string[]): string => join(configFolder(), "opencode", ...names);
const pluginFile = (): string => configIn("plugin", "multi-edit.js");
const client = { name: "opencode", mostText: 45_000 } as const;
const editTools = ["multi-edit_multi_edit", "multi-edit_apply_patch", "multi-edit_undo_last_edit"] as const;

/** opencode. */
export const opencode: Agent = {
  title: "opencode",
  variables: { commands: ["OPENCODE"] },
  client,
  about: `// opencode, in opencode.json.
// permission: your rules for opencode's own edit tool do not apply to these tools. With allow, these tools change files
// without asking you; with ask, opencode asks you first, and opencode run refuses their calls.
// timeout and --timeout: opencode waits as long as you may take to answer a question in your editor.
// agent: without these lines, the plan agent can edit files with these tools.
`,
  files({ command }) {
    const names = ["opencode.jsonc", "opencode.json", "config.json"];
    const path = configIn(names.find((name) => existsSync(configIn(name))) ?? "opencode.json");
    const value = { type: "local", command: [...command, ...patientMcp], enabled: true, timeout: patientMs };
    const rules = (rule: string, ...above: readonly string[]) =>
      editTools.map((tool) => ({ path: [...above, "permission", tool], value: rule, kind: "default" }) as const);
    const entries = [
      { path: ["mcp", "multi-edit"], value, kind: "own" } as const,
      ...rules("allow"),
      ...rules("deny", "agent", "plan"),
    ];
    return [{ kind: "json", path, entries }];
  },
  hook: {
    name: "opencode",
    installed: {
      path: pluginFile,
      applies: /^const hookOptions = \["--apply"\];/m,
      runsInTurn: true,
      file({ command, samples }, form) {
        const sample =
          form === "none" ? undefined : readFileSync(join(samples, "agents", "opencode", "multiEdit.js"), "utf8");
        const options = `hookOptions = ${form === "apply" ? '["--apply"]' : "[]"};`;
        const text = sample
          ?.replace('= ["multi-edit"];', () => `= ${JSON.stringify(command)};`)
          .replace("hookOptions = [];", options);
        const isOurs = (present: string) => /^\/\*\*\s+\* A plugin for opencode: .*\bmulti-edit\b/s.test(present);
        return { kind: "whole", path: pluginFile(), text, isOurs };
      },
    },
    ...likePlugin,
    tools: {
      read: { kind: "read", field: "filePath" },
      edit: { kind: "edit", field: "filePath" },
      write: { kind: "write", field: "filePath" },
      apply_patch: { kind: "patch", field: "patchText" },
      bash: { kind: "command", field: "command" },
      grep: { kind: "search", field: "path" },
    },
    ours: ourNames("multi-edit_"),
    edit: { oldText: "oldString", newText: "newString", replaceAll: "replaceAll" },
    goesOn: true,
    // The plugin knows whether the user has rules for edits, which opencode would look at only after the event.
    consent: ({ mayApply }) => (mayApply === false ? "none" : "given"),
    // The plugin passes on what both of its hooks get; only a tool that has run has an output.
    when: ({ output }) => (output === undefined ? "before" : "after"),
    tell: (note, { output }) => ({ output: `${output}\n\n${note}` }),
    read: {
      lines: { first: "offset", count: "limit" },
      linesShown: 2_000,
      mostText: client.mostText,
      show(lines) {
        const { path, first, last, total, note } = lines;
        const end =
          last >= first && last < total
            ? `Showing lines up to ${last} of ${total}. Use offset=${last + 1} to continue.`
            : `End of file - total ${total} lines`;
        const text = `${last < first ? "" : numbered(lines)}\n\n(${end})`;
        return { output: `${note}\n<path>${path}</path>\n<type>file</type>\n<content>\n${text}\n</content>` };
      },
    },
  },
};

/** Numbers lines as opencode shows them. A final line ending ends the last line. */
const numbered = ({ text, first }: EditorLines): string =>
  text
    .replace(/\r?\n$/, "")
    .split(/\r?\n/)
    .map((line, index) => `${first + index}: ${line}`)
    .join("\n");
