/**
 * All batches of one to three changes of every kind in every location, including those in which one file needs
 * another's name.
 */
import type { Content, DiskChange } from "../../server/disk/diskChange.js";
import type { LaidFile, Layout } from "./memoryDisk.js";
import { planOf, type TrialPlan, workspaceFolder } from "./plans.js";

/** Every batch of up to `most` changes, each with a name; equal batches are listed only once. */
export function smallPlans(most: number): { readonly name: string; readonly plan: TrialPlan }[] {
  const names = Object.keys(kinds);
  let batches: string[][] = [[]];
  const all: string[][] = [];
  for (let count = 1; count <= most; count++) {
    // Combines changes only in the order of the table, so that no batch occurs twice.
    batches = batches.flatMap((batch) =>
      names.filter((name) => names.indexOf(name) >= names.indexOf(batch.at(-1) ?? "")).map((name) => [...batch, name]),
    );
    all.push(...batches);
  }
  return [...all.map((batch) => ({ name: batch.join(" + "), plan: plan(batch.map(partOf)) })), ...entangled];
}

/** A change, and the files that it needs. */
interface Part {
  readonly change: DiskChange;
  readonly files: Readonly<Record<string, LaidFile>>;
  readonly links?: Readonly<Record<string, string>>;
}

const at = (name: string): string => `${workspaceFolder}/${name}`;

const kinds: Readonly<Record<string, (index: number) => Part>> = {
  create: (i) => create(`new${i}`),
  "create elsewhere": (i) => create(`other/new${i}`),
  "create in a new directory": (i) => create(`fresh/deep/new${i}`),
  update: (i) => existing(i, { kind: "update", content: { text: `changed ${i}\n` } }),
  "update a linked file": (i) => ({
    ...existing(i, { kind: "update", content: { text: "changed, and shorter\n" } }, { mode: 0o4755 }),
    links: { [at(`other/link${i}`)]: at(`file${i}`) },
  }),
  "update another user's file": (i) =>
    existing(i, { kind: "update", content: { text: text(i + 1) } }, { owner: 65_534 }),
  delete: (i) => existing(i, { kind: "delete" }),
  move: (i) => existing(i, { kind: "rename", target: at(`moved${i}`) }),
  "move elsewhere": (i) => existing(i, { kind: "rename", target: at(`other/moved${i}`) }),
  "move to a new directory": (i) => existing(i, { kind: "rename", target: at(`fresh/moved${i}`) }),
  "move and edit": (i) => existing(i, { kind: "rename", target: at(`moved${i}`), content: { text: "both\n" } }),
  "move elsewhere and edit": (i) =>
    existing(i, { kind: "rename", target: at(`other/moved${i}`), content: { text: "both\n" } }),
  "move to a new directory and edit": (i) =>
    existing(i, { kind: "rename", target: at(`fresh/moved${i}`), content: { text: "both\n" } }),
};

const partOf = (kind: string, index: number): Part => kinds[kind]!(index);

/** A text that is longer than a sector, so that a power cut can leave only a part of it. */
const text = (index: number): string => `file ${index}, as it was before\n`.repeat(50);

function create(name: string): Part {
  return { files: {}, change: { kind: "create", path: at(name), name, content: { text: "created\n" } } };
}

function existing(
  index: number,
  change:
    | { readonly kind: "update"; readonly content: Content }
    | { readonly kind: "delete" }
    | { readonly kind: "rename"; readonly target: string; readonly content?: Content },
  { mode = index === 1 ? 0o755 : 0o644, owner = 0 }: { readonly mode?: number; readonly owner?: number } = {},
): Part {
  const name = `file${index}`;
  const bytes = Buffer.from(text(index));
  const file = { bytes, mode, owner };
  return { files: { [at(name)]: file }, change: { ...change, path: at(name), name } };
}

function plan(parts: readonly Part[]): TrialPlan {
  const layout: Layout = {
    files: Object.assign({}, ...parts.map(({ files }) => files), { [at("still")]: { bytes: Buffer.from("still\n") } }),
    links: Object.assign({}, ...parts.map(({ links }) => links)),
    directories: [workspaceFolder, at("other")],
  };
  return planOf(
    layout,
    parts.map(({ change }) => change),
  );
}

const move = (index: number, target: string, content?: string): Part =>
  existing(index, {
    kind: "rename",
    target: at(target),
    ...(content === undefined ? {} : { content: { text: content } }),
  });

const entangled = [
  { name: "swap", plan: plan([move(0, "file1"), move(1, "file0", "edited on the way\n")]) },
  { name: "chain", plan: plan([move(0, "file1"), move(1, "file2"), move(2, "other/moved")]) },
  { name: "move onto a deleted file", plan: plan([move(0, "file1"), existing(1, { kind: "delete" })]) },
  {
    name: "create a file under the old name of a moved one",
    plan: plan([move(0, "fresh/moved"), { ...create("file0"), files: {} }]),
  },
];
