/** Sentences about files that other programs change on disk. */
import { clip, count, quote } from "../../plan/failure.js";
import type { Lines } from "../../plan/views/view.js";
import { limits } from "../../text/limits.js";
import type { ClientFacts } from "../clients.js";

/** The name shown for the writer of a file that no hook has named. */
export const anotherProgram = "Another program";

/** What has happened to one file. `path`: the canonical path. */
export type DiskReport = { readonly path: string } & (
  | { readonly kind: "merged" | "loaded" | "mergeUndone" | "missing" | "stale" | "unmerged" | "refused" }
  /** `lines`: as in a `FileMerge`; none if the file is empty on disk. */
  | { readonly kind: "conflict"; readonly lines: readonly Lines[] }
  /** `reason`: a sentence. */
  | { readonly kind: "unreadable"; readonly reason: string }
  /** A save has replaced a text on disk that was never merged. */
  | { readonly kind: "overwritten"; readonly keptAt: string | undefined }
);

/** Names at most three runs of lines, 1-based. */
function linesText(lines: readonly Lines[]): string {
  const runs = lines.slice(0, 3).map(({ from, to }) => (to - from > 1 ? `${from + 1}-${to}` : `${from + 1}`));
  const more = lines.length > runs.length ? " and others" : "";
  const isOne = runs.length === 1 && lines[0]!.to - lines[0]!.from <= 1;
  return `${isOne ? "line" : "lines"} ${runs.join(", ")}${more}`;
}

/** The client's commands for loading and merging a file. */
export type DiskCommands = Pick<ClientFacts, "loadCommand" | "mergeCommand">;

/** The messages, as people read them, short enough for one line; `path` is relative to the workspace folder. */
export const diskSentences = {
  /** The label of the edit that a merge makes. */
  label: (path: string): string => `Changes on disk: ${path}`,
  /** The label of what an agent has written with a tool of its own. */
  written: (path: string): string => `${path} (on disk)`,
  /** What the question about a merge is about, after "Apply". */
  question: (path: string): string => `what was written to ${path} to your unsaved text`,
  one: (report: DiskReport, commands: DiskCommands): string => clip(sentenceFor(report, commands), limits.noticeText),
  /** One message about several files: how many were taken over, and which were not. */
  several(reports: readonly DiskReport[], commands: DiskCommands): string {
    const isTaken = ({ kind }: DiskReport): boolean => kind === "merged" || kind === "loaded";
    const taken = reports.filter(isTaken).length;
    const others = reports.filter((report) => !isTaken(report));
    const countOf = (kind: DiskReport["kind"]): number => others.filter((one) => one.kind === kind).length;
    const [conflicts, stale] = [countOf("conflict"), countOf("stale")];
    const left = others.length - conflicts - stale;
    const parts = [
      ...(taken > 0 ? [`${count(taken, "file")} taken over from disk`] : []),
      ...(conflicts > 0 ? [`${count(conflicts, "conflict")}`] : []),
      ...(stale > 0 ? [`${count(stale, "file")} changed on disk and not loaded`] : []),
      ...(left > 0 ? [`${count(left, "other message")}`] : []),
    ];
    const details = others.slice(0, 3).map((report) => sentenceFor(report, commands));
    return clip([`${parts.join(", ")}.`, ...details].join(" "), limits.noticeText);
  },
} as const;

function sentenceFor(report: DiskReport, { loadCommand, mergeCommand }: DiskCommands): string {
  const name = quote(report.path);
  const merging = mergeCommand === undefined ? "" : ` ${mergeCommand} shows both.`;
  switch (report.kind) {
    case "merged":
      return `${name} changed on disk: merged into your unsaved text. Undo takes it out.`;
    case "loaded":
      return `${name} changed on disk and was loaded again.`;
    case "mergeUndone":
      return `${name}: you have undone what was merged; your next save takes it out of the file.`;
    case "missing":
      return `${name} is gone from the disk. The editor keeps its text; saving makes the file again.`;
    case "stale":
      return `${name} changed on disk; the editor shows the old text. ${loadCommand === undefined ? "Load it again." : `${loadCommand} loads it.`}`;
    case "unmerged":
      return `${name} changed on disk, and has unsaved text here, which a save would put in its place.${merging}`;
    case "refused":
      return `${name} changed on disk, but the editor did not take the changes into your unsaved text.${merging}`;
    case "conflict":
      return report.lines.length === 0
        ? `${name} is now empty on disk. Your unsaved text is kept; saving writes it.`
        : `${name}: not merged, you and the disk changed ${linesText(report.lines)}.${merging}`;
    case "unreadable":
      return `${name} changed on disk and can't be loaded. ${report.reason}`;
    case "overwritten": {
      const kept = report.keptAt === undefined ? "" : ` It is kept for 7 days: ${quote(report.keptAt)}`;
      return `Your save of ${name} has replaced what another program wrote, which was not merged.${kept}`;
    }
  }
}

/** Lines of the log. */
export const diskLog = {
  notMerged: (uri: string, kind: string) => `${uri}: the changes on disk were not merged (${kind})`,
  cameFrom: (uri: string, writer: string | undefined) => `${uri}: changed on disk by ${writer ?? "another program"}`,
  notAdopted: (uri: string) =>
    `${uri}: the client did not treat the file as read, so it may ask about it at the next save`,
} as const;
