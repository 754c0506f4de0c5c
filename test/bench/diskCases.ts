/** The case about batches of closed files, which the server writes itself. */
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stage } from "../../server/disk/commit.js";
import type { DiskChange } from "../../server/disk/diskChange.js";
import { diskWorkspace } from "../../server/disk/diskWorkspace.js";
import { median, race, ratios, uncertainty } from "./race.js";
import type { BenchCase } from "./result.js";
import { rounds, scaled } from "./scale.js";

/** All or nothing, against writing, syncing and renaming a temporary file for each file. */
export const diskBatch: BenchCase = {
  name: "diskBatch",
  title: "1,000 closed files of 2 kB, one edit each, written to disk all or none",
  isOfProcess: false,
  async measure(scale) {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "multi-edit-bench-disk-")));
    const count = scaled(1_000, scale, 3);
    const names = Array.from({ length: count }, (_, i) => `file${i}.ts`);
    const textOf = (round: number): string => `export const round = ${round};\n`.repeat(80);
    const lay = (folder: string): string => {
      mkdirSync(join(root, folder));
      for (const name of names) writeFileSync(join(root, folder, name), textOf(0));
      return join(root, folder);
    };
    try {
      const [ours, theirs] = [lay("ours"), lay("theirs")];
      const workspace = diskWorkspace([ours], { state: join(root, "state") });
      const round = { ours: 0, least: 0 };
      const batch = (): void => {
        const text = textOf(++round.ours);
        const changes = names.map(
          (name): DiskChange => ({ kind: "update", path: join(ours, name), name, content: { text } }),
        );
        const staged = stage(workspace, changes, "a batch");
        const committed = staged.ok ? staged.commit() : undefined;
        if (committed?.outcome !== "applied") throw new Error("the batch was refused");
        committed.finish();
      };
      const each = (): void => {
        const text = textOf(++round.least);
        for (const name of names) {
          const path = join(theirs, name);
          const fd = openSync(`${path}.tmp`, "wx");
          writeSync(fd, text);
          fsyncSync(fd);
          closeSync(fd);
          renameSync(`${path}.tmp`, path);
        }
      };
      const times = await race({ ours: { run: batch }, least: { run: each } }, { ...rounds(7, scale), warmUps: 1 });
      for (const name of names) {
        if (readFileSync(join(ours, name), "utf8") !== textOf(round.ours)) throw new Error(`${name} has another text`);
      }
      const value = median(ratios(times.ours, times.least));
      return {
        rows: [
          {
            name: "disk",
            times: { ours: median(times.ours), "temporary files": median(times.least) },
            uncertainty: uncertainty(ratios(times.ours, times.least)),
            goals: [{ measure: "x temporary file, fsync and rename", value, limit: 2.5, sense: "atMost", unit: "x" }],
          },
        ],
      };
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  },
};
