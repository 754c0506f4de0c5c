/** The rows of `npm run prove`: what each proves, how much of it a run of CI and a long run try, and the commands of one part. */

/** A command, with the variables that it gets. */
export interface Command {
  readonly words: readonly [program: string, ...args: string[]];
  readonly env?: Readonly<Record<string, string>>;
}

/** A row. */
export interface Row {
  readonly proves: string;
  /** What is counted. */
  readonly unit: string;
  /** The numbers for CI and for a long run. */
  readonly ci: number;
  readonly long: number;
  /** The largest number in one part, which takes some minutes at most. */
  readonly part: number;
  /** The seed in CI; `undefined`: a new one each time. */
  readonly ciSeed?: number;
  /** What comes first, in each run: the inputs that have names, and checks that need no number. */
  readonly first?: readonly Command[];
  /** The commands of a part. Parts with different seeds try different inputs if the seeds differ by `count` or more. */
  run(seed: number, count: number): readonly Command[];
}

/** Runs test files, or with `title` only the tests whose names match it. */
function tests(files: readonly string[], env: Readonly<Record<string, string | number>> = {}, title?: string): Command {
  const named = title === undefined ? [] : ["-t", title];
  const words = ["npx", "vitest", "run", "--testTimeout=3600000", ...files, ...named] as const;
  return { words, env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)])) };
}

/** The variables that give the laws of a command a seed and a number of inputs. */
const laws = (seed: number, count: number) => ({ LAW_SEED: seed, LAW_RUNS: count, TEST_ALL: 1 });

/** Runs a program of the project, as its script in package.json does. */
const script = (name: string, ...args: readonly (string | number)[]): Command => ({
  words: ["npm", "run", "--silent", name, "--", ...args.map(String)],
});

const streamLaws = "any damage|every request and every wrong message";

/** The rows by name. */
export const rows: Readonly<Record<string, Row>> = {
  text: {
    proves: "the planned text is what three independent appliers make of the edits, in three encodings",
    unit: "batches",
    ci: 100_000,
    long: 10_000_000,
    part: 25_000,
    run: (seed, count) => [tests(["test/laws.test.ts"], laws(seed, count), "by three appliers")],
  },
  sync: {
    proves: "the mirror of a document is a plain string with the same changes, bad notifications included",
    unit: "sequences",
    ci: 10_000,
    long: 1_000_000,
    part: 50_000,
    // Seven laws: six dialects, and the library.
    run: (seed, count) => [tests(["test/documentLaws.test.ts"], laws(seed, Math.ceil(count / 7)))],
  },
  frames: {
    proves:
      "malformed frames and envelopes, prototype fields, equal ids, storms of cancellations: no crash, no silence",
    unit: "mutated streams",
    ci: 10_000,
    long: 1_000_000,
    part: 50_000,
    first: [tests(["test/framing.test.ts", "test/envelopes.test.ts", "test/hostile.test.ts"])],
    run: (seed, count) => [
      tests(["test/framing.test.ts", "test/envelopeLaws.test.ts"], laws(seed, Math.ceil(count / 2)), streamLaws),
    ],
  },
  paths: {
    proves: "no path leads outside or to a protected file, at any door; no link that is exchanged during a call does",
    unit: "s of exchanged links",
    ci: 10,
    long: 1_200,
    part: 60,
    first: [
      tests(["test/agent/vectors.test.ts", "test/agent/mounts.test.ts", "test/pathLaws.test.ts"], {
        PATH_VECTORS: "all",
      }),
    ],
    run: (_, count) => [tests(["test/disk/swapping.test.ts"], { SWAP_SECONDS: count })],
  },
  identities: {
    proves: "a call changes the characters that its author saw, or none: wrong 0",
    unit: "stories",
    ci: 10_000,
    long: 1_000_000,
    part: 5_000,
    ciSeed: 1,
    // Each seed is played with an editor that syncs changes, and with one that syncs whole texts.
    run: (seed, count) => [
      tests(["test/identities.test.ts"], { IDENTITY_SEED: seed, IDENTITY_RUNS: Math.ceil(count / 2) }),
    ],
  },
};
void script;
