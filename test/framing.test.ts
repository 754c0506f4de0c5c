/** Frames on the wire: valid and invalid ones, and the handling of damaged streams. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeFrame, FrameDecoder } from "../server/lsp/wire/framing.js";
import { limits } from "../server/text/limits.js";
import { lawRuns } from "./support/extent.js";
import { probeServers } from "./support/probeServers.js";
import { runProbes } from "./support/probes.js";
import { frame, framesOf, initialize, request } from "./support/rawClient.js";

const { start, startInitialized } = probeServers();

/** The bodies that a decoder finds in these pieces, as text, and its reason for giving up. */
function decode(pieces: readonly Uint8Array[]): { bodies: string[]; faults: string[]; inside: boolean } {
  const bodies: string[] = [];
  const faults: string[] = [];
  const decoder = new FrameDecoder({
    body: (bytes) => bodies.push(bytes.toString()),
    fault: (reason) => faults.push(reason),
  });
  for (const piece of pieces) decoder.push(Buffer.from(piece));
  return { bodies, faults, inside: decoder.isInsideFrame() };
}

function cut(bytes: Buffer, at: readonly number[]): Buffer[] {
  const places = [...new Set([0, ...at.map((place) => place % (bytes.length + 1)), bytes.length])].sort(
    (a, b) => a - b,
  );
  return places.slice(1).map((place, index) => bytes.subarray(places[index], place));
}

