/** Draws the figures of a run as an SVG: a bar and its limit for each goal, and curves of time against text size. */

import { machineLine, milliseconds, number, type Report, strain, type Worst, worstOf } from "./report.js";
import type { Curve } from "./result.js";
import { isMet, type Verdict, verdictOf } from "./result.js";

const width = 860;
const margin = 24;
const rowHeight = 38;
/** The x coordinates of a bar's start, its limit, and the point at which it is cut off. */
const bars = { from: margin, limit: 560, to: width - margin };
const plot = { left: 84, right: width - 150, height: 260 };

/** Colours that are legible on both white and black; some of them depend on the reader's colour scheme. */
const style = `<style>
  text { font: 13px system-ui, sans-serif; fill: #24292f; }
  .small { font-size: 11px; fill: #6e7781; }
  .title { font-size: 16px; font-weight: 600; }
  .axis { stroke: #8c959f; stroke-width: 1; fill: none; }
  .grid { stroke: #8c959f; stroke-opacity: 0.25; stroke-width: 1; fill: none; }
  .limit { stroke: #6e7781; stroke-width: 1.5; stroke-dasharray: 4 3; }
  .met { fill: #2da44e; }
  .missed { fill: #cf222e; }
  .unsure { fill: #8c959f; }
  .line { fill: none; stroke-width: 2.5; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .small { fill: #9198a1; }
  }
</style>`;

/** The whole picture. It has no background, so the page's background shows through. */
export function chartOf({ machine, command, cases }: Report): string {
  const goals = worstOf(cases);
  const curves = cases.flatMap((one) => one.curves ?? []);
  const barsTop = 84;
  const plotTop = barsTop + goals.length * rowHeight + 70;
  const height = curves.length === 0 ? plotTop - 40 : plotTop + plot.height + 60;
  const parts = [
    style,
    text(margin, 30, "Measured against its goals: the shorter the bar, the better", "title"),
    text(margin, 50, `${machineLine(machine)}: ${command}`, "small"),
    text(bars.limit, barsTop - 10, "goal", "small", "middle"),
    ...goals.map((goal, i) => barOf(goal, barsTop + i * rowHeight)),
    `<line class="limit" x1="${bars.limit}" y1="${barsTop - 4}" x2="${bars.limit}" y2="${barsTop + goals.length * rowHeight}"/>`,
    ...(curves.length === 0 ? [] : growthOf(curves, plotTop)),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(summaryOf(goals))}">\n${parts.join("\n")}\n</svg>\n`;
}

function summaryOf(goals: readonly Worst[]): string {
  const met = goals.filter(({ goal }) => isMet(goal)).length;
  return `${met} of ${goals.length} goals met`;
}

const barClass: Readonly<Record<Verdict, string>> = {
  met: "met",
  "NOT MET": "missed",
  "too busy to tell": "unsure",
};

/** Draws a goal's bar, cut off at the right margin if it is too long. */
function barOf({ title, goal, row }: Worst, top: number): string {
  const full = (bars.limit - bars.from) * strain(goal);
  const length = Math.min(Math.max(full, 2), bars.to - bars.from);
  const bound = `${goal.sense === "atMost" ? "at most" : "at least"} ${goal.limit}`;
  return [
    text(bars.from, top + 14, title),
    text(bars.to, top + 14, `${number(goal.value)} ${goal.measure} (${bound})`, "small", "end"),
    `<rect class="${barClass[verdictOf(goal, row)]}" x="${bars.from}" y="${top + 20}" width="${length.toFixed(1)}" height="9" rx="2"/>`,
  ].join("\n");
}

const colours = ["#2da44e", "#6e7781", "#bf8700", "#8250df"];

/**
 * Draws the growth curves. Both axes are logarithmic: linear growth is a straight line, and faster growth is steeper.
 */
function growthOf(curves: readonly Curve[], top: number): string[] {
  const points = curves.flatMap((curve) => curve.points);
  const sizes = points.map(({ size }) => size);
  const times = points.map(({ ms }) => ms);
  const [left, right] = [Math.min(...sizes), Math.max(...sizes)];
  const [low, high] = [
    10 ** Math.floor(Math.log10(Math.min(...times))),
    10 ** Math.ceil(Math.log10(Math.max(...times))),
  ];
  const bottom = top + plot.height;
  const x = (size: number): number => plot.left + (plot.right - plot.left) * share(size, left, right);
  const y = (ms: number): number => bottom - plot.height * share(ms, low, high);
  const parts = [
    text(margin, top - 24, "Time by number of lines, with one edit for every 40 lines", "title"),
    `<path class="axis" d="M${plot.left} ${top}V${bottom}H${plot.right}"/>`,
  ];
  for (let ms = low; ms <= high; ms *= 10) {
    parts.push(`<path class="grid" d="M${plot.left} ${y(ms).toFixed(1)}H${plot.right}"/>`);
    parts.push(text(plot.left - 8, y(ms) + 4, label(ms), "small", "end"));
  }
  for (const size of new Set(sizes)) {
    parts.push(text(x(size), bottom + 18, `${number(size / 1000).replace(/\.0+$/, "")}k`, "small", "middle"));
  }
  curves.forEach((curve, i) => {
    const colour = colours[i % colours.length] ?? "#6e7781";
    const line = curve.points.map(({ size, ms }) => `${x(size).toFixed(1)},${y(ms).toFixed(1)}`).join(" ");
    const last = curve.points.at(-1);
    parts.push(`<polyline class="line" stroke="${colour}" points="${line}"/>`);
    if (last !== undefined)
      parts.push(text(plot.right + 8, y(last.ms) + 4, `${curve.name}, ${milliseconds(last.ms)}`, "small"));
  });
  return parts;
}

const label = (ms: number): string => (ms >= 1000 ? `${ms / 1000} s` : `${ms} ms`);

/** The relative position of a value between two others on a logarithmic scale. */
function share(value: number, from: number, to: number): number {
  return from === to ? 0 : Math.log(value / from) / Math.log(to / from);
}

function text(x: number, y: number, content: string, kind?: "small" | "title", anchor?: "middle" | "end"): string {
  const how = `${kind === undefined ? "" : ` class="${kind}"`}${anchor === undefined ? "" : ` text-anchor="${anchor}"`}`;
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}"${how}>${escaped(content)}</text>`;
}

const escaped = (content: string): string =>
  content.replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign] ?? sign);
