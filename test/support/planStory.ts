/**
 * Stories about the texts that a caller can have seen: what happened to a text, the edits that are sent then, and the result:
 * a text, or a failure's code.
 */
import { expect, it } from "vitest";
import { ChangeSet } from "../../server/text/changeSet.js";
import { Trail } from "../../server/workspace/trail.js";
import { type Step, stepsOf } from "../merging/sides.js";
import { documentAt, planOn, type SentEdit } from "./planning.js";

/** Something that happens to a text. */
export type Event =
  | { readonly read: readonly [startLine: number, endLine: number] }
  | { readonly type: Step }
  /** The editor replaces the whole text in one change. */
  | { readonly whole: string }
  | { readonly saved: true }
  /** The caller's own call, which is made. */
  | { readonly call: readonly SentEdit[] };

export type Story = readonly [
  name: string,
  base: string,
  events: readonly Event[],
  edits: readonly SentEdit[],
  result: string,
];

export const readAll: Event = { read: [1, 99] };
export const onDisk: Event = { saved: true };

/** Returns the text after the edits, or the codes of their failures; `skipped` if they change nothing. */
function resultOf(base: string, events: readonly Event[], edits: readonly SentEdit[]): string {
  let now = base;
  const trail = new Trail(base);
  for (const event of events) {
    if ("read" in event) trail.read("me", { startLine: event.read[0], endLine: event.read[1] });
    else if ("saved" in event) trail.saved(0);
    else if ("call" in event) now = afterCall(trail, now, event.call);
    else {
      const change =
        "whole" in event ? [{ from: 0, to: now.length, insert: event.whole }] : stepsOf(now, [event.type]).changes;
      const set = ChangeSet.of(now.length, change);
      now = set.apply(now);
      trail.changed(now, set);
    }
  }
  const plan = planFor(trail, now, edits);
  if (!plan.ok) return [...new Set(plan.failures.map(({ code }) => code))].join();
  const text = plan.files[0]?.text ?? now;
  return text === now ? "skipped" : text;
}

const planFor = (trail: Trail, now: string, edits: readonly SentEdit[]) =>
  planOn([documentAt("a", now, { views: trail.viewsOf("me"), made: trail.madeBy("me") })], edits);

/** Makes a call of the caller, which must not fail. Returns the text after it. */
function afterCall(trail: Trail, now: string, edits: readonly SentEdit[]): string {
  const plan = planFor(trail, now, edits);
  const file = plan.ok ? plan.files[0] : undefined;
  if (file === undefined) throw new Error("the call fails");
  if (!file.change.isEmpty) trail.changed(file.text, file.change);
  trail.applied("me", now, file);
  return file.text;
}

export const tells = (stories: readonly Story[]): void =>
  it.each(stories)("%s", (_, base, events, edits, result) => {
    expect(resultOf(base, events, edits)).toBe(result);
  });

export const edit = (oldText: string, newText: string, more: Partial<SentEdit> = {}): SentEdit => ({
  oldText,
  newText,
  ...more,
});
