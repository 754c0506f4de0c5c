/** Creates the trees of plans on a real disk, passes them to the driver program, and inspects them. */
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { DiskChange } from "../../server/disk/diskChange.js";
import type { DriverTask } from "./driverTask.js";
import { type Tree, type TrialPlan, workspaceFolder } from "./plans.js";

/** The directories of a trial. */
export interface Site {
  /** The parent directory, empty at first; later it holds the folder, the state and the driver's task. */
  readonly root: string;
  readonly folder: string;
  readonly state: string;
}

/** A site in an empty directory, with a plan's files. */
export function layOut(root: string, { layout }: Pick<TrialPlan, "layout">): Site {
  const site = { root, folder: join(root, "ws"), state: join(root, "state") };
  const here = (path: string): string => `${site.folder}${path.slice(workspaceFolder.length)}`;
  mkdirSync(site.folder);
  for (const path of layout.directories) mkdirSync(here(path), { recursive: true });
  for (const [path, { bytes, mode = 0o644, owner }] of Object.entries(layout.files)) {
    mkdirSync(dirname(here(path)), { recursive: true });
    writeFileSync(here(path), bytes);
    if (owner !== undefined && owner !== 0 && process.getuid?.() === 0) chownSync(here(path), owner, owner);
    chmodSync(here(path), mode);
  }
  for (const [path, target] of Object.entries(layout.links ?? {})) linkSync(here(target), here(path));
  return site;
}

/** Writes the driver's task to a file and returns the file's path. */
export function writeTask({ root, folder, state }: Site, kind: DriverTask["kind"], plan: TrialPlan): string {
  const here = (path: string): string => `${folder}${path.slice(workspaceFolder.length)}`;
  const changes = plan.changes.map(
    (change): DiskChange => ({
      ...change,
      path: here(change.path),
      ...(change.kind === "rename" ? { target: here(change.target) } : {}),
    }),
  );
  const task: DriverTask = { folder, state, kind, changes };
  const path = join(root, `${kind}.json`);
  writeFileSync(path, JSON.stringify(task));
  return path;
}

/** The contents of a site's folder, keyed by the paths that the plan uses. */
export function treeAt({ folder }: Site): Tree {
  const tree = new Map<string, string | undefined>();
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const path = join(folder, name);
    const stats = lstatSync(path);
    const mode = (stats.mode & 0o7777).toString(8);
    tree.set(`${workspaceFolder}/${name}`, stats.isDirectory() ? undefined : `${mode} ${readFileSync(path)}`);
  }
  return tree;
}

/** The entries of the state directory. */
export function stateAt({ state }: Site): string[] {
  return existsSync(state) ? readdirSync(state) : [];
}
