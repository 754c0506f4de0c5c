/** Runs one case through the core and judges the outcome. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { decodeCall } from "../../../server/dialect/decode.js";
import type { RungName } from "../../../server/match/rungs.js";
import type { Failure } from "../../../server/plan/failure.js";
import type { Operation } from "../../../server/plan/operation.js";
import type { Planned } from "../../../server/plan/outcome.js";
import { planBatch } from "../../../server/plan/plan.js";
import type { Snapshot } from "../../../server/plan/snapshot.js";
import { toEnd } from "../../../server/text/lines.js";
import { createDocuments } from "../../../server/workspace/documents.js";
import { uriOfPath } from "../../../server/workspace/pathText.js";
import { takeSnapshot } from "../../../server/workspace/takeSnapshot.js";
import { documentAt, snapshotOf } from "../../support/planning.js";
import type { Reason } from "./breakages.js";
import type { Expected, LandingCase, LineSpan } from "./landingCase.js";
import { suffices } from "./suffices.js";

/** The verdict on a case. */
export interface Verdict {
  readonly outcome: "right" | "refused" | "wrong";
  /** For a refusal, `true` if it names the location where the edit belongs; `undefined` if the edit belongs nowhere. */
  readonly pointsAtPlace?: boolean;
  /**
   * For a refusal that leaves the model to correct the text of an edit that belongs somewhere: `true` if the message
   * alone suffices for that.
   */
  readonly suffices?: boolean;
  /** For a required refusal, `true` if the reason is right and only the faulty edit is blamed. */
  readonly isReasonRight?: boolean;
  /** The file's text afterwards; `undefined` if the call was refused. */
  readonly text: string | undefined;
  readonly failures: readonly Failure[];
  /** The rungs of all edits that were not refused. */
  readonly rungs: readonly RungName[];
}

/** Runs a case. */
export async function judge(one: LandingCase): Promise<Verdict> {
  const decoded = decodeCall(one.call, { optionsAllowed: false });
  if (!decoded.ok) return refused(one, decoded.failures, []);
  const planned = toEnd(
    planBatch(decoded.operations, await snapshotFor(one, decoded.operations), {
      atomic: "all",
      order: decoded.defaultOrder,
      lenient: true,
      overwrite: false,
    }),
  );
  const rungs = planned.outcomes.flatMap(({ rung }) => rung ?? []);
  if (!planned.ok) return refused(one, planned.failures, rungs);
  const texts = textsAfterwards(planned, one);
  const text = texts?.get(one.path);
  const { expected, besides = [] } = one;
  const areRight = besides.every(({ path, after }) => texts?.get(path) === after);
  const isRight = "text" in expected && text === expected.text && areRight;
  return { outcome: isRight ? "right" : "wrong", text, failures: [], rungs };
}

/** The texts of the case's files after the call, by path; `undefined` if the call changed another file. */
function textsAfterwards(
  planned: Extract<Planned, { ok: true }>,
  { before, path, besides = [] }: LandingCase,
): Map<string, string> | undefined {
  const texts = new Map([[path, before], ...besides.map((file) => [file.path, file.before] as const)]);
  for (const { document, text } of planned.files) {
    if (!texts.has(document.path)) return undefined;
    texts.set(document.path, text);
  }
  return texts;
}

/**
 * The snapshot that the call is planned against: the case's files as open documents. If the call names the file in
 * another way, it is also on disk, in a workspace folder that is removed again.
 */
