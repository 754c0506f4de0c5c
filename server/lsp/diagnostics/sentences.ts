/** Sentences about the diagnostics of the editor's other language servers. */
import { clip, count } from "../../plan/failure.js";
import { oneLine } from "../../text/chars.js";
import { limits } from "../../text/limits.js";
import type { NewDiagnostic, NewDiagnostics } from "./protocol.js";

/** The sentences, for models. */
export const diagnosticSentences = {
  /** What is new after a call, in one line. `noun`: of one of them. */
  added({ new: shown, count: all, pending }: NewDiagnostics, noun: "error" | "problem"): string {
    const servers = [...new Set(shown.map(({ server }) => server))].join(", ");
    const told = shown.slice(0, limits.diagnosticsTold);
    const room = Math.floor(limits.diagnosticsText / told.length);
    const named = told.map((one) => sentenceFor(one, room));
    const more = all > named.length ? ` ${all - named.length} more.` : "";
    const silent =
      pending.length === 0 ? "" : ` ${pending.join(", ")} ${pending.length === 1 ? "has" : "have"} not answered.`;
    return `${count(all, `new ${noun}`)} (${servers}): ${named.join(" ")}${more}${silent}`;
  },
  /** For an editor that keeps the diagnostics of other servers to itself. */
  hidden: "This editor can't say whether a call causes errors.",
} as const;

function sentenceFor({ path, line, severity, message }: NewDiagnostic, room: number): string {
  const text = clip(oneLine(message, message.length) ?? "", room);
  const kind = severity === "error" ? "" : `${severity}: `;
  return `${path}:${line} ${kind}${text}${/[.…!?]$/.test(text) ? "" : "."}`;
}
