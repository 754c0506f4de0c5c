/**
 * Laws for patches over whole files: the edit and the diff produce the same tree as applying the sections one by one.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeCall } from "../server/dialect/decode.js";
import { factsOf } from "../server/lsp/clients.js";
import { wholeDiff } from "../server/lsp/edit/result.js";
import { toWorkspaceEdit } from "../server/lsp/edit/workspaceEdit.js";
import { diffOf } from "../server/plan/diff.js";
import { pathsOf } from "../server/plan/operation.js";
import type { FileChange, FileName, Planned } from "../server/plan/outcome.js";
import { planBatch } from "../server/plan/plan.js";
import type { Document } from "../server/plan/snapshot.js";
import { ChangeSet } from "../server/text/changeSet.js";
import { toEnd } from "../server/text/lines.js";
import { patchOf } from "./support/desk.js";
import { lawRuns } from "./support/extent.js";
import { applyDiff } from "./support/gitApply.js";
import { applied, toOffsets } from "./support/lspApplier.js";
import { documentAt } from "./support/planning.js";

type Tree = ReadonlyMap<string, string>;

/** One section of a patch, reduced to its effect on the tree. */
interface Asked {
  readonly kind: "add" | "delete" | "update" | "move";
  readonly path: string;
  readonly target: string;
  readonly text: string;
}

const names = ["a.txt", "b.txt", "dir/c.txt", "dir/d e.txt"] as const;
/** Paths of the files that the editor has open if they exist. */
const opened = new Set<string>(["a.txt", "dir/c.txt"]);
const name = fc.constantFrom(...names);
const lines = fc
  .array(fc.constantFrom("one", "two", "three", "ü“x”", "😀"), { maxLength: 6 })
  .map((all) => all.map((line, i) => `${line} ${i}\n`).join(""));
const asked: fc.Arbitrary<Asked> = fc.record({
  kind: fc.constantFrom("add", "delete", "update", "move", "move"),
  path: name,
  target: name,
  text: lines,
});
const trees = fc.dictionary(name, lines).map((files): Tree => new Map(Object.entries(files)));

/** The patch lines of the sections that can be applied one after another, and the resulting tree. */
function follow(before: Tree, wishes: readonly Asked[]): { patch: string[]; after: Tree } {
  const after = new Map(before);
  const patch: string[] = [];
  for (const { kind, path, target, text } of wishes) {
    const old = after.get(path);
    if (kind === "add") {
      patch.push(`*** Add File: ${path}`, ...plus(text));
      after.set(path, text);
      continue;
    }
    if (old === undefined) continue;
    if (kind === "delete") patch.push(`*** Delete File: ${path}`);
    else {
      const isMove = kind === "move" && target !== path && !after.has(target);
      if (old === "" && !isMove) continue;
      patch.push(`*** Update File: ${path}`);
      if (isMove) patch.push(`*** Move to: ${target}`);
      const last = old.split("\n").at(-2);
      if (last !== undefined) patch.push("@@", `-${last}`, `+${last}!`);
      after.set(isMove ? target : path, last === undefined ? old : `${old.slice(0, -1)}!\n`);
      if (!isMove) continue;
    }
    after.delete(path);
  }
  return { patch, after };
}

const plus = (text: string): string[] =>
  text
    .split("\n")
    .slice(0, -1)
    .map((line) => `+${line}`);

const uriOf = (path: string): string => documentAt(path, "").uri;

/** Plans the patch. */
function planOn(before: Tree, patch: readonly string[]): Planned {
  const decoded = decodeCall(patchOf(...patch), { optionsAllowed: true });
  if (!decoded.ok) throw new Error(decoded.failures.map(({ message }) => message).join("\n"));
  const { operations } = decoded;
  const paths = [...new Set(operations.flatMap(pathsOf).map(({ path }) => path))];
  const documents = new Map(
    paths.map((path): [string, Document] => {
      const text = before.get(path);
      const isOpen = text !== undefined && opened.has(path);
      const more = {
        version: isOpen ? 1 : null,
        exists: text !== undefined,
        ...(isOpen ? ({ onDisk: "same" } as const) : {}),
      };
      return [uriOf(path), documentAt(path, text ?? "", more)];
    }),
  );
  const targets = new Map(paths.map((path) => [path, { ok: true, uri: uriOf(path) } as const]));
  const options = { atomic: "all", order: "sequential", lenient: true, overwrite: false } as const;
  return toEnd(planBatch(operations, { targets, documents }, options));
}

/** Applies an edit as a strict client does, refusing any step whose new name is taken or whose file does not exist. */
function applyStrictly(before: Tree, files: readonly FileChange[]): Tree {
  const edit = toWorkspaceEdit(files, {
    encoding: "utf-16",
    capabilities: {
      workspace: { workspaceEdit: { documentChanges: true, resourceOperations: ["create", "rename", "delete"] } },
    },
    facts: { ...factsOf(undefined), documentChanges: true },
  });
  const texts = new Map([...before].map(([path, text]) => [uriOf(path), text]));
  const take = (uri: string): string => {
    const text = texts.get(uri);
    if (text === undefined) throw new Error(`${uri} does not exist`);
    texts.delete(uri);
    return text;
  };
  const put = (uri: string, text: string): void => {
    if (texts.has(uri)) throw new Error(`${uri} already exists`);
    texts.set(uri, text);
  };
  for (const change of edit.documentChanges ?? []) {
    if (!("kind" in change)) {
      const { uri } = change.textDocument;
      const text = take(uri);
      const edits = change.edits.map((edit) => ({ range: edit.range, newText: "newText" in edit ? edit.newText : "" }));
      put(uri, applied(text, toOffsets(text, edits, { encoding: "utf-16", rule: { loneCrEndsLine: true } })));
    } else if (change.kind === "create") put(change.uri, "");
    else if (change.kind === "rename") put(change.newUri, take(change.oldUri));
    else take(change.uri);
  }
  return new Map([...texts].map(([uri, text]) => [decodeURI(uri.slice(uriOf("").length)), text]));
}

