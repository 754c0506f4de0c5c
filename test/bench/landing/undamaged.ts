/**
 * Calls without any damage, made of the differences between two versions of a file, in the way `git diff` shows them.
 * Unlike the other cases, they may be ambiguous: a line may occur often, and so may an anchor.
 */
import type { Chance } from "../../codex/random.js";
import { type CaseMaker, type LandingCase, landing, type Planned } from "./landingCase.js";
import { type EditLine, endOf, isBlankLine, newLines, oldLines, type RealEdit } from "./realEdit.js";
import { type Door, toSent } from "./sent.js";
import type { Version } from "./sources.js";

/** The context and the clues that undamaged edits are sent with. */
export interface Clues {
  /** Lines of context on both sides; the default is drawn from 1 to 3 for each call. */
  readonly context?: number;
  /** The line after `@@`: as `git diff` chooses it, or the nearest line above with less indentation. */
  readonly anchor?: "git" | "enclosing";
  /** `true` if each edit gives its line number, or its hunk the line numbers of a unified diff. */
  readonly isNumbered?: boolean;
  /** `true` if the edits are in any order. */
  readonly isShuffled?: boolean;
}

/** Makes calls with one to eight of a file's changes, or all of them if there are no more. */
export function undamaged({ context, anchor, isNumbered = false, isShuffled = false }: Clues): CaseMaker {
  return ({ chance, version, door }) => {
    const lines = context ?? chance.between(1, 3);
    const changes = chance.percent(50) && version.hunks.length <= mostChanges ? version.hunks : someOf(chance, version);
    const edits = withGitContext(version, changes, lines);
    const isClean = edits.every((edit) => isSendable(edit, version, door));
    if (!isClean || (isShuffled && edits.length < 2)) return undefined;
    let moved = 0;
    const planned = edits.map((edit): Planned => {
      const above = anchor && anchorOf(edit, version, anchor);
      const line = edit.start + 1;
      const numbers = isNumbered ? { line, newLine: line + moved } : {};
      moved += newLines(edit).length - oldLines(edit).length;
      const ended = chance.percent(40) && (version.isEnded || endOf(edit) < version.lines.length);
      const sent = { ...toSent(edit, { ended }), ...(above === undefined ? {} : { anchor: above }), ...numbers };
      return { sent, edit, sought: oldLines(edit) };
    });
    if (anchor !== undefined && planned.every(({ sent }) => sent.anchor === undefined)) return undefined;
    const made = landing({ version, door }, isShuffled ? shuffledBy(chance, planned) : planned);
    const isAll = changes === version.hunks && version.isComplete;
    if (isAll && (!("text" in made.expected) || made.expected.text !== version.after))
      throw new Error(`the edits of ${version.path} do not lead to its newer version`);
    return made;
  };
}

/** Calls as `undamaged` makes them, each with the changes of two files. */
export function undamagedFiles(clues: Clues): CaseMaker {
  const make = undamaged(clues);
  return (ground) => {
    const version = ground.chance.pick(ground.files).version();
    if (version === undefined || version.path === ground.version.path) return undefined;
    const [one, other] = [make(ground), make({ ...ground, version })];
    if (one === undefined || other === undefined || !("text" in other.expected)) return undefined;
    const { path, before, expected } = other;
    return { ...one, call: joined(one, other), besides: [{ path, before, after: expected.text }] };
  };
}

/** One call with the edits of two: a patch with their sections, or a batch whose edits have paths of their own. */
function joined(...cases: readonly LandingCase[]): unknown {
  if (cases[0]?.door === "patch") {
    const sections = cases.map(({ call }) => (call as { patch: string }).patch.split("\n").slice(1, -2));
    return { patch: ["*** Begin Patch", ...sections.flat(), "*** End Patch", ""].join("\n") };
  }
  const edits = cases.map(({ path, call }) => (call as { edits: object[] }).edits.map((edit) => ({ path, ...edit })));
  return { edits: edits.flat() };
}

/** Edits to a file that ends without a line ending; it stays so. */
export const unendedFile: CaseMaker = (ground) => {
  const last = ground.version.lines.length;
  const version = { ...ground.version, isEnded: false, isComplete: false };
  const hunks = version.hunks.filter((hunk) => endOf(hunk) + 3 < last);
  return hunks.length === 0 ? undefined : undamaged({ context: 3 })({ ...ground, version: { ...version, hunks } });
};

const mostChanges = 8;

function someOf(chance: Chance, { hunks }: Version): RealEdit[] {
  const count = Math.min(hunks.length, chance.between(1, mostChanges));
  const chosen = new Set(Array.from({ length: count }, () => chance.pick(hunks)));
  return hunks.filter((hunk) => chosen.has(hunk));
}

/** Surrounds changes with context; those whose context would touch become one edit, as in `git diff`. */
export function withGitContext({ lines }: Version, changes: readonly RealEdit[], context: number): RealEdit[] {
  const groups: RealEdit[][] = [];
  for (const change of changes) {
    const group = groups.at(-1);
    const former = group?.at(-1);
    if (group !== undefined && former !== undefined && change.start - endOf(former) <= 2 * context) group.push(change);
    else groups.push([change]);
  }
  const kept = (from: number, to: number): EditLine[] =>
    lines.slice(from, to).map((text): EditLine => ({ kind: "keep", text }));
  return groups.map((group) => {
    const start = Math.max(0, (group[0]?.start ?? 0) - context);
    let at = start;
    const inside = group.flatMap((change) => {
      const part = [...kept(at, change.start), ...change.lines];
      at = endOf(change);
      return part;
    });
    return { start, lines: [...inside, ...kept(at, Math.min(lines.length, at + context))] };
  });
}

/**
 * Reports whether an edit can be sent: it has old lines and, as old and new text, neither of these is empty. At the end
 * of a file without a final line ending, an edit can't say whether the file shall have one.
 */
function isSendable(edit: RealEdit, { lines, isEnded }: Version, door: Door): boolean {
  const isText = (some: readonly string[]): boolean => some.some((line) => !isBlankLine(line));
  const says = door === "patch" ? oldLines(edit).length > 0 : isText(oldLines(edit)) && isText(newLines(edit));
  return says && (isEnded || endOf(edit) < lines.length);
}

function anchorOf({ start, lines }: RealEdit, version: Version, which: "git" | "enclosing"): string | undefined {
  const above = version.lines.slice(0, start);
  // The rule of `git diff` for files of which it does not know the language.
  if (which === "git") return above.findLast((line) => /^[A-Za-z_$]/.test(line))?.trimEnd();
  const first = lines.find(({ text }) => !isBlankLine(text))?.text ?? "";
  const depth = depthOf(first);
  return above.findLast((line) => /\w/.test(line) && depthOf(line) < depth)?.trimEnd();
}

const depthOf = (line: string): number => /^\s*/.exec(line)?.[0].length ?? 0;

function shuffledBy(chance: Chance, planned: readonly Planned[]): Planned[] {
  const order = [...planned];
  for (let i = order.length - 1; i > 0; i--) {
    const j = chance.below(i + 1);
    [order[i], order[j]] = [order[j] as Planned, order[i] as Planned];
  }
  return order;
}