describe("a decoder of frames", () => {
  const body = fc.string({ minLength: 1, maxLength: 300, unit: "grapheme" });

  it("finds the same bodies however the bytes are cut", () => {
    fc.assert(
      fc.property(fc.array(body, { maxLength: 5 }), fc.array(fc.nat(), { maxLength: 12 }), (bodies, places) => {
        const bytes = Buffer.concat(bodies.map(encodeFrame));
        const expected = { bodies, faults: [], inside: false };
        expect(decode(cut(bytes, places))).toEqual(expected);
        expect(decode([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(expected);
      }),
      { numRuns: lawRuns(200) },
    );
  });

  it("finds a body that is spread over many pieces", () => {
    const text = "äöü€😀".repeat(40_000);
    const bytes = encodeFrame(text);
    const pieces = Array.from({ length: Math.ceil(bytes.length / 1_000) }, (_, n) =>
      bytes.subarray(n * 1_000, (n + 1) * 1_000),
    );
    expect(decode(pieces)).toEqual({ bodies: [text], faults: [], inside: false });
  });

  it("does not copy a body that comes in one piece", () => {
    const bytes = encodeFrame("{}");
    let given: Buffer | undefined;
    new FrameDecoder({ body: (lent) => (given = lent), fault() {} }).push(bytes);
    expect(given?.buffer).toBe(bytes.buffer);
  });

  it.each([
    "content-length: 2\r\n\r\n{}",
    "Content-Length:2\r\n\r\n{}",
    "Content-Length: \t 2 \r\n\r\n{}",
    "Content-Length: 002\r\n\r\n{}",
    "Content-Length: 2\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n{}",
    'Content-Type: application/vscode-jsonrpc; Charset="utf8"\r\nContent-Length: 2\r\n\r\n{}',
    "Content-Type: application/vscode-jsonrpc\r\nContent-Length: 2\r\n\r\n{}",
  ])("takes %j", (text) => {
    expect(decode([Buffer.from(text)])).toEqual({ bodies: ["{}"], faults: [], inside: false });
  });

  it.each(["Content-Le", "Content-Length: 2\r\n", "Content-Length: 2\r\n\r\n", "Content-Length: 2\r\n\r\n{"])(
    "waits for the rest of %j",
    (text) => expect(decode([Buffer.from(text)])).toEqual({ bodies: [], faults: [], inside: true }),
  );
});

const many = "x".repeat(limits.headerBytes);
/** Malformed streams, each with a pattern for the reason why parsing stops. */
const malformed: readonly (readonly [string, string, RegExp])[] = [
  ["no Content-Length", "Content-Type: a/b\r\n\r\n{}", /no Content-Length/],
  ["a length in letters", "Content-Length: abc\r\n\r\n{}", /not a decimal number/],
  ["a length without digits", "Content-Length:\r\n\r\n{}", /not a decimal number/],
  ["a negative length", "Content-Length: -5\r\n\r\n{}", /not a decimal number/],
  ["an exponent", "Content-Length: 1e2\r\n\r\n{}", /not a decimal number/],
  ["a hexadecimal length", "Content-Length: 0x2\r\n\r\n{}", /not a decimal number/],
  ["a length of 0", "Content-Length: 0\r\n\r\n", /is 0/],
  ["a length over the limit", `Content-Length: ${limits.messageBytes + 1}\r\n\r\n`, /is more than 268435456 bytes/],
  ["a length of 400 digits", `Content-Length: ${"9".repeat(400)}\r\n\r\n`, /is more than/],
  ["two lengths", "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", /two Content-Length/],
  ["two types", "Content-Type: a/b\r\nContent-Type: a/b\r\n\r\n{}", /two Content-Type/],
  ["another charset", "Content-Type: a/b; charset=latin1\r\nContent-Length: 2\r\n\r\n{}", /charset/],
  ["line feeds alone", "Content-Length: 2\n\n{}", /CRLF/],
  ["a return alone", "Content-Length: 2\r\r\n{}", /CRLF/],
  ["an empty line first", "\r\nContent-Length: 2\r\n\r\n{}", /no Content-Length/],
  ["a space before the colon", "Content-Length : 2\r\n\r\n{}", /neither/],
  ["a request of HTTP", "POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}", /neither/],
  ["a byte that is not ASCII", "Content-Length: 2\u00e9\r\n\r\n{}", /byte 0xc3/],
  ["a NUL", "\0", /byte 0x00/],
  ["a byte order mark", "\ufeffContent-Length: 2\r\n\r\n{}", /byte 0xef/],
  ["a header without an end", many + many, /more than 4096 bytes/],
  ["many header lines", `Content-Type: a/b\r\nContent-Length: 2${" ".repeat(limits.headerBytes)}`, /more than 4096/],
];

describe("input that is not a frame", () => {
  it.each(malformed)("%s is a fault, whole or byte by byte", (_name, text, reason) => {
    const bytes = Buffer.from(`${frame({})}${text}`);
    for (const pieces of [[bytes], [...bytes].map((byte) => Uint8Array.of(byte))]) {
      const { bodies, faults } = decode(pieces);
      expect(bodies).toEqual(["{}"]);
      expect(faults).toEqual([expect.stringMatching(reason)]);
      expect(faults[0]!.length).toBeLessThan(400);
    }
  });

  it.each(malformed)("%s ends the server with 1 and one line", async (_name, text) => {
    const server = await startInitialized();
    server.write(text + frame(request(1, "multiEdit/echo", {})));
    const { code, stderr } = await server.ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^multi-edit-language-server: the input does not follow the Language Server Protocol: .+\n$/,
    );
    expect(stderr.split("\n")).toHaveLength(2);
    expect(framesOf(Buffer.from(server.received())).rest).toHaveLength(0);
  });

  it("ends the server if it is a megabyte of random bytes", async () => {
    const server = start();
    const bytes = fc.sample(fc.uint8Array({ minLength: 2 ** 20, maxLength: 2 ** 20, size: "max" }), {
      numRuns: 1,
      seed: 1,
    });
    server.write(bytes[0]!);
    expect((await server.ended).code).toBe(1);
    expect(server.received()).toBe("");
  });

  it("still lets earlier requests be answered", async () => {
    const server = start();
    server.write(`${frame(initialize) + frame(request(1, "multiEdit/echo", { a: 1 }))}Content-Length: abc\r\n\r\n`);
    expect((await server.answer(1)).result).toEqual({ params: { a: 1 } });
    expect((await server.ended).code).toBe(1);
  });

  it("is noticed after a frame whose length is too small and whose body is refused", async () => {
    const server = await startInitialized();
    const good = frame(request(1, "multiEdit/echo", {}));
    server.write(good.replace(/\d+/, (length) => String(Number(length) - 1)) + good);
    expect((await server.answer(null)).error?.code).toBe(-32700);
    expect((await server.ended).code).toBe(1);
  });

  it("is noticed after a frame whose length is too large and whose body is refused", async () => {
    const server = await startInitialized();
    const good = frame(request(1, "multiEdit/echo", {}));
    server.write(good.replace(/\d+/, (length) => String(Number(length) + 10)) + good);
    expect((await server.answer(null)).error?.code).toBe(-32700);
    expect((await server.ended).code).toBe(1);
  });

  it("is reported if the input ends within a frame", async () => {
    const server = await startInitialized();
    server.write("Content-Length: 10\r\n\r\n{");
    server.end();
    const { code, stderr } = await server.ended;
    expect([code, stderr]).toEqual([1, expect.stringContaining("the input ends in the middle of a message")]);
  });
});

describe("any damage to a stream of bytes", () => {
  const stream = Buffer.from(
    [
      initialize,
      request(1, "multiEdit/echo", { a: "äöü€😀" }),
      { jsonrpc: "2.0", method: "textDocument/didOpen", params: { textDocument: {} } },
      request("b", "multiEdit/ask", {}),
      { jsonrpc: "2.0", id: 0, result: 1 },
      { jsonrpc: "2.0", method: "$/cancelRequest", params: { id: 1 } },
      request(2, "multiEdit/throw", "*** Begin Patch"),
      request(3, "shutdown"),
      { jsonrpc: "2.0", method: "exit" },
    ]
      .map(frame)
      .join(""),
  );
  const at = fc.nat({ max: stream.length - 1 });
  const fragments = ["\r\n", "\r\n\r\n", "Content-Length: 1\r\n\r\n", "[", "}", '"', "9", "null"];
  const inserted = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
    fc.constantFrom(...fragments).map((text) => Buffer.from(text)),
  );
  type Damage = (bytes: Buffer) => Buffer;
  /** Replaces a range of bytes with other bytes or with none. */
  const damage = fc.oneof(
    fc.tuple(at, fc.nat({ max: 80 }), fc.oneof(inserted, fc.constant(Buffer.alloc(0)))).map(
      ([start, count, bytes]): Damage =>
        (all) =>
          Buffer.concat([all.subarray(0, start), bytes, all.subarray(start + count)]),
    ),
    fc.tuple(at, fc.nat({ max: 300 })).map(
      ([start, count]): Damage =>
        (all) =>
          Buffer.concat([all.subarray(0, start + count), all.subarray(start)]),
    ),
  );

  it("is done to a stream that is itself undamaged", async () => {
    const { code, output, notes } = await runProbes([stream]);
    // The response comes before the question, which the server asks in a later turn of the event loop.
    expect([code, notes]).toEqual([0, ["a response has an id that matches no pending request from the server"]]);
    expect(
      framesOf(output)
        .messages.map(({ id }) => id)
        .filter((id) => id !== undefined)
        .sort(),
    ).toEqual([0, 0, 1, 2, 3, "b"]);
  });

  it("leads to answers and an exit, with nothing but frames in the output", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(damage, { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat(), { maxLength: 4 }),
        async (damages, places) => {
          const bytes = damages.reduce<Buffer>((all, change) => change(all), stream);
          const { code, output, notes } = await runProbes(cut(bytes, places));
          expect([0, 1]).toContain(code);
          expect(framesOf(output).rest).toHaveLength(0);
          expect(notes.every((note) => note.length < 500)).toBe(true);
          expect(notes.filter((note) => note.startsWith("a message was lost"))).toEqual([]);
        },
      ),
      { numRuns: lawRuns(300) },
    );
  });
});
