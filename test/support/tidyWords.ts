/** The project's own rules on words: names, sentences and comments. Functions from sources to problems, as in `tidy.ts`. */
import { findInCode, isServerFile, lineOf, maskSource, type Source } from "./source.js";

/** Names by which programs could be treated as what they are called; the disk's and the agents' part know files of editors. */
const clientNames =
  /(["'`])(?:neovim|nvim|helix|eglot|emacs|lsp-mode|vim|vim-lsp|kakoune|vscode|visual studio code)\1/gi;

/** Decisions by a client's name outside the table of clients. */
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

/** Failures that are made outside the pages of sentences. */
export function failureProblems(sources: readonly Source[]): string[] {
  return sources
    .filter((source) => isServerFile(source) && !isPageOfSentences(source) && source.path !== "server/plan/failure.ts")
    .flatMap((source) =>
      findInCode(source, /\bmakeFailure\b/g).map(
        ({ line }) => `${source.path}:${line} makes a failure outside a page sentences.ts`,
      ),
    );
}

const isPageOfSentences = ({ path }: Source): boolean => path.endsWith("/sentences.ts");

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
      // An overload's doc comment stands above its first signature.
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
