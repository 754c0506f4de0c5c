/** Calls of the checks. */

/** A batch of edits, each given as its path, old text and new text. */
export function edits(...all: readonly (readonly [path: string, oldText: string, newText: string])[]) {
  return { edits: all.map(([path, oldText, newText]) => ({ path, oldText, newText })) };
}
