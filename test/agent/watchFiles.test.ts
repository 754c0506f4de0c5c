/** The files with unsaved text that a session announces, if something changes while a text is compared with its file. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { createSession } from "../../server/lsp/newSession.js";
import { type WatchedFiles, watchFiles } from "../../server/session/watchFiles.js";
import { limits } from "../../server/text/limits.js";
import { makeDirectory } from "../support/directory.js";

const rule = { loneCrEndsLine: true };
const nobody = { sendNotification: async () => undefined, sendRequest: async () => null } as never;

/** A watched session with `a.ts` open, of which one text is on disk and another one in the editor. */
async function layWatch(onDisk: string, text: string) {
  const path = join(makeDirectory({ "a.ts": onDisk }), "a.ts");
  const uri = pathToFileURL(path).href;
  const session = createSession(nobody, { version: "0", logLevel: undefined });
  session.documents.open(uri, 1, text, rule);
  const files = await watchFiles(session, () => undefined);
  /** Waits until an announcement would have, or would not have, the file. */
  const until = (paths: readonly string[]): Promise<void> =>
    expect.poll(() => files.unsaved(), { timeout: 5_000 }).toEqual(paths);
  return { path, uri, session, files, until };
}

it("a text that is typed while the file is read after a save is announced", async () => {
  const { path, uri, session, files, until } = await layWatch("one\n", "two\n");
  await until([path]);
  writeFileSync(path, "two\n");
  files.saved(uri);
  // Timers of one duration run in turn, so this one runs once the file is being read.
  setTimeout(() => session.documents.open(uri, 2, "three\n", rule), limits.unsavedMs);
  // Until then, the file is announced because of the first text.
  await delay(3 * limits.unsavedMs);
  await until([path]);
});

it("a text that is closed, or saved, while the file is read is not announced", async () => {
  const { path, uri, session, files, until } = await layWatch("one\n", "two\n");
  await until([path]);
  files.checkUnsaved();
  setTimeout(() => session.documents.close(uri), limits.unsavedMs);
  await until([]);
  session.documents.open(uri, 3, "two\n", rule);
  setTimeout(() => session.documents.open(uri, 4, "one\n", rule), limits.unsavedMs);
  await delay(3 * limits.unsavedMs);
  // If the timer ran only after the file was read, the file is announced until the session looks again.
  files.checkUnsaved();
  await until([]);
});

it.each(["never saved", "outside the folders"])(
  "files that are %s are announced together, however many are closed",
  async (kind) => {
    const root = makeDirectory({ "a.ts": "one\n" });
    const session = createSession(nobody, { version: "0", logLevel: undefined });
    if (kind === "never saved") session.folders = [{ uri: pathToFileURL(root).href, path: root }];
    const uris = Array.from({ length: 300 }, (_, i) => pathToFileURL(join(root, `new${i}.ts`)).href);
    for (const uri of uris) session.documents.open(uri, 1, "text\n", rule);
    const announced: number[] = [];
    let files: WatchedFiles | undefined;
    const listed = (): number => (kind === "never saved" ? files?.unsaved() : files?.outside())?.length ?? 0;
    files = await watchFiles(session, () => announced.push(listed()));
    await expect.poll(() => announced.at(-1), { timeout: 5_000 }).toBe(300);
    announced.length = 0;
    for (const uri of uris) session.documents.close(uri);
    // At most the first one at once, and the others together.
    await expect.poll(() => announced.at(-1)).toBe(0);
    expect(announced.length).toBeLessThanOrEqual(2);
  },
);
