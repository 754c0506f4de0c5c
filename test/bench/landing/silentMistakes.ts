/** Calls that once landed in the wrong place, or wrote what nobody meant, without a word about it. */
import { type CaseMaker, isCertain, landing, type Planned, refusal } from "./landingCase.js";
import { asIs, repeatedLines, startsOf } from "./makers.js";
import {
  addedLines,
  drawEdits,
  type EditLine,
  endOf,
  isBlankLine,
  isOnlyBlanks,
  newLines,
  oldLines,
  placesOf,
  type RealEdit,
} from "./realEdit.js";
import { toSent } from "./sent.js";

/**
 * The later of two hunks comes first, and the lines of the other one occur once more after it, further to the right. With
 * `isNumbered`, the hunks have line numbers.
 */
export const looserTwin =
  (isNumbered: boolean): CaseMaker =>
  (ground) => {
    const { chance, version } = ground;
    const [first, second] = drawEdits(chance, version, 2);
    if (first === undefined || second === undefined) return undefined;
    const planned = [second, first].map((edit): Planned => {
      const { sent, ...more } = asIs(ground, edit);
      return { ...more, sent: isNumbered ? { ...sent, line: edit.start + 1 } : sent };
    });
    if (!isCertain(version, planned)) return undefined;
    const twin = oldLines(first).map((line) => (isBlankLine(line) ? line : `    ${line}`));
    // A line of its own keeps the twin apart from the second hunk.
    const lines = version.lines.toSpliced(endOf(second), 0, "~~~", ...twin);
    return landing({ ...ground, version: { ...version, lines } }, planned);
  };

/** Lines that occur several times, and a line number that is that of none of them. */
export const numberOff: CaseMaker = (ground) => {
  const { chance, version } = ground;
  const edit = repeatedLines(ground, 50);
  if (edit === undefined || addedLines(edit).length === 0) return undefined;
  const line = edit.start + 1 + chance.pick([-3, -2, -1, 1, 2, 3]);
  if (line < 1 || startsOf(version, oldLines(edit)).includes(line - 1)) return undefined;
  const planned = [{ sent: { ...toSent(edit, { ended: false }), line }, edit, sought: oldLines(edit) }];
  return refusal(ground, planned, { reason: "ambiguous", index: 0 });
};

/** An edit that only inserts lines, with context on one side, in the file that it was made in. */
export const insertionAgain: CaseMaker = (ground) => {
  const { chance, version } = ground;
  const { start, lines: added } = chance.pick(version.hunks);
  const telling = added.filter(({ text }) => /\w/.test(text));
  const isTelling = telling.length > 1 || telling.some(({ text }) => text.trim().length >= 16);
  if (added.some(({ kind }) => kind !== "add") || !isTelling) return undefined;
  const keep = (from: number, to: number): EditLine[] =>
    version.lines.slice(Math.max(0, from), to).map((text) => ({ kind: "keep", text }));
  const context = chance.between(1, 3);
  const isBelow = chance.percent(50);
  const sent: RealEdit = isBelow
    ? { start, lines: [...added, ...keep(start, start + context)] }
    : { start: Math.max(0, start - context), lines: [...keep(start - context, start), ...added] };
  const now = {
    ...version,
    lines: version.lines.toSpliced(start, 0, ...added.map(({ text }) => text)),
  };
  const isSent = oldLines(sent).some((line) => /\w/.test(line)) && placesOf(oldLines(sent), now.lines) === 1;
  if (!isSent) return undefined;
  const there = newLines(sent).map((text): EditLine => ({ kind: "keep", text }));
  const planned = [
    { sent: toSent(sent, { ended: chance.percent(40) }), edit: { start: sent.start, lines: there }, sought: [] },
  ];
  return refusal({ ...ground, version: now }, planned, { reason: "alreadyApplied", index: 0 });
};

/** A placeholder for the lines of a block, which return further down, in a new block. */
export const omittedAndReturning: CaseMaker = (ground) => {
  const { chance, version } = ground;
  const opening = version.lines.flatMap((line, i) => (/\w.*[{(:]$/.test(line) ? [i] : []));
  if (opening.length === 0) return undefined;
  const start = chance.pick(opening);
  const old = version.lines.slice(start, start + chance.between(3, 8));
  const [head = "", ...body] = old;
  if (!body.some((line) => /\w{3}/.test(line)) || placesOf(old, version.lines) !== 1) return undefined;
  const indent = /^\s*/.exec(head)?.[0] ?? "";
  const added = [`${indent}  ${chance.pick(marks)}`, head.replace(/\w{3,}/, (word) => `${word}Too`)];
  if (added[1] === head) return undefined;
  const edit: RealEdit = {
    start,
    lines: [
      { kind: "keep", text: head },
      ...added.map((text): EditLine => ({ kind: "add", text })),
      ...body.map((text): EditLine => ({ kind: "keep", text })),
    ],
  };
  return refusal(ground, [asIs(ground, edit)], { reason: "leftOutCode", index: 0 });
};

const marks = ["// ... existing code ...", "# ... rest of the code unchanged ...", "/* ... */"];

/** A comment with an ellipsis, which the author means, between kept lines of an edit that removes other lines. */
export const meantEllipsis: CaseMaker = (ground) => {
  const { chance, version } = ground;
  const [edit] = drawEdits(chance, version, 1);
  if (edit === undefined || isOnlyBlanks(edit) || !edit.lines.some(({ kind }) => kind === "remove")) return undefined;
  const { lines } = edit;
  const inner = lines.flatMap(({ kind, text }, i) => {
    const above = lines[i - 1];
    const isBetween =
      kind === "keep" && above?.kind === "keep" && [text, above.text].every((line) => /\w{3}/.test(line));
    // A comment must not seem to be part of another change, or to begin a block.
    return isBetween && !/[{([:]$/.test(above.text) ? [i] : [];
  });
  const isOnce = (text: string): boolean => lines.filter((line) => line.text.trim() === text.trim()).length === 1;
  const at = inner.find((i) => isOnce(lines[i]?.text ?? "") && isOnce(lines[i - 1]?.text ?? ""));
  if (at === undefined) return undefined;
  const mark: EditLine = { kind: "add", text: chance.pick(["// ...", "# ... and so on", "/* ... */"]) };
  const planned = [asIs(ground, { ...edit, lines: lines.toSpliced(at, 0, mark) })];
  return isCertain(version, planned) ? landing(ground, planned) : undefined;
};
