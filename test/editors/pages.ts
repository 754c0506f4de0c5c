/**
 * The pages of `test/cases/` in a real editor: every case whose texts the editor can represent, with its expected
 * outcome.
 */
import { readdirSync, readFileSync } from "node:fs";
import { type Case, type CaseFile, parsePage } from "../support/cases.js";
import { expectedFiles, type FileState } from "../support/expected.js";
import { withRoot } from "../support/wire.js";
import type { Traits } from "./editor.js";
import { type Door, type Stage, type Texts, type Told, textsAfter, toText } from "./stage.js";

const folder = new URL("../cases/", import.meta.url);

/** Names of all pages. */
export const pageNames: readonly string[] = readdirSync(folder)
  .filter((name) => name.endsWith(".md"))
  .sort();

/** The cases of a page. */
export function casesOf(page: string): readonly Case[] {
  return parsePage(page, readFileSync(new URL(page, folder), "utf8"));
}

/**
 * The outcome of a case: as the page says, refused, or wrong; `notHeld` if the case was not run, because the editor
 * changes its texts.
 */
export type PageOutcome =
  | { readonly kind: "exact" }
  | { readonly kind: "notHeld"; readonly why: string }
  /** The call was refused, nothing changed, and the answer says so. */
  | { readonly kind: "refused"; readonly why: string }
  | { readonly kind: "wrong"; readonly problem: string };

/** Runs a case on a stage with the case's workspace folders. */
export async function runCase(one: Case, stage: Stage, door: Door, traits: Traits): Promise<PageOutcome> {
  await layFiles(one, stage);
  const before = await stage.texts();
  const wanted = textsOf(new Map(one.files.map((file) => [file.path, file])), one);
  const notHeld = difference(wanted, before, { restoresFinalNewline: false });
  if (notHeld !== undefined) {
    const isAlike = traits.makesLineEndingsAlike === true && differsInLineEndings(wanted, before);
    return { kind: "notHeld", why: isAlike ? "the editor makes all line endings of a file alike" : notHeld };
  }
  const told = await stage.apply(door, withRoot(one.request, stage.folder));
  const after = await textsAfter(stage, told);
  const { diff, failure } = one.outcome;
  const unchanged = difference(before, after, { restoresFinalNewline: false });
  if (diff !== undefined && told.outcome === "failed" && unchanged === undefined)
    return { kind: "refused", why: `${one.page}:${one.line} ${one.name}: ${told.text}` };
  const codes = [...(failure ?? "").matchAll(/^(\w+)/gm)].map(([, code]) => code);
  const problem =
    problemOfAnswer(told, diff === undefined ? "failed" : "applied", door === "request" ? undefined : codes) ??
    (diff === undefined ? unchanged : differenceIn(one, textsOf(expectedFiles(one, "opened"), one), after, traits));
  if (problem === undefined) return { kind: "exact" };
  return {
    kind: "wrong",
    problem: `${one.page}:${one.line} ${one.name}: ${problem}; told: ${told.outcome} ${told.text}`,
  };
}

/**
 * The difference between texts. If the editor inserts only LF, differences between line endings are ignored in texts
 * with mixed line endings.
 */
function differenceIn(one: Case, wanted: Texts, seen: Texts, traits: Traits): string | undefined {
  if (traits.insertsLfIntoMixed !== true) return difference(wanted, seen, traits);
  const isMixed = (text = ""): boolean => text.includes("\r\n") && /(?<!\r)\n/.test(text);
  const mixed = new Set(one.files.filter(({ synced }) => isMixed(synced)).map(({ path }) => path));
  const folded = (texts: Texts): Texts =>
    Object.fromEntries(
      Object.entries(texts).map(([path, text]) => [path, mixed.has(path) ? text.replaceAll("\r\n", "\n") : text]),
    );
  return difference(folded(wanted), folded(seen), traits);
}

/** Reports whether texts are alike but for line endings. */
function differsInLineEndings(wanted: Texts, seen: Texts): boolean {
  const folded = (texts: Texts): Texts =>
    Object.fromEntries(Object.entries(texts).map(([path, text]) => [path, text.replace(/\r\n?/g, "\n")]));
  return difference(folded(wanted), folded(seen), { restoresFinalNewline: false }) === undefined;
}

/** The subject of a case that does not depend on the editor; `undefined` if the case is about texts, and real editors run it. */
export function subjectOfNoEditor({ settings, links, request, files }: Case): string | undefined {
  const sent = JSON.stringify(request);
  if (settings !== undefined) return "settings";
  if (links.size > 0) return "links";
  // Which editor the user types in does not matter, and the callers of real editors have read nothing.
  if (files.some(({ earlier }) => earlier.length > 0)) return "texts that the caller has seen before";
  if (sent.includes('"versions"')) return "versions, of which each editor has its own";
  // `JSON.stringify` escapes a surrogate only if it is unpaired.
  return /\\ud[89a-f]/i.test(sent) ? "half a character" : undefined;
}

function problemOfAnswer(
  told: Told,
  outcome: Told["outcome"],
  codes: readonly (string | undefined)[] | undefined,
): string | undefined {
  if (told.outcome !== outcome) return `the outcome is ${told.outcome} instead of ${outcome}`;
  if (codes === undefined || JSON.stringify(codes) === JSON.stringify(told.codes)) return undefined;
  return `the codes are ${told.codes.join(", ")} instead of ${codes.join(", ")}`;
}

async function layFiles(one: Case, stage: Stage): Promise<void> {
  for (const { path, disk } of one.files) if (disk !== undefined) stage.lay({ [path]: disk });
  for (const { path, synced, disk } of one.files) {
    if (synced === undefined) continue;
    const text = synced.replace(/^\ufeff/, "");
    await stage.open(path);
    if (disk === undefined || toText(disk).replace(/^\ufeff/, "") !== text) await stage.retype(path, text);
  }
}

/** The user's view of a page's files, with their byte order marks. */
function textsOf(files: ReadonlyMap<string, FileState | CaseFile>, one: Case): Texts {
  const marked = new Set(one.files.filter(({ bom }) => bom).map(({ path }) => path));
  const toShown = ([path, { synced, disk }]: [string, FileState | CaseFile]): [string, string] => {
    if (synced === undefined) return [path, toText(disk!)];
    return [path, `${marked.has(path) ? "\ufeff" : ""}${synced.replace(/^\ufeff/, "")}`];
  };
  return Object.fromEntries([...files].map(toShown));
}

/** The first difference between the expected and the actual texts; `undefined` if there is none. */
export function difference(
  wanted: Texts,
  seen: Texts,
  { restoresFinalNewline }: Pick<Traits, "restoresFinalNewline">,
): string | undefined {
  for (const path of new Set([...Object.keys(wanted), ...Object.keys(seen)])) {
    const [want, got] = [wanted[path], seen[path]];
    if (want === got) continue;
    const isRestored = want !== undefined && !want.endsWith("\n") && (got === `${want}\n` || got === `${want}\r\n`);
    if (restoresFinalNewline && isRestored) continue;
    return `${path} is ${shown(got)} instead of ${shown(want)}`;
  }
  return undefined;
}

const shown = (text: string | undefined): string =>
  text === undefined ? "not there" : JSON.stringify(text).slice(0, 600);
