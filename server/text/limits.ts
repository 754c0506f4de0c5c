/** All limits of the server, most of them maxima. Exceeding one causes a `Failure` or less output, never a crash. */
export const limits = {
  /** Bytes of one framed message on the wire. */
  messageBytes: 256 * 1024 * 1024,
  /** Bytes of the header block of one framed message. */
  headerBytes: 4 * 1024,
  /** Failures that are listed for a call that can't be read. If there are more, the last one says how many are left out. */
  failuresPerCall: 50,
  /** Warnings about unknown fields of a call. If there are more, the last one says how many are left out. */
  unknownFieldWarnings: 10,
  /** Different unknown fields in one call; each is compared with every known name. */
  unknownFields: 1_000,
  /** Edits in one call. */
  editsPerCall: 10_000,
  /** Different files in one call. */
  filesPerCall: 1_000,
  /** UTF-16 units of one old or new text. */
  textLength: 16 * 1024 * 1024,
  /** UTF-16 units of one patch. */
  patchLength: 16 * 1024 * 1024,
  /** UTF-16 units of one document, both before and after the batch. */
  documentLength: 64 * 1024 * 1024,
  /** UTF-16 units of a synced text that is mirrored; a text longer than `documentLength` is mirrored but not edited. */
  syncedLength: 256 * 1024 * 1024,
  /** Changed or removed lines of a document that are remembered to explain failures. */
  formerLines: 1_000,
  /** Lines that are remembered in this way from one change. */
  formerLinesPerChange: 20,
  /** UTF-16 units of a line that is remembered in this way; longer lines are not remembered. */
  formerLineLength: 400,
  /** Bytes of one file that is read from disk. */
  fileBytes: 64 * 1024 * 1024,
  /** Bytes of all the files that one call reads from disk. */
  callFileBytes: 512 * 1024 * 1024,
  /** Bytes of the journal, or of the lock, of one batch on disk. */
  journalBytes: 64 * 1024 * 1024,
  /** Milliseconds for which the lock of a process on another machine, or in another container, is respected. */
  foreignProcessMs: 3_600_000,
  /** Files that are examined or read at the same time. */
  parallelReads: 16,
  /** Dangling symbolic links that are followed for one path; Linux has the same limit for links. */
  symlinkHops: 40,
  /** Entries of one directory that are compared with the name of a missing file. */
  directoryEntries: 1_000,
  /** Subdirectories that are searched for files with the same names as the missing files of one call. */
  similarDirectories: 250,
  /** Entries that are examined for one call in all these subdirectories together. */
  similarEntries: 5_000,
  /** Leading names that are removed from a wrong path, one after another, until the rest is the path of a file. */
  leadingNames: 8,
  /** Names of a wrong path that are compared with a file's path; no leading names are removed from a longer path. */
  comparedNames: 32,
  /** Similar paths that are suggested for a missing file. */
  similarShown: 3,
  /** Places that are collected for one old text; an old text with this many places or more is refused. */
  placesPerEdit: 200_000,
  /** Places that are collected for one hunk; no failure message needs more. */
  hunkPlaces: 100,
  /** Minimum number of edits to one file that the server tries to plan all at once, or in regions of a large text. */
  manyEdits: 24,
  /** UTF-16 units of the shortest text that is planned in regions. */
  regionUnits: 65_536,
  /**
   * Places that the search by keys may find for one old text; if there are more, the old text is searched for on its
   * own.
   */
  keyHits: 1_000,
  /** Comparisons of two lines that one rung may make for one old text. */
  lineSteps: 5_000_000,
  /** Largest edit distance, in lines, at which two texts are aligned; beyond it, all differing lines are replaced. */
  alignDistance: 500,
  /** Characters of the message of one failure. */
  failureMessage: 1_200,
  /** Characters of the hint in that message. */
  hint: 400,
  /** Characters of one quoted line. */
  quotedLine: 160,
  /** Matches of an ambiguous old text that a failure shows. */
  matchesShown: 5,
  /** Matches of an ambiguous old text that are compared to find text that distinguishes the first from the others. */
  comparedPlaces: 1_000,
  /** Failed edits or hunks of one file whose failures give a reason and the nearest regions. */
  explainedFailures: 20,
  /** Characters of the shortest text that is unlikely to occur in a document by chance. */
  tellingText: 16,
  /** Nearest regions that a failure shows. */
  nearestShown: 3,
  /** Lines of one nearest region that a failure shows. */
  nearestLines: 10,
  /** Characters of the diff in a `summary` result. */
  summaryDiff: 16_000,
  /** Characters of the diff in a question to the user, if the client can't show the diff itself. */
  questionDiff: 1_000,
  /** Characters of the message of a failed call; its failures share them equally. */
  callMessage: 16_000,
  /** Minimum number of characters per failure; if there are too many failures, the end of the message is cut off. */
  failureShare: 200,
  /** Ranges of edits, such as `2-5`, that a sentence lists. */
  indexRuns: 40,
  /** Files that a warning lists. */
  pathsShown: 20,
  /** Characters of the label that a caller gives a call. */
  label: 200,
  /** Characters of a path or URI. */
  pathLength: 4_096,
  /** Finished calls of a session that can still be undone. */
  transactions: 50,
  /** Proposed edits of a session that the server remembers in order to notice when they are applied. */
  proposals: 20,
  /** UTF-16 units of texts, plus bytes of deleted files, kept for undo; proposals have an equal limit of their own. */
  undoSize: 128 * 1024 * 1024,
  /** Items of one list in the user's settings. */
  settingItems: 1_000,
  /** Warnings about the user's settings: each time they are read, and in a session as a whole. */
  settingWarnings: 100,
  /** Milliseconds that the client may take to sync the text that proves that an edit was applied. */
  proofMs: 2_000,
  /** Milliseconds that the client may take to answer `workspace/applyEdit`. */
  applyEditMs: 30_000,
  /** Milliseconds that requests wait for the client to send the user's settings. */
  settingsMs: 2_000,
  /** Milliseconds after which the progress of a call is shown, if the client can show it. */
  progressAfterMs: 1_000,
  /** Milliseconds that the user may take to confirm an edit. */
  confirmMs: 300_000,
  /** Milliseconds that the client may take to save documents. */
  saveMs: 20_000,
  /** The longest delay, in milliseconds, that a client may declare for syncing typed text. */
  syncDelayMs: 2_000,
  /** Milliseconds that the client may take to show a diff. */
  showMs: 10_000,
  /** Number of times that a call or a step is tried again because the text changed in the meantime. */
  rematches: 3,
  /** UTF-16 units of the method name of one message on the wire, or of its id if the id is a string. */
  envelopeText: 256,
  /** Unanswered requests of one client; a further request is refused. */
  pendingRequests: 10_000,
  /** Messages that have been read and wait to be dispatched; while there are more, reading pauses. */
  messagesAhead: 1_000,
  /** Bytes of output that wait for the client to take them; while there are more, reading pauses. */
  outputBacklogBytes: 8 * 1024 * 1024,
  /** Milliseconds that an exiting server waits for running requests and for the client to take their answers. */
  exitGraceMs: 1_000,
  /** Milliseconds between checks of whether the client's process is alive. */
  clientWatchMs: 3_000,
  /** UTF-16 units of one line in the log. */
  logLine: 2_000,
  /** Bytes of bad input that a log line quotes. */
  quotedInput: 80,
  /** Bytes of a socket's path on Linux, where Node silently truncates a longer path. */
  linuxSocketPathBytes: 107,
  /** Bytes of a socket's path on macOS and the BSDs. */
  bsdSocketPathBytes: 103,
  /** Bytes of a session's record, the file through which agents find it. */
  sessionRecordBytes: 64 * 1024,
  /** Session records that are read. */
  sessionsRead: 1_000,
  /** Sessions that a failure names. */
  sessionsShown: 5,
  /** Agents that are connected to one session at the same time; a further agent is disconnected. */
  agentConnections: 64,
  /** Requests of one agent that are served at the same time; a further request is refused. */
  agentRequests: 32,
  /** Bytes that an agent may send before it has proved that it knows the session's secret. */
  helloBytes: 4 * 1024,
  /** Milliseconds that an agent may take to prove that it knows the secret. */
  helloMs: 2_000,
  /** Characters of the id that an agent gives itself. */
  agentId: 100,
  /** Characters of the name, and of the version, that an agent gives itself. */
  agentName: 100,
  /** Agents that a session remembers having served. */
  agentsKnown: 50,
  /**
   * Milliseconds that reaching a session may take; listing its files may then take as long again. Longer than
   * `helloMs`, after which silent agents are disconnected and make room.
   */
  connectMs: 4_000,
  /**
   * Replaces `connectMs` for a session whose folders contain none of the agent's files, because it may never answer.
   */
  strangerMs: 400,
  /**
   * Milliseconds for which a session's list of open files is valid; if asking the other sessions takes longer, the list
   * is read again.
   */
  staleStatusMs: 200,
  /** Milliseconds after which an agent that sends no requests is disconnected. */
  agentIdleMs: 600_000,
  /** Bytes of the input that the command line reads, or of the input that the MCP server buffers. */
  inputBytes: 64 * 1024 * 1024,
  /**
   * Milliseconds that the command line waits for a call by default; longer than the user may take to confirm an edit.
   */
  commandMs: 330_000,
  /** The longest waiting time, in milliseconds, that the command line accepts. */
  timeoutMs: 86_400_000,
  /** Milliseconds that one run of Helix may take, for example to list the servers of a language. */
  helixMs: 20_000,
  /** Milliseconds that an MCP tool call waits by default; agents give up after 60 s. */
  toolMs: 50_000,
  /** Characters of a text that one MCP tool call shows; the agent can ask for the rest by line number. */
  toolText: 20_000,
  /** Files that the answer to one MCP tool call lists. */
  toolFiles: 200,
  /** Milliseconds that a session may take to answer after the agent has cancelled the request. */
  stopMs: 5_000,
} as const;
