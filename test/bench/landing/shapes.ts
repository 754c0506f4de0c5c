/** The shapes in which agents send one change: a part of a line, whole lines, lines with context, or a patch. */
import type { Call, Meant, Part } from "./calls.js";
import type { Site } from "./typings.js";
import { words } from "./words.js";

/** A shape of a call. */
export interface Shape {
  readonly name: string;
  /** The changed words, the changed lines, or these with lines of context. */
  readonly extent: "words" | "lines" | "context";
  readonly form: Call["form"];
  /** `true` if old and new text end with a line ending; patches have no such choice. */
  readonly isEnded: boolean;
  /** `true` if the call has the edit's line number, as a field or in the hunk header. */
  readonly isHinted: boolean;
}

/** Shapes for a change within one line. */
export const wordShapes: readonly Shape[] = [
  { name: "fragment", extent: "words", form: "edits", isEnded: false, isHinted: false },
  { name: "fragment, line", extent: "words", form: "edits", isEnded: false, isHinted: true },
];

/** Shapes for all changes. */
export const lineShapes: readonly Shape[] = [
  { name: "whole lines", extent: "lines", form: "edits", isEnded: false, isHinted: false },
  { name: "whole lines, ended", extent: "lines", form: "edits", isEnded: true, isHinted: false },
  { name: "whole lines, line", extent: "lines", form: "edits", isEnded: false, isHinted: true },
  { name: "whole lines, ended, line", extent: "lines", form: "edits", isEnded: true, isHinted: true },
  { name: "with context", extent: "context", form: "edits", isEnded: false, isHinted: false },
  { name: "with context, line", extent: "context", form: "edits", isEnded: true, isHinted: true },
  { name: "patch, @@, no context", extent: "lines", form: "patch", isEnded: false, isHinted: false },
  { name: "patch, @@", extent: "context", form: "patch", isEnded: false, isHinted: false },
  { name: "patch, @@ -n,m", extent: "context", form: "patch", isEnded: false, isHinted: true },
];

/** The changed words of a line, with as many around them as their author needs to name them. */
export interface Fragment {
  readonly from: string;
  readonly to: string;
}

/**
 * The changed words of a line. More words are added, but never the whole line, until there are some before and after
 * the change, and `names` accepts the old ones; `undefined` if that can't be done.
 */
export function fragmentOf(older: string, newer: string, names: (from: string) => boolean): Fragment | undefined {
  const [old, next] = [words(older), words(newer)];
  let head = 0;
  while (head < Math.min(old.length, next.length) && old[head] === next[head]) head++;
  let tail = 0;
  while (tail < Math.min(old.length, next.length) - head && old.at(-1 - tail) === next.at(-1 - tail)) tail++;
  for (let widened = 0; head + tail > 0; widened++) {
    const [from, to] = [old, next].map((some) => some.slice(head, some.length - tail).join("")) as [string, string];
    if (from.trim() !== "" && to.trim() !== "" && names(from)) return { from, to };
    if (tail > 0 && (widened % 2 === 0 || head === 0)) tail--;
    else head--;
  }
  return undefined;
}

/** The lines of context that a shape has. */
export const contextOf = ({ extent }: Shape, context: number): number => (extent === "context" ? context : 0);

/** The call by which a change is sent in a shape. `context`: the number of lines on each side. */
export function callOf(site: Site, shape: Shape, context: number, fragment: Fragment | undefined): Call {
  const { lines, at, removed, added } = site;
  const more = contextOf(shape, context);
  const part =
    (kind: Part["kind"]) =>
    (line: Part["line"]): Part => ({ kind, line });
  const parts = [
    ...lines.slice(at - more, at).map(part("keep")),
    ...lines.slice(at, at + removed).map(part("remove")),
    ...added.map(part("add")),
    ...lines.slice(at + removed, at + removed + more).map(part("keep")),
  ];
  const start = at - more;
  const edit: Meant = { at: start, parts, isEnded: shape.isEnded || parts.at(-1)?.line.text.trim() === "" };
  if (shape.extent === "words") return { form: "edits", edits: [{ ...edit, word: fragment, ...hintOf(shape, start) }] };
  if (shape.form === "edits") return { form: "edits", edits: [{ ...edit, ...hintOf(shape, start) }] };
  const size = 2 * more;
  const range = `-${start + 1},${removed + size} +${start + 1},${added.length + size} @@`;
  return { form: "patch", edits: [{ ...edit, anchor: shape.isHinted ? range : undefined }] };
}

const hintOf = ({ isHinted }: Shape, start: number): { readonly line?: number } =>
  isHinted ? { line: start + 1 } : {};
