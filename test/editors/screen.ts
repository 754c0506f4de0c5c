/** The screen of a program in a terminal, as cells with colours, and its picture as SVG. */
import { setTimeout as delay } from "node:timers/promises";
import xterm from "@xterm/headless";

/** A run of characters with the same colours. */
export interface Run {
  readonly text: string;
  /** CSS colours; `undefined`: the terminal's own. */
  readonly color: string | undefined;
  readonly background: string | undefined;
  readonly isBold: boolean;
}

/** A screen at one moment: its rows from the top, and the cursor's 0-based column and row. */
export interface Shot {
  readonly rows: readonly (readonly Run[])[];
  readonly cursor: readonly [column: number, row: number];
}

/** A screen that shows what a program prints. */
export interface Screen {
  /** Shows more output. */
  print(output: string): Promise<void>;
  shoot(): Shot;
}

/** Returns an empty screen; `columns` and `rows` are its size in cells. */
export function createScreen(columns: number, rows: number): Screen {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  return {
    print: (output) => new Promise((resolve) => terminal.write(output, resolve)),
    shoot() {
      const buffer = terminal.buffer.active;
      const shot = Array.from({ length: rows }, (_, row) => runsOf(buffer.getLine(buffer.viewportY + row), columns));
      return { rows: shot, cursor: [buffer.cursorX, buffer.cursorY] };
    },
  };
}

type Line = ReturnType<xterm.IBuffer["getLine"]>;
type Cell = NonNullable<ReturnType<NonNullable<Line>["getCell"]>>;

function runsOf(line: Line, columns: number): Run[] {
  const runs: Run[] = [];
  for (let column = 0; column < columns; column++) {
    const cell = line?.getCell(column);
    // The second cell of a wide character has no characters.
    if (cell === undefined || cell.getWidth() === 0) continue;
    const run = runOf(cell);
    const last = runs.at(-1);
    const isSame = last?.color === run.color && last?.background === run.background && last?.isBold === run.isBold;
    if (last !== undefined && isSame) runs[runs.length - 1] = { ...last, text: last.text + run.text };
    else runs.push(run);
  }
  return runs;
}

function runOf(cell: Cell): Run {
  const front = colorOf(cell.getFgColor(), cell.isFgRGB(), cell.isFgPalette());
  const back = colorOf(cell.getBgColor(), cell.isBgRGB(), cell.isBgPalette());
  const [color, background] = cell.isInverse() ? [back ?? colors.back, front ?? colors.front] : [front, back];
  return { text: cell.getChars() || " ", color, background, isBold: cell.isBold() !== 0 };
}

/** The terminal's own colours. */
const colors = { front: "#e0e2ea", back: "#14161b", cursor: "#9b9ea4" } as const;

const named = [
  ...["#07080d", "#ffc0b9", "#b3f6c0", "#fce094", "#a6dbff", "#ffcaff", "#8cf8f7", "#eef1f8"],
  ...["#4f5258", "#ffc0b9", "#b3f6c0", "#fce094", "#a6dbff", "#ffcaff", "#8cf8f7", "#eef1f8"],
];

