/** Whether a file holds what writes that were cut off may have left: a mixture of the old bytes and the new ones. */

/** Bytes that a disk writes whole or not at all; none that is in use has smaller sectors. */
const sector = 512;

/**
 * Whether each sector is the old or the new one, or a start of the old one, then some of the new one, then the rest of the
 * old one: so far the batch had written, and so far then whoever took it back. Where the file has grown and its bytes have
 * not followed, they are zero. Such a file may be overwritten: it holds nothing that somebody else wrote.
 */
export function isTorn(found: Uint8Array, before: Uint8Array, after: Uint8Array): boolean {
  const [least, most] = [Math.min(before.length, after.length), Math.max(before.length, after.length)];
  if (found.length < least || found.length > most) return false;
  for (let from = 0; from < found.length; from += sector) {
    const to = Math.min(from + sector, found.length);
    if (!isJoined(found, [before, after, before], from, to)) return false;
  }
  return true;
}

/** Whether `[from, to)` has a stretch of each side in turn, which may be empty; behind the end of a side come zeros. */
function isJoined(found: Uint8Array, sides: readonly Uint8Array[], from: number, to: number): boolean {
  let at = from;
  // As long as it lasts: what one side has more, the next ones need not have.
  for (const side of sides) while (at < to && found[at] === (side[at] ?? 0)) at++;
  return at === to;
}
