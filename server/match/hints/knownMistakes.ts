/** Known ways of writing an old text wrongly, and how it reads when they are undone: for hints, never for a match. */
import { lineTexts, splitLines } from "../../text/chars.js";
import { limits } from "../../text/limits.js";
import { withoutView } from "../wholeLines.js";

/** One way. */
export interface Miswriting {
  readonly kind: "escaped" | "entities" | "normalized" | "view" | "numbered" | "fenced";
  /** The text without it; the same text where it is not written so. */
  readonly undo: (text: string) => string;
}

/** In the order in which they are tried. */
export const miswritings: readonly Miswriting[] = [
  { kind: "view", undo: (text) => withoutView(text) ?? text },
  { kind: "numbered", undo: withoutNumbers },
  { kind: "fenced", undo: withoutFence },
  { kind: "escaped", undo: unescaped },
  {
    kind: "entities",
    undo: (text) => text.replace(/&(?:lt|gt|amp|quot|apos|#39|nbsp);/g, (name) => entities[name] ?? name),
  },
  {
    kind: "normalized",
    undo: (text) => (text.normalize("NFC") === text ? text.normalize("NFD") : text.normalize("NFC")),
  },
];

const entities: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&amp;": "&",
  "&quot;": '"',
  "&apos;": "'",
  "&#39;": "'",
  "&nbsp;": "\u00a0",
};

const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  r: "\r",
  t: "\t",
  '"': '"',
  "'": "'",
  "`": "`",
  "\\": "\\",
  $: "$",
};

function unescaped(text: string): string {
  return text.replace(/\\([nrt"'`\\$])/g, (whole, name: string) => escapes[name] ?? whole);
}

/**
 * Without a number in front of every line, whatever stands between the two. Numbers may well be meant: this tells something
 * only where the text stands without them, and is long enough not to stand there by chance.
 */
function withoutNumbers(text: string): string {
  const plain: string[] = [];
  for (const line of lineTexts(text)) {
    const [prefix] = numbered.exec(line) ?? [""];
    if (prefix === "" && line.trim() !== "") return text;
    plain.push(line.slice(prefix.length));
  }
  const bare = plain.join("\n");
  return bare.trim().length >= limits.tellingText ? bare : text;
}

const numbered = /^[ \t]{0,20}\d{1,9}(?:\t|→|: ?| ?\| ?| |$)/;

function withoutFence(text: string): string {
  const lines = splitLines(text);
  const isFence = (at: number): boolean => /^\s*(?:```|~~~)/.test(text.slice(lines[at]?.from ?? 0, lines[at]?.to ?? 0));
  const last = lines.at(-1)?.from === text.length ? lines.length - 2 : lines.length - 1;
  if (last < 2 || !isFence(0) || !isFence(last)) return text;
  return text.slice(lines[1]?.from, lines[last - 1]?.to);
}
