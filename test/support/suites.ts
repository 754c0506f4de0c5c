/** What `npm test` leaves to `npm run test:all`, and the order in which test files start. */

/** The files that only `npm run test:all` runs, each with the reason. A file that is named to vitest runs in any case. */
export const onlyInAll: Readonly<Record<string, string>> = {
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
