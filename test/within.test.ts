/** Waiting for the editor, and what is left of it once the editor has answered. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { request } from "../server/lsp/apply/applyOutcome.js";
import { type Session, within } from "../server/lsp/session.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it.each([
  ["the answer", async () => "yes", "yes"],
  ["an error", () => Promise.reject(new Error("no")), "Error: no"],
])("leaves no timer behind after %s", async (_, answer, expected) => {
  expect(await within(answer(), 30_000, "late").catch(String)).toBe(expected);
  expect(vi.getTimerCount()).toBe(0);
});

it("ends after the time", async () => {
  const waiting = within(new Promise<never>(() => undefined), 30_000, "late");
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await waiting).toBe("late");
});

it.each([
  ["applies an edit", async () => ({ applied: true }), { applied: true, reason: "" }],
  ["refuses one", async () => ({ applied: false, failureReason: "busy" }), { applied: false, reason: "busy" }],
  ["answers with an error", () => Promise.reject(new Error("broken")), { applied: false, reason: "broken" }],
  ["answers with null", async () => null, { applied: false, reason: "" }],
])("keeps nothing of a call for which the editor %s", async (_, applyEdit, expected) => {
  const session = { connection: { workspace: { applyEdit } }, facts: { answerMs: 30_000 } } as unknown as Session;
  expect(await request(session, { edit: {} })).toMatchObject({ ...expected, isLate: false });
  expect(vi.getTimerCount()).toBe(0);
});
