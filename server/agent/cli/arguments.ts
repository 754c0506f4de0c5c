/** Defines the commands and their arguments, and parses command lines. */
import { parseArgs } from "node:util";
import type { CallOptions } from "../../dialect/options.js";
import { limits } from "../../text/limits.js";
import { isAgentId } from "../session/agentId.js";
import type { Mode } from "../session/request.js";
import { type Input, unreadable } from "./input.js";
import { argumentProblems, helpText } from "./sentences.js";

/** Every option, in the form that `parseArgs` expects. */
const options = {
  /** The calling agent's id. */
  agent: { type: "string" },
  atomic: { type: "string" },
  help: { type: "boolean", short: "h" },
  json: { type: "boolean" },
  mode: { type: "string" },
  save: { type: "string" },
  session: { type: "string" },
  /** For `mcp`: adds a structured part to the answers. */
  structured: { type: "boolean" },
  summary: { type: "boolean" },
  timeout: { type: "string" },
  /** For `setup`: takes this program out of the configuration. */
  remove: { type: "boolean" },
  /** For `setup`: changes the configuration instead of printing it. */
  write: { type: "boolean" },
  /** The path of a directory, absolute or relative. */
  workspace: { type: "string" },
} as const;

type OptionName = keyof typeof options;
type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];

/** The permitted values of each option that accepts only certain values. */
const choices = {
  mode: ["auto", "editor", "disk"],
  atomic: ["all", "file", "none"],
  save: ["never", "ifWasClean", "always"],
} as const;

const general: readonly OptionName[] = ["agent", "help", "json", "session", "timeout", "workspace"];
const applying: readonly OptionName[] = [...general, "atomic", "mode", "save", "summary"];

/** One command. */
interface CommandRow {
  /** The arguments, as the help shows them. */
  readonly takes: string;
  readonly about: string;
  /** The minimum and maximum number of arguments, not counting options. */
  readonly words: readonly [least: number, most: number];
  readonly options: readonly OptionName[];
}

/** The commands. The help lists them in this order. */
export const commandRows = {
  apply: { takes: "[FILE|-]", about: "apply a call or a patch", words: [0, 1], options: applying },
  preview: { takes: "[FILE|-]", about: "show what a call or a patch would change", words: [0, 1], options: applying },
  read: { takes: "PATH[:FROM-TO]", about: "print a file as the editor has it", words: [1, 1], options: general },
  undo: { takes: "[TRANSACTION]", about: "undo a call, by default the last one", words: [0, 1], options: general },
  sessions: { takes: "", about: "list the reachable editors", words: [0, 0], options: general },
  doctor: { takes: "", about: "report what works, and how to fix what does not", words: [0, 0], options: general },
  setup: {
    takes: "NAME [WORD...]",
    about: "print the configuration for an editor or agent",
    words: [0, Number.POSITIVE_INFINITY],
    options: ["help", "remove", "write"],
  },
  mcp: {
    takes: "",
    about: "serve agents over MCP on stdin and stdout",
    words: [0, 0],
    options: [...general, "mode", "structured"],
  },
} as const satisfies Record<string, CommandRow>;

/** A command's name. */
export type CommandName = keyof typeof commandRows;

/** Reports whether an argument names a command. */
export function isCommand(word: string | undefined): word is CommandName {
  return word !== undefined && Object.hasOwn(commandRows, word);
}

/** A valid command line. An omitted option is `undefined`. */
export interface Arguments
  extends Pick<Values, "help" | "json" | "session" | "agent" | "workspace" | "structured" | "remove" | "write"> {
  readonly command: CommandName;
  /** The arguments that are not options. */
  readonly words: readonly string[];
  readonly mode: Mode | undefined;
  /** The time to wait for an answer, in milliseconds. */
  readonly patience: number | undefined;
  readonly call: Pick<CallOptions, "atomic" | "save" | "result">;
}

/** Parses the program's arguments, the first of which must name a command. */
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
  for (const [name, known] of Object.entries(choices)) {
    const value = values[name as keyof typeof choices];
    const isKnown = value === undefined || known.some((one) => one === value);
    if (!isKnown) return unreadable(argumentProblems.unknownValue(name, known));
  }
  if (values.write && values.remove) return unreadable(argumentProblems.writeAndRemove);
  const seconds = Number(values.timeout ?? limits.commandMs / 1000);
  if (!(seconds > 0 && seconds <= limits.timeoutMs / 1000)) return unreadable(argumentProblems.timeout);
  if (values.agent !== undefined && !isAgentId(values.agent)) return unreadable(argumentProblems.badAgent("--agent"));
  if (values.workspace === "" || values.session === "") return unreadable(argumentProblems.emptyValue);
  return {
    ok: true,
    value: {
      ...values,
      command,
      words: positionals,
      mode: choices.mode.find((one) => one === values.mode),
      patience: values.timeout === undefined ? undefined : seconds * 1000,
      call: {
        atomic: choices.atomic.find((one) => one === values.atomic),
        save: choices.save.find((one) => one === values.save),
        result: values.summary === true ? "summary" : undefined,
      },
    },
  };
}

function parseOptions(row: CommandRow, args: readonly string[]): Input<{ values: Values; positionals: string[] }> {
  try {
    const own = Object.fromEntries(row.options.map((name) => [name, options[name]]));
    const value = parseArgs({ args: [...args], options: own, strict: true, allowPositionals: true });
    return { ok: true, value };
  } catch (error) {
    const [reason = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
    // Node's message may end with advice about positional arguments, which does not apply to these commands.
    return unreadable(reason.replace(/ To specify a positional argument .*/, "").slice(0, 200));
  }
}

/** Returns the help for the commands; `program` is the program's name. */
export function helpOf(program: string): string {
  const rows = Object.entries(commandRows);
  return helpText(
    program,
    rows.map(([name, { takes, about }]) => `  ${`${name} ${takes}`.padEnd(22)}${about}`),
  );
}
