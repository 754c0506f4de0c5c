/** Reduces a trial that shows a difference to the smallest trial that still shows it. */
import type { Content, Trial } from "./trial.js";

/** Leaves out one thing at a time as long as the trial still shows the difference; returns the smallest trial. */
export async function shrink(trial: Trial, isShown: (trial: Trial) => Promise<boolean>): Promise<Trial> {
  for (const smaller of smallerTrials(trial)) {
    if (await isShown(smaller)) return shrink(smaller, isShown);
  }
  return trial;
}

/** Leaves out a file, lines of the patch, or lines of a file, starting with large parts. */
function* smallerTrials({ files, patch }: Trial): Generator<Trial> {
  for (const path of files.keys()) yield { patch, files: new Map([...files].filter(([other]) => other !== path)) };
  for (const fewer of withoutSome(patch.split("\n"))) yield { files, patch: fewer.join("\n") };
  for (const [path, content] of files) {
    if (typeof content !== "string") continue;
    const lines = content.split(/(?<=\r\n|\n|\r(?!\n))/);
    for (const fewer of withoutSome(lines)) {
      yield { patch, files: new Map<string, Content>([...files, [path, fewer.join("")]]) };
    }
  }
}

function* withoutSome<T>(items: readonly T[]): Generator<T[]> {
  for (let size = items.length >> 1; size > 0; size >>= 1) {
    for (let from = 0; from < items.length; from += size) yield items.filter((_, i) => i < from || i >= from + size);
  }
}