const sorted = (tree: Iterable<readonly [string, string]>) =>
  Object.fromEntries([...tree].sort(([a], [b]) => (a < b ? -1 : 1)));

describe("a patch whose sections can be applied one after the other", () => {
  const patches = fc.record({ before: trees, wishes: fc.array(asked, { minLength: 1, maxLength: 6 }) });

  it("produces the same tree by its edit, except for a circle of renames", () => {
    fc.assert(
      fc.property(patches, ({ before, wishes }) => {
        const { patch, after } = follow(before, wishes);
        if (patch.length === 0) return;
        const planned = planOn(before, patch);
        if (!planned.ok) {
          expect(planned.failures.map(({ code, message }) => [code, message.includes("circle")])).toEqual([
            ["fileExists", true],
          ]);
          return;
        }
        expect(sorted(applyStrictly(before, planned.files))).toEqual(sorted(after));
      }),
      { numRuns: lawRuns(2000) },
    );
  });

  it("produces the same tree by its diff, as git applies it", () => {
    fc.assert(
      fc.property(patches, ({ before, wishes }) => {
        const { patch, after } = follow(before, wishes);
        const planned = patch.length === 0 ? undefined : planOn(before, patch);
        const diff = planned?.ok === true ? wholeDiff(planned.files) : "";
        if (diff === "") return;
        const bytes = new Map([...before].map(([path, text]) => [path, Buffer.from(text)]));
        const tree = [...applyDiff(bytes, diff)].map(([path, content]) => [path, content.toString()] as const);
        expect(sorted(tree)).toEqual(sorted(after));
      }),
      { numRuns: lawRuns(150) },
    );
  });
});

describe("the diff of a file as a whole", () => {
  const fileOf = (
    document: Document,
    more: { readonly kind: "delete" } | { readonly kind: "rename"; readonly target: FileName },
  ): FileChange => ({
    document,
    change: ChangeSet.none(document.text.length),
    text: document.text,
    edits: 1,
    operations: [],
    ...(more.kind === "delete" ? more : { ...more, overwritten: false }),
  });

  it.each<[string, string, string, string]>([
    [
      "is deleted, has no final line end, and",
      "a.txt",
      "one\r\ntwo",
      "@@ -1,2 +0,0 @@\n-one\r\n-two\n\\ No newline at end of file\n",
    ],
    ["is deleted, has a byte order mark and one line, and", "a.txt", "\ufeffone\n", "@@ -1 +0,0 @@\n-\ufeffone\n"],
  ])("that %s removes every line", (_, path, text, hunk) => {
    const bom = text.startsWith("\ufeff");
    const document = documentAt(path, bom ? text.slice(1) : text, { bom });
    const diff = diffOf(fileOf(document, { kind: "delete" }));
    const removed = text.split("\n").filter((line) => line !== "").length;
    expect(diff).toMatchObject({ added: 0, removed, firstChangedLine: 0 });
    expect(diff.text).toBe(
      `diff --git a/${path} b/${path}\ndeleted file mode 100644\n--- a/${path}\n+++ /dev/null\n${hunk}`,
    );
    expect(applyDiff(new Map([[path, Buffer.from(text)]]), diff.text)).toEqual(new Map());
  });

  it("has no hunk if an empty file is deleted", () => {
    const { text } = diffOf(fileOf(documentAt("a.txt", ""), { kind: "delete" }));
    expect(text).toBe("diff --git a/a.txt b/a.txt\ndeleted file mode 100644\n");
    expect(applyDiff(new Map([["a.txt", Buffer.of()]]), text)).toEqual(new Map());
  });

  it("has no hunk if only the name changes, and quotes names as git does", () => {
    const target = { uri: uriOf("new.txt"), path: 'dir/"ü".txt' };
    const { text, firstChangedLine } = diffOf(fileOf(documentAt("old name.txt", "x\n"), { kind: "rename", target }));
    expect(firstChangedLine).toBe(0);
    expect(text).toBe(
      [
        'diff --git a/old name.txt "b/dir/\\"\\303\\274\\".txt"',
        "rename from old name.txt",
        'rename to "dir/\\"\\303\\274\\".txt"',
        "",
      ].join("\n"),
    );
    const after = applyDiff(new Map([["old name.txt", Buffer.from("x\n")]]), text);
    expect([...after.keys()]).toEqual(['dir/"ü".txt']);
  });

  it.each([
    ["a.bin", "Binary files a/a.bin and /dev/null differ"],
    ["ü.bin", 'Binary files "a/\\303\\274.bin" and /dev/null differ'],
  ])("says the same as git about the deletion of the binary file %s", (path, line) => {
    const document = documentAt(path, "", { version: null, isBinary: true });
    const { text, removed } = diffOf(fileOf(document, { kind: "delete" }));
    expect(text.split("\n").slice(1)).toEqual(["deleted file mode 100644", line, ""]);
    expect(removed).toBe(0);
  });
});
