/** Keeps what servers remember of their users out of the home of whoever runs the tests. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Called once before all tests; what it gives is called after them. */
export function setup(): () => void {
  const home = mkdtempSync(join(tmpdir(), "multi-edit-state-"));
  process.env.XDG_STATE_HOME = home;
  return () => rmSync(home, { recursive: true, force: true });
}
