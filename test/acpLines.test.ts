/** The lines that pass through the ACP proxy: all bytes, in order, and no line within another one. */
import { PassThrough, Readable } from "node:stream";
import fc from "fast-check";
import { expect, it } from "vitest";
import { LineOutlet, type PassedPart, passedParts } from "../server/programs/acp/lines.js";
import { lawRuns } from "./support/extent.js";

/** Text in chunks. */
const chunks = fc.array(fc.string({ unit: fc.constantFrom("a", "{", "\n"), minLength: 1, maxLength: 12 }));

async function partsOf(given: readonly string[], most: number): Promise<readonly PassedPart[]> {
  const parts: PassedPart[] = [];
  for await (const part of passedParts(Readable.from(given.map((text) => Buffer.from(text))), most)) parts.push(part);
  return parts;
}

it("divides an input into lines, and long lines into pieces, without losing a byte", async () => {
  await fc.assert(
    fc.asyncProperty(chunks, fc.integer({ min: 1, max: 9 }), async (given, most) => {
      const parts = await partsOf(given, most);
      const all = given.join("");
      expect(parts.map(({ bytes }) => String(bytes)).join("")).toBe(all);
      const ended = all.split("\n").slice(0, -1);
      const short = ended.map((line) => `${line}\n`).filter((line) => line.length <= most);
      const lines = parts.filter(({ kind }) => kind === "line").map(({ bytes }) => String(bytes));
      expect(lines).toEqual(short);
    }),
    { numRuns: lawRuns(400) },
  );
});

it("writes no line between the pieces of another one", async () => {
  await fc.assert(
    fc.asyncProperty(chunks, chunks, fc.integer({ min: 1, max: 5 }), async (one, other, most) => {
      const output = new PassThrough({ highWaterMark: 4 });
      let text = "";
      output.on("data", (chunk) => {
        text += String(chunk);
      });
      const outlet = new LineOutlet(output);
      const write = async (given: readonly string[], mark: string): Promise<void> => {
        const marked = [...given, "\n"].map((part) => part.replace(/a/g, mark));
        for await (const part of passedParts(Readable.from(marked.map((chunk) => Buffer.from(chunk))), most))
          await outlet.write(part);
      };
      const send = async (): Promise<void> => {
        for (const at of other.keys()) await outlet.send({ at });
      };
      await Promise.all([write(one, "x"), send()]);
      const sent = other.map((_, at) => `{"at":${at}}`);
      const lines = text.split("\n").slice(0, -1);
      expect(lines.filter((line) => sent.includes(line))).toEqual(sent);
      const rest = lines.filter((line) => !sent.includes(line));
      expect(`${rest.join("\n")}\n`).toBe([...one, "\n"].join("").replace(/a/g, "x"));
    }),
    { numRuns: lawRuns(200) },
  );
});
