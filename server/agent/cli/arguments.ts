/** The arguments of the commands: which commands there are, and what each takes. */
import { parseArgs } from "node:util";
import type { CallOptions } from "../../dialect/options.js";
import { limits } from "../../text/limits.js";
import { isAgentId } from "../session/handshake.js";
import type { Mode } from "../session/request.js";
import { type Input, unreadable } from "./input.js";
import { argumentProblems, helpText } from "./sentences.js";

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
  /** Its arguments, as the help shows them. */
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

/** Tells whether a word is the name of a command. */
export function isCommand(word: string | undefined): word is CommandName {
  return word !== undefined && Object.hasOwn(commandRows, word);
}

/** A command line that makes sense. */
export interface Arguments {
  readonly command: CommandName;
  /** The arguments that are no options. */
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

/** Reads the arguments of the program, of which the first is a command. */
export function readArguments([command, ...rest]: readonly string[]): Input<Arguments> {
  if (!isCommand(command)) return unreadable(argumentProblems.unknownCommand(command ?? ""));
  const row: CommandRow = commandRows[command];
  const input = parseOptions(row, rest);
  if (!input.ok) return input;
  const { values, positionals } = input.value;
  const [least, most] = row.words;
  if (values.help !== true && (positionals.length < least || positionals.length > most)) {
    return unreadable(argumentProblems.usage(command, row.takes));
  }
  const mode = choice("mode", values.mode, modes);
  const atomic = choice("atomic", values.atomic, ["all", "file", "none"]);
  const save = choice("save", values.save, ["never", "ifWasClean", "always"]);
  for (const one of [mode, atomic, save]) if (!one.ok) return one;
  const seconds = Number(values.timeout ?? limits.commandMs / 1000);
  if (!(seconds > 0 && seconds <= 86_400)) return unreadable(argumentProblems.timeout);
  if (values.agent !== undefined && !isAgentId(values.agent)) return unreadable(argumentProblems.badAgent("--agent"));
  if (values.workspace === "" || values.session === "") return unreadable(argumentProblems.emptyValue);
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

interface ParsedOptions {
  readonly values: ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];
  readonly positionals: readonly string[];
}

function parseOptions(row: CommandRow, args: readonly string[]): Input<ParsedOptions> {
  try {
    const own = Object.fromEntries(row.options.map((name) => [name, options[name]]));
    const value = parseArgs({ args: [...args], options: own, strict: true, allowPositionals: true });
    return { ok: true, value };
  } catch (error) {
    const [reason = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
    return unreadable(reason.slice(0, 200));
  }
}

function choice<T extends string>(
  name: OptionName,
  value: string | undefined,
  known: readonly T[],
): Input<T | undefined> {
  const match = known.find((one) => one === value);
  if (value !== undefined && match === undefined) return unreadable(argumentProblems.unknownValue(name, known));
  return { ok: true, value: match };
}

/** The help for everything that is no transport; `program` is how it is called. */
export function helpOf(program: string): string {
  const rows = Object.entries(commandRows);
  return helpText(
    program,
    rows.map(([name, { takes, about }]) => `  ${`${name} ${takes}`.padEnd(22)}${about}`),
  );
}
