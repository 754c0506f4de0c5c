/** Plans the sections of a patch. */
import type { BatchOptions, Section } from "./operation.js";
import type { FilePlans } from "./outcome.js";
import type { Snapshot } from "./snapshot.js";

/** Yields after each hunk, so that its caller can serve others. */
// biome-ignore lint/correctness/useYield: being written
export function* planSections(
  sections: readonly Section[],
  _snapshot: Snapshot,
  _options: BatchOptions,
): Generator<void, FilePlans> {
  throw new Error(`not yet: ${sections.length}`);
}
