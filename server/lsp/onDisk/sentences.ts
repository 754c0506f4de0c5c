/** Sentences about files that other programs change on disk. */
import { clip, count, quote } from "../../plan/failure.js";
import type { Lines } from "../../plan/views/view.js";
import { limits } from "../../text/limits.js";
import type { DiskReport } from "./reports.js";

/** Names at most three runs of lines, 1-based. */
function linesText(lines: readonly Lines[]): string {
  const runs = lines.slice(0, 3).map(({ from, to }) => (to - from > 1 ? `${from + 1}-${to}` : `${from + 1}`));
  const more = lines.length > runs.length ? " and others" : "";
  const isOne = runs.length === 1 && lines[0]!.to - lines[0]!.from <= 1;
  return `${isOne ? "line" : "lines"} ${runs.join(", ")}${more}`;
}

/** The messages, as people read them; `path` is relative to the workspace folder. */
export const diskSentences = {
  /** The label of the edit that a merge makes. */
  label: (path: string): string => `Changes on disk: ${path}`,
  /** The question about a merge. */
  question: (path: string): string => `Merge what another program wrote to ${path} into your unsaved text?`,
  one: (report: DiskReport): string => clip(sentenceFor(report), limits.noticeText),
  /** One message about several files: how many were taken over, and which were not. */
  several(reports: readonly DiskReport[]): string {
    const isTaken = ({ kind }: DiskReport): boolean => kind === "merged" || kind === "loaded";
    const taken = reports.filter(isTaken).length;
    const others = reports.filter((report) => !isTaken(report));
    const conflicts = others.filter(({ kind }) => kind === "conflict").length;
    const parts = [
      ...(taken > 0 ? [`${count(taken, "file")} taken over from disk`] : []),
      ...(conflicts > 0 ? [`${count(conflicts, "conflict")}`] : []),
      ...(others.length > conflicts ? [`${count(others.length - conflicts, "other message")}`] : []),
    ];
    const details = others.slice(0, 3).map(sentenceFor);
    return clip([`${parts.join(", ")}.`, ...details].join(" "), limits.noticeText);
  },
} as const;

function sentenceFor(report: DiskReport): string {
  const name = quote(report.path);
  switch (report.kind) {
    case "merged":
      return `${name} has changed on disk; the changes are now in your unsaved text. Undo takes them out.`;
    case "loaded":
      return `${name} has changed on disk and was loaded again.`;
    case "mergeUndone":
      return `You have undone what another program wrote to ${name}: your next save takes it out of the file.`;
    case "missing":
      return `${name} no longer exists on disk. The editor keeps its text; saving makes the file again.`;
    case "stale":
      return `${name} has changed on disk, and the editor still shows the old text. Load it again, such as with :reload.`;
    case "unmerged":
      return `${name} has changed on disk, and has unsaved text here: saving would overwrite what was written to the file.`;
    case "refused":
      return `${name} has changed on disk, and the editor did not take the changes into its unsaved text.`;
    case "conflict":
      return report.lines.length === 0
        ? `${name} is now empty on disk. Your unsaved text is kept: saving writes it.`
        : `${name} has changed on disk where you have unsaved text, at ${linesText(report.lines)}. Nothing was changed here.`;
    case "unreadable":
      return `${name} has changed on disk and can't be loaded. ${report.reason}`;
    case "overwritten":
      return report.keptAt === undefined
        ? `Your save of ${name} has replaced what another program wrote to it, which was never merged.`
        : `Your save of ${name} has replaced what another program wrote to it, which was never merged. It is kept for 7 days in ${quote(report.keptAt)}.`;
  }
}
