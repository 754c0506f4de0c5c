/** One text with what searching it needs, each built once, when first asked for. */
import { trimEnd, trimStart } from "../text/chars.js";
import { LineIndex, type LineRule } from "../text/lines.js";
import { Folded, type FoldOptions } from "./fold.js";
import { type LineFold, LineTable } from "./lineTable.js";

/** How lines are compared where whole lines are sought: without blanks at their ends, or at both sides. */
export type LineKey = "trimmedEnd" | "trimmed";

/** The lines of a text as numbers: equal lines have equal numbers. */
export interface LineKeys {
  /** By line, 0-based, counting CRLF, CR and LF alike. */
  readonly keys: Int32Array;
  readonly keyOf: ReadonlyMap<string, number>;
}

/** A text to be searched for many old texts. */
export class TextIndex {
  private readonly folds = new Map<string, Folded>();
  private readonly lineTables = new Map<LineFold, LineTable>();
  private readonly lineKeys = new Map<LineKey, LineKeys>();
  private ownLines: LineIndex | undefined;
  private anyLines: LineIndex | undefined;

  constructor(
    readonly text: string,
    /** What the document's editor takes for a line. */
    readonly rule: LineRule,
  ) {}

  /** The lines as the document's editor counts them: for answers and for new lines' ends. */
  get lines(): LineIndex {
    this.ownLines ??= LineIndex.of(this.text, this.rule);
    return this.ownLines;
  }

  /** The lines as matching counts them, where a lone CR is a line end like any other. */
  get matchedLines(): LineIndex {
    this.anyLines ??= this.rule.loneCrEndsLine ? this.lines : LineIndex.of(this.text, { loneCrEndsLine: true });
    return this.anyLines;
  }

  /** The whole text with something folded away. */
  folded(options: FoldOptions): Folded {
    const name = `${options.trailingBlanks} ${options.typography}`;
    const folded = this.folds.get(name) ?? Folded.of(this.text, options);
    this.folds.set(name, folded);
    return folded;
  }

  /** `matchedLines` under a fold, for finding runs of whole lines. */
  lineTable(fold: LineFold): LineTable {
    const table = this.lineTables.get(fold) ?? new LineTable(this.matchedLines, fold);
    this.lineTables.set(fold, table);
    return table;
  }

  /** `matchedLines` as numbers. */
  keys(key: LineKey): LineKeys {
    const known = this.lineKeys.get(key);
    if (known !== undefined) return known;
    const lines = this.matchedLines;
    const keyOf = new Map<string, number>();
    const keys = new Int32Array(lines.lineCount);
    for (let line = 0; line < keys.length; line++) {
      const content = keyText(this.text, lines.start(line), lines.contentEnd(line), key);
      const number = keyOf.get(content) ?? keyOf.size;
      keyOf.set(content, number);
      keys[line] = number;
    }
    this.lineKeys.set(key, { keys, keyOf });
    return { keys, keyOf };
  }
}

/** What of the line `[from, to)` is compared. */
export function keyText(text: string, from: number, to: number, key: LineKey): string {
  const end = trimEnd(text, from, to);
  return text.slice(key === "trimmed" ? trimStart(text, from, end) : from, end);
}