async function snapshotFor(
  { path, before, besides = [], isRenamed }: LandingCase,
  operations: readonly Operation[],
): Promise<Snapshot> {
  if (isRenamed !== true)
    return snapshotOf([{ path, before }, ...besides].map((file) => documentAt(file.path, file.before)));
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "multi-edit-landing-")));
  try {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), before);
    const openTexts = createDocuments();
    openTexts.open(uriOfPath(join(folder, path)), 1, before, { loneCrEndsLine: true });
    return await takeSnapshot(operations, {
      folders: [{ uri: uriOfPath(folder), path: folder }],
      additionalFolders: [],
      gates: [],
      openTexts,
      loneCrEndsLine: true,
      habits: { syncsLf: false, endsLastLine: false },
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function refused(one: LandingCase, failures: readonly Failure[], rungs: readonly RungName[]): Verdict {
  const { expected, places, sentLines } = one;
  const blamed = "reason" in expected ? expected.index : (one.faulty ?? failures[0]?.index ?? 0);
  const failure = failures.find(({ index }) => index === blamed);
  const place = places[blamed];
  const isText = failures[0] === undefined || !isFormal(failures[0]);
  const points = place !== undefined && isText;
  const sent = sentLines[blamed] ?? [];
  const enough =
    points && failure !== undefined && needsText(failure, one)
      ? suffices(failure, { before: one.before, place, sent })
      : undefined;
  return {
    outcome: "refused",
    ...(points ? { pointsAtPlace: failure !== undefined && pointsAt(failure, place, sent.length) } : {}),
    ...(points && failure === undefined ? { suffices: false } : enough === undefined ? {} : { suffices: enough }),
    ...("reason" in expected ? { isReasonRight: isReasonRight(expected, failures) } : {}),
    text: undefined,
    failures,
    rungs,
  };
}

/** Reports whether a failure is about the form of the call or about its path, before any text is searched. */
const isFormal = ({ code }: Failure): boolean =>
  ["patchSyntax", "fileNotFound", "ambiguousPath", "invalidParams", "missingPath"].includes(code);

/**
 * Reports whether the model must correct the text of the edit. It need not if the edit has been made already, by an
 * earlier call or by this one, or if its old and new text are the same.
 */
function needsText({ code }: Failure, { door }: LandingCase): boolean {
  if (code === "noChange") return door === "patch";
  return ["noMatch", "contextNotFound", "ambiguousMatch"].includes(code);
}

function isReasonRight(expected: Extract<Expected, { reason: Reason }>, failures: readonly Failure[]): boolean {
  const [failure, ...others] = failures;
  if (failure === undefined || others.length > 0) return false;
  const isBlamed = failure.index === expected.index || isFormal(failure);
  return isBlamed && reasons[expected.reason](failure, expected);
}

/**
 * Reports whether a failure points at a location: by a region that covers most of it, by a listed match, or by a line
 * within it.
 */
function pointsAt(failure: Failure, place: LineSpan, sentLines: number): boolean {
  const isIn = (line: number | undefined): boolean =>
    line !== undefined && line >= place.startLine && line <= place.endLine;
  const said = /occur(?: only)? at line (\d+)/.exec(failure.hint ?? "");
  if (said !== null && isIn(Number(said[1]))) return true;
  // The failure first says where the new text occurs, and then what else is nearby, in case that is not the intended
  // location.
  if (failure.code === "alreadyApplied" && isIn(failure.line)) return true;
  if (failure.nearest !== undefined) {
    const enough = (2 / 3) * Math.min(sentLines, place.endLine - place.startLine + 1);
    return failure.nearest.some(
      ({ startLine, endLine }) => Math.min(endLine, place.endLine) - Math.max(startLine, place.startLine) + 1 >= enough,
    );
  }
  if (failure.matches !== undefined) return failure.matches.some(({ line }) => line === place.startLine);
  return isIn(failure.line);
}

type ReasonTest = (failure: Failure, expected: Extract<Expected, { reason: Reason }>) => boolean;

const isAbsence = ({ code }: Failure): boolean => code === "noMatch" || code === "contextNotFound";

/** Tests whether a failure reports that the old text was not found and its message matches `words`. */
const saying =
  (words: RegExp): ReasonTest =>
  (failure) =>
    isAbsence(failure) && words.test(failure.message);

/**
 * Tests whether the description of a nearest region matches `words` and names the line at which the old text differs
 * and, if it names a column, the right column.
 */
const differing =
  (words: RegExp): ReasonTest =>
  (failure, { differsAt }) =>
    isAbsence(failure) &&
    (failure.nearest ?? []).some(({ startLine, endLine, difference }) => {
      const line = /^line (\d+)/.exec(difference)?.[1] ?? (startLine === endLine ? startLine : 0);
      const column = /column (\d+)/.exec(difference)?.[1];
      const isLine = Number(line) - 1 === differsAt?.line;
      return words.test(difference) && isLine && (column === undefined || Number(column) - 1 === differsAt?.column);
    });

/** For each reason, a test that recognizes it by the code and the wording of a failure. */
const reasons: Readonly<Record<Reason, ReasonTest>> = {
  absent: isAbsence,
  blankLine: saying(/empty line|blank line/),
  escaped: saying(/escap|HTML entities/),
  wrongWord: differing(/the text differs/),
  case: differing(/letter case/),
  quotes: differing(/quote/),
  viewNumbers: saying(/line numbers/),
  elision: saying(/left-out/),
  ambiguous: ({ code }) => code === "ambiguousMatch",
  alreadyApplied: ({ code }) => code === "alreadyApplied",
  consumed: ({ code }) => code === "consumed" || code === "overlap",
  sameText: ({ code }) => code === "noChange",
  changesNothing: ({ code, message }) =>
    code === "noChange" && /begins? with (?:a )?[`"]?- or|removes and adds the same/.test(message),
  patchSyntax: ({ code }) => code === "patchSyntax",
  leftOutCode: ({ code }) => String(code) === "leftOutCode",
};
