/** Mistakes that only patches can have: signs, anchors, the order of hunks, markers, and the patch's own form. */
import type { Chance } from "../../codex/random.js";
import { type CaseMaker, isCertain, type LandingCase, landing, type Planned, refusal } from "./landingCase.js";
import { asIs } from "./makers.js";
import type { Mistake } from "./mistakes.js";
import {
  addedLines,
  drawEdits,
  type EditLine,
  endOf,
  isBlankLine,
  newLines,
  oldLines,
  placesOf,
  type RealEdit,
} from "./realEdit.js";
import { type Sent, signed, toSent } from "./sent.js";
import type { Version } from "./sources.js";

/** A hunk whose lines are not simply signed. */
const written = (edit: RealEdit, lines: readonly string[]): Sent => ({
  ...toSent(edit, { ended: false }),
  hunkText: ["@@", ...lines],
});

/** One added line lacks its sign, or has a space instead. */
export const plusMissing =
  (instead: "" | " "): Mistake =>
  (edit, { chance }) => {
    const added = edit.lines.flatMap(({ kind, text }, i) => (kind === "add" && !isBlankLine(text) ? [i] : []));
    if (added.length === 0) return undefined;
    const at = chance.pick(added);
    return written(edit, signed(edit.lines).with(at, instead + (edit.lines[at]?.text ?? "")));
  };

/** The lines of context lack the space that is their sign. */
export const contextUnsigned: Mistake = (edit) => {
  const lines = edit.lines.map((line) => (line.kind === "keep" ? line.text : (signed([line])[0] ?? "")));
  // A line that begins with a sign of its own would be a change.
  const isRead = edit.lines.every(({ kind, text }) => kind !== "keep" || !/^(?:[-+@]|\*\*\* )/.test(text));
  return isRead ? written(edit, lines) : undefined;
};

/** All lines, or only those of context, have one more space than their signs need. */
export const spaceAfterSigns =
  (which: "all" | "context"): Mistake =>
  (edit) => {
    const isMeant = ({ kind, text }: EditLine): boolean => (which === "all" || kind === "keep") && !isBlankLine(text);
    return written(edit, signed(edit.lines.map((line) => (isMeant(line) ? { ...line, text: ` ${line.text}` } : line))));
  };

/** The old lines have lost their indentation; the new ones are as the file needs them. */
export const oldLinesTrimmed: Mistake = (edit) => {
  const trimmed = edit.lines.map((line) => (line.kind === "add" ? line : { ...line, text: line.text.trimStart() }));
  const isChanged = trimmed.some(({ text }, i) => text !== edit.lines[i]?.text);
  return isChanged ? written(edit, signed(trimmed)) : undefined;
};

