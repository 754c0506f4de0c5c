import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // By default one processor of two would only watch.
    maxWorkers: "100%",
    // Many tests start the built server, or an editor; a machine under load may take its time.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    globalSetup: "test/support/stateHome.ts",
  },
});
