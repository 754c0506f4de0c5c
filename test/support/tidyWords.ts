/** The project's own rules for names, sentences and comments: functions from sources to problems, as in `tidy.ts`. */
import { findInCode, isServerFile, lineOf, maskSource, type Source } from "./source.js";

/**
 * Names by which code could branch on a particular client. The layers of the disk, sessions and programs may use them for editors' files.
 */
const clientNames =
  /(["'`])(?:neovim|nvim|helix|eglot|emacs|lsp-mode|vim|vim-lsp|kakoune|vscode|visual studio code)\1/gi;

/** Decisions that depend on a client's name and are made outside the table of clients. */
export function clientNameProblems(sources: readonly Source[]): string[] {
  return sources
    .filter(({ path }) => /^server\/(?:text|match|plan|dialect|workspace|lsp)\//.test(path))
    .filter(({ path }) => path !== "server/lsp/clients.ts")
    .flatMap((source) =>
      [...maskSource(source.text).uncommented.matchAll(clientNames)].map(
        ({ index, 0: found }) => `${source.path}:${lineOf(source.text, index)} names the client ${found}`,
      ),
    );
}

/** Failures that are created outside the pages of sentences. */
export function failureProblems(sources: readonly Source[]): string[] {
  return sources
    .filter((source) => isServerFile(source) && !isPageOfSentences(source))
    .flatMap((source) =>
      findInCode(source, /\bmakeFailure\b/g).map(
        ({ line }) => `${source.path}:${line} makes a failure outside a sentences.ts file`,
      ),
    );
}

/**
 * Reports whether a file may contain sentences for callers: a page of sentences, or the module that those pages are
 * built on.
 */
const isPageOfSentences = ({ path }: Source): boolean =>
  path.endsWith("/sentences.ts") || path === "server/plan/failure.ts";

/** Files, and a folder of files, whose texts of four or more words never report the outcome of a call. */
const wordyFiles: Readonly<Record<string, string>> = {
  "server/start.ts": "runs before anything else may be loaded",
  "server/dialect/fields.ts": "a table that is a schema",
  "server/dialect/shapes.ts": "a table that is a schema",
  "server/dialect/jsonSchema.ts": "makes the schemas of these tables",
  "server/programs/cli/table.ts": "a table from which the help is made",
  "server/programs/cli/completions.ts": "scripts for shells",
  "server/agents/": "configurations and results in the form of other programs",
  "server/programs/setup/emacs.ts": "configurations of another program, with their comments",
  "server/programs/setup/helix.ts": "configurations of another program, with their comments",
  "server/programs/setup/neovim.ts": "configurations of another program, with their comments",
  "server/programs/setup/projectLanguages.ts": "a table of names",
};

/** Code directly before a text that callers never see: the call or the property that takes the text. */
const wordyPlaces = [
  // An error that only a bug in our own code can cause.
  /\bthrow new (?:Range|Type)?Error\($/,
  // An error in the form of a system error; callers get a sentence for the error's code instead.
  /\bsystemError\($/,
  // A line in the log.
  /\b(?:log|note|drop)\($/,
  // A part of a schema, of a tool's announcement, or of the help.
  /(?:\.description|\.regex|\blineNumber)\($/,
  /\b(?:title|description|about):\s*$/,
];

/** The beginning of the help, and lines that the patch and diff formats prescribe. */
const wordyTexts = /^Usage: |^Binary files … and … differ|\\\\ No newline at end of file/;

/** Sentences, that is, texts of four or more words, in files that are not pages of sentences. */
export function sentenceProblems(sources: readonly Source[]): string[] {
  return sources
    .filter(
      (source) =>
        isServerFile(source) &&
        !isPageOfSentences(source) &&
        !Object.keys(wordyFiles).some((path) => source.path.startsWith(path)),
    )
    .flatMap((source) => {
      const { code, literals } = maskSource(source.text);
      return literals
        .filter(({ at, text }) => isSentence(text) && !wordyTexts.test(text) && !isInWordyPlace(code, at))
        .map(
          ({ at, text }) =>
            `${source.path}:${lineOf(source.text, at)} has a sentence outside a sentences.ts file: ${text.slice(0, 60)}`,
        );
    });
}

/** Reports whether a text has at least four words, one of which may be a substitution. */
function isSentence(text: string): boolean {
  const words = text.split(/\s+|\\n/).filter((part) => /^["'`(…]*(?:[A-Za-z][a-z'-]*|…)[…"'`).,;:!?]*$/.test(part));
  return words.length >= 4 && words.filter((word) => /[a-z]/i.test(word)).length >= 3;
}

/** Reports whether the quote at an offset opens a text that callers never see, directly or within a call. */
function isInWordyPlace(code: string, at: number): boolean {
  const opens = [at];
  let depth = 0;
  for (let i = at - 1; i >= 0 && depth >= 0; i--) {
    if (code[i] === ";" && depth === 0) break;
    if (code[i] === ")") depth++;
    else if (code[i] === "(" && depth > 0) depth--;
    else if (code[i] === "(") opens.push(i + 1);
  }
  return opens.some((end) => wordyPlaces.some((place) => place.test(code.slice(Math.max(0, end - 60), end))));
}

/** Type names that are declared in several files, with those files. */
export function typeNameProblems(sources: readonly Source[]): string[] {
  const declaration =
    /^\s*(?:export )?(?:declare |abstract |const )*(?:(?:interface|class|enum)\s+(\w+)|type\s+(\w+)\s*[=<])/gm;
  const places = new Map<string, Map<string, string>>();
  for (const source of sources.filter(isServerFile)) {
    const { code } = maskSource(source.text);
    for (const match of code.matchAll(declaration)) {
      const name = match[1] ?? match[2] ?? "";
      const at = match.index + match[0].indexOf(name);
      const files = places.get(name) ?? new Map<string, string>();
      places.set(name, files.set(source.path, `${source.path}:${lineOf(source.text, at)}`));
    }
  }
  return [...places]
    .filter(([, files]) => files.size > 1)
    .map(([name, files]) => `${[...files.values()].join(", ")} declare the type ${name}`);
}

/** Server files without an opening sentence, and exports without a doc comment directly above them. */
export function commentProblems(sources: readonly Source[]): string[] {
  return sources
    .filter((source) => isServerFile(source) && source.path.endsWith(".ts"))
    .flatMap((source) => {
      const opening = /^\/\*\*\s+(.*?)\s*\*\//s.exec(source.text)?.[1];
      const opens = opening !== undefined && /^[^a-z].*\./s.test(opening);
      return [
        ...(opens ? [] : [`${source.path}:1 does not open with a sentence in /** */`]),
        ...undocumentedExports(source),
      ];
    });
}

function undocumentedExports(source: Source): string[] {
  const lines = source.text.split("\n");
  const declaration =
    /^export (?:declare |abstract |async )*(?:function|const|let|class|interface|type|enum|namespace)\b[\s*]*([\w$]+)/;
  const documented = new Set<string>();
  return maskSource(source.text)
    .code.split("\n")
    .flatMap((code, index) => {
      const name = declaration.exec(code)?.[1];
      // An overload's doc comment is above its first signature.
      if (name === undefined || documented.has(name)) return [];
      documented.add(name);
      const above = lines.slice(0, index).join("\n").trimEnd();
      const comment =
        above.endsWith("*/") && lines[index - 1]?.trim() !== "" ? above.slice(above.lastIndexOf("/*")) : "";
      return comment.startsWith("/**")
        ? []
        : [`${source.path}:${index + 1} exports ${name} without a doc comment above it`];
    });
}
