/** Runs one case through the core and judges the outcome. */
import { decodeCall } from "../../../server/dialect/decode.js";
import type { RungName } from "../../../server/match/rungs.js";
import type { Failure } from "../../../server/plan/failure.js";
import { planBatch } from "../../../server/plan/plan.js";
import { toEnd } from "../../../server/text/lines.js";
import { documentAt, snapshotOf, textAfter } from "../../support/planning.js";
import type { Reason } from "./breakages.js";
import type { Expected, LandingCase, LineSpan } from "./landingCase.js";

/** The verdict on a case. */
export interface Verdict {
  readonly outcome: "right" | "refused" | "wrong";
  /** For a refusal, `true` if it names the location where the edit belongs; `undefined` if the edit belongs nowhere. */
  readonly pointsAtPlace?: boolean;
  /** For a required refusal, `true` if the reason is right and only the faulty edit is blamed. */
  readonly isReasonRight?: boolean;
  /** The file's text afterwards; `undefined` if the call was refused. */
  readonly text: string | undefined;
  readonly failures: readonly Failure[];
  /** The rungs of all edits that were not refused. */
  readonly rungs: readonly RungName[];
}

/** Runs a case. Throws if the call cannot be decoded, which would be a bug in the benchmark. */
export function judge(one: LandingCase): Verdict {
  const decoded = decodeCall(one.call, { optionsAllowed: false });
  if (!decoded.ok) throw new Error(`${one.path}: ${decoded.failures[0]?.message}\n${JSON.stringify(one.call)}`);
  const document = documentAt(one.path, one.before);
  const planned = toEnd(
    planBatch(decoded.operations, snapshotOf([document]), {
      atomic: "all",
      order: decoded.defaultOrder,
      lenient: true,
      overwrite: false,
    }),
  );
  const rungs = planned.outcomes.flatMap(({ rung }) => rung ?? []);
  if (planned.ok) {
    const text = textAfter(planned, document);
    const isRight = "text" in one.expected && text === one.expected.text;
    return { outcome: isRight ? "right" : "wrong", text, failures: [], rungs };
  }
  const { failures } = planned;
  const blamed = "reason" in one.expected ? one.expected.index : (failures[0]?.index ?? 0);
  const failure = failures.find(({ index }) => index === blamed);
  const place = one.places[blamed];
  const points =
    place === undefined
      ? {}
      : { pointsAtPlace: failure !== undefined && pointsAt(failure, place, one.sentLines[blamed] ?? 1) };
  const isReasonRight = (expected: Extract<Expected, { reason: Reason }>): boolean =>
    failure !== undefined && failures.length === 1 && reasons[expected.reason](failure, expected);
  return {
    outcome: "refused",
    ...points,
    ...("reason" in one.expected ? { isReasonRight: isReasonRight(one.expected) } : {}),
    text: undefined,
    failures,
    rungs,
  };
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
  blankLine: saying(/empty line/),
  escaped: saying(/escap|HTML entities/),
  wrongWord: differing(/the text differs/),
  wrongAnchor: saying(/anchor/),
  case: differing(/letter case/),
  quotes: differing(/quotes/),
  innerBlanks: differing(/whitespace within the line/),
  indentation: differing(/indentation/),
  viewNumbers: saying(/line numbers/),
  elision: saying(/left-out/),
  ambiguous: ({ code }) => code === "ambiguousMatch",
  alreadyApplied: ({ code }) => code === "alreadyApplied",
  consumed: ({ code }) => code === "consumed" || code === "overlap",
};
