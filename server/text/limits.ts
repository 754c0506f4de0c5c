/** All limits of the server, with their units. Exceeding one causes a `Failure` or less output, not a crash or hang. */
export const limits = {
  /** Bytes of one framed message on the wire. */
  messageBytes: 256 * 1024 * 1024,
  /** Bytes of the header block of one framed message. */
  headerBytes: 4 * 1024,
  /** Failures that are listed for a call that can't be read; the last one says how many more there are. */
  failuresPerCall: 50,
  /** Warnings about unknown fields of a call; the last one says how many more there are. */
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
  /** UTF-16 units of one document, before and after the batch. */
  documentLength: 64 * 1024 * 1024,
  /** UTF-16 units up to which a synced text is mirrored; beyond `documentLength`, it is mirrored but not edited. */
  syncedLength: 256 * 1024 * 1024,
  /** Former lines of a document that are remembered to explain failures. */
  formerLines: 1_000,
  /** Lines of one change that are remembered this way. */
  formerLinesPerChange: 20,
  /** UTF-16 units of a line that is remembered this way. */
  formerLineLength: 400,
  /** Bytes of one file that is read from disk. */
  fileBytes: 64 * 1024 * 1024,
  /** Bytes of all the files that one call reads from disk. */
  callFileBytes: 512 * 1024 * 1024,
  /** Bytes of the journal of one batch on disk, and of any other file that the server keeps next to it. */
  journalBytes: 64 * 1024 * 1024,
  /** Milliseconds for which the lock of a process on another machine, or in another container, is respected. */
  foreignProcessMs: 3_600_000,
  /** Files that are examined or read at the same time. */
  parallelReads: 16,
  /** Dangling symbolic links that are followed for one path, as many as Linux follows. */
  symlinkHops: 40,
  /** Entries of a directory that are compared with the name of a missing file. */
  directoryEntries: 1_000,
  /** Subdirectories that one call searches for files with the name of a missing one. */
  similarDirectories: 250,
  /** Entries of all the subdirectories that one call searches in this way. */
  similarEntries: 5_000,
  /** Names at the start of a wrong path that are left out, one after another, to find the file without them. */
  leadingNames: 8,
  /** Names of a wrong path that are compared with a file's; a longer path is never tried without its first names. */
  comparedNames: 32,
  /** Similar paths that are offered for a missing file. */
  similarShown: 3,
  /** Places of one old text that are collected; an old text that has that many is refused. */
  placesPerEdit: 200_000,
  /** Places of one hunk that are collected: more than any failure needs. */
  hunkPlaces: 100,
  /** Least number of edits of one file that are planned all at once, or in regions of a large text. */
  manyEdits: 24,
  /** UTF-16 units of the shortest text that is planned in regions. */
  regionUnits: 65_536,
  /** Places of an old text's key that are compared; if there are more, the old text is searched for on its own. */
  keyHits: 1_000,
  /** Steps that one rung may take to compare lines. */
  lineSteps: 5_000_000,
  /** Edit distance in lines up to which old and new text are aligned by line; beyond it, the whole block changes. */
  alignDistance: 500,
  /** Characters of the message of one failure. */
  failureMessage: 1_200,
  /** Characters of the next step in that message. */
  hint: 400,
  /** Characters of one quoted line. */
  quotedLine: 160,
  /** Matches of an ambiguous old text that a failure shows. */
  matchesShown: 5,
  /** Matches of an ambiguous old text that are compared to find text that distinguishes the first from the others. */
  comparedPlaces: 1_000,
  /** Failed edits or hunks of one file for which the reason and the nearest regions are searched for. */
  explainedFailures: 20,
  /** Least number of characters at which a text within a line is unlikely to occur there by chance. */
  tellingText: 16,
  /** Nearest regions that a failure shows. */
  nearestShown: 3,
  /** Lines of one nearest region that a failure shows. */
  nearestLines: 10,
  /** Characters of the diff in a `summary` result. */
  summaryDiff: 16_000,
  /** Characters of the diff in a question to the user, if the client can't show the diff itself. */
  questionDiff: 1_000,
  /** Characters of the message of a failed call, shared equally by its failures. */
  callMessage: 16_000,
  /** Least number of characters for one failure; if there are too many failures, the message is cut at its end. */
  failureShare: 200,
  /** Runs of edits, such as `2-5`, that a sentence lists. */
  indexRuns: 40,
  /** Files that a warning lists. */
  pathsShown: 20,
  /** Characters of the caller's own label. */
  label: 200,
  /** Characters of a path or URI. */
  pathLength: 4_096,
  /** Applied batches of a session that can be undone. */
  transactions: 50,
  /** Proposed edits of a session that the server watches, to notice when they are applied. */
  proposals: 20,
  /** UTF-16 units of texts, and bytes of deleted files, that are kept to undo batches; as many again for proposals. */
  undoSize: 128 * 1024 * 1024,
  /** Items of one list in the user's settings. */
  settingItems: 1_000,
  /** Warnings about the user's settings, per reading and per session. */
  settingWarnings: 100,
  /** Milliseconds that the client may take to sync the text that proves an applied edit. */
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
  /** Number of times that a call or a step is tried again because the text has changed. */
  rematches: 3,
  /** UTF-16 units of the method or of a string id of one message on the wire. */
  envelopeText: 256,
  /** Requests of one client that are not answered yet; a further one is refused. */
  pendingRequests: 10_000,
  /** Messages that are read ahead of the one that is being dispatched; beyond that, reading pauses. */
  messagesAhead: 1_000,
  /** Bytes of output that the client has not taken yet; beyond that, reading pauses. */
  outputBacklogBytes: 8 * 1024 * 1024,
  /** Milliseconds that an exit waits for running requests and for the client to take their answers. */
  exitGraceMs: 1_000,
  /** Milliseconds between two checks that the client's process is alive. */
  clientWatchMs: 3_000,
  /** UTF-16 units of one line in the log. */
  logLine: 2_000,
  /** Bytes of bad input that a log line quotes. */
  quotedInput: 80,
  /** Bytes of a socket's path on Linux, where Node silently truncates a longer one. */
  linuxSocketPathBytes: 107,
  /** Bytes of a socket's path on macOS and the BSDs. */
  bsdSocketPathBytes: 103,
  /** Bytes of a session's record, the file through which agents find it. */
  sessionRecordBytes: 64 * 1024,
  /** Session records that are read. */
  sessionsRead: 1_000,
  /** Sessions that a failure names. */
  sessionsShown: 5,
  /** Agents that are connected to one session at the same time; a further one is disconnected. */
  agentConnections: 64,
  /** Requests of one agent that are served at the same time; a further one is refused. */
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
  /** Milliseconds to reach a session, and again to get its open files; more than `helloMs`, which frees connections. */
  connectMs: 4_000,
  /** `connectMs` for a session whose folders contain none of the agent's files: a suspended session never answers. */
  strangerMs: 400,
  /** Milliseconds for which a list of a session's open files is valid; if other sessions take longer, it is reread. */
  staleStatusMs: 200,
  /** Milliseconds after which an agent that sends no requests is disconnected. */
  agentIdleMs: 600_000,
  /** Bytes of the input that the command line applies, and of the input that the MCP server buffers. */
  inputBytes: 64 * 1024 * 1024,
  /** Milliseconds that the command line waits for a call by default: longer than the user may take to confirm it. */
  commandMs: 330_000,
  /** The longest waiting time, in milliseconds, that the command line accepts. */
  timeoutMs: 86_400_000,
  /** Milliseconds that one run of Helix may take, for example to list the servers of a language. */
  helixMs: 20_000,
  /** Milliseconds that a tool call of MCP waits by default; agents give up after 60 s. */
  toolMs: 50_000,
  /** Characters of a text that one tool call of MCP shows; the agent asks for the rest by line numbers. */
  toolText: 80_000,
  /** Files that the answer to one tool call of MCP lists. */
  toolFiles: 200,
  /** Milliseconds that a session may take to answer after the agent has cancelled the request. */
  stopMs: 5_000,
} as const;
