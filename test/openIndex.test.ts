/** Open documents by URI and by path, under any sequence of openings and closings. */
import { resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OpenDocuments } from "../server/workspace/documents.js";
import { pathOfSyncedUri } from "../server/workspace/pathText.js";

/** URIs of which several name the same file, and some name none. */
const uris = ["file:///w/a.txt", "file:///w/%61.txt", "file:///w/x/../a.txt", "file:///w/b.txt", "untitled:1"];

describe("the index of the open documents", () => {
  it("has what a look at each of them finds, and keeps it", () => {
    const step = fc.record({ uri: fc.constantFrom(...uris), kind: fc.constantFrom("set", "delete", "look") });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const held = new OpenDocuments<number>();
        const model = new Map<string, number>();
        const kept: { index: ReturnType<typeof held.index>; all: [string, number][] }[] = [];
        for (const [i, { uri, kind }] of steps.entries()) {
          if (kind === "delete") expect(held.delete(uri)).toBe(model.delete(uri));
          else if (kind === "set") [held, model].forEach((map) => void map.set(uri, i));
          else kept.push({ index: held.index(), all: [...model] });
          const paths = new Map<string, string[]>();
          for (const one of model.keys()) {
            const path = pathOfSyncedUri(one);
            if (path !== undefined) paths.set(resolve(path), [...(paths.get(resolve(path)) ?? []), one]);
          }
          expect([...held]).toEqual([...model]);
          expect([...held.urisByPath]).toEqual([...paths]);
        }
        for (const { index, all } of kept) expect([...index.byUri]).toEqual(all);
      }),
    );
  });
});
