/** An agent and a real editor of one user. */
import { existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import type { Stage as Desk } from "../editors/stage.js";
import { builtServer } from "../support/wireServer.js";
import type { AgentKind } from "./agent.js";
import { type Conversation, type HookForm, layStage } from "./stage.js";

/** Has an agent work in the project of an editor's stage. `hook`: the form in which its hook is set up, if it is. */
export async function workBeside<T>(
  desk: Desk,
  { kind, hook }: { readonly kind: AgentKind; readonly hook?: HookForm },
  play: (conversation: Conversation) => Promise<T>,
): Promise<T> {
  const stage = await layStage(kind, builtServer, hook);
  // Both belong to one user, whose sessions are announced in one folder.
  const state = join(desk.session.home, ".local/state");
  expect(existsSync(join(state, "multi-edit-language-server"))).toBe(true);
  rmSync(stage.state, { recursive: true, force: true });
  mkdirSync(dirname(stage.state), { recursive: true });
  symlinkSync(state, stage.state);
  try {
    return await stage.converse(desk.folder, play);
  } finally {
    await stage.close();
  }
}
