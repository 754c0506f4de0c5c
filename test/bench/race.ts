/** Takes times of contenders in turn, A B C A B C, so that whatever slows the machine down slows all of them. */
import { Bench } from "tinybench";

/** What is timed. Each sample is one call of `run`; what comes before and after it is not counted. */
export interface Contender {
  readonly before?: () => void | Promise<void>;
  readonly run: () => unknown;
  readonly after?: () => void | Promise<void>;
  /** Takes part in that many rounds only, because it is slow. */
  readonly most?: number;
}

/** How often, and from which state. */
export interface RaceOptions {
  readonly rounds: number;
  /** Rounds that are not counted: the engine is still compiling. */
  readonly warmUps: number;
  /** Whether the young garbage of the sample before is collected first, where Node offers that. */
  readonly collect: boolean;
  readonly clock: Clock;
}

/**
 * What a sample counts: the time that passes, or the time that the processor works for this process, all of its threads
 * together. The latter tells something also on a machine that has other things to do, but nothing of what a child does.
 */
export type Clock = "wall" | "cpu";

/** Milliseconds from some moment on. */
const now: Readonly<Record<Clock, () => number>> = {
  wall: () => performance.now(),
  cpu: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
};

/** Milliseconds by contender, in the order of the rounds; none of those that are `undefined`. */
export async function race<Name extends string>(
  contenders: Readonly<Record<Name, Contender | undefined>>,
  { rounds, warmUps, ...how }: RaceOptions,
): Promise<Record<Name, number[]>> {
  const entries = Object.entries<Contender | undefined>(contenders);
  const samples = Object.fromEntries(entries.map(([name]) => [name, [] as number[]]));
  for (let round = -warmUps; round < rounds; round++) {
    for (const [name, contender] of entries) {
      const most = contender?.most ?? rounds;
      // The slow ones need no warming up.
      if (contender === undefined || (most < rounds && (round < 0 || round >= most))) continue;
      const ms = await sample(name, contender, how);
      if (round >= 0) samples[name]?.push(ms);
    }
  }
  // Object.fromEntries forgets that the keys are the record's.
  return samples as Record<Name, number[]>;
}

/** tinybench runs its tasks one after the other to the end; one sample a bench is what makes them take turns. */
async function sample(
  name: string,
  { before, run, after }: Contender,
  { collect, clock }: Pick<RaceOptions, "collect" | "clock">,
): Promise<number> {
  const bench = new Bench({
    iterations: 1,
    time: 0,
    warmup: false,
    retainSamples: true,
    throws: true,
    now: now[clock],
  });
  const isAsync = run.constructor.name === "AsyncFunction";
  bench.add(name, run, {
    async: isAsync,
    beforeEach: async () => {
      await before?.();
      // Not all of the garbage: a whole collection on demand also throws compiled code away, which no real one does.
      if (collect) globalThis.gc?.({ type: "minor" });
    },
    ...(after === undefined ? {} : { afterEach: async () => after() }),
  });
  await bench.run();
  const result = bench.tasks[0]?.result;
  const ms = result !== undefined && "latency" in result ? result.latency.samples?.[0] : undefined;
  if (ms === undefined) throw new Error(`no time was taken of ${name}`);
  return ms;
}

/** The middle one; of an even number the lower of the two. */
export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5);
}

/** Round by round, how many times as long one contender took as another: what slows a round down slows both. */
export function ratios(samples: readonly number[], others: readonly number[]): number[] {
  if (samples.length !== others.length) throw new Error("only contenders of the same rounds can be compared");
  return samples.map((ms, round) => ms / (others[round] as number));
}

/** How far the median may be off, as a share of it. */
export function uncertainty(samples: readonly number[]): number {
  return errorOfMedian(samples) / median(samples);
}

/** The standard error of the median in milliseconds, as the middle half of the samples tells it. */
export function errorOfMedian(samples: readonly number[]): number {
  const middleHalf = quantile(samples, 0.75) - quantile(samples, 0.25);
  // The factor holds where samples scatter normally; the others make it a cautious guess.
  return (0.93 * middleHalf) / Math.sqrt(samples.length);
}

function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const value = sorted[Math.floor((sorted.length - 1) * share)];
  if (value === undefined) throw new Error("there are no samples");
  return value;
}
