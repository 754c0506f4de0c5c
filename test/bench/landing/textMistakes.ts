/** Mistakes that only old and new texts can have, and edits made for a file that has changed since. */
import { dedentedBy } from "./damages.js";
import { type CaseMaker, isCertain, landing, type Planned, refusal } from "./landingCase.js";
import { asIs } from "./makers.js";
import type { Mistake } from "./mistakes.js";
import {
  drawEdits,
  type EditLine,
  endOf,
  isBlankLine,
  newLines,
  oldLines,
  placesOf,
  type RealEdit,
  withEdits,
} from "./realEdit.js";
import { type Sent, toSent } from "./sent.js";

/** The old text has lost its indentation; the new text is as the file needs it. */
export const onlyOldDedented: Mistake = (edit) => {
  const cut = dedentedBy(oldLines(edit));
  return cut === undefined ? undefined : { ...textsOf(cut(oldLines(edit)), newLines(edit)) };
};

/**
 * The old text has lost its indentation; the new text is as the file needs it, with further lines at its end that are one
 * level above all others.
 */
export const onlyOldDedentedShallower: CaseMaker = (ground) => {
  const { chance, version } = ground;
  const [drawn] = drawEdits(chance, version, 1);
  const unit = " ".repeat(version.indent ?? 0);
  if (drawn === undefined || unit === "") return undefined;
  const cut = dedentedBy(oldLines(drawn));
  const least = leastIndent([...oldLines(drawn), ...newLines(drawn)]);
  if (cut === undefined || !least.startsWith(unit)) return undefined;
  const shallow = ["", `${least.slice(unit.length)}shallower(${chance.below(1_000)}) {`, `${least}inside();`];
  const edit: RealEdit = {
    ...drawn,
    lines: [...drawn.lines, ...shallow.map((text): EditLine => ({ kind: "add", text }))],
  };
  const sent = textsOf(cut(oldLines(edit)), newLines(edit));
  const planned = [{ sent, edit, sought: oldLines(edit) }];
  return isCertain(version, planned) ? { ...landing(ground, planned), faulty: 0 } : undefined;
};

const leastIndent = (lines: readonly string[]): string =>
  lines
    .filter((line) => !isBlankLine(line))
    .map((line) => /^ */.exec(line)?.[0] ?? "")
    .reduce((a, b) => (b.length < a.length ? b : a), " ".repeat(100));

/** All levels have another width than in the file: two spaces for four, or four for two. */
export const otherWidth: Mistake = (edit, { version: { indent } }) => {
  const all = [...oldLines(edit), ...newLines(edit)].filter((line) => !isBlankLine(line));
  if (indent === undefined || all.some((line) => (/^ */.exec(line)?.[0].length ?? 0) % indent !== 0)) return undefined;
  const depths = new Set(
    oldLines(edit)
      .filter((line) => !isBlankLine(line))
      .map((line) => levelsOf(line, indent)),
  );
  // Lines of one depth may as well have lost indentation, and a single line may be indented by mistake.
  const indented = oldLines(edit).filter((line) => /^ +\S/.test(line));
  if (depths.size < 2 || indented.length < 2) return undefined;
  const other = (line: string): string =>
    isBlankLine(line) ? line : " ".repeat(levelsOf(line, indent) * (6 - indent)) + line.trimStart();
  return toSent({ lines: edit.lines.map(({ kind, text }) => ({ kind, text: other(text) })) }, { ended: false });
};

/** Both texts are indented with tabs and have lost a level, in a file that is indented with spaces. */
export const tabsAndDedented: Mistake = (edit, { version: { indent } }) => {
  if (indent === undefined) return undefined;
  const all = [...oldLines(edit), ...newLines(edit)];
  const isWhole = all.every((line) => ((/^ */.exec(line)?.[0].length ?? 0) % indent) % 2 === 0);
  const levels = Math.min(...all.filter((line) => !isBlankLine(line)).map((line) => levelsOf(line, indent)));
  if (!isWhole || levels === 0 || new Set(all.map((line) => levelsOf(line, indent))).size < 2) return undefined;
  const other = (line: string): string => {
    const own = levelsOf(line, indent);
    return own === 0 ? line : "\t".repeat(own - 1) + line.slice(own * indent);
  };
  return textsOf(oldLines(edit).map(other), newLines(edit).map(other));
};

