/** Writes the manual page of the commands from their table. */
import { spelling } from "./help.js";
import { pageTexts } from "./sentences.js";
import { type CommandRow, commandRows, exitCodeRows, type OptionName, optionRows, variableRows } from "./table.js";

/** Returns the manual page in the language of `man`. `setups`: the programs that `multi-edit setup` can set up. */
export function manPage(version: string, setups: readonly string[]): string {
  const rows: readonly [string, CommandRow][] = Object.entries(commandRows);
  const commands = rows.flatMap(([name, { takes, about, more, options }]) => [
    ".TP",
    bold(`${name} ${takes}`.trimEnd()),
    `${sentence(about)}${more === undefined ? "" : ` ${escaped(more)}`}`,
    ...(name === "setup" ? [escaped(pageTexts.oneOf("NAME", setups))] : []),
    ".br",
    `Options: ${escaped(options.map((option) => `--${option}`).join(", "))}.`,
  ]);
  const options = (Object.keys(optionRows) as OptionName[]).flatMap((name) => [
    ".TP",
    bold(spelling(name)),
    sentence(optionRows[name].about),
  ]);
  return [
    `.TH MULTI-EDIT 1 "" "multi-edit-language-server ${version}"`,
    ".SH NAME",
    `multi\\-edit \\- ${escaped(pageTexts.tagline)}`,
    ".SH SYNOPSIS",
    ".B multi\\-edit",
    ".I command",
    "[options]",
    ".SH DESCRIPTION",
    escaped(pageTexts.about),
    ".SH COMMANDS",
    ...commands,
    ".SH OPTIONS",
    ...options,
    ".SH EXIT STATUS",
    ...exitCodeRows.flatMap(([code, meaning]) => [".TP", bold(String(code)), sentence(meaning)]),
    ...Object.entries(commandRows).flatMap(([name, row]: [string, CommandRow]) =>
      (row.exitCodes ?? []).flatMap(([code, meaning]) => [".TP", bold(`${code} (${name})`), sentence(meaning)]),
    ),
    ".SH ENVIRONMENT",
    ...variableRows.flatMap(([name, about]) => [".TP", bold(name), sentence(about)]),
    "",
  ].join("\n");
}

const bold = (text: string): string => `.B "${escaped(text).replaceAll('"', "\\(dq")}"`;

const sentence = (text: string): string => `${escaped(`${text.charAt(0).toUpperCase()}${text.slice(1)}`)}.`;

/** Escapes a text, so that none of it is taken for a command, and hyphens can be searched for and copied. */
function escaped(text: string): string {
  return text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replaceAll("'", "\\(aq").replace(/^\./, "\\&.");
}
