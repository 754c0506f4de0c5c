/** Every limit of the server, named with its unit: beyond one is a `Failure`, never a crash or a hang. */
export const limits = {
  /** Bytes of one framed message on the wire. */
  messageBytes: 256 * 1024 * 1024,
  /** Bytes of the header block of one framed message. */
  headerBytes: 4 * 1024,
  /** Failures that are listed for a call that can't be read; the last one says how many more there are. */
  failuresPerCall: 50,
  /** Warnings about fields of a call that nothing knows; the last one says how many more there are. */
  unknownFieldWarnings: 10,
  /** Different fields in one call that nothing knows; each is compared with every known name. */
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
  /** UTF-16 units of one synced text that is still mirrored; from `documentLength` on it is no longer edited. */
  syncedLength: 256 * 1024 * 1024,
  /** Lines that a document has lost and that are remembered for failures. */
  formerLines: 1_000,
  /** Lines of one change that are remembered so. */
  formerLinesPerChange: 20,
  /** UTF-16 units of a line that is remembered so. */
  formerLineLength: 400,
  /** Bytes of one file that is read from disk. */
  fileBytes: 64 * 1024 * 1024,
  /** Bytes of all the files that one call reads from disk. */
  callFileBytes: 512 * 1024 * 1024,
  /** Bytes of the journal of one batch on disk, and of what else the server keeps beside it. */
  journalBytes: 64 * 1024 * 1024,
  /** Milliseconds after which a claim on a workspace by a process of another machine or container counts as left behind. */
  foreignProcessMs: 3_600_000,
  /** Files that are looked at or read at the same time. */
  parallelReads: 16,
  /** Dangling symbolic links that are followed for one path; Linux follows as many. */
  symlinkHops: 40,
  /** Entries of a directory that are compared with the name of a missing file. */
  directoryEntries: 1_000,
  /** Directories below others that one call looks into for files of the name of a missing one. */
  similarDirectories: 250,
  /** Entries of all these directories together. */
  similarEntries: 5_000,
  /** Names at the start of a wrong path that are left out, one after another, to find the file without them. */
  leadingNames: 8,
  /** Names of a wrong path that are compared with those of a file; a longer path is not tried without its first ones. */
  comparedNames: 32,
  /** Similar paths that are offered for a missing file. */
  similarShown: 3,
  /** Places of one old text that are collected. */
  placesPerEdit: 200_000,
  /** Places of one hunk that are collected: more than any failure needs. */
  hunkPlaces: 100,
  /** Edits of one file from which on they are planned all at once, or in regions of a large text. */
  manyEdits: 24,
  /** UTF-16 units from which on a text is large enough for regions. */
  regionUnits: 65_536,
  /** Places of the key of one of many old texts that are compared; where there are more, the text is looked for alone. */
  keyHits: 1_000,
  /** Steps that one rung may take to compare lines. */
  lineSteps: 5_000_000,
  /** Edit distance in lines up to which an old and a new text are aligned line by line; beyond, the whole block is replaced. */
  alignDistance: 500,
  /** Characters of the message of one failure. */
  failureMessage: 1_200,
  /** Characters of the next step in it. */
  hint: 400,
  /** Characters of one quoted line. */
  quotedLine: 160,
  /** Ambiguous places that a failure names. */
  matchesShown: 5,
  /** Ambiguous places that are compared to find what would tell the first of them from the others. */
  comparedPlaces: 1_000,
  /** Edits of one file that were not found and for which the nearest regions are looked for. */
  explainedFailures: 20,
  /** Characters from which a new text that stands within a line tells that an edit was applied already. */
  tellingText: 16,
  /** Nearest regions that a failure shows. */
  nearestShown: 3,
  /** Lines of one nearest region. */
  nearestLines: 10,
  /** Characters of the diff in a `summary` result. */
  summaryDiff: 16_000,
  /** Characters of the diff in a question to the user, where the client can't show it. */
  questionDiff: 1_000,
  /** Characters of the message of a whole failed call, over all its failures. */
  callMessage: 16_000,
  /** Characters of it that each failure gets at least, however many there are. */
  failureShare: 200,
  /** Runs of edits, as `2-5`, that a sentence lists. */
  indexRuns: 40,
  /** Files that a warning lists. */
  pathsShown: 20,
  /** Characters of the caller's own label. */
  label: 200,
  /** Characters of a path or URI. */
  pathLength: 4_096,
  /** Applied batches of a session that can be taken back. */
  transactions: 50,
  /** Proposed edits of a session that are watched for being applied. */
  proposals: 20,
  /** UTF-16 units of texts, and bytes of deleted files, that are kept for taking batches back; as many again for proposals. */
  undoSize: 128 * 1024 * 1024,
  /** Items of one list in the user's settings. */
  settingItems: 1_000,
  /** Warnings about the user's settings, of one reading and of one session. */
  settingWarnings: 100,
  /** Milliseconds that the client may take until its synced text proves an edit. */
  proofMs: 2_000,
  /** Milliseconds that the client may take to answer `workspace/applyEdit`. */
  applyEditMs: 30_000,
  /** Milliseconds that requests wait for the client to tell the user's settings. */
  settingsMs: 2_000,
  /** Milliseconds after which the progress of a call is shown, where the client can show it. */
  progressAfterMs: 1_000,
  /** Milliseconds that the user may take to confirm an edit. */
  confirmMs: 300_000,
  /** Milliseconds that the client may take to save documents. */
  saveMs: 20_000,
  /** Milliseconds that a client may say that typed text takes until it is synced. */
  syncDelayMs: 2_000,
  /** Milliseconds that the client may take to show a diff. */
  showMs: 10_000,
  /** Times that an edit is matched again because the text moved on. */
  rematches: 3,
  /** UTF-16 units of the method or of a string id of one message on the wire. */
  envelopeText: 256,
  /** Requests of one client that wait for their answer; a further one is refused. */
  pendingRequests: 10_000,
  /** Messages that are read ahead of the one that is being dispatched; beyond, reading pauses. */
  messagesAhead: 1_000,
  /** Bytes of output that the client has not taken yet; beyond, reading pauses. */
  outputBacklogBytes: 8 * 1024 * 1024,
  /** Milliseconds that an exit waits for running requests and for the client to take their answers. */
  exitGraceMs: 1_000,
  /** Milliseconds between two looks at whether the client's process still lives. */
  clientWatchMs: 3_000,
  /** UTF-16 units of one line in the log. */
  logLine: 2_000,
  /** Bytes of bad input that a log line quotes. */
  quotedInput: 80,
  /** Bytes of a socket's path on Linux, where Node cuts a longer one off without a word. */
  linuxSocketPathBytes: 107,
  /** Bytes of a socket's path on macOS and the BSDs. */
  bsdSocketPathBytes: 103,
  /** Bytes of the file by which a session is found. */
  sessionRecordBytes: 64 * 1024,
  /** Such files that are looked at. */
  sessionsRead: 1_000,
  /** Sessions that a failure names. */
  sessionsShown: 5,
  /** Agents that are connected to one session at the same time; a further one is sent away. */
  agentConnections: 64,
  /** Requests of one agent that are served at the same time; a further one is refused. */
  agentRequests: 32,
  /** Bytes that an agent may send before it has shown that it knows the session's secret. */
  helloBytes: 4 * 1024,
  /** Milliseconds that it may take to show it. */
  helloMs: 2_000,
  /** Characters of the id that an agent gives itself. */
  agentId: 100,
  /** Characters of the name, and of the version, that an agent gives itself. */
  agentName: 100,
  /** Agents that a session remembers having served. */
  agentsKnown: 50,
  /** Milliseconds that an agent tries to reach a session, and then waits until it says what it has open: longer than a place takes to become free that a silent one holds. */
  connectMs: 4_000,
  /** Milliseconds that an agent tries to reach a session in whose folders none of its files lie: a suspended one never answers. */
  strangerMs: 400,
  /** Milliseconds for which what a session has said to have open counts; another one may have been waited for meanwhile. */
  staleStatusMs: 200,
  /** Milliseconds after which an agent that asks nothing is disconnected. */
  agentIdleMs: 600_000,
  /** Bytes of what the command line is given to apply. */
  inputBytes: 64 * 1024 * 1024,
  /** Milliseconds that the command line waits for a call, unless it is told otherwise: longer than the user may take. */
  commandMs: 330_000,
  /** Milliseconds that it can be told to wait at most. */
  timeoutMs: 86_400_000,
  /** Milliseconds that Helix may take to say which servers a language has. */
  helixMs: 20_000,
  /** Milliseconds that a tool call of MCP waits; agents give up after 60 s. */
  toolMs: 50_000,
  /** Characters of a text that one tool call of MCP shows; the rest is asked for by its lines. */
  toolText: 80_000,
  /** Files that the answer to one tool call of MCP lists. */
  toolFiles: 200,
  /** Milliseconds that a session may take to answer once it was told to stop. */
  stopMs: 5_000,
} as const;
