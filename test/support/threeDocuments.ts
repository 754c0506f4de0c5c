/** Three documents and a call on all of them, for tests of what becomes of a batch in the middle. */
import { batch } from "./desk.js";

/** Their line ends and ends differ, so that a text that is put together again is seen. */
export const three = {
  "a.txt": "one\r\nold a\r\nthree\r\n",
  "b.txt": "\ufeffold b\nmixed\r\nends\rand none at the end",
  "c.txt": "😀 old c\n\n\n",
};

/** What the call makes of them. */
export const threeAfter = {
  "a.txt": "one\r\nnew a\r\nthree\r\n",
  "b.txt": "\ufeffnew b\nmixed\r\nends\rand none at the end",
  "c.txt": "😀 new c\n\n\n",
};

/** The call. */
export const threeEdits = batch(["a.txt", "old a", "new a"], ["b.txt", "old b", "new b"], ["c.txt", "old c", "new c"]);
