/** Known mistakes in old texts, each with a function that undoes it. Used for hints, never for matching. */
import { lineTexts } from "../../text/chars.js";
import { limits } from "../../text/limits.js";
import { anyLineEnd, LineIndex } from "../../text/lines.js";
import { withoutView } from "../viewPrefix.js";

/** A known mistake in an old text. */
export interface Miswriting {
  readonly kind: "escaped" | "entities" | "normalized" | "view" | "numbered" | "marked" | "fenced";
  /** Returns the text without the mistake, or unchanged if it does not contain the mistake. */
  readonly undo: (text: string) => string;
}

/** The known mistakes, in the order in which they are tried. */
export const miswritings: readonly Miswriting[] = [
  { kind: "view", undo: (text) => withoutView(text) ?? text },
  { kind: "numbered", undo: withoutNumbers },
  { kind: "marked", undo: (text) => text.replaceAll("·", " ").replaceAll("→", "\t") },
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
 * Removes the number and the separator at the start of each line. The numbers may be intentional. They are a mistake
 * only if the document contains the rest of the text, so the rest must be too long to occur there by chance.
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
  const lines = LineIndex.of(text, anyLineEnd);
  const isFence = (line: number): boolean => /^\s*(?:```|~~~)/.test(lines.content(line));
  const last = lines.filledCount - 1;
  return last < 2 || !isFence(0) || !isFence(last) ? text : text.slice(lines.start(1), lines.contentEnd(last - 1));
}
