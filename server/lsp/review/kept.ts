/**
 * Keeps the hunks of saved texts for the next session. Of a text that was not on disk, neither before a call nor after it,
 * nothing is kept.
 */
import { lstatSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { callerSchema } from "../../disk/journal.js";
import { limits } from "../../text/limits.js";
import { hashOf, readTextFile } from "../../workspace/files.js";
import { pathOfSyncedUri } from "../../workspace/pathText.js";
import { inServerFolder, isOwn, makePrivate, replacePrivate } from "../../workspace/serverFolder.js";
import type { Session } from "../session.js";
import type { ReviewedText } from "./texts.js";
import { keptFile } from "./wholeFiles.js";

const offset = v.pipe(v.number(), v.integer(), v.minValue(0));

/** What is kept; anything else is ignored. */
const keptReview = v.object({
  calls: v.array(v.object({ id: v.string(), at: v.number(), label: v.string(), caller: v.optional(callerSchema) })),
  texts: v.array(
    v.object({
      uri: v.string(),
      /** SHA-256 of the file's bytes. */
      hash: v.string(),
      hunks: v.array(
        v.object({
          ...{ id: v.string(), from: offset, to: offset, kept: offset, level: v.optional(offset) },
          ...{ texts: v.array(v.string()), calls: v.array(v.string()) },
        }),
      ),
    }),
  ),
  files: v.optional(v.array(keptFile), []),
});

/** A review as it is kept. */
type KeptReview = v.InferOutput<typeof keptReview>;

/** Returns the file for the workspace folders of a session. */
const fileFor = (folders: Session["folders"]): string =>
  join(
    inServerFolder("reviews"),
    `${hashOf(
      folders
        .map(({ uri }) => uri)
        .sort()
        .join("\n"),
    ).slice(0, 24)}.json`,
  );

/** Notes a text's hunks if the text is the one on disk, byte for byte. Resolves with `true` if that is news. */
export async function noteSaved(own: ReviewedText): Promise<boolean> {
  const path = pathOfSyncedUri(own.uri);
  const { text, hunks } = own;
  if (path === undefined || !own.wasOnDisk) return false;
  const read = await readTextFile(path);
  if (read.kind !== "text" || read.text !== text || read.hash === undefined || own.text !== text) return false;
  own.saved = { hash: read.hash, hunks };
  return true;
}

/** Keeps a review, in place of the one before. It does not matter if this fails. */
export function keepReview(folders: Session["folders"], { calls, texts, files }: KeptReview): void {
  const file = fileFor(folders);
  const ofTexts = texts.flatMap(({ hunks }) => hunks.flatMap((hunk) => hunk.calls));
  const used = new Set([...ofTexts, ...files.map(({ call }) => call)]);
  const json = JSON.stringify({ calls: calls.filter(({ id }) => used.has(id)), texts, files });
  try {
    if (used.size === 0 || json.length > limits.reviewKept) rmSync(file, { force: true });
    else if (makePrivate(inServerFolder("reviews")) === undefined) replacePrivate(file, json);
  } catch {
    // The next session then begins without these hunks.
  }
}

/** Reads the review that was kept, with the texts that are still on disk as they were then. */
export async function readReview(folders: Session["folders"]) {
  const file = fileFor(folders);
  const texts: (Pick<ReviewedText, "uri" | "text" | "saved"> & Pick<KeptReview["texts"][number], "hunks">)[] = [];
  try {
    if (!isOwn(lstatSync(file)) || lstatSync(file).size > 2 * limits.reviewKept) return { calls: [], texts, files: [] };
    const kept = v.parse(keptReview, JSON.parse(readFileSync(file, "utf8")));
    for (const { uri, hash, hunks } of kept.texts) {
      const read = await readTextFile(pathOfSyncedUri(uri) ?? "");
      if (read.kind !== "text" || read.hash !== hash) continue;
      const isThere = hunks.every(({ from, to, texts: own, level }) => own[level ?? -1] === read.text.slice(from, to));
      if (isThere) texts.push({ uri, text: read.text, hunks, saved: undefined });
    }
    return { calls: kept.calls, texts, files: kept.files };
  } catch {
    return { calls: [], texts: [], files: [] };
  }
}
