/** A strict editor that reviews changes: it draws hunks itself, or is told of them by diagnostics. */
import type { HistoryResult, MultiEditResult, ReviewHunk, ReviewResult } from "../../server/lsp/protocol.js";
import { announced, friend, ownStateHome, type Peer } from "./agentPeer.js";
import type { Program } from "./build.js";
import type { DeskOptions } from "./desk.js";
import { layPatchDesk, type PatchDesk } from "./patchDocument.js";

/** An editor with the hunks that it was told of. */
export interface ReviewDesk extends PatchDesk {
  /** The hunks of all files that the editor was told of last: `a.txt:2-3 pending "old" > "new"`. */
  hunks(): string[];
  /** The hunks that the server lists; `params`: those of `multiEdit/review`. */
  list(params?: object): Promise<ReviewHunk[]>;
  history(): Promise<HistoryResult["calls"]>;
  /** Sends a request of the review, or an undo. */
  ask(method: string, params?: object): Promise<MultiEditResult>;
}

/** Describes a hunk on one line. */
function shownHunk({ uri, kind, range: { start, end }, state, oldText, newText }: ReviewHunk): string {
  const name = decodeURIComponent(uri.slice(uri.lastIndexOf("/") + 1));
  if (kind !== "text") return `${name} ${kind} ${state}`;
  const lines =
    start.line === end.line ? `${start.line + 1}-` : `${start.line + 1}-${end.line + (end.character > 0 ? 1 : 0)}`;
  return `${name}:${lines} ${state} ${JSON.stringify(oldText)} > ${JSON.stringify(newText)}`;
}

/** The capabilities of an editor that draws hunks itself, except for those that the desk adds. */
const draws = { experimental: { multiEdit: { review: true } } };

const basic = {
  textDocument: { publishDiagnostics: {} },
  window: { showDocument: { support: true } },
};

/** Lays a desk. `isDrawn`: `false` for an editor that gets diagnostics. */
export async function layReviewDesk(
  program: Program,
  options: DeskOptions = {},
  { isDrawn = true } = {},
): Promise<ReviewDesk> {
  const capabilities = { ...basic, ...(isDrawn ? draws : {}), ...options.capabilities };
  const settings = { save: "never", ...(isDrawn ? {} : { review: "hints" }), ...Object(options.settings) };
  const desk = await layPatchDesk(program, { ...options, capabilities, settings });
  const told = new Map<string, readonly ReviewHunk[]>();
  desk.editor.connection.onNotification(
    "multiEdit/didChangeReview",
    ({ uri, hunks }: { readonly uri: string; readonly hunks: readonly ReviewHunk[] }) => void told.set(uri, hunks),
  );
  return {
    ...desk,
    hunks: () => [...told.values()].flat().map(shownHunk),
    list: async (params) => ((await desk.editor.request("multiEdit/review", params ?? {})) as ReviewResult).hunks,
    history: async () => ((await desk.editor.request("multiEdit/history", {})) as HistoryResult).calls,
    ask: async (method, params) => (await desk.editor.request(method, params)) as MultiEditResult,
  };
}

/** Lays a desk to which an agent is connected, which calls `multiEdit/apply` with `apply`. */
export async function withAgent(lay: () => Promise<ReviewDesk>, name = "claude-code") {
  const home = ownStateHome();
  const desk = await lay();
  const [session] = await announced(home);
  const peer: Peer = await friend(session, { name, version: "1", agent: "a".repeat(32) });
  let asked = 0;
  const ask = async (method: string, params?: object) => {
    const { result, error } = await peer.ask(`r${++asked}`, method, { ...params });
    return { result: result as MultiEditResult & { readonly note?: string }, error };
  };
  return { desk, session, ask, apply: (params: object) => ask("multiEdit/apply", params) };
}
