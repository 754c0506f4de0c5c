/** Describes pi, whose extension runs `multi-edit` and its hook. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Agent } from "./agent.js";
import { agentFolder, likePlugin, quotedForShell } from "./parts.js";

/** pi. */
export const pi: Agent = {
  title: "pi",
  variables: { commands: ["PI_CODING_AGENT"] },
  about: `# pi, in a shell.
# An extension that replaces pi's own edit tool in every project with one that goes through your editor. Like pi's own
# tool, it changes files without asking you.
`,
  lines: ({ samples }) => `mkdir -p ~/.pi/agent/extensions
cp ${quotedForShell(join(samples, "pi", "multiEdit.ts"))} ~/.pi/agent/extensions/
`,
  files({ samples, command }) {
    const sample = readFileSync(join(samples, "pi", "multiEdit.ts"), "utf8");
    const text = sample.replace('= ["multi-edit"];', () => `= ${JSON.stringify(command)};`);
    const folder = agentFolder("PI_CODING_AGENT_DIR", join(".pi", "agent"));
    const isOurs = (present: string): boolean => /^\/\*\*\s+\* An extension for pi: .*\bmulti-edit\b/s.test(present);
    return [{ kind: "whole", path: join(folder, "extensions", "multiEdit.ts"), text, isOurs }];
  },
  hook: {
    name: "pi",
    ...likePlugin,
    // Our extension replaces pi's tool for edits, and what its tool for reads returns.
    tools: { write: { kind: "write", field: "path" } },
    ours: { edit: "edit", read: "read_document", patch: "edit" },
    edit: { oldText: "", newText: "", replaceAll: "" },
    when: () => "before",
    consent: () => "given",
  },
};
