/** The server's limits, most of them maxima. Exceeding one causes a `Failure` or shorter output, never a crash. */
export const limits = {
  /** Bytes in one framed message on the wire. */
  messageBytes: 256 * 1024 * 1024,
  /** Bytes in the header block of one framed message. */
  headerBytes: 4 * 1024,
  /** Failures listed for an invalid call. If there are more, the last one says how many were omitted. */
  failuresPerCall: 50,
  /** Warnings about unknown fields in a call. If there are more, the last one says how many were omitted. */
  unknownFieldWarnings: 10,
  /** Distinct unknown fields in one call; each is compared with every known name. */
  unknownFields: 1_000,
  /** Edits in one call. */
  editsPerCall: 10_000,
  /** Distinct files in one call. */
  filesPerCall: 1_000,
  /** UTF-16 code units in one old or new text. */
  textLength: 16 * 1024 * 1024,
  /** UTF-16 code units in one patch. */
  patchLength: 16 * 1024 * 1024,
  /** UTF-16 code units in one document, both before and after the batch. */
  documentLength: 64 * 1024 * 1024,
  /**
   * UTF-16 code units in a synced text that is mirrored; a text longer than `documentLength` is mirrored but not
   * edited.
   */
  syncedLength: 256 * 1024 * 1024,
  /** Former lines (since changed or removed) that the server remembers per document, in order to explain failures. */
  formerLines: 1_000,
  /** Former lines that the server remembers per change. */
  formerLinesPerChange: 20,
  /** UTF-16 code units in a former line that the server remembers; longer lines are not remembered. */
  formerLineLength: 400,
  /** Bytes of one earlier text of a document that is kept; of a text, only the differences to the present one count. */
  viewBytes: 1024 * 1024,
  /** Earlier texts kept for one document. */
  viewsKept: 8,
  /** Closed files of which earlier texts are kept; those of the files that were read first are dropped. */
  closedFiles: 5_000,
  /** Bytes of all earlier texts of a session. */
  allViewBytes: 64 * 1024 * 1024,
  /** Reads of one document that are kept for each caller. */
  readsKept: 4,
  /** Line ranges of one text that a caller has read, as far as they are remembered. */
  shownSpans: 100,
  /** Lines of two texts that are compared to find out which of them have changed. */
  comparedLines: 20_000,
  /** Bytes in one file read from disk. */
  fileBytes: 64 * 1024 * 1024,
  /** Total bytes in all files that one call reads from disk. */
  callFileBytes: 512 * 1024 * 1024,
  /** Bytes in the journal or the lock file of one batch on disk. */
  journalBytes: 64 * 1024 * 1024,
  /** Batches on disk that are kept for each folder, so that they can be undone. */
  keptBatches: 20,
  /** Bytes in all kept batches together. */
  keptBytes: 64 * 1024 * 1024,
  /** Milliseconds for which a batch is kept (7 days). */
  keptMs: 604_800_000,
  /** Milliseconds for which a call waits for another program to let go of a file, as virus scanners do. */
  heldFileMs: 2_000,
  /** Milliseconds for which a lock held by a process on another machine or in another container is respected. */
  foreignProcessMs: 3_600_000,
  /** Files examined or read concurrently. */
  parallelReads: 16,
  /** Dangling symbolic links followed for one path; Linux has the same limit for all symbolic links. */
  symlinkHops: 40,
  /** Entries in one directory that are compared with the name of a missing file. */
  directoryEntries: 1_000,
  /** Subdirectories searched for files with the same names as the missing files in one call. */
  similarDirectories: 250,
  /** Total entries examined in the subdirectories that are searched for one call's missing files. */
  similarEntries: 5_000,
  /** Leading components removed from a wrong path, one after another, until the rest is the path of a file. */
  leadingNames: 8,
  /**
   * Components of a wrong path that are used to find similar paths; for a longer path, fewer similar paths may be
   * found.
   */
  comparedNames: 32,
  /** Similar paths suggested for a missing file. */
  similarShown: 3,
  /** Places collected for one old text; an old text with this many places or more is refused. */
  placesPerEdit: 200_000,
  /** Places collected for one hunk; no failure message needs more. */
  hunkPlaces: 100,
  /**
   * Minimum number of edits to one file at which the server tries to plan them together, or in regions of a large text.
   */
  manyEdits: 24,
  /** UTF-16 code units in the shortest text that is planned in regions. */
  regionUnits: 65_536,
  /** Places that the search by keys may find for one old text; beyond that, the old text is searched for on its own. */
  keyHits: 1_000,
  /** Line comparisons that one rung may make for one old text. */
  lineSteps: 5_000_000,
  /** Largest edit distance, in lines, at which two texts are aligned; beyond it, all differing lines are replaced. */
  alignDistance: 500,
  /** Characters in the message of one failure. */
  failureMessage: 2_400,
  /** Characters in the hint at the end of a failure message. */
  hint: 400,
  /** Characters in one quoted line. */
  quotedLine: 160,
  /** Matches shown in a failure about an ambiguous old text. */
  matchesShown: 5,
  /** Matches shown in such a failure together with a line that only this match has near it. */
  matchesTold: 3,
  /** Matches of an ambiguous old text that are compared to find what distinguishes the first from the others. */
  comparedPlaces: 1_000,
  /** Failed edits or hunks per file whose failures include a reason and the nearest regions. */
  explainedFailures: 20,
  /** Characters in the shortest text that is unlikely to occur in a document by chance. */
  tellingText: 16,
  /** Nearest regions shown in a failure. */
  nearestShown: 3,
  /** Lines of the nearest region shown in a failure. */
  nearestLines: 40,
  /** Lines of each further region that resembles a missing text. */
  furtherLines: 10,
  /** Characters of the nearest region in the message of a failure. */
  nearestText: 2_000,
  /** Characters in one line of a nearest region. */
  nearestLine: 400,
  /** Characters of the diff in a `summary` result. */
  summaryDiff: 16_000,
  /** Characters of the diff in a question to the user, if the client can't show the diff itself. */
  questionDiff: 1_000,
  /** Characters in the message of a failed call, shared equally among its failures. */
  callMessage: 16_000,
  /** Minimum number of characters per failure; if there are too many failures, the end of the message is truncated. */
  failureShare: 200,
  /** Ranges of edits, such as `2-5`, listed in one sentence. */
  indexRuns: 40,
  /** Files listed in a warning. */
  pathsShown: 20,
  /** Characters in the label that a caller gives a call. */
  label: 200,
  /** Characters in a path or URI. */
  pathLength: 4_096,
  /** Finished calls of a session that can still be undone. */
  transactions: 50,
  /** Proposed edits per session that the server remembers in order to notice when they are applied. */
  proposals: 20,
  /**
   * UTF-16 code units of text, plus bytes of deleted files, kept for undo; proposals have a separate limit of the same
   * size.
   */
  undoSize: 128 * 1024 * 1024,
  /** Items in one list in the user's settings. */
  settingItems: 1_000,
  /**
   * Warnings about the user's settings; the limit applies to each reading of the settings and to the session as a
   * whole.
   */
  settingWarnings: 100,
  /** Milliseconds that the client may take to prove, by syncing the new text, that it applied an edit. */
  proofMs: 2_000,
  /** Milliseconds that the client may take to answer `workspace/applyEdit`. */
  applyEditMs: 30_000,
  /** Milliseconds that requests wait for the client to send the user's settings. */
  settingsMs: 2_000,
  /** Milliseconds after which a call's progress is shown, if the client can show it. */
  progressAfterMs: 1_000,
  /** Milliseconds that the user may take to confirm an edit. */
  confirmMs: 300_000,
  /** Milliseconds for which the user may look at a diff before a question that covers it is asked again. */
  readDiffMs: 20_000,
  /** Characters of the code with which the user answers a question from a shell. */
  answerCode: 4,
  /** Wrong codes after which a question can't be answered from a shell any more. */
  answerTries: 5,
  /** Characters of the user's reason for a rejection. */
  rejectReason: 1_000,
  /** Milliseconds between two messages about agents' calls, in clients that do not show these calls themselves. */
  noticeMs: 5_000,
  /** Milliseconds after which such a message is repeated, once, in clients that may have lost it. */
  noticeAgainMs: 3_000,
  /** Characters in such a message. */
  noticeText: 300,
  /** Milliseconds that the client may take to save documents. */
  saveMs: 20_000,
  /** States of a document that the server remembers while the client saves it. */
  statesDuringSave: 100,
  /** The longest delay, in milliseconds, that a client may declare for syncing typed text. */
  syncDelayMs: 2_000,
  /** Milliseconds that the answer to a call waits for other language servers. */
  diagnosticsMs: 2_000,
  /** Milliseconds after which an agent that has written a file with a tool of its own no longer asks about them. */
  ownWriteMs: 10_000,
  /** Milliseconds more for the client's answer about them to arrive. */
  diagnosticsLateMs: 200,
  /** Diagnostics that are read from one answer of the client. */
  diagnosticsRead: 10_000,
  /** New diagnostics in a result, and characters of the message of each. */
  diagnosticsShown: 20,
  diagnosticsMessage: 1_000,
  /** New diagnostics named in the warning about them, and characters of all their messages there. */
  diagnosticsTold: 3,
  diagnosticsText: 140,
  /** Milliseconds that the client may take to show a diff. */
  showMs: 10_000,
  /** Milliseconds without a change after which the patches in a document are checked. */
  patchCheckMs: 300,
  /** Milliseconds after the last keystroke in a document at which its hunks are shown again. */
  reviewMs: 100,
  /** Hunks that the server follows for the review; those of the oldest calls are forgotten first, those of the latest never. */
  reviewHunks: 2_000,
  /** Calls whose hunks it follows. */
  reviewCalls: 500,
  /** Characters of the texts that have hunks, and of all texts of the hunks. */
  reviewText: 64 * 1024 * 1024,
  /** Characters of the file in which the hunks of saved texts are kept for the next session; larger ones are not. */
  reviewKept: 4 * 1024 * 1024,
  /** Lines of a diff that a hover shows. */
  reviewHover: 40,
  /** Characters of a comment that the agent is told. */
  reviewComment: 200,
  /** Characters of what an agent is told of the review at once. */
  reviewNote: 400,
  /** Patches of one document that are checked; the others have no diagnostics. */
  patchesChecked: 100,
  /** Milliseconds for which a file that another program has changed must stand still before it is read. */
  diskStillMs: 100,
  /** Milliseconds after which such a file is read in any case, and for which the server waits for an editor to load it. */
  diskSettleMs: 2_000,
  /** Milliseconds between two looks at the files of a folder that the system can't watch, and at the identity of the others. */
  diskPollMs: 2_000,
  /** Folders that are watched; the files of others are looked at from time to time. */
  watchedFolders: 1_000,
  /** Places of a merge that a read names. */
  mergedPlaces: 10,
  /** Milliseconds after the last of several changes on disk at which one message tells of them, and at the latest. */
  diskNewsMs: 300,
  diskNewsLatestMs: 2_000,
  /** Milliseconds that such a message waits for an editor that takes over many files. */
  diskNewsBusyMs: 10_000,
  /** Number of times that a call or a step is retried because the text changed in the meantime. */
  rematches: 3,
  /** UTF-16 code units in the method name, or in a string id, of one message on the wire. */
  envelopeText: 256,
  /** Pending requests per client; further requests are refused. */
  pendingRequests: 10_000,
  /** Messages read but not yet dispatched; while there are more, reading pauses. */
  messagesAhead: 1_000,
  /** Bytes of output that the client has yet to accept; while there are more, reading pauses. */
  outputBacklogBytes: 8 * 1024 * 1024,
  /**
   * Milliseconds that an exiting server waits for running requests to finish and for the client to take the answers.
   */
  exitGraceMs: 1_000,
  /** Milliseconds between checks that the client's process is still alive. */
  clientWatchMs: 3_000,
  /** UTF-16 code units in one line of the log. */
  logLine: 2_000,
  /** Bytes of bad input quoted in a log line. */
  quotedInput: 80,
  /** Bytes in a socket path on Linux, where Node silently truncates longer paths. */
  linuxSocketPathBytes: 107,
  /** Bytes in a socket path on macOS and the BSDs. */
  bsdSocketPathBytes: 103,
  /** Bytes in a session record, the file by which agents find the session. */
  sessionRecordBytes: 64 * 1024,
  /** Milliseconds after which a session renews its record. */
  recordRenewedMs: 30_000,
  /**
   * Milliseconds after a change of a document until its session announces whether the document has unsaved text; also the
   * shortest time between two announcements of its open files.
   */
  unsavedMs: 100,
  /**
   * Milliseconds since its last renewal after which the record of a session on another machine, or in another container,
   * no longer counts.
   */
  recordMs: 120_000,
  /** Directory entries that the doctor examines in search of the traces that editors leave. */
  tracedEntries: 20_000,
  /** Bytes in the user's settings file. */
  settingsFileBytes: 1024 * 1024,
  /** Documents that a client may report as having unsaved changes that it does not sync; the others are ignored. */
  unsyncedDocuments: 1_000,
  /** Session records that are read; any others are ignored. */
  sessionsRead: 1_000,
  /** Sessions named in a failure. */
  sessionsShown: 5,
  /** Agents connected to one session at the same time; any further agent is disconnected. */
  agentConnections: 64,
  /** Requests from one agent that are served concurrently; further requests are refused. */
  agentRequests: 32,
  /** Bytes that an agent may send before it has proved that it knows the session's secret. */
  helloBytes: 4 * 1024,
  /** Milliseconds that an agent may take to prove that it knows the secret. */
  helloMs: 2_000,
  /** Characters in the id that an agent gives itself. */
  agentId: 100,
  /** Characters in the name that an agent reports for itself, and in the version that it reports. */
  agentName: 100,
  /** Agents that a session remembers having served. */
  agentsKnown: 50,
  /**
   * Milliseconds allowed for reaching a session; listing its files may then take as long again. Longer than `helloMs`,
   * so that silent agents are disconnected in time to make room for this one.
   */
  connectMs: 4_000,
  /**
   * Used instead of `connectMs` for a session whose folders contain none of the agent's files, because such a session
   * may never answer.
   */
  strangerMs: 400,
  /**
   * Milliseconds for which a session's list of open files stays valid; if querying the other sessions takes longer, the
   * list is fetched again.
   */
  staleStatusMs: 200,
  /** Milliseconds that a call waits for other processes that change the same files on disk. */
  turnMs: 10_000,
  /** Milliseconds without a request after which an agent is disconnected. */
  agentIdleMs: 600_000,
  /** Bytes of input that the command line reads or the MCP server buffers. */
  inputBytes: 64 * 1024 * 1024,
  /**
   * Default timeout, in milliseconds, of a call from the command line; longer than the time allowed for the user to
   * confirm an edit.
   */
  commandMs: 330_000,
  /** The longest timeout, in milliseconds, that the command line accepts. */
  timeoutMs: 86_400_000,
  /** Milliseconds that one run of Helix may take, for example to list a language's servers. */
  helixMs: 20_000,
  /** Milliseconds that VS Code may take to install or remove the extension. */
  vscodeMs: 120_000,
  /** Files whose names are looked at to find a project's languages. */
  projectFiles: 50_000,
  /** Bytes of Git's list of these files. */
  projectBytes: 16 * 1024 * 1024,
  /** Default timeout, in milliseconds, of an MCP tool call; agents give up after 60 s. */
  toolMs: 50_000,
  /** The time in milliseconds in which an ACP agent must end when its editor has ended; then it is told, and then killed. */
  agentEndMs: 2_000,
  /** The number of an ACP agent's requests for files that are answered at the same time. */
  acpRequests: 64,
  /** Characters of a text that one MCP tool call shows; the agent can ask for the rest by line number. */
  toolText: 20_000,
  /** Calls of one agent that wait for the user, or whose answers nobody has fetched; further calls are refused. */
  tickets: 50,
  /** Files listed in the answer to one MCP request; also the resources to which an MCP client may subscribe. */
  toolFiles: 200,
  /** Milliseconds between two looks at the versions of the texts to which an MCP client has subscribed. */
  resourcePollMs: 2_000,
  /** Milliseconds for which a task of MCP is kept, at most; and those after which a client should ask for it again. */
  taskMs: 3_600_000,
  taskPollMs: 1_000,
  /** Milliseconds for which a hook may look for the files of a call. Agents stop a hook after 60 s, and then run the tool. */
  hookMs: 20_000,
  /** Milliseconds for which a call that was applied in place of an agent's own tool is remembered. */
  hookMemoryMs: 3_600_000,
  /** Milliseconds after an agent's hook has named it as the writer of a file in which a change of the file counts as its. */
  writerMs: 120_000,
  /** Milliseconds by which clocks of the file system may differ. */
  writerSlackMs: 10,
  /** Milliseconds for which a change of an open file waits for an agent whose command has made it. */
  unnamedMs: 600_000,
  /** UTF-16 code units of the texts of all such changes; the oldest are dropped first. */
  unnamedText: 16_777_216,
  /** Milliseconds in which the hook starts after a command of an agent. */
  hookStartMs: 1_000,
  /** Files with unsaved text whose stamps are compared after a command of an agent. */
  commandStamps: 50,
  /** Milliseconds for which one of an agent's hooks waits for another one to take over a call. */
  hookPairMs: 5_000,
  /** Milliseconds that a session may take to answer after the agent has cancelled a request. */
  stopMs: 5_000,
} as const;
