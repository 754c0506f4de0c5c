/** Writes the completions for shells from the table of commands. */
import { askingNames } from "../../agents/agents.js";
import {
  type CommandName,
  type CommandRow,
  commandRows,
  type OptionName,
  type OptionRow,
  optionRows,
  shells,
} from "./table.js";

/** Writes the completions for a shell. `setups`: the programs that `multi-edit setup` can set up. */
export const completions: Readonly<Record<(typeof shells)[number], (setups: readonly string[]) => string>> = {
  bash,
  zsh,
  fish,
};

const commands = Object.entries(commandRows) as [CommandName, CommandRow][];

const optionOf = (name: OptionName): OptionRow => optionRows[name];

/** The names that complete a command's first argument; `files` if these are paths, `undefined` if nothing does. */
function firstOf({ completes }: CommandRow, setups: readonly string[]): readonly string[] | "files" | undefined {
  if (completes === "commands") return Object.keys(commandRows);
  if (completes === "setups") return setups;
  if (completes === "hooks") return askingNames;
  return completes === "shells" ? shells : completes;
}

function bash(setups: readonly string[]): string {
  const choices = (Object.keys(optionRows) as OptionName[]).flatMap((name) => {
    const row = optionOf(name);
    if (row.kind === "choice") return [`    --${name}) names='${row.choices.join(" ")}' ;;`];
    if (row.kind === "text" && row.completes === "directories") {
      return [`    --${name}) COMPREPLY=($(compgen -d -- "$cur")); compopt -o filenames 2>/dev/null; return ;;`];
    }
    return row.kind === "text" ? [`    --${name}) return ;;`] : [];
  });
  const options = commands.map(([name, row]) => {
    const own = row.options.map((option) => `--${option}${optionOf(option).kind === "flag" ? "" : "="}`);
    return `    ${name}) names='${own.join(" ")}' ;;`;
  });
  const words = commands.flatMap(([name, row]) => {
    const first = firstOf(row, setups);
    return typeof first === "object" ? [`    ${name}) names='${first.join(" ")}' ;;`] : [];
  });
  return `# Completions of multi-edit for bash.
_multi_edit() {
  local cur=\${COMP_WORDS[COMP_CWORD]} option=\${COMP_WORDS[COMP_CWORD-1]} command= names= i
  COMPREPLY=()
  # Bash splits --mode=disk at the equals sign.
  if [[ $cur == = ]]; then
    cur=
  elif [[ $option == = ]]; then
    option=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ \${COMP_WORDS[i]} != -* ]]; then
      command=\${COMP_WORDS[i]}
      break
    fi
  done
  case $option in
${choices.join("\n")}
  esac
  if [[ -z $names && $cur == -* ]]; then
    case $command in
${options.map((line) => `  ${line}`).join("\n")}
    *) names=--help ;;
    esac
  elif [[ -z $names ]]; then
    case $command in
    '') names='${Object.keys(commandRows).join(" ")}' ;;
${words.join("\n")}
    esac
  fi
  [[ -n $names ]] && COMPREPLY=($(compgen -W "$names" -- "$cur"))
  [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o bashdefault -o default -F _multi_edit multi-edit
`;
}

/** Quotes a text for zsh inside a specification of \`_arguments\`, where brackets and colons have a meaning. */
const zshText = (text: string): string => text.replace(/[[\]:\\]/g, "\\$&").replaceAll("'", "'\\''");

function zsh(setups: readonly string[]): string {
  const described = commands.map(([name, { about }]) => `    '${name}:${zshText(about)}'`);
  const cases = commands.map(([name, row]) => {
    const options = row.options.map((option) => {
      const { about, ...rest } = optionOf(option);
      if (rest.kind === "flag") {
        const spelling = rest.short === undefined ? `--${option}` : `(-${rest.short} --${option})--${option}`;
        return `'${spelling}[${zshText(about)}]'`;
      }
      const action =
        rest.kind === "choice"
          ? `(${rest.choices.join(" ")})`
          : rest.completes === "directories"
            ? "_directories"
            : " ";
      return `'--${option}=[${zshText(about)}]:${rest.value}:${action}'`;
    });
    const first = firstOf(row, setups);
    const word = first === "files" ? ["'1:file:_files'"] : first === undefined ? [] : [`'1:name:(${first.join(" ")})'`];
    return `    ${name}) _arguments ${[...options, ...word].join(" \\\n      ")} ;;`;
  });
  return `#compdef multi-edit
# Completions of multi-edit for zsh.
_multi-edit() {
  local context state state_descr line
  typeset -A opt_args
  local -a commands
  commands=(
${described.join("\n")}
  )
  _arguments -C '1:command:->command' '*::argument:->argument'
  case $state in
  command) _describe -t commands command commands ;;
  argument)
    case $words[1] in
${cases.join("\n")}
    esac
    ;;
  esac
}
if [ "$funcstack[1]" = "_multi-edit" ]; then
  _multi-edit "$@"
else
  compdef _multi-edit multi-edit
fi
`;
}

const fishText = (text: string): string => `'${text.replace(/[\\']/g, "\\$&")}'`;

function fish(setups: readonly string[]): string {
  const lines = commands.flatMap(([name, row]) => {
    const seen = `-n '__fish_seen_subcommand_from ${name}'`;
    const first = firstOf(row, setups);
    const words = first === "files" ? [`${seen} -F`] : first === undefined ? [] : [`${seen} -a '${first.join(" ")}'`];
    const options = row.options.map((option) => {
      const { about, ...rest } = optionOf(option);
      const short = rest.short === undefined ? "" : ` -s ${rest.short}`;
      const values =
        rest.kind === "choice"
          ? ` -x -a '${rest.choices.join(" ")}'`
          : rest.kind === "flag"
            ? ""
            : rest.completes === "directories"
              ? " -x -a '(__fish_complete_directories)'"
              : " -x";
      return `${seen} -l ${option}${short}${values} -d ${fishText(about)}`;
    });
    return [`-n __fish_use_subcommand -a ${name} -d ${fishText(row.about)}`, ...words, ...options];
  });
  return [
    "# Completions of multi-edit for fish.",
    ...["-f", ...lines].map((line) => `complete -c multi-edit ${line}`),
    "",
  ].join("\n");
}
