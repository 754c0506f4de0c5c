/** Parses command lines by the table of commands. */
import { parseArgs } from "node:util";
import type { CallOptions } from "../../dialect/options.js";
import { nearestName } from "../../dialect/spelling.js";
import { isAgentId } from "../../session/agentId.js";
import type { Mode } from "../../session/request.js";
import { limits } from "../../text/limits.js";
import { type Input, unreadable } from "../shared/input.js";
import { argumentProblems } from "./sentences.js";
import { type CommandName, type CommandRow, commandRows, isCommand, type OptionName, optionRows } from "./table.js";

/** The options of a command line by name: the value of an option, `true` for a flag. An omitted option is absent. */
type Values = Readonly<Partial<Record<OptionName, string | true>>>;

/** A valid command line. An omitted option is `undefined`. */
export interface Arguments {
  readonly command: CommandName;
  /** The arguments that are not options. */
  readonly words: readonly string[];
  readonly help: boolean;
  readonly json: boolean;
  /** For `log`: removes the kept calls. */
  readonly clear: boolean;
  /** For `mcp`: adds a structured part to the answers. */
  readonly structured: boolean;
  /** For `setup`: changes the configuration instead of printing it. */
  readonly write: boolean;
  /** For `setup`: takes this program out of the configuration. */
  readonly remove: boolean;
  /** For `setup`: the form of the hook for an agent's own tools. */
  readonly hook: "deny" | "apply" | "none";
  readonly session: string | undefined;
  readonly agent: string | undefined;
  readonly workspace: string | undefined;
  readonly mode: Mode | undefined;
  /** The time to wait for an answer, in milliseconds. */
  readonly patience: number | undefined;
  /** Most characters that `read` prints; NaN if the value is no number, which the server refuses. */
  readonly maxLength: number | undefined;
  readonly call: CallOptions;
}

/** Parses the program's arguments, the first of which, except for options, should name a command. */
export function readArguments(args: readonly string[]): Input<Arguments> {
  const at = args.findIndex((arg) => !arg.startsWith("-"));
  const command = args[at] ?? "";
  const rest = args.filter((_, index) => index !== at);
  if (!isCommand(command)) {
    const names = Object.keys(commandRows);
    return unreadable(argumentProblems.unknownCommand(command, nearestName(command, names), names));
  }
  const row: CommandRow = commandRows[command];
  const input = parseOptions(command, row, rest);
  if (!input.ok) return input;
  const { values, words } = input.value;
  const [least, most] = row.words;
  if (values.help !== true && (words.length < least || words.length > most)) {
    return unreadable(argumentProblems.usage(command, row.takes));
  }
  const problem = problemOf(values);
  if (problem !== undefined) return unreadable(problem);
  const call = callOptions(values);
  if (!call.ok) return call;
  const text = (name: OptionName): string | undefined => (values[name] === true ? undefined : values[name]);
  return {
    ok: true,
    value: {
      command,
      words,
      help: values.help === true,
      json: values.json === true,
      clear: values.clear === true,
      structured: values.structured === true,
      write: values.write === true,
      remove: values.remove === true,
      hook: values.apply === true ? "apply" : values.hook === true ? "deny" : "none",
      session: text("session"),
      agent: text("agent"),
      workspace: text("workspace"),
      mode: text("mode") as Mode | undefined,
      maxLength: values["max-length"] === undefined ? undefined : Number(values["max-length"]),
      patience: values.timeout === undefined ? undefined : Number(values.timeout) * 1000,
      call: call.value,
    },
  };
}

/** Returns what is wrong with the values of the options, as a sentence; `undefined` if nothing is. */
function problemOf(values: Values): string | undefined {
  for (const [name, row] of Object.entries(optionRows)) {
    const value = values[name as OptionName];
    if (row.kind !== "choice" || value === undefined) continue;
    if (!row.choices.some((one) => one === value)) return argumentProblems.unknownValue(name, row.choices);
  }
  for (const [one, other] of [
    ["write", "remove"],
    ["lenient", "exact"],
  ] as const) {
    if (values[one] && values[other]) return argumentProblems.together(one, other);
  }
  const seconds = Number(values.timeout ?? limits.commandMs / 1000);
  if (!(seconds > 0 && seconds <= limits.timeoutMs / 1000)) return argumentProblems.timeout;
  if (values.agent !== undefined && !isAgentId(values.agent)) return argumentProblems.badAgent("--agent");
  if (String(values.label ?? "").length > limits.label) return argumentProblems.label(limits.label);
  return values.workspace === "" || values.session === "" ? argumentProblems.emptyValue : undefined;
}

/** Returns the options that the call carries. The values have been checked, except those of `versions`. */
function callOptions(values: Values): Input<CallOptions> {
  const versions = values.versions === undefined ? undefined : readVersions(String(values.versions));
  if (versions !== undefined && !versions.ok) return versions;
  const all = {
    ...pick(values, ["atomic", "order", "label", "save", "unopened"]),
    ...(values.lenient === true ? { lenient: true } : {}),
    ...(values.exact === true ? { lenient: false } : {}),
    ...(values.confirm === true ? { confirm: true } : {}),
    // A person at a terminal does not see what is unsaved in the editor, so the editor asks.
    ...(values.overwrite === true ? { overwrite: "ask" } : {}),
    ...(values["allow-omissions"] === true ? { allowOmissions: true } : {}),
    ...(values.summary === true ? { result: "summary" } : {}),
    ...(versions === undefined ? {} : { versions: versions.value }),
  };
  return { ok: true, value: all as CallOptions };
}

function pick(values: Values, names: readonly OptionName[]): Values {
  return Object.fromEntries(names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])));
}

function readVersions(text: string): Input<Readonly<Record<string, number>>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return unreadable(argumentProblems.versions);
  }
  const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isRecord || !Object.values(value as object).every(Number.isSafeInteger)) {
    return unreadable(argumentProblems.versions);
  }
  return { ok: true, value: value as Record<string, number> };
}

/** Splits the arguments into options and words. The messages of `parseArgs` give advice that does not apply here. */
function parseOptions(
  command: CommandName,
  row: CommandRow,
  args: readonly string[],
): Input<{ readonly values: Values; readonly words: readonly string[] }> {
  const own = Object.fromEntries(
    row.options.map((name) => {
      const option: (typeof optionRows)[OptionName] = optionRows[name];
      const short = "short" in option ? { short: option.short } : {};
      return [name, { type: option.kind === "flag" ? ("boolean" as const) : ("string" as const), ...short }];
    }),
  );
  const { tokens } = parseArgs({ args: [...args], options: own, strict: false, allowPositionals: true, tokens: true });
  const values: Partial<Record<OptionName, string | true>> = {};
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    const name = row.options.find((one) => one === token.name);
    if (name === undefined) {
      const near = nearestName(token.name, row.options);
      if (near === undefined && row.takes.startsWith("-- "))
        return unreadable(argumentProblems.othersOption(command, token.rawName, row.takes));
      return unreadable(argumentProblems.unknownOption(command, token.rawName, near));
    }
    const option: (typeof optionRows)[OptionName] = optionRows[name];
    if (option.kind === "flag") {
      if (token.value !== undefined) return unreadable(argumentProblems.noValue(name));
      values[name] = true;
      continue;
    }
    const isNext = token.inlineValue === false && token.value?.startsWith("-") === true;
    if (token.value === undefined || isNext) return unreadable(argumentProblems.needsValue(name, option.value));
    values[name] = token.value;
  }
  return { ok: true, value: { values, words } };
}
