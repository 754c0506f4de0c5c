/** Every limit of the server, named with its unit: beyond one is a `Failure`, never a crash or a hang. */
export const limits = {
  /** Bytes of one framed message on the wire. */
  messageBytes: 256 * 1024 * 1024,
  /** Bytes of the header block of one framed message. */
  headerBytes: 4 * 1024,
  /** Edits in one call. */
  editsPerCall: 10_000,
  /** Different files in one call. */
  filesPerCall: 1_000,
  /** UTF-16 units of one old or new text. */
  textLength: 16 * 1024 * 1024,
  /** UTF-16 units of one document, before and after the batch. */
  documentLength: 64 * 1024 * 1024,
  /** Bytes of one file that is read from disk. */
  fileBytes: 64 * 1024 * 1024,
  /** Places of one old text that are collected. */
  placesPerEdit: 200_000,
  /** Steps that one rung may take to compare lines. */
  lineSteps: 20_000_000,
  /** Edit distance in lines up to which an old and a new text are aligned line by line; beyond, the whole block is replaced. */
  alignDistance: 2_000,
  /** Milliseconds for one alignment of lines; beyond, the whole block is replaced. */
  alignMs: 200,
  /** Characters of the message of one failure. */
  failureMessage: 1_200,
  /** Characters of one quoted line. */
  quotedLine: 160,
  /** Ambiguous places that a failure names. */
  matchesShown: 5,
  /** Nearest regions that a failure shows. */
  nearestShown: 3,
  /** Characters of the diff in a `summary` result. */
  summaryDiff: 16_000,
  /** Characters of the message of a whole failed call, over all its failures. */
  callMessage: 16_000,
  /** Characters of the caller's own label. */
  label: 200,
  /** Characters of a path or URI. */
  pathLength: 4_096,
  /** Milliseconds that the client may take until its synced text proves an edit. */
  proofMs: 2_000,
  /** Milliseconds that the client may take to answer `workspace/applyEdit`. */
  applyEditMs: 30_000,
  /** Times that an edit is matched again because the text moved on. */
  rematches: 3,
  /** Transactions that are remembered. */
  transactions: 50,
} as const;
