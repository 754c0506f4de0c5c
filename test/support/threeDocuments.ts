/** Three documents and a call that changes all of them, for tests of a batch that is interrupted midway. */
import { batch } from "./desk.js";

/**
 * The documents. Their line endings and final lines differ, so a text reassembled from lines would not match the
 * original.
 */
export const three = {
  "a.txt": "one\r\nold a\r\nthree\r\n",
  "b.txt": "\ufeffold b\nmixed\r\nends\rand none at the end",
  "c.txt": "😀 old c\n\n\n",
};

/** The texts after the call. */
export const threeAfter = {
  "a.txt": "one\r\nnew a\r\nthree\r\n",
  "b.txt": "\ufeffnew b\nmixed\r\nends\rand none at the end",
  "c.txt": "😀 new c\n\n\n",
};

/** The call. */
export const threeEdits = batch(["a.txt", "old a", "new a"], ["b.txt", "old b", "new b"], ["c.txt", "old c", "new c"]);
