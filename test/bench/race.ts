/** Times contenders in turn, A B C A B C, so that anything that slows down the machine affects all of them. */
import { Bench } from "tinybench";

/** Code to be timed. Each sample is one call of `run`; setup and cleanup are not counted. */
export interface Contender {
  readonly before?: () => void | Promise<void>;
  readonly run: () => unknown;
  readonly after?: () => void | Promise<void>;
  /** Maximum number of rounds for a slow contender. */
  readonly most?: number;
}

/** The number of samples to take, and the preparation for each of them. */
export interface RaceOptions {
  readonly rounds: number;
  /** Number of initial rounds that are not counted, because the engine is still compiling. */
  readonly warmUps: number;
  /** `true` to run a minor garbage collection before each sample, if Node allows it. */
  readonly collect: boolean;
  readonly clock: Clock;
}

/**
 * The quantity that a sample measures: elapsed time, or processor time of this process with all its threads. The latter
 * is meaningful even on a busy machine, but excludes work done by child processes.
 */
export type Clock = "wall" | "cpu";

/** Milliseconds since an arbitrary moment. */
const now: Readonly<Record<Clock, () => number>> = {
  wall: () => performance.now(),
  cpu: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
};

/** Returns each contender's times in milliseconds, in the order of the rounds; `undefined` contenders have none. */
export async function race<Name extends string>(
  contenders: Readonly<Record<Name, Contender | undefined>>,
  { rounds, warmUps, ...how }: RaceOptions,
): Promise<Record<Name, number[]>> {
  const entries = Object.entries<Contender | undefined>(contenders);
  const samples = Object.fromEntries(entries.map(([name]) => [name, [] as number[]]));
  for (let round = -warmUps; round < rounds; round++) {
    for (const [name, contender] of entries) {
      const most = contender?.most ?? rounds;
      // Slow contenders need no warm-up.
      if (contender === undefined || (most < rounds && (round < 0 || round >= most))) continue;
      const ms = await sample(name, contender, how);
      if (round >= 0) samples[name]?.push(ms);
    }
  }
  // Object.fromEntries loses the type of the record's keys.
  return samples as Record<Name, number[]>;
}

/**
 * Takes one sample. tinybench finishes each task before it starts the next, so contenders that take turns need separate
 * benches.
 */
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
      // Not a full collection: forcing one also discards compiled code, which a natural collection never does.
      if (collect) globalThis.gc?.({ type: "minor" });
    },
    ...(after === undefined ? {} : { afterEach: async () => after() }),
  });
  await bench.run();
  const result = bench.tasks[0]?.result;
  const ms = result !== undefined && "latency" in result ? result.latency.samples?.[0] : undefined;
  if (ms === undefined) throw new Error(`${name} was never timed`);
  return ms;
}

/** The median; for an even number of values, the lower of the two in the middle. */
export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5);
}

/** The ratio of two contenders' times in each round: anything that slows a round down slows both. */
export function ratios(samples: readonly number[], others: readonly number[]): number[] {
  if (samples.length !== others.length) throw new Error("only contenders of the same rounds can be compared");
  return samples.map((ms, round) => ms / (others[round] as number));
}

/** The standard error of the median, as a fraction of the median. */
export function uncertainty(samples: readonly number[]): number {
  return errorOfMedian(samples) / median(samples);
}

/** The standard error of the median in milliseconds, estimated from the middle half of the samples. */
export function errorOfMedian(samples: readonly number[]): number {
  const middleHalf = quantile(samples, 0.75) - quantile(samples, 0.25);
  // The factor is exact for normally distributed samples; for others it gives a cautious estimate.
  return (0.93 * middleHalf) / Math.sqrt(samples.length);
}

function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const value = sorted[Math.floor((sorted.length - 1) * share)];
  if (value === undefined) throw new Error("there are no samples");
  return value;
}
