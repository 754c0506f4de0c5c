/** Writes the help pages of the commands from their table. */
import { pageTexts } from "./sentences.js";
import { type CommandName, type CommandRow, commandRows, exitCodeRows, type OptionName, optionRows } from "./table.js";

/** The page for all commands. `program`: the program's name. */
export function helpOf(program: string): string {
  const rows = Object.entries(commandRows).map(([name, { takes, about }]) =>
    aligned(`  ${`${name} ${takes}`.trimEnd()}`, about, 24),
  );
  return [
    `Usage: ${program} <command> [options]`,
    "",
    ...wrapped(pageTexts.about),
    "",
    "Commands:",
    ...rows.flat(),
    "",
    pageTexts.ofCommand(program),
    pageTexts.general,
    ...(["json", "workspace", "session", "agent", "timeout", "help"] as const).flatMap(optionLines),
    "",
    ...exitCodeLines(exitCodeRows),
    "",
  ].join("\n");
}

/** The page for one command. `names`: the permitted first arguments, if there are only certain ones. */
export function helpOfCommand(program: string, name: CommandName, names: readonly string[]): string {
  const row: CommandRow = commandRows[name];
  const shown = (Object.keys(optionRows) as OptionName[]).filter((option) => row.options.includes(option));
  const [argument = ""] = row.takes.split(" ");
  return [
    `Usage: ${program} ${name} ${row.takes}`.trimEnd() + (shown.length > 0 ? " [options]" : ""),
    "",
    ...wrapped(`${row.about.charAt(0).toUpperCase()}${row.about.slice(1)}.`),
    ...(row.more === undefined ? [] : ["", ...wrapped(row.more)]),
    ...(names.length === 0 ? [] : ["", pageTexts.oneOf(argument, []), ...wrapped(names.join(", "), 2)]),
    "",
    "Options:",
    ...shown.flatMap(optionLines),
    "",
    ...exitCodeLines(row.exitCodes ?? exitCodeRows),
    "",
  ].join("\n");
}

/** The option as people write it, such as `-h, --help` or `--mode=MODE`. */
export function spelling(name: OptionName): string {
  const row: (typeof optionRows)[OptionName] = optionRows[name];
  const short = "short" in row ? `-${row.short}, ` : "";
  return `${short}--${name}${"value" in row ? `=${row.value}` : ""}`;
}

const optionLines = (name: OptionName): string[] => aligned(`  ${spelling(name)}`, optionRows[name].about, 23);

function exitCodeLines(rows: typeof exitCodeRows): string[] {
  return wrapped(`Exit codes: ${rows.map(([code, meaning]) => `${code} ${meaning}`).join("; ")}.`);
}

/** A left column of `width` characters, and wrapped text to its right. */
function aligned(left: string, text: string, width: number): string[] {
  const [first = "", ...rest] = wrapped(text, width);
  if (left.length >= width) return [left, first, ...rest];
  return [left.padEnd(width) + first.slice(width), ...rest];
}

/** Breaks a text into lines of at most 80 characters, each indented by `indent` spaces. */
function wrapped(text: string, indent = 0): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && indent + line.length + 1 + word.length > 80) {
      lines.push(line);
      line = "";
    }
    line += line === "" ? word : ` ${word}`;
  }
  return [...lines, line].map((one) => `${" ".repeat(indent)}${one}`);
}
