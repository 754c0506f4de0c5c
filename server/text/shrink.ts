/** Makes a change as small as it can be without ending inside a character or a CRLF. */
import type { Change } from "./changeSet.js";
import { splitsCharacter } from "./chars.js";

/** The change without what its two texts share at both ends, as a list of one, or of none where nothing is left. */
export function shrink(text: string, change: Change): Change[] {
  const { insert } = change;
  let { from, to } = change;
  let start = 0;
  let end = insert.length;
  while (from < to && start < end && text.charCodeAt(from) === insert.charCodeAt(start)) {
    from++;
    start++;
  }
  // Out of a character before the ends are compared, or its second half would count for them.
  for (; from > change.from && splits(text, from, insert, start); start--) from--;
  while (from < to && start < end && text.charCodeAt(to - 1) === insert.charCodeAt(end - 1)) {
    to--;
    end--;
  }
  if (from === to && start === end) return [];
  for (; to < change.to && splits(text, to, insert, end); end++) to++;
  return [{ from, to, insert: insert.slice(start, end) }];
}

/** Whether an end of the change lies inside a character of the text before or of the new text. */
function splits(text: string, offset: number, insert: string, at: number): boolean {
  return splitsCharacter(text, offset) || splitsCharacter(insert, at);
}
