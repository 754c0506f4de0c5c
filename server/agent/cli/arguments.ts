/** The command line's words: which commands there are, what each takes, and how the help says it. */
import { parseArgs } from "node:util";
import type { CallOptions } from "../../dialect/options.js";
import { limits } from "../../text/limits.js";
import { agentIdRule } from "../sentences.js";
import { isAgentId } from "../session/caller.js";
import type { Mode } from "../session/request.js";

/** Every option, as `parseArgs` wants it. */
const options = {
  agent: { type: "string" },
  atomic: { type: "string" },
  help: { type: "boolean", short: "h" },
  json: { type: "boolean" },
  mode: { type: "string" },
  save: { type: "string" },
  session: { type: "string" },
  structured: { type: "boolean" },
  summary: { type: "boolean" },
  timeout: { type: "string" },
  workspace: { type: "string" },
} as const;

type OptionName = keyof typeof options;

const general: readonly OptionName[] = ["agent", "help", "json", "session", "timeout", "workspace"];
const applying: readonly OptionName[] = [...general, "atomic", "mode", "save", "summary"];

/** One command. */
interface CommandRow {
  /** What stands behind its name, as the help shows it. */
  readonly takes: string;
  readonly about: string;
  /** The fewest and the most words that it takes. */
  readonly words: readonly [least: number, most: number];
  readonly options: readonly OptionName[];
}

/** The commands, in the order of the help. */
export const commandRows = {
  apply: { takes: "[FILE|-]", about: "apply a call or a patch", words: [0, 1], options: applying },
  preview: { takes: "[FILE|-]", about: "show what it would change", words: [0, 1], options: applying },
  read: { takes: "PATH[:FROM-TO]", about: "print a text as the editor has it", words: [1, 1], options: general },
  undo: { takes: "[TRANSACTION]", about: "take the last call back", words: [0, 1], options: general },
  sessions: { takes: "", about: "list the editors that can be reached", words: [0, 0], options: general },
  doctor: { takes: "", about: "say what works, what does not, and what to do", words: [0, 0], options: general },
  setup: {
    takes: "NAME [WORD...]",
    about: "print the configuration of an editor or agent",
    words: [0, Number.POSITIVE_INFINITY],
    options: ["help"],
  },
  mcp: {
    takes: "",
    about: "serve agents over MCP on stdin and stdout",
    words: [0, 0],
    options: [...general, "mode", "structured"],
  },
} as const satisfies Record<string, CommandRow>;

/** The name of a command. */
export type CommandName = keyof typeof commandRows;

/** Whether a word is the name of a command. */
export function isCommand(word: string | undefined): word is CommandName {
  return word !== undefined && Object.hasOwn(commandRows, word);
}

/** A command line that makes sense. */
export interface Arguments {
  readonly command: CommandName;
  /** What stands behind the command. */
  readonly words: readonly string[];
  readonly help: boolean;
  readonly json: boolean;
  /** `undefined`: the default of the command. */
  readonly mode: Mode | undefined;
  readonly session: string | undefined;
  /** The id of the agent that calls. `undefined`: not given. */
  readonly agent: string | undefined;
  /** As it was given; it may be relative. `undefined`: not given. */
  readonly workspace: string | undefined;
  /** Milliseconds. `undefined`: the default of the command. */
  readonly patience: number | undefined;
  /** Of `mcp`: answers have a structured part, too. */
  readonly structured: boolean;
  readonly call: Pick<CallOptions, "atomic" | "save" | "result">;
}

/** A command line, or what is wrong with it, as a sentence. */
export type ReadArguments =
  | { readonly ok: true; readonly value: Arguments }
  | { readonly ok: false; readonly problem: string };

