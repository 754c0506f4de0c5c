/**
 * The demo's data: the real files, the lines that the user has typed into them, the calls, and the expected outcomes.
 */

/** Packages whose sources form the workspace. They are installed anyway, and none was written for this project. */
export const packages: readonly { readonly name: string; readonly folder: string }[] = [
  { name: "vscode-jsonrpc", folder: "lib/common" },
  { name: "vscode-languageserver-textdocument", folder: "lib/esm" },
  { name: "vscode-uri", folder: "lib/umd" },
  { name: "diff", folder: "libesm/patch" },
  { name: "diff-8", folder: "libesm" },
];

/** An installed package that is the next version of a package in the workspace, and the folder of its sources. */
export const nextVersion = { of: "diff-8", name: "diff", folder: "libesm" };

const buffer = "vscode-jsonrpc/messageBuffer.js";
const linkedMap = "vscode-jsonrpc/linkedMap.js";
const textDocument = "vscode-languageserver-textdocument/main.js";
const uriUtils = "vscode-uri/utils.js";
const uriReadme = "vscode-uri/README.md";
const lineEndings = "diff/line-endings.js";
const patchApply = "diff/apply.js";
const patchCount = "diff/count.js";

const trimBefore = "this.trimOld(Math.round(this._limit * this._ratio));";
const trimAfter = "this.trimOld(Math.floor(this._limit * this._ratio));";
const trimComment = " // me: can this be 0?";

/** Files that are open in the editor from the start. */
export const openFiles: readonly string[] = [
  buffer,
  patchApply,
  uriUtils,
  textDocument,
  linkedMap,
  "diff-8/index.js",
  "diff-8/diff/word.js",
  "diff-8/util/string.js",
  "diff-8/patch/line-endings.js",
];

/** Text that the user has typed but not saved: a line, or a comment at the end of a line. */
export const typed: readonly { readonly path: string; readonly after: string; readonly text: string }[] = [
  { path: linkedMap, after: trimBefore, text: trimComment },
  {
    path: buffer,
    after: "        const headers = this.toString(buffer, 'ascii').split(CRLF);\n",
    text: "        // agent: please refuse more than 100 headers\n",
  },
  {
    path: patchApply,
    after: "        if (hasOnlyWinLineEndings(source) && isUnix(patch)) {\n",
    text: "            // the patch was made on another system\n",
  },
  {
    path: uriUtils,
    after: "    function extname(uri) {\n",
    text: "        // a.tar.gz has the extension .gz\n",
  },
  {
    path: "diff-8/diff/word.js",
    after: "export function diffWords(oldStr, newStr, options) {\n",
    text: "    // me: are options ever undefined?\n",
  },
  {
    path: "diff-8/util/string.js",
    after: "export function hasOnlyWinLineEndings(string) {\n",
    text: "    // me: and a lone CR?\n",
  },
  {
    path: "diff-8/patch/line-endings.js",
    after: "export function isUnix(patch) {\n",
    text: "    // me: what about an empty patch?\n",
  },
];

/** Returns a file's text with what the user has typed into it. */
export function withTyped(path: string, text: string): string {
  return typed
    .filter((each) => each.path === path)
    .reduce((now, { after, text: inserted }) => {
      const parts = now.split(after);
      if (parts.length !== 2) throw new Error(`${path} contains ${JSON.stringify(after)} ${parts.length - 1} times`);
      return parts.join(after + inserted);
    }, text);
}

/** One change that a call must make to a file, worked out by hand and not by the server. */
export type Expected =
  | {
      readonly path: string;
      /** The text that is replaced; `undefined` if `after` is the whole text, whether or not the file existed. */
      readonly before: string | undefined;
      readonly after: string;
      /** The number of times that `before` occurs; 1 by default. */
      readonly times?: number;
    }
  | { readonly path: string; readonly movedTo: string }
  | { readonly path: string; readonly deleted: true };

