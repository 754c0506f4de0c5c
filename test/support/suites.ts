/** What `npm test` leaves to `npm run test:all`, and the order in which test files start. */

/** The files that only `npm run test:all` runs, each with the reason. A file that is named to vitest runs in any case. */
export const onlyInAll: Readonly<Record<string, string>> = {
  "test/agent/closing.test.ts":
    "ends editors and agents while the user is asked; confirm.test.ts and session.test.ts have the usual ends",
  "test/agent/hookClosed.test.ts": "what a hook can't find out, in every way; hook.test.ts has what it can",
  "test/agent/hookDiagnostics.test.ts":
    "what each agent hears of new errors; diagnostics.test.ts has what the session says",
  "test/agent/hookPairs.test.ts": "two hooks of one agent on one call; hookApply.test.ts has one",
  "test/agent/hookReach.test.ts": "editors that a hook can't ask; hook.test.ts has those that it can",
  "test/agent/hookSaved.test.ts": "every agent's own edit of saved files; hookApply.test.ts has the rule",
  "test/agent/mcpAnswers.test.ts": "the lengths and words of answers; mcp.test.ts has one of each tool",
  "test/agent/samples.test.ts": "the samples for pi and for shells, beside agents that need none",
  "test/agent/setupForms.test.ts":
    "the forms that settings files can have; setupWrites.test.ts has each program's usual one",
  "test/agent/sharedFiles.test.ts":
    "files that several editors have open; sessions.test.ts has the choice between editors",
  "test/agent/tickets.test.ts": "calls that wait longer than an agent; awaitAnswer.test.ts has the rule",
  "test/agent/waiting.test.ts": "agents that wait for one another on disk; fairness.test.ts has the turns",
  "test/confirmView.test.ts": "questions with a view of their own; confirm.test.ts has the questions",
  "test/disk/keptBatches.test.ts": "kills the process at every step; undoOnDisk.test.ts undoes batches that have ended",
  "test/disk/metadata.test.ts": "a matrix of attributes of files; commit.test.ts has the ways of writing",
  "test/notices.test.ts": "the messages of editors that show little; didApply.test.ts has who is told of a change",
  "test/onDiskRisks.test.ts": "races with programs that write open files; onDisk.test.ts has each outcome",
  "test/shellAnswer.test.ts": "questions that are answered from a shell; confirm.test.ts has the questions",
  "test/textsTogether.test.ts": "editors that break their promise; roundTrip.test.ts has those that keep it",
  "test/unseen.test.ts": "unsaved text that the server can't see; unsyncedDisk.test.ts has the rule",
  "test/viewLimits.test.ts": "earlier texts that are too many or too large; views.test.ts has the rules",
  "test/agent/crowd.test.ts": "16 agents edit for a minute; the rules that they try have tests of their own",
  "test/agent/unreadAnswers.test.ts": "sends hundreds of megabytes that nobody reads; framing.test.ts has the bounds",
  "test/agent/soak.test.ts": "200 documents and 4 agents for half a minute",
  "test/codex/differential.test.ts": "compares patches with another program, which is not part of the project",
  "test/bench.test.ts": "tests the benchmark, not the server",
  "test/disk/faults.test.ts": "makes system calls of real disks fail; recovery.test.ts has a case for each kind",
  "test/disk/meddling.test.ts": "500 random batches beside another program that changes files",
  "test/disk/programs.test.ts": "makes system calls of commands fail, beside what faults.test.ts does to batches",
  "test/disk/simulation.test.ts": "4,000 states of a simulated disk",
  "test/disk/swapping.test.ts": "races against a program that exchanges directories for links",
  "test/editors/emacsManyFiles.test.ts":
    "opens hundreds of files in Emacs; changedOnDisk.test.ts has a branch switch that changes 100",
  "test/editors/helixManyFiles.test.ts":
    "opens 1,000 files in Helix; changedOnDisk.test.ts has a branch switch that changes 100",
  "test/hostile.test.ts": "inputs as large as the limits allow; the tests of each part have those just beyond a limit",
  "test/landing.test.ts": "tests the benchmark of real edits, not the server",
  "test/package.test.ts": "packs and installs the package",
  "test/packageAuthors.test.ts": "packs and installs the package, and compiles programs against it",
  "test/patchHostileTexts.test.ts": "patches as large as the limits allow; patchHostile.test.ts has small ones",
  "test/reach/macos.test.ts":
    "uri.test.ts and record.test.ts have the rules; here, the whole program runs with macOS's answers",
  "test/reach/remote.test.ts": "starts other machines; session.test.ts has what the server does about a missing folder",
  "test/reach/runtimes.test.ts": "needs other runtimes; `.ci/run reach` prepares them",
  "test/reach/vim.test.ts": "needs Vim and ALE; `.ci/run reach` prepares them",
  "test/reach/windows.test.ts": "needs wine and Windows' Node; `.ci/run reach` prepares them",
  "test/reach/vscode.test.ts": "starts a real VS Code in a browser, which takes long",
  "test/reach/vscodeDisk.test.ts": "starts a real VS Code in a browser, which takes long",
  "test/reach/vscodeWindows.test.ts": "starts a real VS Code in a browser, which takes long",
  "test/scenes.test.ts": "plays scenes of the benchmark of real edits",
};

/**
 * The files that take longest, longest first: they start first, so that no long one is left when all others are done.
 * The other files follow by size.
 */
export const longest: readonly string[] = [
  "test/cases.test.ts",
  "test/agent/soak.test.ts",
  "test/codex/differential.test.ts",
  "test/agent/crowd.test.ts",
  "test/laws.test.ts",
  "test/regionLaws.test.ts",
  "test/bench.test.ts",
  "test/agent/unasked.test.ts",
  "test/agent/gates.test.ts",
  "test/agent/gateTable.test.ts",
  "test/patchHostileTexts.test.ts",
  "test/hostile.test.ts",
  "test/agent/hookApply.test.ts",
  "test/agent/hook.test.ts",
  "test/agent/vectors.test.ts",
  "test/settingsWire.test.ts",
  "test/save.test.ts",
  "test/agent/tickets.test.ts",
  "test/agent/mcp.test.ts",
  "test/agent/undoOnDisk.test.ts",
  "test/notices.test.ts",
  "test/walk.test.ts",
  "test/onDisk.test.ts",
  "test/onDiskRisks.test.ts",
  "test/patchesInDocuments.test.ts",
  "test/textsTogether.test.ts",
  "test/agent/hookCommand.test.ts",
  "test/agent/hookClosed.test.ts",
  "test/agent/overwrite.test.ts",
  "test/agent/acp.test.ts",
  "test/agent/waiting.test.ts",
  "test/viewsMerge.test.ts",
  "test/mergeGit.test.ts",
];