/** Reads what stands behind the program's name, of which the first word is a command. */
export function readArguments([command, ...rest]: readonly string[]): ReadArguments {
  if (!isCommand(command)) return wrong(`There is no command ${command ?? ""}.`);
  const row: CommandRow = commandRows[command];
  const parsed = parse(row, rest);
  if (!parsed.ok) return parsed;
  const { values, positionals } = parsed;
  const [least, most] = row.words;
  if (values.help !== true && (positionals.length < least || positionals.length > most)) {
    return wrong(`It is used so: ${command} ${row.takes}`.trimEnd());
  }
  const mode = choice("mode", values.mode, modes);
  const atomic = choice("atomic", values.atomic, ["all", "file", "none"]);
  const save = choice("save", values.save, ["never", "ifWasClean", "always"]);
  for (const one of [mode, atomic, save]) if (!one.ok) return one;
  const seconds = Number(values.timeout ?? limits.commandMs / 1000);
  if (!(seconds > 0 && seconds <= 86_400)) return wrong("--timeout needs a number of seconds, at most a day.");
  if (values.agent !== undefined && !isAgentId(values.agent)) return wrong(`--agent must be ${agentIdRule}.`);
  if (values.workspace === "" || values.session === "") return wrong("--workspace and --session need a value.");
  return {
    ok: true,
    value: {
      command,
      words: positionals,
      help: values.help ?? false,
      json: values.json ?? false,
      mode: mode.ok ? mode.value : undefined,
      session: values.session,
      agent: values.agent,
      workspace: values.workspace,
      patience: values.timeout === undefined ? undefined : seconds * 1000,
      structured: values.structured ?? false,
      call: {
        atomic: atomic.ok ? atomic.value : undefined,
        save: save.ok ? save.value : undefined,
        result: values.summary === true ? "summary" : undefined,
      },
    },
  };
}

const modes: readonly Mode[] = ["auto", "editor", "disk"];

type Parsed =
  | { readonly ok: true; readonly values: Values; readonly positionals: readonly string[] }
  | { readonly ok: false; readonly problem: string };
type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];

function parse(row: CommandRow, args: readonly string[]): Parsed {
  try {
    const own = Object.fromEntries(row.options.map((name) => [name, options[name]]));
    const { values, positionals } = parseArgs({ args: [...args], options: own, strict: true, allowPositionals: true });
    return { ok: true, values: values as Values, positionals };
  } catch (error) {
    const [reason = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
    return wrong(reason.slice(0, 200));
  }
}

function choice<T extends string>(
  name: OptionName,
  value: string | undefined,
  known: readonly T[],
): { readonly ok: true; readonly value: T | undefined } | { readonly ok: false; readonly problem: string } {
  const found = known.find((one) => one === value);
  if (value !== undefined && found === undefined) return wrong(`--${name} is one of ${known.join(", ")}.`);
  return { ok: true, value: found };
}

function wrong(problem: string): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem };
}

/** The help for everything that is no transport; `program` is how it is called. */
export function helpText(program: string): string {
  const rows = Object.entries(commandRows).map(
    ([name, { takes, about }]) => `  ${`${name} ${takes}`.padEnd(22)}${about}`,
  );
  return `Usage: ${program} <command> [options]

Agents and scripts reach the editor in which the files are: what is typed and
not saved is seen, and what they change can be undone there.

Commands:
${rows.join("\n")}

A call is JSON in the shape of any known tool; a patch is in the format of
Codex' apply_patch. They are read from a file or from the standard input, which
may also hold a call on each line. Relative paths start at the working
directory.

Options:
  --json               print the answer as JSON
  --summary            print a bounded diff
  --workspace=DIR      work in this directory instead of the working directory
  --session=ID         in this one of the editors that "sessions" lists; the
                       variable MULTI_EDIT_SESSION does the same
  --agent=ID           the agent that calls, by an id that stays the same over
                       all its calls; also MULTI_EDIT_AGENT
  --mode=MODE          auto: the editor that has the files, else the disk;
                       editor: an editor or nothing; disk: the disk in any case
  --atomic=WHAT        what a failure takes with it. all (the default):
                       everything; file: its file; none: that edit alone
  --save=WHEN          never, ifWasClean (the default) or always
  --structured         of mcp: answer edits with structured content, too; some
                       agents show their model that in place of the short text
  --timeout=SECONDS    how long an answer may take, by default ${limits.commandMs / 1000}
  -h, --help           print this help

Exit codes: 0 done; 1 an edit has no place, nothing was changed; 2 the command
or the call can't be read; 3 no editor, or more than one; 4 the editor or the
user refused; 5 the text has moved on; 6 it is not known what became of it.
`;
}
