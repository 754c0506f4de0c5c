/** The list of files on the architecture page, made from the sentence with which each file begins. */
import { posix } from "node:path";
import { projectSources } from "../support/project.js";
import { isServerFile } from "../support/source.js";
import type { Maker } from "./markdown.js";

/**
 * Returns the sentence with which a source begins, without its full stop; `undefined` if it does not begin with a comment.
 */
export function purposeOf(text: string): string | undefined {
  const comment = /^\/\*\*([\s\S]*?)\*\//.exec(text)?.[1]?.replace(/\n \*/g, " ").replace(/\s+/g, " ").trim();
  return comment === undefined ? undefined : /^(.*?)\.?(?=$|(?<=\.) [A-Z`])/.exec(comment)?.[1];
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1);

/**
 * The parts of the architecture page. The list has each folder, with what is written by hand about it, and the files that the
 * page names nowhere else. Each folder may have a file of sentences, which the page explains once.
 */
export const architectureParts: Readonly<Record<string, Maker>> = {
  files: (old, page) => {
    const prose = page.replace(/<!-- npm run pages: files -->[\s\S]*?<!-- end of files -->/, "");
    const files = projectSources
      .filter((source) => isServerFile(source) && source.path.endsWith(".ts"))
      .map(({ path, text }) => ({ path: path.slice("server/".length), text }))
      .sort((one, other) => (one.path < other.path ? -1 : 1));
    const about = new Map(
      [...old.matchAll(/^- `([^`]*\/)`: (.*)$/gm)].map(([, folder = "", text = ""]) => [folder, text]),
    );
    // The folders stay in the order in which they are written, and new ones follow.
    const folders = new Set(["", ...about.keys(), ...files.map(({ path }) => folderOf(path))]);
    const linesOf = (folder: string): string[] => {
      const within = files.filter(({ path }) => folderOf(path) === folder);
      const lines = within
        .filter(({ path }) => !path.endsWith("sentences.ts") && !prose.includes(`\`${path}\``))
        .map(({ path, text }) => `- \`${posix.basename(path)}\`: ${purposeOf(text)}`);
      if (folder === "" || within.length === 0) return lines;
      return [`- \`${folder}\`: ${about.get(folder) ?? ""}`, ...lines.map((line) => `  ${line}`)];
    };
    return [...folders].flatMap(linesOf).join("\n");
  },
};