/** One call of the demo. */
export interface DemoCall {
  readonly title: string;
  /** Explains to the reader what the call shows. */
  readonly note: string;
  readonly by: "client" | "server";
  /** The call as a model sends it. */
  readonly call: Readonly<Record<string, unknown>>;
  /** The rung on which each edit was found; `undefined` if it was not searched for or not found. */
  readonly rungs: readonly (string | undefined)[];
  /** `refused`: the failure codes. */
  readonly outcome: "applied" | { readonly refused: readonly string[] };
  readonly expected: readonly Expected[];
  /** The only file whose diff is shown, below the summary of all files; `undefined` to show all diffs. */
  readonly shown?: string;
  /** Set if git must accept the diff; possible only if the disk has the original text. */
  readonly git?: true;
}

const headerCheck = `        if (headers.length > 102) {
            throw new Error('More than 100 headers');
        }
`;

const stableSort = `/** Sorts in place; elements that compare as equal keep their order. */
function stableSort(data, compare) {`;

const sizeBefore = "        this._size = 0;\n        this._state = 0;";
const sizeAfter = "        this._state = 0;\n        this._size = 0;";

/** All calls with edits, in order. */
export const calls: readonly DemoCall[] = [
  {
    title: "patch, the line with your comment",
    note: "The agent read the line before you typed there. It changes a word, and your comment stays.",
    by: "client",
    call: {
      patch: [
        "*** Begin Patch",
        `*** Update File: ${linkedMap}`,
        "@@",
        "         if (this.size > this._limit) {",
        `-            ${trimBefore}`,
        `+            ${trimAfter}`,
        "         }",
        "*** End Patch",
        "",
      ].join("\n"),
    },
    rungs: ["exact"],
    outcome: "applied",
    expected: [{ path: linkedMap, before: trimBefore + trimComment, after: trimAfter + trimComment }],
  },
  {
    title: "pi, one edit",
    note: "The old text is a line that you have typed but not saved: it is not in any file on disk.",
    by: "client",
    call: {
      path: buffer,
      oldText: "        // agent: please refuse more than 100 headers\n",
      newText: headerCheck,
    },
    rungs: ["exact"],
    outcome: "applied",
    expected: [{ path: buffer, before: "        // agent: please refuse more than 100 headers\n", after: headerCheck }],
  },
  {
    title: "pi, several edits",
    note: "One file is not open; the other has unsaved text. Either both change or neither does.",
    by: "client",
    call: {
      path: lineEndings,
      multi: [
        { oldText: "export function unixToWin(patch) {", newText: "export function toCRLF(patch) {" },
        { oldText: "patch.map(p => unixToWin(p))", newText: "patch.map(p => toCRLF(p))" },
        { path: patchApply, oldText: "isUnix, unixToWin, winToUnix", newText: "isUnix, toCRLF, winToUnix" },
        { path: patchApply, oldText: "patch = unixToWin(patch);", newText: "patch = toCRLF(patch);" },
      ],
    },
    rungs: ["exact", "exact", "exact", "exact"],
    outcome: "applied",
    expected: [
      { path: lineEndings, before: "export function unixToWin(patch) {\n", after: "export function toCRLF(patch) {\n" },
      { path: lineEndings, before: "p => unixToWin(p)", after: "p => toCRLF(p)" },
      { path: patchApply, before: ", unixToWin, ", after: ", toCRLF, " },
      { path: patchApply, before: "            patch = unixToWin(", after: "            patch = toCRLF(" },
    ],
  },
  {
    title: "MultiEdit, a chain",
    note: "The second edit matches only the result of the first one, a replace_all.",
    by: "client",
    call: {
      file_path: textDocument,
      edits: [
        { old_string: "mergeSort(", new_string: "stableSort(", replace_all: true },
        { old_string: "function stableSort(data, compare) {", new_string: stableSort },
      ],
    },
    rungs: ["exact", "exact"],
    outcome: "applied",
    expected: [
      { path: textDocument, before: "mergeSort", after: "stableSort", times: 4 },
      { path: textDocument, before: "function stableSort(data, compare) {", after: stableSort },
    ],
    git: true,
  },
  {
    title: "MultiEdit, a new file",
    note: "An empty old text creates the file; the next edit already finds its text there.",
    by: "client",
    call: {
      file_path: patchCount,
      edits: [
        { old_string: "", new_string: "export function countHunks(patch) {\n    return patch.hunks.length;\n}\n" },
        { old_string: "patch.hunks.length", new_string: "patch?.hunks.length ?? 0" },
      ],
    },
    rungs: [undefined, "exact"],
    outcome: "applied",
    expected: [
      {
        path: patchCount,
        before: undefined,
        after: "export function countHunks(patch) {\n    return patch?.hunks.length ?? 0;\n}\n",
      },
    ],
  },
  {
    title: "edit_file, wrong indentation",
    note: "The model left out four spaces before each line; the file's own indentation is kept.",
    by: "server",
    call: {
      path: uriUtils,
      edits: [
        {
          oldString:
            "function extname(uri) {\n    // a.tar.gz has the extension .gz\n    return posixPath.extname(uri.path);\n}",
          newString:
            "function extname(uri) {\n    // a.tar.gz has the extension .gz\n    const name = basename(uri);\n    return posixPath.extname(name);\n}",
        },
      ],
    },
    rungs: ["indentation"],
    outcome: "applied",
    expected: [
      {
        path: uriUtils,
        before: "        return posixPath.extname(uri.path);\n",
        after: "        const name = basename(uri);\n        return posixPath.extname(name);\n",
      },
    ],
  },
  {
    title: "batch, our own shape",
    note: "One line of the file ends with a space that the model omits; the space is kept.",
    by: "server",
    call: {
      path: uriReadme,
      edits: [
        {
          oldText: "by VS Code and its extensions.\nIt has support for parsing a string into",
          newText: "by VS Code and its extensions.\nIt parses a string into",
        },
        { oldText: "let uri", newText: "const uri", replaceAll: true, expectedCount: 2 },
      ],
    },
    rungs: ["trailingBlanks", "exact"],
    outcome: "applied",
    expected: [
      { path: uriReadme, before: "extensions. \nIt has support for parsing a", after: "extensions. \nIt parses a" },
      { path: uriReadme, before: "\nlet uri = ", after: "\nconst uri = ", times: 2 },
    ],
  },
  {
    title: "MultiEdit, two mistakes",
    note: "Nothing changes, and the message tells the model how to correct the call:",
    by: "client",
    call: {
      file_path: linkedMap,
      edits: [
        {
          old_string: "        return item ? item.prev?.value : undefined;",
          new_string: "        return item?.previous?.value;",
        },
        {
          old_string: "        if (!item) {\n            return undefined;",
          new_string: "        if (item === undefined) {\n            return undefined;",
        },
        { old_string: sizeBefore, new_string: sizeAfter },
      ],
    },
    rungs: [undefined, undefined, "exact"],
    outcome: { refused: ["noMatch", "ambiguousMatch"] },
    expected: [],
  },
  {
    title: "MultiEdit, corrected",
    note: "The same call, corrected as the message says.",
    by: "client",
    call: {
      file_path: linkedMap,
      edits: [
        {
          old_string: "        return item ? item.previous?.value : undefined;",
          new_string: "        return item?.previous?.value;",
        },
        {
          old_string: "        if (!item) {\n            return undefined;\n        }\n        if (touch",
          new_string: "        if (item === undefined) {\n            return undefined;\n        }\n        if (touch",
        },
        { old_string: sizeBefore, new_string: sizeAfter },
      ],
    },
    rungs: ["exact", "exact", "exact"],
    outcome: "applied",
    expected: [
      { path: linkedMap, before: "item ? item.previous?.value : undefined", after: "item?.previous?.value" },
      {
        path: linkedMap,
        before: "    get(key, touch = Touch.None) {\n        const item = this._map.get(key);\n        if (!item) {\n",
        after:
          "    get(key, touch = Touch.None) {\n        const item = this._map.get(key);\n        if (item === undefined) {\n",
      },
      { path: linkedMap, before: sizeBefore, after: sizeAfter },
    ],
  },
];
