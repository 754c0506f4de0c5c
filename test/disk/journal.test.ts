/** A journal is treated as untrusted input; a torn write is distinguished from text written by another program. */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stage } from "../../server/disk/commit.js";
import { recover } from "../../server/disk/recover.js";
import { isTorn } from "../../server/disk/rollBack.js";
import { lawRuns } from "../support/extent.js";
import { type MemoryDisk, memoryDisk, PowerCut } from "./memoryDisk.js";
import { workspaceFolder } from "./plans.js";
import { overwrite } from "./scene.js";
import { workspaceOn } from "./simulation.js";

const [inside, outside] = [`${workspaceFolder}/a`, "/home/a"];
const oldText = "old\n";

/** A disk with the journal of a batch that was cut off in the middle of its commit. */
function cutOff(): { readonly disk: MemoryDisk; readonly journal: string } {
  const files = { [inside]: { bytes: Buffer.from(oldText) }, [outside]: { bytes: Buffer.from(oldText) } };
  const change = { kind: "update", path: inside, name: "a", content: { text: "new\n" } } as const;
  let isCut = false;
  const disk: MemoryDisk = memoryDisk(
    { files, directories: [] },
    { copiesAttributes: true },
    {
      before: (_, what) => {
        // The name has changed, and the record of completion is about to be written.
        isCut ||= what.startsWith("make ") && what.endsWith(".journal.new") && isCommitting(disk);
        if (isCut) throw new PowerCut();
      },
    },
  );
  const staged = stage(workspaceOn(disk), [change], "a batch");
  expect(() => staged.ok && staged.commit()).toThrow(PowerCut);
  const found = disk.afterKill();
  const name = found.list("/state/multi-edit").find((one) => one.endsWith(".journal"));
  return { disk: found, journal: `/state/multi-edit/${name}` };
}

function isCommitting(disk: MemoryDisk): boolean {
  const journals = [...disk.tree("/state")].filter(([path]) => path.endsWith(".journal"));
  return journals.some(([, text]) => text?.includes('"state":"committing"') === true);
}

const textAt = (disk: MemoryDisk, path: string): string => disk.read(path, 1_000).toString();

function rewrite(disk: MemoryDisk, journal: string, body: string, sum?: string): void {
  overwrite(disk, journal, Buffer.from(`${sum ?? createHash("sha256").update(body).digest("hex")}\n${body}\n`));
}

describe("a journal", () => {
  it("that is intact is rolled back", () => {
    const { disk } = cutOff();
    expect(textAt(disk, inside)).toBe("new\n");
    expect(recover(workspaceOn(disk)).batches.map(({ outcome }) => outcome)).toEqual(["rolledBack"]);
    expect(textAt(disk, inside)).toBe(oldText);
  });

  it("that is damaged anywhere is not touched, and is reported", () => {
    const { disk, journal } = cutOff();
    const bytes = disk.read(journal, 10_000);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const found = disk.afterKill();
        const damaged = Buffer.from(bytes);
        damaged[at] = damaged[at]! ^ flip;
        overwrite(found, journal, damaged);
        const { batches, problems } = recover(workspaceOn(found));
        expect([batches.length, problems.length]).toEqual([0, 1]);
        expect(textAt(found, inside)).toBe("new\n");
      }),
      { numRuns: lawRuns(300) },
    );
  });

  it("that another user could have written is not touched", () => {
    const { disk, journal } = cutOff();
    disk.setOwner(journal, 7);
    expect(recover(workspaceOn(disk)).problems).toHaveLength(1);
    expect(textAt(disk, inside)).toBe("new\n");
  });

  const forgeries: Readonly<Record<string, (body: string) => string>> = {
    "names a file outside": (body) => body.replaceAll(inside, outside),
    "leads outside": (body) => body.replaceAll(inside, `${workspaceFolder}/../home/a`),
    "names a file that starts like the folder": (body) => body.replaceAll(inside, `${workspaceFolder}-other/a`),
    "names a relative path": (body) => body.replaceAll(inside, "a"),
    "names a file twice": (body) => body.replace(/"entries":\[(.*)\]/, '"entries":[$1,$1]'),
    "is of another version": (body) => body.replace('"version":1', '"version":2'),
    "has an unknown field": (body) => body.replace("{", '{"run":"rm",'),
    "is another batch's": (body) => body.replace(/"id":"[0-9a-f]{16}"/, '"id":"0123456789abcdef"'),
    "is not a journal": () => "[]",
    "is not JSON": () => "{",
  };

  it.each(Object.entries(forgeries))("with a correct checksum that %s is not followed", (_, forge) => {
    const { disk, journal } = cutOff();
    const body = textAt(disk, journal).split("\n")[1] ?? "";
    expect(forge(body)).not.toBe(body);
    rewrite(disk, journal, forge(body));
    const before = [...disk.tree("/home"), ...disk.tree(workspaceFolder)];
    expect(recover(workspaceOn(disk)).batches).toEqual([]);
    expect([...disk.tree("/home"), ...disk.tree(workspaceFolder)]).toEqual(before);
  });
});

describe("a file that is written in place", () => {
  const bytes = fc.uint8Array({ maxLength: 1_600 });

  it("is torn if each sector is old, new, or begins with one and ends with the other", () => {
    fc.assert(
      fc.property(bytes, bytes, fc.array(fc.nat(512), { minLength: 4, maxLength: 4 }), (before, after, cuts) => {
        const length = Math.max(before.length, after.length);
        const found = Uint8Array.from({ length }, (_, at) => {
          const isNew = at % 512 < cuts[Math.floor(at / 512)]!;
          return (isNew ? after : before)[at] ?? 0;
        });
        expect(isTorn(found, before, after)).toBe(true);
        expect(isTorn(found, after, before)).toBe(true);
      }),
    );
  });

  it("is also torn if its rollback was cut off, so that its start is old again", () => {
    fc.assert(
      fc.property(bytes, bytes, fc.nat(512), fc.nat(512), (before, after, one, other) => {
        const [back, done] = [Math.min(one, other), Math.max(one, other)];
        const found = Uint8Array.from({ length: Math.max(before.length, after.length) }, (_, at) => {
          const isNew = at >= back && at < done;
          return (isNew ? after : before)[at] ?? 0;
        });
        expect(isTorn(found, before, after)).toBe(true);
      }),
    );
  });

  it("is not torn if one byte is neither old nor new, or if it is too short or too long", () => {
    fc.assert(
      fc.property(bytes, bytes, fc.nat(), fc.nat(255), (before, after, place, value) => {
        const longer = before.length > after.length ? before : after;
        const found = Uint8Array.from(longer);
        const at = place % Math.max(1, found.length);
        fc.pre(found.length > 0 && ![before[at] ?? 0, after[at] ?? 0, 0].includes(value));
        found[at] = value;
        expect(isTorn(found, before, after)).toBe(false);
        expect(isTorn(Uint8Array.from([...longer, 0]), before, after)).toBe(false);
        const shorter = Math.min(before.length, after.length);
        if (shorter > 0) expect(isTorn(longer.slice(0, shorter - 1), before, after)).toBe(false);
      }),
    );
  });
});
