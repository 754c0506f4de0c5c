/** Tells where the edit of a patch would land, while the pointer is on it. */
import type { CancellationToken } from "vscode-languageserver/node";
import type { Session } from "../session.js";
import type { FoundPatch } from "./find.js";
import { type Deed, foreseePatch } from "./foresight.js";
import { landingText } from "./sentences.js";

/** A text about some lines (0-based) of a document. */
export interface LinesText extends Pick<Deed, "from" | "to"> {
  readonly text: string;
}

/** Returns the text about the edit on a line (0-based) of a patch: where it would land, or why it would not. */
export async function hoverAt(
  session: Session,
  { patch, line }: { readonly patch: FoundPatch; readonly line: number },
  token: CancellationToken,
): Promise<LinesText | undefined> {
  const { deeds, outcomes, problems, isSound } = await foreseePatch(session, patch, token);
  const covers = ({ from, to }: Pick<Deed, "from" | "to">): boolean => from <= line && line <= to;
  const deed = deeds.find(covers);
  const problem = problems.find(covers) ?? (deed === undefined ? problems[0] : undefined);
  if (problem !== undefined) return { from: problem.from, to: problem.to, text: problem.failure.message };
  const outcome = outcomes.find(({ index }) => index === deed?.index);
  if (deed === undefined || outcome === undefined) return undefined;
  return { from: deed.from, to: deed.to, text: landingText(deed, outcome, !isSound) };
}
