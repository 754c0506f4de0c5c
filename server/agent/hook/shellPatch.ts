/** Finds the patch that a command for a shell applies, as Codex's models write such commands. */

/** A command that applies a patch. */
export interface PatchCommand {
  /** The patch, if the command does nothing but apply it; otherwise `undefined`. */
  readonly patch: string | undefined;
  /** The folders into which the command goes, one after the other, before it applies the patch. */
  readonly folders: readonly string[];
}

/** Matches a command that does nothing but apply a patch, in the forms in which Codex applies it itself. */
const patchCommand =
  /^\s*(?:cd\s+(?:"[^"\n]*"|'[^'\n]*'|\S+)\s*&&\s*)?apply_?patch\s+<<\s*(['"]?)(\w+)\1\n([\s\S]*)\n\2\s*$/;

/** Matches the name of the program at a place where a shell runs a program. */
const patchStart =
  /(?:^|[;&|(){}\n]|(?:^|\s)(?:then|do|else|if|while|exec|command|env|time|!)\s)\s*(?:\w+=\S*\s+)*(?:[\w./~-]*\/)?apply_?patch(?=[\s<;&|)]|$)/;

/** Matches every command that may apply a patch. */
const isMention = /apply_?patch/;

/** Matches a change of the directory in a command. */
const directoryChange = /(?:^|[;&\n({])\s*cd\s+(?:"([^"\n]*)"|'([^'\n]*)'|([^\s;&|"']+))/g;

/** Reads a command; `undefined` if it does not apply a patch, even if it mentions one. */
export function readPatchCommand(command: string): PatchCommand | undefined {
  const start = isMention.test(command) ? patchStart.exec(withoutTexts(command)) : null;
  if (start === null) return undefined;
  const before = command.slice(0, start.index + start[0].length);
  const folders = [...before.matchAll(directoryChange)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? ".",
  );
  return { patch: patchCommand.exec(command)?.[3], folders };
}

/** Matches the next part of a command that is not simply a character of a word. */
const part =
  /\\[\s\S]|(?<=^|[\s;&|(])#[^\n]*|'[^']*(?:'|$)|"(?:\\[\s\S]|[^"\\])*(?:"|$)|(?<!<)<<-?[ \t]*(['"]?)(\w+)\1|\n/g;

/** Matches what is before a text that a shell runs as a command. */
const runsText = /\b(?:ba|da|k|z)?sh\s+(?:-\w+\s+)*-\w*c\s+$/;

/** Replaces quoted texts, comments and the texts below a command by underscores; a command in quotation marks stays. */
function withoutTexts(command: string): string {
  const endings: string[] = [];
  let [shown, from] = ["", 0];
  const hide = (to: number): void => {
    shown += "_".repeat(to - from);
    from = to;
  };
  for (part.lastIndex = 0; ; part.lastIndex = from) {
    const found = part.exec(command);
    if (found === null) return shown + command.slice(from);
    shown += command.slice(from, found.index);
    from = found.index;
    const [text, , ending] = found;
    const end = from + text.length;
    if (ending !== undefined) {
      endings.push(ending);
      hide(end);
    } else if (text === "\n") {
      shown += text;
      from = end;
      for (const one of endings.splice(0)) {
        if (from >= command.length) break;
        const close = new RegExp(`^\\t*${one}$`, "gm");
        close.lastIndex = from;
        const at = close.exec(command);
        hide(at === null ? command.length : at.index + at[0].length);
      }
    } else if (/^['"]/.test(text) && runsText.test(command.slice(Math.max(0, from - 60), from))) {
      shown += "\n";
      from += 1;
    } else hide(end);
  }
}