function colorOf(value: number, isRgb: boolean, isPalette: boolean): string | undefined {
  if (isRgb) return `#${value.toString(16).padStart(6, "0")}`;
  if (!isPalette) return undefined;
  if (value < 16) return named[value];
  if (value >= 232) return hex(Array.from({ length: 3 }, () => 8 + (value - 232) * 10));
  const cube = value - 16;
  return hex([Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map((level) => level && 55 + level * 40));
}

const hex = (levels: readonly number[]): string =>
  `#${levels.map((level) => level.toString(16).padStart(2, "0")).join("")}`;

/** The text of a screen, without spaces at the ends of lines. */
export const textOf = ({ rows }: Shot): string =>
  rows
    .map((runs) =>
      runs
        .map(({ text }) => text)
        .join("")
        .trimEnd(),
    )
    .join("\n");

/** Waits until a screen shows all of these texts and has not changed for a while; returns the screen's text. */
export async function whenShown(screen: Screen, texts: readonly string[]): Promise<string> {
  let last = "";
  for (const end = performance.now() + 10_000; performance.now() < end; await delay(100)) {
    const text = textOf(screen.shoot());
    if (text === last && texts.every((one) => text.includes(one))) return text;
    last = text;
  }
  throw new Error(`not on the screen: ${texts.join("; ")}; but\n${last}`);
}

/** One picture of a sequence. */
export interface Frame {
  /** A sentence below the screen. */
  readonly caption: string;
  readonly shot: Shot;
  /** The time for which it is shown. */
  readonly seconds: number;
}

/** Pixels. */
const size = { cell: 8.4, row: 18, font: 14, margin: 12 } as const;

/**
 * Draws frames that follow one another, without end. A reader that shows no animations, or whose user wants none, shows
 * the frame `still`.
 */
export function svgOf(frames: readonly Frame[], { columns, still }: { columns: number; still: number }): string {
  const rows = frames[0]?.shot.rows.length ?? 0;
  const [width, height] = [columns * size.cell + 2 * size.margin, (rows + 2) * size.row + 2 * size.margin];
  const total = frames.reduce((sum, { seconds }) => sum + seconds, 0);
  let start = 0;
  const rules = frames.map(({ seconds }, index) => {
    const [from, to] = [(100 * start) / total, (100 * (start + seconds)) / total];
    start += seconds;
    const before = index === 0 ? "" : `0%{visibility:hidden}${percent(from)}{visibility:visible}`;
    const after = index === frames.length - 1 ? "" : `${percent(to)},100%{visibility:hidden}`;
    const first = index === 0 ? "0%{visibility:visible}" : "";
    return `@keyframes k${index}{${first}${before}${after}}.f${index}{animation:k${index} ${total}s step-end infinite}`;
  });
  const style = `text{font:${size.font}px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre;fill:${colors.front}}
.caption{font-family:system-ui,sans-serif;fill:#fff}
.f{visibility:hidden}.f${still}{visibility:visible}
@media (prefers-reduced-motion:no-preference){${rules.join("\n")}}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escaped(frames.map(({ caption }) => caption).join(" "))}</title>
<style>${style}</style>
<rect width="100%" height="100%" rx="8" fill="${colors.back}"/>
${frames.map((frame, index) => frameOf(frame, index)).join("\n")}
</svg>
`;
}

const percent = (value: number): string => `${Math.round(value * 100) / 100}%`;

function frameOf({ caption, shot }: Frame, index: number): string {
  const rows = shot.rows.map((runs, row) => rowOf(runs, row));
  const [column, row] = shot.cursor;
  const [x, y] = [size.margin + column * size.cell, size.margin + row * size.row];
  const cursor = `<rect x="${round(x)}" y="${y}" width="${size.cell}" height="${size.row}" fill="${colors.cursor}" opacity="0.6"/>`;
  const below = size.margin + (shot.rows.length + 1.4) * size.row;
  const words = `<text class="caption" x="${size.margin}" y="${round(below)}">${escaped(caption)}</text>`;
  return `<g class="f f${index}">\n${[...rows, cursor, words].filter((part) => part !== "").join("\n")}\n</g>`;
}

function rowOf(runs: readonly Run[], row: number): string {
  const y = size.margin + row * size.row;
  let column = 0;
  const parts = runs.map(({ text, color, background, isBold }) => {
    const [x, width] = [round(size.margin + column * size.cell), round(text.length * size.cell)];
    column += text.length;
    const box =
      background === undefined
        ? ""
        : `<rect x="${x}" y="${y}" width="${width}" height="${size.row}" fill="${background}"/>`;
    const style = `${color === undefined ? "" : ` style="fill:${color}"`}${isBold ? ' font-weight="bold"' : ""}`;
    const shown = text.trimEnd();
    const words =
      shown === ""
        ? ""
        : `<text x="${x}" y="${y + size.font}" textLength="${round(shown.length * size.cell)}"${style} xml:space="preserve">${escaped(shown)}</text>`;
    return box + words;
  });
  return parts.join("");
}

const round = (value: number): number => Math.round(value * 10) / 10;

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
