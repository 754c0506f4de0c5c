/** What the tests of the editors' views send instead of the server: changes that an agent has made, and questions. */
import { pathToFileURL } from "node:url";
import type { Stage } from "./stage.js";
import type { Packet } from "./tapProtocol.js";

/** The text of the file that the agent changes. */
export const price = `export const rate = 0.19;

export function gross(net: number): number {
  return net * (1 + rate);
}
`;

/** The URI of a file of the stage. A part of a name that is already encoded, such as `%00`, stays as it is. */
const uriOf = (stage: Stage, name: unknown): string => {
  const encoded = String(name)
    .split(/(%[0-9A-F]{2})/)
    .map((part, index) => (index % 2 === 0 ? encodeURI(part) : part));
  return `${pathToFileURL(stage.folder).href}/${encoded.join("")}`;
};

/** A range of whole lines, which are counted from 1. */
export const lines = (from: number, to: number) => ({
  start: { line: from - 1, character: 0 },
  end: { line: to - 1, character: 5 },
});

/**
 * Sends the params of `multiEdit/didApply`. Files are named relative to the stage; `more` overrides other fields of the
 * params.
 */
export function tellChange(stage: Stage, files: readonly Readonly<Record<string, unknown>>[], more: object = {}): void {
  const all = files.map((file) => ({
    version: null,
    added: 0,
    removed: 0,
    ranges: [],
    ...file,
    uri: uriOf(stage, file.uri),
    ...(file.oldUri === undefined ? {} : { oldUri: uriOf(stage, file.oldUri) }),
  }));
  const common = { transaction: "t1", label: "a call", kind: "applied", agent: "Claude Code" };
  stage.wire.tell("multiEdit/didApply", { ...common, at: "2026-01-02T10:30:00.000Z", files: all, ...more });
}

/** Params of `multiEdit/didChangeReview` about a file of the stage: a hunk for each of these fields. */
export function tellReview(stage: Stage, name: string, hunks: readonly Readonly<Record<string, unknown>>[]): void {
  const uri = uriOf(stage, name);
  const common = { kind: "text", version: null, oldText: "", newText: "", agent: "Claude Code", state: "pending" };
  const all = hunks.map((hunk, index) => ({
    ...common,
    ...{ id: `${name}.${index}`, uri, transaction: "t1", at: "2026-01-02T10:30:00.000Z", ...hunk },
  }));
  stage.wire.tell("multiEdit/didChangeReview", { uri, version: null, hunks: all });
}

/** A range of whole lines, from 1, up to the start of the line after the last one. Empty if `to` is less than `from`. */
export const wholeLines = (from: number, to: number) => ({
  start: { line: from - 1, character: 0 },
  end: { line: to, character: 0 },
});

/** An open question. */
export interface Question {
  readonly id: string;
  readonly answer: Promise<Packet>;
  /** Reports whether the editor has answered. */
  isAnswered(): boolean;
}

/** Sends `multiEdit/confirm` with a diff of 240 lines in one file. `more` overrides fields of the params. */
export function askAbout(stage: Stage, name: string, more: object = {}): Question {
  const added = Array.from({ length: 237 }, (_, index) => `+line ${index + 1}\n`);
  const { id, answer } = stage.wire.ask("multiEdit/confirm", {
    label: `${name} (1 edit)`,
    agent: "Claude Code",
    diff: `--- a/${name}\n+++ b/${name}\n@@ -1,3 +1,240 @@\n${added.join("")}`,
    added: added.length,
    removed: 0,
    files: [{ uri: uriOf(stage, name), kind: "update", added: added.length, removed: 0 }],
    expiresInMs: 120_000,
    ...more,
  });
  let isAnswered = false;
  void answer.then(() => {
    isAnswered = true;
  });
  return { id, answer, isAnswered: () => isAnswered };
}

/** Sends `multiEdit/confirm` with a diff of three hunks in two files; the hunks have the ids `1`, `2` and `3`. */
export const askAboutHunks = (stage: Stage, folder = ""): Question => {
  const diffOf = (name: string, ...hunks: string[]): string =>
    `--- a/${folder}${name}\n+++ b/${folder}${name}\n${hunks.join("")}`;
  const price = diffOf("price.ts", "@@ -1,1 +1,1 @@\n-one\n+1\n", "@@ -9,2 +9,1 @@\n-two\n-three\n+2\n");
  const hunk = (
    id: string,
    name: string,
    startLine: number,
    diffLines: readonly [number, number],
    oldText: string,
  ) => ({
    ...{ id, uri: uriOf(stage, `${folder}${name}`), startLine, diffLines, oldText, newText: "new\n" },
  });
  return askAbout(stage, `${folder}price.ts`, {
    label: "2 files (3 edits)",
    diff: price + diffOf("tax.ts", "@@ -4,1 +4,1 @@\n-four\n+4\n"),
    added: 3,
    removed: 4,
    files: ["price.ts", "tax.ts"].map((name) => ({
      ...{ uri: uriOf(stage, `${folder}${name}`), kind: "update", added: 1, removed: 1 },
    })),
    hunks: [
      hunk("1", "price.ts", 1, [4, 5], "one\n"),
      hunk("2", "price.ts", 9, [7, 9], "two\nthree\n"),
      hunk("3", "tax.ts", 4, [13, 14], "four\n"),
    ],
  });
};

/** Withdraws a question. */
export const withdraw = (stage: Stage, { id }: Question): void => stage.wire.tell("$/cancelRequest", { id });

/** A screen with fixed times instead of those at which the test ran. */
export const withFixedTimes = (screen: string): string =>
  screen.replace(/\b\d\d:\d\d(?= +"?claude-code)/g, "10:30").replace(/until \d\d:\d\d:\d\d/g, "until 10:32:00");

/** Names of files that are hard to show, as in URIs. Only the last one can't be the name of a file. */
export const oddNames = {
  "a%0Ab.ts": "a␊b.ts",
  "a%1Bb.ts": "a␛b.ts",
  "a |\"'b.ts": "a |\"'b.ts",
  "%23%25[a].ts": "#%[a].ts",
  "a%00b.ts": "a␀b.ts",
} as const;
