/** Which editors have a file, or may have it, by what they report and what their records announce. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { holdersOf, unsavedFiles } from "../../server/session/holders.js";
import type { SessionRecord } from "../../server/session/record.js";
import type { FoundSessions } from "../../server/session/sessions.js";
import { makeDirectory } from "../support/directory.js";

function recordOf(id: string, fields: Partial<SessionRecord>): SessionRecord {
  const common = { format: 1 as const, pid: 1, host: "host", protocols: [1], startedAt: "", address: "x", secret: "y" };
  return { ...common, id, folders: [], client: id, version: "1", ...fields };
}

interface LaidStatus {
  readonly open: readonly { readonly uri: string; readonly onDisk: "same" | "differs"; readonly saved?: boolean }[];
  readonly unsynced?: readonly string[];
}

/** The sessions that were found: one that reports `status`, and others that can't be asked. */
function found(status: LaidStatus | undefined, others: Partial<FoundSessions> = {}): FoundSessions {
  const session = { record: recordOf("reached", {}), status } as unknown as FoundSessions["reached"][number];
  const none = { unreached: [], closed: [], hidden: [], blind: [], problems: [], removed: 0 };
  return { ...none, reached: status === undefined ? [] : [session], ...others };
}

const silent = (record: SessionRecord) => ({ unreached: [{ record, why: { kind: "silent" as const, seconds: 1 } }] });

async function suspectsOf(path: string, others: Partial<FoundSessions>): Promise<readonly string[]> {
  const holders = await holdersOf(found(undefined, others), [path]);
  return holders.get(path)?.suspects.map(({ holder, announced }) => `${holder.kind}: ${announced}`) ?? [];
}

it("an open text is the same as its file, outdated, unsaved, or unknown to the server; a draft is no file", async () => {
  const folder = makeDirectory({ "a.txt": "", "b.txt": "", "c.txt": "", "d.ipynb": "", "e.txt": "", "f.txt": "" });
  const uriOf = (name: string): string => pathToFileURL(join(folder, name)).href;
  const cell = `vscode-notebook-cell:${join(folder, "d.ipynb")}#1`;
  const open = [
    { uri: uriOf("a.txt"), onDisk: "same" as const },
    { uri: uriOf("b.txt"), onDisk: "differs" as const, saved: true },
    { uri: uriOf("c.txt"), onDisk: "differs" as const },
    { uri: cell, onDisk: "differs" as const },
    { uri: `untitled:${join(folder, "f.txt")}`, onDisk: "differs" as const },
  ];
  const sessions = found({ open, unsynced: [uriOf("e.txt")] });
  const names = ["a.txt", "b.txt", "c.txt", "d.ipynb", "e.txt", "f.txt"];
  const holders = await holdersOf(
    sessions,
    names.map((name) => join(folder, name)),
  );
  const seen = names.map((name) =>
    holders.get(join(folder, name))?.opened.map(({ text, isSynced }) => [text, isSynced]),
  );
  const unsaved = [["unsaved", true]];
  const unknown = [["unsaved", false]];
  expect(seen).toEqual([[["same", true]], [["outdated", true]], unsaved, unknown, unknown, []]);
  const expected = ["c.txt", "d.ipynb", "e.txt"].map((name) => join(folder, name));
  expect((await unsavedFiles(sessions)).toSorted()).toEqual(expected);
});

it("a session that can't be asked may have the files of its folders, and those that it lists", async () => {
  const folder = makeDirectory({ "in/a.txt": "", "b.txt": "", "c.txt": "" });
  const [a = "", b = "", c = ""] = ["in/a.txt", "b.txt", "c.txt"].map((name) => join(folder, name));
  const folders = [{ uri: "", path: join(folder, "in") }];
  const others = silent(recordOf("silent", { folders, outside: [b], unsaved: [] }));
  expect(await suspectsOf(a, others)).toEqual(["unasked: nothing"]);
  expect(await suspectsOf(b, others)).toEqual(["unasked: nothing"]);
  expect(await suspectsOf(c, others)).toEqual([]);
  // Without folders, it may have any file.
  expect(await suspectsOf(c, silent(recordOf("silent", { outside: [b] })))).toEqual(["unasked: unknown"]);
});

it("a session that has announced unsaved text in a file has it, wherever the file is", async () => {
  const folder = makeDirectory({ "in/a.txt": "", "notes.ipynb": "" });
  const path = join(folder, "notes.ipynb");
  const folders = [{ uri: "", path: join(folder, "in") }];
  const record = recordOf("silent", { folders, outside: [], unsaved: [path] });
  expect(await suspectsOf(path, silent(record))).toEqual(["unasked: unsaved"]);
  const { address, secret, ...announced } = record;
  const closed = { ...announced, closed: "switchedOff" as const };
  expect(await suspectsOf(path, { closed: [closed] })).toEqual(["closed: unsaved"]);
  expect(await suspectsOf(join(folder, "other.txt"), { closed: [closed] })).toEqual([]);
});
