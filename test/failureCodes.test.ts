/** Every failure code that the server can return occurs in a case on the pages or here, over the wire. */
import { chmodSync, closeSync, ftruncateSync, openSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CancellationTokenSource } from "vscode-jsonrpc/node";
import { stage } from "../server/disk/commit.js";
import { diskWorkspace } from "../server/disk/diskWorkspace.js";
import type { MultiEditResult } from "../server/lsp/protocol.js";
import { limits } from "../server/text/limits.js";
import { ownStateHome } from "./support/agentPeer.js";
import { parsePage } from "./support/cases.js";
import { runCommand } from "./support/commands.js";
import {
  batch,
  type Desk,
  type DeskOptions,
  hastyServer,
  layDesk,
  serverForDesks,
  type Told,
  throughEditor,
  told,
} from "./support/desk.js";
import { makeDirectory } from "./support/directory.js";
import { rolledBack } from "./support/rolledBack.js";
import { pagesOfSentences } from "./support/source.js";

const program = serverForDesks({ isCopied: true });

/** A way to provoke a code that no page can produce. */
interface Cause {
  readonly code: string;
  /** The JSON-RPC error code; `undefined` if the call does not fail but has an unknown outcome. */
  readonly rpcCode: number | undefined;
  readonly why: string;
  readonly desk?: DeskOptions;
  /** Makes the call that provokes the code. */
  readonly call: (desk: Desk) => Promise<MultiEditResult>;
}

const one = batch(["a.txt", "old", "new"]);
const requestFailed = -32803;

/** A user without write permission; needed because the tests may run as root, which bypasses file permissions. */
const reader = process.getuid?.() === 0 ? { uid: 65534 } : {};

const causes: readonly Cause[] = [
  {
    code: "readOnly",
    rpcCode: requestFailed,
    why: "a file that the user may not write",
    desk: { ...reader, files: { "locked.txt": "old\n" } },
    call: ({ root, propose }) => {
      chmodSync(root, 0o755);
      chmodSync(join(root, "locked.txt"), 0o444);
      return propose(batch(["locked.txt", "old", "new"]));
    },
  },
  {
    code: "readOnly",
    rpcCode: requestFailed,
    why: "a new file in a directory that the user may not write",
    desk: { ...reader, files: { "dir/there.txt": "" } },
    call: async ({ root, propose }) => {
      chmodSync(root, 0o755);
      chmodSync(join(root, "dir"), 0o555);
      try {
        return await propose(batch(["dir/new.txt", "", "new"]));
      } finally {
        chmodSync(join(root, "dir"), 0o755);
      }
    },
  },
  {
    code: "ioError",
    rpcCode: requestFailed,
    why: "a symbolic link that leads to itself",
    call: ({ root, propose }) => {
      symlinkSync(join(root, "loop.txt"), join(root, "loop.txt"));
      return propose(batch(["loop.txt", "old", "new"]));
    },
  },
  {
    code: "tooLarge",
    rpcCode: requestFailed,
    why: "a file beyond the limit",
    call: ({ root, propose }) => {
      const file = openSync(join(root, "large.txt"), "w");
      ftruncateSync(file, limits.fileBytes + 1);
      closeSync(file);
      return propose(batch(["large.txt", "old", "new"]));
    },
  },
  {
    code: "tooLarge",
    rpcCode: requestFailed,
    why: "more edits than a call may have",
    call: ({ propose }) =>
      propose(batch(...Array.from({ length: limits.editsPerCall + 1 }, () => ["a.txt", "old", "new"] as const))),
  },
  {
    code: "tooLarge",
    rpcCode: requestFailed,
    why: "more files than a call may have",
    call: ({ propose }) =>
      propose(batch(...Array.from({ length: limits.filesPerCall + 1 }, (_, i) => [`${i}.txt`, "", "new"] as const))),
  },
  {
    code: "desynced",
    rpcCode: requestFailed,
    why: "an older version after a newer one",
    call: async ({ editor, uri, propose }) => {
      const textDocument = { uri: uri("a.txt"), version: 0 };
      await editor.notify("textDocument/didChange", { textDocument, contentChanges: [{ text: "x" }] });
      return propose(one);
    },
  },
  {
    code: "clientCapability",
    rpcCode: requestFailed,
    why: "an editor that can't apply edits",
    desk: { capabilities: { workspace: {} } },
    call: ({ apply }) => apply(one),
  },
  {
    code: "clientCapability",
    rpcCode: requestFailed,
    why: "an editor that can't create files",
    desk: { capabilities: { workspace: { applyEdit: true, workspaceEdit: { documentChanges: true } } } },
    call: ({ apply }) => apply(throughEditor(batch(["new.txt", "", "new"]))),
  },
  {
    code: "contentModified",
    rpcCode: -32801,
    why: "a version that the document no longer has",
    call: ({ propose, uri }) => propose({ ...one, options: { versions: { [uri("a.txt")]: 0 } } }),
  },
  {
    code: "clientRefused",
    rpcCode: requestFailed,
    why: "an editor that refuses",
    desk: { proofTimeout: 100 },
    call: ({ editor, apply }) => {
      editor.behave("refuses");
      return apply(one);
    },
  },
  {
    code: "clientDiverged",
    rpcCode: undefined,
    why: "an editor that does something else",
    desk: { proofTimeout: 100, open: { "a.txt": "old 1\nold 2\n" } },
    call: ({ editor, apply }) => {
      editor.behave("appliesPartly");
      return apply(batch(["a.txt", "1", "one"], ["a.txt", "2", "two"]));
    },
  },
  {
    code: "userRejected",
    rpcCode: requestFailed,
    why: "a person who rejects it",
    call: ({ editor, apply }) => {
      editor.answerQuestionsWith("Reject");
      return apply({ ...one, options: { confirm: true } });
    },
  },
  {
    code: "undoConflict",
    rpcCode: requestFailed,
    why: "a text that was changed since",
    call: async ({ apply, undo, typeBefore }) => {
      await apply(one);
      await typeBefore("a.txt", "ew", "x");
      return undo();
    },
  },
  {
    code: "cancelled",
    rpcCode: -32800,
    why: "a client that cancels the request",
    call: async ({ propose }) => {
      // On a busy machine, the answer may arrive before the cancellation.
      for (let tries = 0; ; tries++) {
        const source = new CancellationTokenSource();
        const answer = propose(one, source.token);
        source.cancel();
        const result = await answer;
        if (tries === 20) return result;
      }
    },
  },
];