const levelsOf = (line: string, indent: number): number => Math.floor((/^ */.exec(line)?.[0].length ?? 0) / indent);

/** Both texts begin with an empty line that the file does not have there. */
export const emptyLineBefore: Mistake = (edit, { version }) =>
  edit.start > 0 && version.lines[edit.start - 1] === ""
    ? undefined
    : textsOf(["", ...oldLines(edit)], ["", ...newLines(edit)]);

/** Both texts end with an empty line that the file does not have there. */
export const emptyLineAfter: Mistake = (edit, { version }) =>
  (version.lines[endOf(edit)] ?? "") === ""
    ? undefined
    : textsOf([...oldLines(edit), "", ""], [...newLines(edit), "", ""]);

/** Only the old text includes the line ending of its last line, and the line below is not empty. */
export const lineEndInOldOnly: Mistake = (edit, { version }) =>
  // Otherwise, the texts are an undamaged edit that removes an empty line.
  (version.lines[endOf(edit)] ?? "") === "" ? undefined : textsOf([...oldLines(edit), ""], newLines(edit));

/** The lines of the old text begin with line numbers as this server's own failures show them. */
export const numbersOfFailures: Mistake = (edit, { chance }) => {
  const numbered = (lines: readonly string[]): string[] => lines.map((line, i) => `${edit.start + 1 + i}| ${line}`);
  return textsOf(numbered(oldLines(edit)), chance.percent(50) ? numbered(newLines(edit)) : newLines(edit));
};

function textsOf(old: readonly string[], next: readonly string[]): Sent {
  return { oldText: old.join("\n"), newText: next.join("\n"), hunk: undefined };
}

/** The new text alone is dedented; it is written as it was sent, since nobody can know that this was not intended. */
export const onlyNewDedented: CaseMaker = (ground) => {
  const [edit] = drawEdits(ground.chance, ground.version, 1);
  const cut = edit && dedentedBy(newLines(edit));
  if (edit === undefined || cut === undefined) return undefined;
  const next = cut(newLines(edit));
  const lines: EditLine[] = [
    ...oldLines(edit).map((text): EditLine => ({ kind: "remove", text })),
    ...next.map((text): EditLine => ({ kind: "add", text })),
  ];
  const sent = textsOf(oldLines(edit), next);
  return landing(ground, [{ sent, edit: { start: edit.start, lines }, sought: oldLines(edit) }]);
};

/** Both texts end with a line ending, but the file ends without one after the lines of the edit. */
export const lineEndMissingInFile: CaseMaker = (ground) => {
  const [edit] = drawEdits(ground.chance, ground.version, 1);
  if (edit === undefined || newLines(edit).at(-1) === "" || oldLines(edit).at(-1) === "") return undefined;
  const version = { ...ground.version, lines: ground.version.lines.slice(0, endOf(edit)), isEnded: false };
  const planned = [{ sent: toSent(edit, { ended: true }), edit, sought: oldLines(edit) }];
  return isCertain(version, planned) ? landing({ ...ground, version }, planned) : undefined;
};

/** The new text has a comment for code that it leaves out, and the old text has that code. */
export const elidedNew: CaseMaker = (ground) => {
  const { chance, version } = ground;
  const edits = drawEdits(chance, version, chance.between(1, 3));
  const index = chance.below(Math.max(1, edits.length));
  const edit = edits[index];
  if (edit === undefined || !edit.lines.some(({ kind }) => kind === "remove")) return undefined;
  const [old, next] = [oldLines(edit), newLines(edit)];
  const inner = next.flatMap((line, i) => (i > 0 && i < next.length - 1 && !isBlankLine(line) ? [i] : []));
  if (inner.length < 2) return undefined;
  const indent = /^\s*/.exec(next[1] ?? "")?.[0] ?? "";
  const mark = chance.pick(["// ... existing code ...", "# ... rest of the code unchanged ...", "/* ... */"]);
  const sent = textsOf(old, [next[0] ?? "", indent + mark, next.at(-1) ?? ""]);
  const planned = edits.map((one, i): Planned => (i === index ? { sent, edit, sought: old } : asIs(ground, one)));
  if (!isCertain(version, planned)) return undefined;
  return refusal(ground, planned, { reason: "leftOutCode", index });
};

