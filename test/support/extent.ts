/** How much of the tests runs: the small suite of `npm test`, or everything. */

/** `true` in `npm run test:all`. */
export const isAll = (process.env.TEST_ALL ?? "") !== "";

/** The number of random inputs of a law: an eighth of them in the small suite; `LAW_RUNS` sets it for all laws that run. */
export const lawRuns = (all: number): number => Number(process.env.LAW_RUNS ?? (isAll ? all : Math.ceil(all / 8)));

/** Shows a line with figures in `npm run prove`. */
export function figure(line: string): void {
  if (process.env.PROVE !== undefined) process.stdout.write(`figures: ${line}\n`);
}
