import { statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { isAll } from "./test/support/extent.js";
import { longest, onlyInAll } from "./test/support/suites.js";

const root = fileURLToPath(new URL(".", import.meta.url));
const leftOut = Object.keys(onlyInAll).filter((path) => !isAll && !process.argv.some((word) => path.includes(word)));

/** Starts the files that take longest first, and then the others by size. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const at = longest.indexOf(relative(root, moduleId).replaceAll("\\", "/"));
      return at < 0 ? -statSync(moduleId).size : at - Number.MAX_SAFE_INTEGER;
    };
    return [...files].sort((a, b) => rankOf(a) - rankOf(b));
  }
}

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...leftOut],
    sequence: { sequencer: LongestFirst },
    // A test often waits for another process, so one more of them than there are processors keeps these busy.
    maxWorkers: availableParallelism() + 1,
    // Many tests start the built server or an editor, which may take long on a machine under load.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // So may everything for which a test waits with `expect.poll`, whose own patience is 1 s.
    expect: { poll: { timeout: 10_000 } },
    globalSetup: "test/support/stateHome.ts",
    setupFiles: "test/support/ownState.ts",
  },
});