/** One of the edits is sent twice; it is done once. */
export const editTwice: CaseMaker = (ground) => {
  const { chance, version } = ground;
  const edits = drawEdits(chance, version, chance.between(1, 3));
  if (edits.length === 0) return undefined;
  const planned = edits.map((edit) => asIs(ground, edit));
  const twice = chance.pick(planned);
  // The new lines must not contain the old ones, because the second edit would then be a change of its own.
  const next = newLines(twice.edit as RealEdit);
  if (placesOf(twice.sought, next) > 0 || !isCertain(version, planned)) return undefined;
  return landing(ground, [...planned, twice], {}, edits);
};

/** An edit whose old and new text are the same: alone, it must be refused; beside others, it is left out, and these land. */
export const sameTexts =
  (isAlone: boolean): CaseMaker =>
  (ground) => {
    const { chance, version } = ground;
    const edits = drawEdits(chance, version, isAlone ? 1 : chance.between(2, 4));
    const index = chance.below(Math.max(1, edits.length));
    if (edits.length < (isAlone ? 1 : 2)) return undefined;
    const planned = edits.map((edit, i): Planned => {
      const { sent, ...more } = asIs(ground, edit);
      return i === index ? { ...more, sent: { ...sent, newText: sent.oldText } } : { ...more, sent };
    });
    if (!isCertain(version, planned)) return undefined;
    if (!isAlone) return landing(ground, planned, {}, edits.toSpliced(index, 1));
    // The place does not matter, because nothing was to be changed there.
    return { ...refusal(ground, planned, { reason: "sameText", index }), places: [undefined] };
  };

/** The file has changed near the edit since the model read it, so that its context has older lines. */
export const staleContext: CaseMaker = (ground) => {
  const { chance, version } = ground;
  const at = chance.below(version.hunks.length);
  const [target, done] = [version.hunks[at], version.hunks[chance.percent(50) ? at + 1 : at - 1]];
  if (target === undefined || done === undefined) return undefined;
  const [first, second] = done.start < target.start ? [done, target] : [target, done];
  if (second.start - endOf(first) > 6) return undefined;
  const context = chance.between(1, 3);
  const [from, to] = [Math.max(0, first.start - context), Math.min(version.lines.length, endOf(second) + context)];
  const keep = (lines: readonly string[]): EditLine[] => lines.map((text) => ({ kind: "keep", text }));
  const asChanged = (hunk: RealEdit): readonly EditLine[] => (hunk === target ? hunk.lines : keep(newLines(hunk)));
  const asSent = (hunk: RealEdit): readonly EditLine[] => (hunk === target ? hunk.lines : keep(oldLines(hunk)));
  const around = (change: (hunk: RealEdit) => readonly EditLine[]): EditLine[] => [
    ...keep(version.lines.slice(from, first.start)),
    ...change(first),
    ...keep(version.lines.slice(endOf(first), second.start)),
    ...change(second),
    ...keep(version.lines.slice(endOf(second), to)),
  ];
  const now = { ...version, lines: withEdits(version.lines, [done]) };
  const edit = { start: from, lines: around(asChanged) };
  const sent = toSent({ lines: around(asSent) }, { ended: chance.percent(40) });
  const isAbsent = /\w{3}/.test(sent.oldText) && placesOf(sent.oldText.split("\n"), now.lines) === 0;
  const planned = [{ sent, edit, sought: oldLines(edit) }];
  return isAbsent && isCertain(now, planned)
    ? { ...landing({ ...ground, version: now }, planned), faulty: 0 }
    : undefined;
};

/** The file has changed elsewhere since the model read it; the line numbers that it sends are the old ones. */
export const changedElsewhere: CaseMaker = (ground) => {
  const { chance, version, door } = ground;
  const edits = drawEdits(chance, version, 3);
  const target = edits.at(-1);
  const done = edits.slice(0, -1);
  if (target === undefined || done.length === 0) return undefined;
  const moved = done.reduce((sum, edit) => sum + newLines(edit).length - oldLines(edit).length, 0);
  const edit = { ...target, start: target.start + moved };
  const numbered = door === "batch" || door === "patch" ? { line: target.start + 1 } : {};
  const sent = { ...toSent(target, { ended: chance.percent(40) }), ...numbered };
  const now = { ...version, lines: withEdits(version.lines, done) };
  const planned = [{ sent, edit, sought: oldLines(edit) }];
  return isCertain(now, planned) ? landing({ ...ground, version: now }, planned) : undefined;
};
