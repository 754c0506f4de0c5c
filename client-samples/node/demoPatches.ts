/** The demo's patches: one made from two published versions of a package, a broken one, and its correction. */
import { structuredPatch } from "diff";
import { type DemoCall, type Expected, withTyped } from "./demoCalls.js";

/** The workspace folder with the package that a patch updates to its next version. */
const folder = "diff-8";
const strings = `${folder}/util/string.js`;
const lineEndings = `${folder}/patch/line-endings.js`;
const movedLineEndings = `${folder}/util/line-endings.js`;

/** Returns the calls. `onDisk` and `next` are the texts of the package's two versions, by path in the workspace. */
export function patchCalls(onDisk: ReadonlyMap<string, string>, next: ReadonlyMap<string, string>): DemoCall[] {
  const changed = [...next].filter(([path, text]) => onDisk.get(path) !== text);
  const updates = changed.map(([path, text]) => updateBetween(path, onDisk.get(path) ?? "", text));
  const hunks = updates.reduce((sum, update) => sum + update.hunks, 0);
  return [
    {
      title: "patch, a release",
      note: `From version 8.0.2 of the package diff to 9.0.0: ${hunks} hunks in ${changed.length} files.`,
      by: "client",
      call: { patch: inPatch(updates.flatMap(({ lines }) => lines)) },
      rungs: Array.from({ length: hunks }, () => "exact"),
      outcome: "applied",
      expected: changed.map(([path, text]) => ({ path, before: undefined, after: withTyped(path, text) })),
      shown: `${folder}/index.js`,
    },
    {
      title: "patch, one mistake",
      note: "One hunk was made from the file on disk, which lacks your line, and is placed by it; another matches twice.",
      by: "client",
      // The call moves a file with unsaved changes, which `overwrite` permits.
      call: { patch: inPatch([...tooLittle, ...around]), options: { overwrite: true } },
      rungs: ["exact", undefined, "exact", undefined, "exact", undefined, undefined],
      outcome: { refused: ["ambiguousMatch"] },
      expected: [],
    },
    {
      title: "patch, corrected",
      note: "The patch is in Markdown, as models send it. It also moves a file, adds one and deletes one.",
      by: "server",
      call: {
        patch: `Here it is:\n\`\`\`\n${inPatch([...enough, ...around])}\`\`\`\n`,
        options: { overwrite: true },
      },
      rungs: ["exact", "exact", "exact", undefined, "exact", undefined, undefined],
      outcome: "applied",
      expected: correctedTexts,
      shown: strings,
    },
  ];
}

const inPatch = (lines: readonly string[]): string =>
  ["*** Begin Patch", ...lines, "*** End Patch"].map((line) => `${line}\n`).join("");

/** An Update section that turns one text into another, with three lines of context as in a diff. */
function updateBetween(path: string, before: string, after: string): { lines: string[]; hunks: number } {
  const { hunks } = structuredPatch(path, path, before, after, undefined, undefined, { context: 3 });
  const text = before.split("\n");
  let cursor = 0;
  const lines = hunks.flatMap((hunk) => {
    const old = hunk.lines.filter((line) => /^[ -]/.test(line)).map((line) => line.slice(1));
    const anchor = anchorFor({ text, cursor, start: hunk.oldStart - 1, old });
    cursor = hunk.oldStart - 1 + hunk.oldLines;
    return [anchor === undefined ? "@@" : `@@ ${anchor}`, ...hunk.lines];
  });
  return { lines: [`*** Update File: ${path}`, ...lines], hunks: hunks.length };
}

/** The location of a hunk among a text's lines, 0-based; `cursor` is the line after the previous hunk. */
interface Place {
  readonly text: readonly string[];
  readonly cursor: number;
  readonly start: number;
  readonly old: readonly string[];
}

/**
 * Returns the heading above a hunk, as a model would write it after `@@`; `undefined` if there is none between the
 * previous hunk and this one. Throws if the location is ambiguous, because the patch might then change the wrong lines.
 */
function anchorFor({ text, cursor, start, old }: Place): string | undefined {
  const isHere = (line: number): boolean => old.every((each, i) => text[line + i] === each);
  const heading = text.findLastIndex(
    (line, i) => i >= cursor && i < start && /^(?:export |function |class )/.test(line),
  );
  const from = heading < 0 ? cursor : heading + 1;
  const isFirst = heading < 0 || text.indexOf(text[heading] ?? "", cursor) === heading;
  const places = text.flatMap((_, line) => (line >= from && isHere(line) ? [line] : []));
  const isCertain = places[0] === start && (heading >= 0 || places.length === 1);
  if (!isFirst || !isCertain) throw new Error(`line ${start + 1} of the patched file needs more context`);
  return text[heading];
}

const winBefore = "    return string.includes('\\r\\n') && !string.startsWith('\\n') && !string.match(/[^\\r]\\n/);";
const winAfter = "    return string.includes('\\r\\n') && !/(?:^|[^\\r])\\n/.test(string);";

const tooLittle = [
  `*** Update File: ${strings}`,
  "@@",
  " export function hasOnlyWinLineEndings(string) {",
  `-${winBefore}`,
  `+${winAfter}`,
  " }",
  "@@",
  "-    if (segmenter) {",
  "+    if (segmenter !== undefined) {",
];

const enough = [
  `*** Update File: ${strings}`,
  "@@ export function hasOnlyWinLineEndings(string) {",
  "     // me: and a lone CR?",
  `-${winBefore}`,
  `+${winAfter}`,
  " }",
  "@@ export function leadingWs(string, segmenter) {",
  "-    if (segmenter) {",
  "+    if (segmenter !== undefined) {",
];

const importBefore = "import { isWin, isUnix, unixToWin, winToUnix } from './line-endings.js';";
const importAfter = importBefore.replace("./", "../util/");
const remarkBefore = "        // (See comment above equivalent line in unixToWin)";
const remarkAfter = "        // (As in unixToWin, TypeScript does not take the function itself)";

const around = [
  `*** Update File: ${folder}/patch/apply.js`,
  "@@",
  `-${importBefore}`,
  `+${importAfter}`,
  `*** Update File: ${lineEndings}`,
  `*** Move to: ${movedLineEndings}`,
  "@@",
  `-${remarkBefore}`,
  `+${remarkAfter}`,
  `*** Add File: ${folder}/util/index.js`,
  "+export * from './line-endings.js';",
  "+export * from './string.js';",
  `*** Delete File: ${folder}/types.js`,
];

const correctedTexts: readonly Expected[] = [
  { path: strings, before: winBefore, after: winAfter },
  {
    path: strings,
    before: "export function leadingWs(string, segmenter) {\n    if (segmenter) {",
    after: "export function leadingWs(string, segmenter) {\n    if (segmenter !== undefined) {",
  },
  { path: `${folder}/patch/apply.js`, before: importBefore, after: importAfter },
  { path: lineEndings, before: remarkBefore, after: remarkAfter },
  { path: lineEndings, movedTo: movedLineEndings },
  {
    path: `${folder}/util/index.js`,
    before: undefined,
    after: "export * from './line-endings.js';\nexport * from './string.js';\n",
  },
  { path: `${folder}/types.js`, deleted: true },
];
