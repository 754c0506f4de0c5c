/** The parts of the pages for users that are made from the code, and from the cases that real editors run. */
import { agents, hookNames } from "../../server/agents/agents.js";
import { settingsJsonSchema } from "../../server/workspace/settings.js";
import { ownEditsSaved, ownEditsUnsaved } from "../editors/diskActs.js";
import { rows } from "../editors/diskScenes.js";
import { casesOf, pageNames, subjectOfNoEditor } from "../editors/pages.js";
import { vscodeRow } from "../reach/vscodeDiskScenes.js";
import { codeList, type MadeRow, type Maker, table } from "./markdown.js";

/** The part of a JSON Schema that the table of settings shows. */
interface SchemaNode {
  readonly default?: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
}

/** The length, in characters, of the longest default that the table shows. */
const longDefault = 200;

/** Returns the rows of the settings; a setting within another one has a name with a dot. */
function settingRows({ properties = {} }: SchemaNode, prefix = ""): MadeRow[] {
  return Object.entries(properties).flatMap(([name, node]) => {
    if (node.properties !== undefined) return settingRows(node, `${prefix}${name}.`);
    const value = JSON.stringify(node.default);
    return {
      key: `\`${prefix}${name}\``,
      default: `\`${value.length > longDefault ? "dist/schemas/settings.schema.json" : value}\``,
      meaning: (node.description ?? "").replace(/(?<!`)(\[.*\])(?=\.)/, "`$1`"),
    };
  });
}

/** Returns the calls of all pages of cases, and how many of them do not depend on the editor. */
function countOfCases(): string {
  const cases = pageNames.flatMap(casesOf);
  const left = cases.filter((one) => subjectOfNoEditor(one) !== undefined).length;
  return `${cases.length.toLocaleString("en")} calls, of which ${left} are not run in any editor`;
}

/** Returns the names of the agents that `multi-edit setup` sets up, with the names that people know. */
function agentNames(): string {
  const names = Object.entries(agents).map(([name, { title }]) =>
    title.toLowerCase() === name ? `\`${name}\`` : `\`${name}\` (${title})`,
  );
  return names.join(", ");
}

/** The parts of `client-samples/README.md`. */
export const clientParts: Readonly<Record<string, Maker>> = {
  settings: () => table(["key", "default", "meaning"], settingRows(settingsJsonSchema())),
  "count-of-cases": countOfCases,
};

/** The parts of the pages that list the agents. */
export const agentParts: Readonly<Record<string, Maker>> = { agents: agentNames };

/** Returns the ways that an agent's own edit takes, by the state of the file. */
function wayRows(): MadeRow[] {
  const left = "its own tool writes it; the editor loads it";
  return Object.values(agents).flatMap(({ title, hook }): MadeRow[] =>
    hook?.installed === undefined
      ? []
      : [
          {
            edit: `${title}, open and saved`,
            "`--hook`": left,
            "`--hook --apply`": hook.goesOn ? "made in the editor, and saved" : left,
          },
          {
            edit: `${title}, with unsaved text`,
            "`--hook`": "turned away; our tool makes it in the editor",
            "`--hook --apply`": "made in the editor, not saved",
          },
        ],
  );
}

const [shown, untold] = ["the editor has it, nothing typed is lost, nothing asked", "a message says `:reload`"];

/** Returns what the real editors have shown after each agent's own edit: their sessions check it. */
function editorRows(): MadeRow[] {
  const states = { "open and saved": ownEditsSaved, "with unsaved text": ownEditsUnsaved };
  return hookNames.flatMap((name) =>
    Object.entries(states).map(([state, session]): MadeRow => {
      const cells = [...rows, vscodeRow].flatMap(({ program, sessions }) => {
        const steps = sessions[session] ?? [];
        const edits = steps.flatMap(([act]) => ("edit" in act && act.edit.agent === name ? [act.edit] : []));
        if (edits.length === 0) throw new Error(`${program} has no session in which ${name} edits a file`);
        return [[program, edits.some(({ isLeft }) => isLeft) ? untold : shown]];
      });
      return { edit: `${agents[name].title}, ${state}`, ...Object.fromEntries(cells) };
    }),
  );
}

/** The parts of the page about hooks. */
export const hookParts: Readonly<Record<string, Maker>> = {
  hooks: () => codeList(hookNames),
  editors: () => table(["edit", "Neovim", "Emacs", "VS Code", "Helix"], editorRows()),
  ways: (old) => table(["edit", "`--hook`", "`--hook --apply`", "the model reads, with `--apply`"], wayRows(), old),
};
