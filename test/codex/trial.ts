/** The input that both sides get, and the result of each side. */

/** A file's content: text, written as UTF-8 with its byte order mark if it has one, or bytes that are not text. */
export type Content = string | Uint8Array;

/** Files, keyed by their `/`-separated paths relative to the root. */
export type Files = ReadonlyMap<string, Content>;

/** Some files, and a patch for them. */
export interface Trial {
  readonly files: Files;
  readonly patch: string;
}

/** One side's result: whether it reports success or failure, and the files afterwards. */
export interface Outcome {
  readonly ok: boolean;
  readonly files: Files;
  /** The side's message, to help investigate a difference. */
  readonly said: string;
}

/** Reports whether two trees contain the same files with the same bytes. */
export function sameFiles(a: Files, b: Files): boolean {
  return (
    a.size === b.size &&
    [...a].every(([path, content]) => {
      const other = b.get(path);
      return other !== undefined && sameContent(content, other);
    })
  );
}

function sameContent(a: Content, b: Content): boolean {
  if (typeof a === "string" && typeof b === "string") return a === b;
  return Buffer.from(a).equals(Buffer.from(b));
}

/** A tree as lines that can be pasted into a test. */
export function showFiles(files: Files): string {
  const rows = [...files]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, content]) => `  [${show(path)}, ${show(content)}],`);
  return rows.length === 0 ? "  (no files)" : rows.join("\n");
}

/** A string literal with every character visible. */
export function show(content: Content): string {
  if (typeof content !== "string") return `new Uint8Array([${[...content]}])`;
  return JSON.stringify(content).replace(/[^\x20-\x7e]/gu, (char) =>
    [...Array(char.length).keys()].map((i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, "0")}`).join(""),
  );
}
