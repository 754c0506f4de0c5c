/** Long work as a generator that yields after each bounded step, so that who runs it can serve others in between. */

/** Runs such work to its end at once, where nobody has to be served. */
export function toEnd<T>(work: Generator<void, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** UTF-16 units of a text that are read in one step: some milliseconds. */
export const unitsPerStep = 524_288;
