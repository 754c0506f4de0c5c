/** What `npm test` leaves to `npm run test:all`, and the order in which test files start. */

/** The files that only `npm run test:all` runs, each with the reason. A file that is named to vitest runs in any case. */
export const onlyInAll: Readonly<Record<string, string>> = {
  "test/agent/crowd.test.ts": "16 agents edit for a minute; the rules that they try have tests of their own",
  "test/codex/differential.test.ts": "compares patches with another program, which is not part of the project",
  "test/bench.test.ts": "tests the benchmark, not the server",
  "test/disk/faults.test.ts": "makes system calls of real disks fail; recovery.test.ts has a case for each kind",
  "test/disk/meddling.test.ts": "500 random batches beside another program that changes files",
  "test/disk/simulation.test.ts": "4,000 states of a simulated disk",
  "test/disk/swapping.test.ts": "races against a program that exchanges directories for links",
  "test/hostile.test.ts": "inputs as large as the limits allow; the tests of each part have those just beyond a limit",
  "test/landing.test.ts": "tests the benchmark of real edits, not the server",
  "test/package.test.ts": "packs and installs the package",
  "test/packageAuthors.test.ts": "packs and installs the package, and compiles programs against it",
  "test/patchHostileTexts.test.ts": "patches as large as the limits allow; patchHostile.test.ts has small ones",
  "test/reach/vscode.test.ts": "starts a real VS Code in a browser, which takes long",
  "test/scenes.test.ts": "plays scenes of the benchmark of real edits",
};

/**
 * The files that take longest, longest first: they start first, so that no long one is left when all others are done.
 * The other files follow by size.
 */
export const longest: readonly string[] = [
  "test/cases.test.ts",
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
];
