/** Laws for paths: whatever is sent, nothing outside the workspace is ever reached. */
import { existsSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createResolver } from "../server/workspace/paths.js";
import { readTarget } from "../server/workspace/takeSnapshot.js";
import { makeDirectory } from "./support/directory.js";
import { lawRuns } from "./support/extent.js";
import { scopeOf, tree } from "./support/pathTree.js";

describe("any path that is sent", () => {
  const names = ["..", "..", ".", "", "src", "a.ts", "to-src", "to-secret", "secret.ts", "ws", "ws-secret", "s.ts"];
  const more = [
    "loop",
    "to-deep",
    "dangling",
    "dangling-in",
    "dangling-out",
    "new",
    "@scope",
    "x.ts",
    "back\\slash.ts",
    "..dots",
    "~",
  ];
  const way = fc.array(fc.constantFrom(...names, ...more), { minLength: 1, maxLength: 7 });
  /** The spelling of a path: its form and, for each character, whether it is escaped. */
  const spelling = fc.record({
    way,
    as: fc.constantFrom("relative", "absolute", "uri"),
    escapes: fc.infiniteStream(fc.boolean()),
  });

  it("leads inside or is refused, and is not refused if the system finds a file inside", async () => {
    const at = makeDirectory(tree);
    const ws = join(at, "ws");
    const resolver = await createResolver({ ...scopeOf({ at }), gates: [] });
    await fc.assert(
      fc.asyncProperty(spelling, async ({ way, as, escapes }) => {
        const plain = way.join("/");
        const escaped = (text: string): string =>
          [...text].map((c) => (escapes.next().value ? `%${c.charCodeAt(0).toString(16)}` : c)).join("");
        const sent = { relative: plain, absolute: `${ws}/${plain}`, uri: `file://${ws}/${escaped(plain)}` }[as];
        if (as === "relative" && /^[~@]|^$/.test(sent)) return; // The rows of paths.test.ts cover these.
        const lexical = resolve(ws, plain.startsWith("/") && as !== "relative" ? `.${plain}` : plain);
        const resolved = await resolver.resolve(sent);
        const exists = existsSync(lexical);
        if (resolved.ok) {
          expect(relative(ws, resolved.place.file!)).not.toMatch(/^(?:\.\.(?:\/|$)|\/)/);
          expect(resolved.place.onDisk).toBe(exists);
          if (exists) expect(resolved.place.file).toBe(realpathSync(lexical));
        } else if (resolved.failure.code === "outsideWorkspace" && exists) {
          expect(relative(ws, realpathSync(lexical))).toMatch(/^\.\.(?:\/|$)/);
        } else if (resolved.failure.code === "invalidParams") {
          expect(as).toBe("uri");
        }
      }),
      { numRuns: lawRuns(2_000) },
    );
  });

  it("is never answered with a suggested path that does not exist, lies outside, or is protected", async () => {
    const at = makeDirectory(tree);
    const ws = join(at, "ws");
    const world = { ...scopeOf({ at }), loneCrEndsLine: true, habits: { syncsLf: false, endsLastLine: false } };
    const wrong = fc.oneof(
      fc.constantFrom("config", "tasks.json", "s", "utils", "srcs", "b.ts", "`b.ts`"),
      fc.constantFrom(...names),
    );
    let suggestions = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(wrong, { minLength: 1, maxLength: 4 }), fc.boolean(), async (way, isAbsolute) => {
        const target = await readTarget(`${isAbsolute ? `${ws}/` : ""}${way.join("/")}`, world);
        if (target.ok) return;
        for (const [, path] of /^Did you mean (.*)\?/.exec(target.failure.hint ?? "")?.[1]?.matchAll(/"([^"]*)"/g) ??
          []) {
          const named = resolve(ws, path!);
          // The hint may name a new file only if the path starts at the root of the file system, and only in an
          // existing directory.
          const isNew = target.failure.code === "outsideWorkspace" && !existsSync(named);
          if (isNew) expect(`/${path}`).toBe(way.join("/").replace(/^\/+/, "/"));
          const found = relative(ws, realpathSync(isNew ? resolve(named, "..") : named));
          expect(found).not.toMatch(/^\.\.(?:\/|$)|(?:^|\/)\.(?:git|vscode)(?:\/|$)/);
          expect(statSync(join(ws, found)).isFile()).toBe(!isNew);
          suggestions += 1;
        }
      }),
      { numRuns: 500 },
    );
    expect(suggestions).toBeGreaterThan(50);
  });

  it("creates files only inside: the system puts a new file where the server expects it", async () => {
    const at = makeDirectory(tree);
    const ws = join(at, "ws");
    const resolver = await createResolver({ ...scopeOf({ at }), gates: [] });
    await fc.assert(
      fc.asyncProperty(way, async (way) => {
        const resolved = await resolver.resolve(`${ws}/${way.join("/")}`);
        if (!resolved.ok || resolved.place.onDisk) return;
        const lexical = resolve(`${ws}/${way.join("/")}`);
        if (!existsSync(resolve(lexical, "..")) && !existsSync(resolve(resolved.place.file!, ".."))) return;
        writeFileSync(lexical, "");
        expect(realpathSync(lexical)).toBe(resolved.place.file);
        rmSync(resolved.place.file!);
      }),
      { numRuns: lawRuns(1_000) },
    );
  });

  it("is resolved or refused, whatever text it is", async () => {
    const at = makeDirectory(tree);
    const resolver = await createResolver(scopeOf({ at }));
    const anyText = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.webUrl(),
      fc.string().map((text) => `file:${text}`),
    );
    await fc.assert(
      fc.asyncProperty(anyText, async (sent) => {
        const resolved = await resolver.resolve(sent);
        expect(resolved.ok ? resolved.place.file?.startsWith(`${at}/ws/`) : resolved.failure.message).toBeTruthy();
      }),
      { numRuns: lawRuns(1_000) },
    );
  });
});
