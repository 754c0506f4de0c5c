/** Finds the name of a SEARCH/REPLACE block's file in the text above the block. */
import { limits } from "../text/limits.js";

/** The file of a block. */
export interface BlockName {
  readonly path: string;
  /** `false` for a name without an extension, which may be a word: no file is created for it. */
  readonly isSure: boolean;
}

const wellKnown =
  /^(?:(?:Make|GNUmake|make|Docker|docker|Container|Gem|Rake|Proc|Vagrant|Jenkins|Pip|Pod|Brew|Caddy|Just|just|Fast|Guard|Tilt)file|LICENSE|README|CHANGELOG|NOTICE|AUTHORS|COPYING|CODEOWNERS|BUILD|WORKSPACE)$/;

/** Reports whether a word is the name of a file: it has an extension, or is the name of a file that has none. */
function isFile(word: string): boolean {
  if (/^(?:e\.g|i\.e|self\.|this\.)|:\/\/|[<>|?"]|\($/.test(word)) return false;
  return (
    /[^\s/\\.]\.\d*[A-Za-z_]\w*$|(?:^|[/\\])\.\w[\w.-]*$/.test(word) || wellKnown.test(word.replace(/^.*[/\\]/, ""))
  );
}

/** Reads a word as a name; `undefined` if it can't be one. */
export function nameOf(word: string): BlockName | undefined {
  if (word === "" || word.length > limits.pathLength || word.includes("://")) return undefined;
  if (isFile(word)) return { path: word, isSure: true };
  return /^[^\s<>|?"]*[^\s<>|?":]\/[^\s<>|?"/][^\s<>|?"]*$/.test(word) ? { path: word, isSure: false } : undefined;
}

/**
 * Finds the name of a block's file in the lines between the previous block and this one: on the nearest line with words
 * or in the fence. Returns `undefined` if the lines mention no file but the known one, and `unclear` if they mention
 * another that is not the block's name. `callPath`: that of the call, beside which a name must be sure.
 */
export function nameAbove(
  lines: readonly string[],
  known: BlockName | undefined,
  callPath: string | undefined,
): BlockName | "unclear" | undefined {
  let inFence: BlockName | undefined;
  let isNear = true;
  for (const sent of lines.toReversed()) {
    const line = sent.trim();
    // Cline's and Roo's calls have tags around the path and around the blocks.
    if (/^<(?:diff|content)>(?:<!\[CDATA\[)?$/.test(line)) continue;
    const info = infoOf(line);
    if (line === "") isNear = false;
    else if (info === undefined) {
      const name = nameIn(line, isNear);
      if (inFence !== undefined) return agreed(inFence, isNear ? name : undefined, callPath);
      if (name !== undefined && (name.isSure || callPath === undefined)) return name;
      break;
    } else inFence ??= nameInInfo(info, callPath === undefined);
    if (inFence !== undefined && !isNear) break;
  }
  if (inFence !== undefined) return agreed(inFence, undefined, callPath);
  const others = lines.flatMap(filesIn).filter((file) => !isPartOf(file, known?.path));
  return others.length > 0 ? "unclear" : undefined;
}

/** Reports whether a name is a path or the end of it. */
const isPartOf = (name: string, path = ""): boolean => path === name || path.endsWith(`/${name}`);

/** Returns the name that a fence has, or the longer one of the same file; `unclear` if the line above has another. */
function agreed(
  inFence: BlockName,
  above: BlockName | undefined,
  callPath: string | undefined,
): BlockName | "unclear" | undefined {
  if (above === undefined || !above.isSure) return isPartOf(inFence.path, callPath) ? undefined : inFence;
  return isPartOf(inFence.path, above.path) ? above : "unclear";
}

/** Returns what follows the marks of a fence; `undefined` if the line is no fence. */
const infoOf = (line: string): string | undefined => /^(?:`{3,}|~{3,})([^`]*)$/.exec(line)?.[1]?.trim();

/** Finds a name in the words after a fence's marks: `python b.py`, `python:b.py`, `python title="b.py"`. */
function nameInInfo(info: string, takesUnsure: boolean): BlockName | undefined {
  const titled = /(?:^|[\s{])(?:title|path|file|file_?name|name)\s*[=:]\s*(?:"([^"]+)"|'([^']+)'|([^\s"'}]+))/i.exec(
    info,
  );
  if (titled !== null) return nameOf(titled[1] ?? titled[2] ?? titled[3] ?? "");
  const words = info.split(/\s+/);
  // The first word alone may be a language, such as `makefile`.
  const isLanguage = (word: string, at: number): boolean => at === 0 && /^[\w+-]*$/.test(word);
  const names = words.flatMap((word, at) => {
    const name = isLanguage(word, at) ? undefined : nameOf(word.replace(/^[\w+-]{2,}:(?!\/\/)/, ""));
    return name?.isSure || takesUnsure ? (name ?? []) : [];
  });
  return names.length === 1 ? names[0] : undefined;
}

/** Finds a name that is alone on a line, but for the marks of lists, headings, comments, quotations and labels. */
function nameIn(line: string, isNear: boolean): BlockName | undefined {
  if (line.length > 2 * limits.pathLength) return undefined;
  const bare = line
    .replace(/^(?:(?:#+|\/\/+|--|[-*+]|\d+[.)]|<!--|\/\*)\s+)+/, "")
    .replace(/(?<!\s)\s+(?:-->|\*\/)$/, "")
    .replace(/^<(file|path|file_?name|file_?path)>(.*)<\/\1>$/i, "$2")
    .replace(/^[*`_]*(?:file(?:[ _]?(?:name|path))?|path)[*`_]*:[*`_]*\s*(?=\S)/i, "");
  const name = bare.replace(/:$/, "").replace(/^[`*"']+|(?<![`*:"'])[`*:"']+$/g, "");
  const isQuoted = /^\**(`+|["'])[^`"']+\1:?\**:?$/.test(bare);
  if (/\s/.test(name)) return isQuoted && isFile(name) ? nameOf(name) : undefined;
  const isWord = /^\w[\w-]*$/.test(name) && (isQuoted ? bare.includes("`") : isNear && name === line);
  return nameOf(name) ?? (isWord ? { path: name, isSure: false } : undefined);
}

/** Returns the files that a line mentions, but not a fence's language. */
function filesIn(line: string): readonly string[] {
  const words = line.trim().replace(/^[`~]{3,}[\w+-]*(?=\s|$)/, "");
  return words
    .split(/[\s,;"'`*<>[\]{}=]+/)
    .map((word) => word.replace(/^\(+/, "").replace(/(?<![).:!?])[).:!?]+$/, ""))
    .filter(isFile);
}
