/** The rows of `npm run prove`: what each proves, how much of it a run of CI and a long run try, and the commands of one part. */

/** A command, with the variables that it gets. */
export interface Command {
  readonly words: readonly [program: string, ...args: string[]];
  readonly env?: Readonly<Record<string, string>>;
  /** Minutes after which it is stopped; by default 45. */
  readonly minutes?: number;
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
    first: [tests(["test/framing.test.ts", "test/envelopes.test.ts"])],
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
  crowd: {
    proves:
      "16 agents, 20 keys a second, an editor that is slow, refuses, lies or dies: no edit or key lost, misplaced, doubled",
    unit: "edits",
    ci: 1_000,
    long: 100_000,
    part: 2_000,
    run: (seed, count) => [tests(["test/agent/crowd.test.ts"], { CROWD_EDITS: count, CROWD_SEED: seed }, "no edit")],
  },
  soak: {
    proves: "200 documents and 4 agents: the heap after a collection and the descriptors stay flat, no file is left",
    unit: "s",
    ci: 120,
    long: 7_200,
    part: 5_400,
    run: (_, count) => [
      { ...tests(["test/agent/soak.test.ts"], { SOAK_SECONDS: count }), minutes: Math.ceil(count / 30) + 15 },
    ],
  },
  disk: {
    proves: "errors, full disks and kills in batches, undo on disk and setup --write leave all old or all new",
    unit: "faults",
    ci: 1_000,
    long: 100_000,
    part: 2_000,
    ciSeed: 1,
    first: [tests(["test/disk/order.test.ts"], { TEST_ALL: 1 })],
    run: (seed, count) => [
      script(
        "faults",
        ...Object.entries(faultShares(count)).flatMap(([name, share]) => [`--${name}`, share]),
        "--seed",
        seed,
      ),
      tests(["test/disk/programs.test.ts"], {
        PROGRAM_FAULTS: Math.ceil(count / 10),
        FAULT_SEED: seed,
        BESIDE_SECONDS: Math.ceil(count / 50),
      }),
    ],
  },
  mutants: {
    proves:
      "the tests notice bugs that are planted in the matching, the merge, the guards, the hook, the journal and the framing",
    unit: "bugs",
    ci: 10,
    long: 100,
    part: 10,
    // The same hundred bugs each time, ten of them in turn by the day.
    ciSeed: 10 * Math.floor(Date.now() / 86_400_000),
    run: (seed, count) => [script("mutants", "--pool", 100, "--from", seed, "--count", count)],
  },
};

/** The options of `npm run faults` for so many faults in all: real calls that fail, simulated disks, and real power cuts. */
function faultShares(count: number) {
  const [runs, double] = [Math.floor(count * 0.8), Math.floor(count * 0.1)];
  return { runs, double, states: 100 * count, cuts: Math.ceil(count / 20), swaps: 1 };
}
