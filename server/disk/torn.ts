/** Whether a file holds what a write that was cut off may have left: a mixture of the old bytes and the new ones. */

/** Bytes that a disk writes whole or not at all; none that is in use has smaller sectors. */
const sector = 512;

/**
 * Whether each sector is the old or the new one, the start of the one and the rest of the other, or, where the file has
 * grown and its bytes have not followed, zero. Such a file may be overwritten: it holds nothing that somebody else wrote.
 */
export function isTorn(found: Uint8Array, before: Uint8Array, after: Uint8Array): boolean {
  const [least, most] = [Math.min(before.length, after.length), Math.max(before.length, after.length)];
  if (found.length < least || found.length > most) return false;
  for (let from = 0; from < found.length; from += sector) {
    const to = Math.min(from + sector, found.length);
    if (!isJoined(found, [after, before], from, to) && !isJoined(found, [before, after], from, to)) return false;
  }
  return true;
}

/** Whether `[from, to)` is a start of one side and then the other one; behind the end of either come zeros. */
function isJoined(
  found: Uint8Array,
  [start, rest]: readonly [Uint8Array, Uint8Array],
  from: number,
  to: number,
): boolean {
  let at = from;
  while (at < to && found[at] === (start[at] ?? 0)) at++;
  while (at < to && found[at] === (rest[at] ?? 0)) at++;
  return at === to;
}
