/** The messages that a user sees at an editor which does not show calls itself. Each is one line. */
import { clip, count, quote } from "../../plan/failure.js";
import { limits } from "../../text/limits.js";
import { agentText, filesText, type ShownFile } from "../sentences.js";

/** Names the agents; "You" if the user sent the call. */
function whoText(agents: readonly (string | undefined)[]): string {
  const names = [...new Set(agents)].map((name) => (name === undefined ? "You" : agentText(name)));
  return names.length > 2 ? count(names.length, "agent") : names.join(" and ");
}

/**
 * The end of a question that the user has not answered in the editor: answered from a shell, not answered in time, or
 * withdrawn, because nobody waits for the answer any more.
 */
export type QuestionEnd = "answered" | "expired" | "withdrawn";

/** Parts of the messages, and whole messages. `agents` has one entry for each call; `undefined` is the user. */
export const notices = {
  applied: (agents: readonly (string | undefined)[], files: readonly ShownFile[]): string =>
    `${whoText(agents)} changed ${filesText(files)}${agents.length > 1 ? ` in ${agents.length} calls` : ""}`,
  undone: (agents: readonly (string | undefined)[], files: readonly ShownFile[]): string =>
    `${whoText(agents)} undid ${agents.length > 1 ? `${agents.length} calls` : "a call"}: ${filesText(files)}`,
  /** `problem`: the message of the last call that failed. */
  failed: (agents: readonly (string | undefined)[], problem: string): string => {
    const [only] = agents;
    const calls = agents.length > 1 ? `${agents.length} calls of ${whoText(agents)} failed; the last: ` : "";
    return `${calls === "" && only !== undefined ? `A call of ${agentText(only)} failed: ` : calls}${clip(problem, 160)}`;
  },
  howToUndo: (calls: number): string => `To undo ${calls > 1 ? "the last call" : "it"}, run: multi-edit undo`,
  withdrawn: (label: string, end: QuestionEnd): string =>
    end === "answered"
      ? `The question about ${quote(label)} has been answered from a shell: an answer here no longer counts.`
      : `The question about ${quote(label)} has ${end === "expired" ? "expired" : "been withdrawn"}: its answer no longer counts, and nothing was changed.`,
  /** Joins the parts into one message. */
  joined: (parts: readonly string[]): string =>
    clip(parts.map((part) => (/[.…]$/.test(part) ? part : `${part}.`)).join(" "), limits.noticeText),
} as const;
