/** The built server in Windows' Node under wine, which `.ci/windows` prepares. */
import { beforeAll, describe, expect, it } from "vitest";
import { clientChecks } from "./clientChecks.js";
import type { CheckResult } from "./place.js";
import { listPatience, preparedFolder, runInWindows } from "./stage.js";
import { windowsChecks } from "./windowsChecks.js";

const prepared = preparedFolder("WINDOWS_ROOT", ".ci/windows");
const lists = { client: clientChecks, windows: windowsChecks } as const;

if ("missing" in prepared) {
  it("Windows: not available", () => {
    const leftOut = `left out: the tests in Windows: ${prepared.missing}`;
    if (process.env.REQUIRE_REACH === "1") throw new Error(leftOut);
    console.log(leftOut);
  });
} else {
  describe.each(["client", "windows"] as const)("the %s checks in Windows", (list) => {
    let results: readonly CheckResult[] = [];
    beforeAll(async () => {
      results = await runInWindows(prepared.folder, list);
      const rows = results.map(({ name, said }) => `| ${name} | ${said} |`);
      console.log(["", "| in Windows' Node under wine | |", "| --- | --- |", ...rows].join("\n"));
    }, listPatience);

    it.each(lists[list].map(({ name }) => name))("%s", (name) => {
      const result = results.find((each) => each.name === name);
      expect(result?.problem ?? (result === undefined ? "it did not run" : undefined)).toBeUndefined();
    });
  });
}
