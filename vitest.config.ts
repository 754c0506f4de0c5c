import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // By default, one of two processors would only watch.
    maxWorkers: "100%",
    // Many tests start the built server or an editor, which may take long on a machine under load.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // So may everything for which a test waits with `expect.poll`, whose own patience is 1 s.
    expect: { poll: { timeout: 10_000 } },
    globalSetup: "test/support/stateHome.ts",
    setupFiles: "test/support/ownState.ts",
  },
});
