/** A law for envelopes: every message that may have an answer gets one, and the session goes on, whatever is sent. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { lawRuns } from "./support/extent.js";
import { runProbes } from "./support/probes.js";
import { frame, framesOf, initialize, request } from "./support/rawClient.js";

/** Ids as JSON. Requests that are open at the same time often share one, and `1` and `"1"` are the same to the library. */
const validIds = ["1", '"1"', "2", '"b"', '"__proto__"', '"constructor"', "-1", "9007199254740991", '""'];
const invalidIds = ["null", "1.5", "{}", "[]", "true", "1e300", `"${"i".repeat(257)}"`];

const methods = [
  ...["echo", "echo", "throw", "never", "never", "cyclic", "ask", "nothing"].map((name) => `"multiEdit/${name}"`),
  ...['"__proto__"', '"constructor"', '"toString"', '"hasOwnProperty"', '"initialize"', `"${"m".repeat(257)}"`],
  ...["7", "null", "{}"],
];

const params = [
  ...["{}", "[]", "[{}]", "[1,2]", '"text"', "1", "null", "true"],
  '{"__proto__":{"polluted":1}}',
  '{"constructor":{"prototype":{"polluted":1}}}',
  '{"a":{"__proto__":{"polluted":1},"toString":1,"hasOwnProperty":null}}',
];

/** Fields that no message should have. */
const extras = ["", "", "", ',"__proto__":{"polluted":1}', ',"constructor":1', ',"hasOwnProperty":1', ',"toJSON":1'];

const pick = (values: readonly string[]) => fc.constantFrom(...values);

/** A message, as the text of its JSON, and its expected answer: an id, as it is told apart, or none. */
interface Sent {
  readonly json: string;
  readonly answerTo: string | undefined;
}

const keyOf = (id: string): string => String(JSON.parse(id));

const requests = fc
  .tuple(pick(['"2.0"', '"2.0"', '"2.0"', '"1.0"', "2.0"]), pick(validIds), pick(methods), pick(params), pick(extras))
  .map(([version, id, method, value, extra]): Sent => {
    const json = `{"jsonrpc":${version},"id":${id},"method":${method},"params":${value}${extra}}`;
    return { json, answerTo: keyOf(id) };
  });

const withBadIds = fc.tuple(pick(invalidIds), pick(methods), pick(params)).map(
  ([id, method, value]): Sent => ({
    json: `{"jsonrpc":"2.0","id":${id},"method":${method},"params":${value}}`,
    answerTo: "null",
  }),
);

const noMessages = pick(["null", "1", '"a"', "[]", "[{}]", "{", "{}", "[[[]]]", '{"__proto__":null}']).map(
  (json): Sent => ({ json, answerTo: "null" }),
);

const unanswered = fc.oneof(
  pick(params).map((value) => `{"jsonrpc":"2.0","method":"textDocument/didOpen","params":${value}}`),
  fc
    .tuple(pick(validIds), pick(params))
    .map(([id, value]) => `{"jsonrpc":"2.0","id":${id.replace(/^-?\d+$/, "77")},"result":${value}}`),
  pick([...validIds, ...invalidIds]).map(cancel),
);

function cancel(id: string): string {
  return `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":${id}}}`;
}

const message = fc.oneof(
  { weight: 8, arbitrary: requests.map((one) => [one]) },
  { weight: 1, arbitrary: withBadIds.map((one) => [one]) },
  { weight: 1, arbitrary: noMessages.map((one) => [one]) },
  { weight: 3, arbitrary: unanswered.map((json) => [{ json, answerTo: undefined }]) },
  // A storm of cancellations, of requests that are open and of others.
  {
    weight: 1,
    arbitrary: fc
      .array(pick(validIds), { minLength: 50, maxLength: 100 })
      .map((ids) => ids.map((id) => ({ json: cancel(id), answerTo: undefined }))),
  },
);

const framed = (json: string): string => `Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`;

it("every request and every wrong message gets exactly one answer, and the session goes on", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 25 }), async (groups) => {
      const sent: readonly Sent[] = groups.flat();
      const { code, output, notes } = await runProbes([
        frame(initialize),
        ...sent.map(({ json }) => framed(json)),
        ...validIds.map(cancel).map(framed),
        frame(request("last", "multiEdit/echo", { alive: true })),
        frame(request("end", "shutdown")),
        frame({ jsonrpc: "2.0", method: "exit" }),
      ]);
      const { messages, rest } = framesOf(output);
      const answers = messages.filter(({ method }) => method === undefined);
      expect(count(answers.map(({ id }) => String(id)))).toEqual(
        count(["0", "last", "end", ...sent.flatMap(({ answerTo }) => answerTo ?? [])]),
      );
      expect(answers.find(({ id }) => id === "last")?.result).toEqual({ params: { alive: true } });
      expect([code, rest.length, "polluted" in {}]).toEqual([0, 0, false]);
      expect(notes.filter((note) => note.length >= 500 || note.startsWith("a message was lost"))).toEqual([]);
    }),
    { numRuns: lawRuns(300) },
  );
});

/** The number of times that each text occurs. */
function count(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of [...texts].sort()) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}