/** The hunk has lost a level of its indentation, and it adds a block after one of its lines, which opens a block. */
export const dedentedWithBlock: CaseMaker = (ground) => {
  const { chance, version } = ground;
  const { indent, lines } = version;
  if (indent === undefined) return undefined;
  const depthOf = (line: string): number => /^ */.exec(line)?.[0].length ?? 0;
  const openers = lines.flatMap((line, i) => {
    const next = lines[i + 1] ?? "";
    const isOpen =
      !isBlankLine(line) && !isBlankLine(next) && depthOf(line) >= indent && depthOf(next) === depthOf(line) + indent;
    return isOpen && /[{([:]$/.test(line) ? [i] : [];
  });
  if (openers.length === 0) return undefined;
  const at = chance.pick(openers);
  const context = lines.slice(at + 1, at + 1 + chance.between(2, 4));
  const inside = " ".repeat(depthOf(lines[at + 1] ?? ""));
  const added = [`${inside}added(${chance.below(1_000)}) {`, `${inside}${" ".repeat(indent)}inside();`, `${inside}}`];
  const keep = (text: string): EditLine => ({ kind: "keep", text });
  const edit: RealEdit = {
    start: at,
    lines: [keep(lines[at] ?? ""), ...added.map((text): EditLine => ({ kind: "add", text })), ...context.map(keep)],
  };
  const least = Math.min(...[...oldLines(edit), ...added].filter((line) => !isBlankLine(line)).map(depthOf));
  if (least < indent || placesOf(oldLines(edit), lines) !== 1) return undefined;
  const cut = (text: string): string => text.slice(indent);
  const sent = toSent({ lines: edit.lines.map(({ kind, text }) => ({ kind, text: cut(text) })) }, { ended: false });
  const planned = [{ sent, edit, sought: oldLines(edit) }];
  return isCertain(version, planned) ? { ...landing(ground, planned), faulty: 0 } : undefined;
};

/** Each line begins with its number in a file view. */
export const linesNumbered: Mistake = (edit) => {
  let line = edit.start;
  return written(
    edit,
    edit.lines.map((one) => `${signed([one])[0]?.[0]}${one.kind === "add" ? line : ++line}\t${one.text}`),
  );
};

/** Gives the hunk an anchor that `anchorFor` makes; `undefined` if it can't make one. */
export const anchored =
  (anchorFor: (edit: RealEdit, chance: Chance, version: Version) => string | undefined): Mistake =>
  (edit, { chance, version }) => {
    const anchor = anchorFor(edit, chance, version);
    return anchor === undefined || anchor.trim() === "" ? undefined : { ...toSent(edit, { ended: false }), anchor };
  };

/** The beginning of one of the lines above, up to the end of a word; no line of the file is equal to it. */
export const cutAnchor = (edit: RealEdit, chance: Chance, { lines }: Version): string | undefined => {
  const whole = lineAbove(edit, chance, lines)?.trim();
  const ends = [...(whole ?? "").matchAll(/\w\b/g)].map(({ index }) => index + 1).slice(1, -1);
  if (whole === undefined || ends.length === 0) return undefined;
  const anchor = whole.slice(0, chance.pick(ends));
  const starting = lines.filter((line) => line.trim().startsWith(anchor)).length;
  return starting === 1 && !isLine(lines, anchor) ? anchor : undefined;
};

/** One of the lines above, without its indentation; that line occurs once. */
export const unindentedAnchor = (edit: RealEdit, chance: Chance, { lines }: Version): string | undefined => {
  const whole = lineAbove(edit, chance, lines);
  return whole !== undefined && /^\s/.test(whole) && placesOf([whole], lines) === 1 ? whole.trim() : undefined;
};

/** A line with a number, or a sentence, which is no line of the file. */
export const proseAnchor = (edit: RealEdit, chance: Chance, { lines }: Version): string | undefined => {
  const n = edit.start + chance.between(-2, 3);
  const word = lineAbove(edit, chance, lines)?.match(/\w{4,}/)?.[0] ?? "code";
  const anchor = chance.pick([
    `line ${n}`,
    `lines ${n}-${n + 4}`,
    `in ${word}`,
    `Update the ${word} part`,
    `... ${word}`,
  ]);
  return isLine(lines, anchor) ? undefined : anchor;
};

/** A line that occurs only below the hunk. */
export const anchorBelow = (edit: RealEdit, chance: Chance, { lines }: Version): string | undefined => {
  const below = lines.slice(endOf(edit), endOf(edit) + 60).filter((line) => /\w{3}.*\w{3}/.test(line));
  const anchor = below.length === 0 ? undefined : chance.pick(below);
  return anchor !== undefined && placesOf([anchor], lines) === 1 ? anchor.trimEnd() : undefined;
};

/** The first of the hunk's own lines, which occurs elsewhere, too, if `repeated` is `true`. */
export const ownLineAnchor =
  (repeated: boolean) =>
  (edit: RealEdit, _chance: Chance, { lines }: Version): string | undefined => {
    const [first = ""] = oldLines(edit);
    return /\w/.test(first) && placesOf([first], lines) > 1 === repeated ? first.trimEnd() : undefined;
  };

function lineAbove(edit: RealEdit, chance: Chance, lines: readonly string[]): string | undefined {
  const above = lines.slice(Math.max(0, edit.start - 40), edit.start).filter((line) => /\w{3}.*\w{3}/.test(line));
  return above.length === 0 ? undefined : chance.pick(above);
}

const isLine = (lines: readonly string[], text: string): boolean => lines.some((line) => line.trim() === text.trim());

/** A patch in which a hunk changes nothing: its lines are the result, as context, or the same on both sides. */
export const changingNothing =
  (form: "result" | "twice"): CaseMaker =>
  (ground) => {
    const { chance, version } = ground;
    const [edit] = drawEdits(chance, version, 1);
    if (edit === undefined || addedLines(edit).every(isBlankLine)) return undefined;
    const result = newLines(edit).map((text): EditLine => ({ kind: "keep", text }));
    const twice = edit.lines.flatMap((line): EditLine[] =>
      line.kind === "keep" ? [line] : line.kind === "add" ? [{ kind: "remove", text: line.text }, line] : [],
    );
    const sent = toSent({ lines: form === "result" ? result : twice }, { ended: false });
    if (placesOf(newLines(edit), version.lines) > 0) return undefined;
    return refusal(ground, [{ sent, edit, sought: [] }], { reason: "changesNothing", index: 0 });
  };

/** Several hunks, arranged by `arrange`, which returns `undefined` if they can't be. */
export const arranged =
  (arrange: (sent: readonly Planned[], version: Version) => readonly Planned[] | undefined): CaseMaker =>
  (ground) => {
    const { chance, version } = ground;
    const edits = drawEdits(chance, version, chance.between(2, 4));
    const planned = edits.map((edit) => asIs(ground, edit));
    const sent = edits.length < 2 ? undefined : arrange(planned, version);
    return sent && isCertain(version, planned) ? landing(ground, sent, {}, edits) : undefined;
  };

/** The last hunk first. */
export const reversed = (planned: readonly Planned[]): Planned[] => [...planned].reverse();

/** The last hunk in a section of its own. */
export const inTwoSections = (planned: readonly Planned[]): Planned[] =>
  planned.map((one, i) => (i === planned.length - 1 ? { ...one, sent: { ...one.sent, section: 1 } } : one));

/** The last hunk twice. */
export const lastTwice = (planned: readonly Planned[]): Planned[] => [...planned, ...planned.slice(-1)];

/** The first two hunks as one, without the lines between them. */
export const merged = ([first, second, ...more]: readonly Planned[], { lines }: Version): Planned[] | undefined => {
  const hunk = [...(first?.sent.hunk ?? []), ...(second?.sent.hunk ?? [])];
  if (first === undefined || placesOf(oldLines({ lines: hunk }), lines) > 0) return undefined;
  return [{ ...first, sent: { ...first.sent, hunk } }, ...more];
};

/** Changes the text of a patch; returns `undefined` if the patch leaves no room for that. */
type Reform = (patch: string, ground: { readonly path: string; readonly chance: Chance }) => string | undefined;

/** A patch of undamaged hunks whose text is changed by `reform`; it lands, or is refused if a reason is given. */
export const reformed =
  (reform: Reform, reason?: "patchSyntax"): CaseMaker =>
  (ground) => {
    const { chance, version } = ground;
    const edits = drawEdits(chance, version, chance.between(1, 3));
    const planned = edits.map((edit) => asIs(ground, edit));
    if (edits.length === 0 || !isCertain(version, planned)) return undefined;
    const made: LandingCase =
      reason === undefined
        ? landing(ground, planned)
        : { ...refusal(ground, planned, { reason, index: 0 }), places: [] };
    const patch = reform((made.call as { patch: string }).patch, { path: version.path, chance });
    return patch === undefined ? undefined : { ...made, call: { patch } };
  };

const lastLine = "*** End Patch\n";

/** Ways to change the text of a patch. */
export const reforms = {
  noEnd: (patch) => patch.slice(0, -lastLine.length),
  noBegin: (patch) => patch.slice(patch.indexOf("\n") + 1),
  fenced: (patch) => `Here is the patch:\n\n\`\`\`diff\n${patch}\`\`\`\n\nIt changes what you asked for.\n`,
  gitHeaders: (patch, { path }) =>
    patch.replace(/(\*\*\* Update File: .*\n)/, (line) => `${line}--- a/${path}\n+++ b/${path}\n`),
  unified: (patch, { path }) => `--- a/${path}\n+++ b/${path}\n${patch.split("\n").slice(2, -2).join("\n")}\n`,
  bareEnd: (patch) => patch.replace(lastLine, `@@\n${lastLine}`),
  anchorEnd: (patch, { chance }) =>
    patch.replace(lastLine, `@@ ${chance.pick(["export", "}", "end of file"])}\n${lastLine}`),
  onlyHeaders: (patch) => patch.replace(/^@@.*\n/gm, "").replace(/^[-+ ]/gm, "@@ "),
  /** Ends after a removed or an added line that is not the last line of its hunk. */
  cutOff: (patch, { chance }) => {
    const lines = patch.split("\n");
    const ends = lines.flatMap((line, i) => (/^[-+]/.test(line) && /^[-+ ]/.test(lines[i + 1] ?? "") ? [i + 1] : []));
    return ends.length === 0 ? undefined : `${lines.slice(0, chance.pick(ends)).join("\n")}\n`;
  },
} as const satisfies Record<string, Reform>;

/** Undamaged edits, in any shape, that name the file in another way. */
export const pathSpelt =
  (spell: (path: string) => string): CaseMaker =>
  (ground) => {
    const { chance, version } = ground;
    const planned = drawEdits(chance, version, chance.between(1, 3)).map((edit) => asIs(ground, edit));
    const path = spell(version.path);
    if (planned.length === 0 || path === version.path || !isCertain(version, planned)) return undefined;
    const made = landing({ ...ground, version: { ...version, path } }, planned);
    return { ...made, path: version.path, isRenamed: true };
  };
