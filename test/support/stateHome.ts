/** Keeps the server's state files out of the home directory of the user who runs the tests. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Runs once before all tests; the returned function runs after them. */
export function setup(): () => void {
  const home = mkdtempSync(join(tmpdir(), "multi-edit-state-"));
  process.env.XDG_STATE_HOME = home;
  return () => rmSync(home, { recursive: true, force: true });
}
