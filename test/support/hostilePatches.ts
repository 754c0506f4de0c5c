/** Desks for patches that no agent should send, and functions that check what both doors do with such a patch. */
import { chmodSync, lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect } from "vitest";
import { limits } from "../../server/text/limits.js";
import { type Desk, type DeskOptions, type Failed, failed, layDesk, patchOf, serverForDesks } from "./desk.js";

/** A patch with the options that an integration adds. */
export type Call = { readonly patch: string; readonly options?: object };

/** Ways that a section can use a path. Every file that is updated here contains the line `old`. */
export const sections = {
  update: (path: string) => [`*** Update File: ${path}`, "@@", "-old", "+new"],
  add: (path: string) => [`*** Add File: ${path}`, "+added"],
  delete: (path: string) => [`*** Delete File: ${path}`],
  from: (path: string) => [`*** Update File: ${path}`, "*** Move to: fresh.txt"],
  to: (path: string) => ["*** Update File: b.txt", `*** Move to: ${path}`],
};
/** The name of a way to use a path. */
export type Use = keyof typeof sections;
/** The names of the ways that a section can use a path. */
export const uses: readonly Use[] = ["update", "add", "delete", "from", "to"];
/** The lines that move a file. */
export const move = (from: string, to: string) => [`*** Update File: ${from}`, `*** Move to: ${to}`];

/** Everything that must not change if a call fails: texts, versions, and the whole disk. */
function stateOf({ editor, root }: Desk): unknown {
  const tree = readdirSync(root, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name);
    const what = entry.isFile() ? readFileSync(path, "latin1") : entry.isSymbolicLink() ? readlinkSync(path) : "";
    const { mode, ino } = lstatSync(path);
    return [path, mode, ino, what];
  });
  return { tree: tree.sort(), documents: [...editor.documents.values()] };
}

/** The text that a person sees under each name: the editor's if the file is open, otherwise the file's. */
const contents = (desk: Desk): Record<string, string> => ({ ...desk.disk(), ...desk.texts() });

/** Checks that the server still answers a call as usual. */
export async function expectAlive({ propose }: Desk): Promise<void> {
  expect((await propose(patchOf("*** Add File: witness.txt", "+seen"))).text).toBe(
    "witness.txt (1 edit)\nA witness.txt",
  );
}

/**
 * Checks that both doors refuse a patch with these codes and with messages of limited length; returns the second door's
 * failure.
 */
export async function expectRefused(desk: Desk, call: Call, codes: readonly string[]): Promise<Failed> {
  const before = stateOf(desk);
  const answers = [await failed(desk.propose(call)), await failed(desk.apply(call))] as const;
  for (const { codes: seen, message, edits, failures } of answers) {
    expect(seen).toEqual(codes);
    expect(message.length).toBeLessThanOrEqual(limits.callMessage + limits.failureMessage);
    for (const failure of failures) expect(failure.message.length).toBeLessThanOrEqual(limits.failureMessage);
    expect(edits.map(({ status }) => status)).not.toContain("applied");
  }
  expect(stateOf(desk)).toEqual(before);
  expect(desk.editor.asked).toEqual([]);
  await expectAlive(desk);
  return answers[1];
}

/** One file of every kind that a path may name. */
export const files = {
  "a.txt": "old\n",
  "b.txt": "b\n",
  "dir/x.txt": "old\n",
  ".git/hooks/x": "old\n",
  "to-git": { link: ".git" },
  "leads-up": { link: ".." },
  "loop.txt": { link: "loop.txt" },
  "dangling.txt": { link: "nowhere.txt" },
  "link.txt": { link: "a.txt" },
  "to-dir": { link: "dir" },
  "latin1.txt": Buffer.from("old\n\u00e9\n", "latin1"),
} as const;

/** The desks of a test file. */
export interface HostileDesks {
  /** Sets up a desk for a test. */
  start(options?: DeskOptions): Promise<Desk>;
  /**
   * Checks that both doors make exactly these changes. `expected`: the new text of each changed file by name;
   * `undefined` if the file no longer exists.
   */
  expectDone(options: DeskOptions, call: Call, expected: Readonly<Record<string, string | undefined>>): Promise<void>;
}

/** Builds the server before the tests of a file and lets other users read the built program. */
export function hostileDesks(): HostileDesks {
  const program = serverForDesks({ isCopied: true });
  beforeAll(() => chmodSync(program.folder, 0o755));
  const start = (options: DeskOptions = {}): Promise<Desk> => layDesk(program, { proofTimeout: 300, ...options });
  const expectDone: HostileDesks["expectDone"] = async (
    options: DeskOptions,
    call: Call,
    expected: Readonly<Record<string, string | undefined>>,
  ) => {
    for (const door of ["request", "command"] as const) {
      const desk = await start(options);
      const before = contents(desk);
      const after = Object.entries({ ...before, ...expected }).filter(([, text]) => text !== undefined);
      const untouched = stateOf(desk);
      const answer = await (door === "request" ? desk.propose(call) : desk.apply(call));
      expect(answer.outcome).toBe(door === "request" ? "proposed" : "applied");
      if (door === "request") {
        expect(stateOf(desk)).toEqual(untouched);
        await desk.editor.apply(answer.edit!);
      }
      expect(contents(desk)).toEqual(Object.fromEntries(after));
      expect(desk.editor.refusals).toEqual([]);
      await expectAlive(desk);
    }
  };
  return { start, expectDone };
}
