/**
 * What a call breaks, as real editors tell it from real language servers: also in files that it does not touch, and however
 * the earlier errors have moved.
 */
import { afterAll, beforeAll, describe, it, vi } from "vitest";
import { columns } from "./diagnosticColumns.js";
import { type Column, scenes } from "./diagnosticScenes.js";
import { absence, type Session, startSession } from "./session.js";
import { onStage } from "./stage.js";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
for (const column of columns) {
  const missing = absence(column.kind);
  if (missing === undefined) describe(column.name, () => testDiagnostics(column));
  else
    it(`${column.name} is not available`, () => {
      if (process.env.REQUIRE_EDITORS === "1") throw new Error(missing);
      console.log(`left out: the diagnostics in ${column.name}; ${missing}`);
    });
}

function testDiagnostics(column: Column): void {
  let session: Session;
  beforeAll(async () => {
    session = await startSession(column.kind);
  });
  afterAll(() => session?.stop());
  const played = Object.entries(scenes).filter(([name]) => !(column.endsTogether && name.includes("has died")));
  it.each(played)("%s", (_, scene) => onStage(session, (stage) => scene(stage, column)));
}
