/** The built server in the runtimes that `.ci/runtimes` installs. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listPatience, preparedFolder, runHere } from "./stage.js";

const prepared = preparedFolder("RUNTIMES_ROOT", ".ci/runtimes");

if ("missing" in prepared) {
  it("other runtimes: not available", () => {
    const leftOut = `left out: the tests in other runtimes: ${prepared.missing}`;
    if (process.env.REQUIRE_REACH === "1") throw new Error(leftOut);
    console.log(leftOut);
  });
} else {
  describe("the client checks", { timeout: listPatience }, () => {
    it.each(readdirSync(prepared.folder))("in %s", async (name) => {
      const results = await runHere(join(prepared.folder, name, "program"), "client");
      console.log(
        `${name}: ${results.filter(({ problem }) => problem === undefined).length} of ${results.length} done`,
      );
      expect(results.filter(({ problem }) => problem !== undefined)).toEqual([]);
      expect(results.length).toBeGreaterThan(10);
    });
  });
}