describe("over the wire", () => {
  for (const { code, rpcCode, why, desk: options, call } of causes) {
    it(`${code}: ${why}`, async () => {
      chmodSync(program.folder, 0o755);
      const desk = await layDesk(program, { open: { "a.txt": "old\n" }, ...options });
      const answer = await told(call(desk));
      expect([answer.codes, answer.rpcCode]).toEqual([[code], rpcCode]);
      expectUsable(answer);
    });
  }

  it("timeout: an editor that neither does anything nor answers", async () => {
    const desk = await layDesk(program, {
      server: hastyServer(program, 100),
      open: { "a.txt": "old\n", "b.txt": "old\n" },
      proofTimeout: 100,
    });
    desk.editor.behave("honest", "neverAnswers", "honest");
    const answer = await told(desk.apply(batch(["a.txt", "old", "new"], ["b.txt", "old", "new"])));
    expect([answer.outcome, answer.codes]).toEqual(["unknown", ["timeout"]]);
    expect(answer.text).toContain('"b.txt"');
    expect(answer.text).toContain(rolledBack("a.txt"));
    // The editor may still apply the edit, so the answer can't say that nothing was changed.
    expect(answer.text).not.toMatch(/Nothing (?:else )?was changed/);
    expect(desk.texts()).toEqual({ "a.txt": "old\n", "b.txt": "old\n" });
    expectUsable(answer);
  });
});

describe("on disk", () => {
  it("locked: a file that Emacs has open", () => {
    const root = makeDirectory({ "ws/a.txt": "old\n", "ws/.#a.txt": { link: `ann@elsewhere.${process.pid}:1` } });
    const path = join(root, "ws/a.txt");
    const workspace = diskWorkspace([join(root, "ws")], { state: join(root, "state") });
    const change = { kind: "update", path, name: "a.txt", content: { text: "new\n" } } as const;
    const staged = stage(workspace, [change], "a.txt");
    expect(staged.ok ? [] : staged.failures.map(({ code, message }) => [code, message])).toEqual([
      ["locked", expect.stringContaining(`"a.txt" is open in Emacs (ann@elsewhere, process ${process.pid})`)],
    ]);
    expect(readFileSync(path, "utf8")).toBe("old\n");
  });
});

describe("without an editor", () => {
  it("noSession: an agent that asks for an editor", async () => {
    ownStateHome();
    const input = JSON.stringify(one);
    const { code, stdout } = await runCommand(program, ["apply", "--json", "--mode=editor"], { input });
    const { error } = JSON.parse(stdout) as { error: { failures: { code: string; message: string }[] } };
    expect([code, error.failures.map((failure) => failure.code)]).toEqual([3, ["noSession"]]);
    expect(error.failures[0]?.message).toMatch(/^No editor .+\. Open the folder in an editor/s);
  });
});

describe("the failure codes in the source", () => {
  const source = pagesOfSentences();
  const made = new Set([...source.matchAll(/makeFailure\(\s*"(\w+)"/g)].map((match) => match[1]!));
  const folder = new URL("cases/", import.meta.url);
  const onPages = readdirSync(folder)
    .filter((name) => name.endsWith(".md"))
    .flatMap((page) => parsePage(page, readFileSync(new URL(page, folder), "utf8")))
    .flatMap(({ outcome }) => outcome.failure?.split("\n") ?? [])
    // A failure begins at the margin with its code; its message is indented.
    .flatMap((line) => /^[a-zA-Z]+/.exec(line)?.[0] ?? []);
  const here = [...causes.map(({ code }) => code), "timeout", "locked", "noSession"];

  it("occur on a page or in this file", () => {
    expect(made.size).toBeGreaterThan(20);
    expect([...made].filter((code) => !onPages.includes(code) && !here.includes(code))).toEqual([]);
  });

  it("include every code that a page or this file names", () => {
    expect([...onPages, ...here].filter((code) => !made.has(code))).toEqual([]);
  });
});

/**
 * Checks that a caller can act on the answer: its text is limited in length and repeats few lines, and no edit is
 * reported as applied.
 */
function expectUsable({ text, edits }: Told): void {
  expect(text.length).toBeGreaterThan(20);
  expect(text.length).toBeLessThanOrEqual(limits.callMessage + limits.failureMessage);
  const lines = text.split("\n");
  expect(lines.length - new Set(lines).size).toBeLessThan(5);
  expect(edits.map(({ status }) => status)).not.toContain("applied");
}
