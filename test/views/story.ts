/** What the judge plays and reports: the stage, the steps, the counts, the objections. */
import type { Peer } from "../support/agentPeer.js";
import type { FakeEditor } from "../support/fakeEditor.js";
import type { deeds } from "./deeds.js";
import type { Leniency } from "./leniencies.js";

/** Who takes part. */
export interface Stage {
  readonly editor: FakeEditor;
  readonly folder: string;
  /** A connection for each agent, by its id. */
  readonly agents: ReadonlyMap<string, Peer>;
  /** `true` if the editor syncs whole texts. */
  readonly syncsWhole: boolean;
  /** Lets minutes pass on the server's clock. */
  readonly pass: (minutes: number) => Promise<void>;
}

/** One step; its seed makes all its choices. */
export interface Step {
  readonly kind:
    | keyof typeof deeds
    | "undo"
    | "undoCall"
    | "whole"
    | "save"
    | "reload"
    | "minutes"
    | "read"
    | "readSome"
    | "look"
    | "call";
  readonly agent: string;
  readonly seed: number;
}

/** A scenario: the same scenario always plays the same. */
export interface Scenario {
  readonly seed: number;
  readonly isDistinct: boolean;
  /** `true` if no editor has the document open, and another program changes it. */
  readonly isClosed: boolean;
  readonly isCrlf: boolean;
  readonly steps: readonly Step[];
}

/** Counts of what happened, for the figures. */
export interface Tally {
  calls: number;
  landed: number;
  refused: number;
  open: number;
  /** Outcomes that a leniency allows, by its name. */
  readonly lenient: Map<Leniency, number>;
  merged: number;
  /** Calls that were undone after other steps, and such undos that were refused. */
  undone: number;
  kept: number;
  /** Patches that moved the file, and calls that gave the whole text: those that landed, and those that were refused. */
  moved: number;
  rewritten: number;
  dirty: number;
}

/** A tally before the first scenario. */
export const emptyTally = (): Tally => ({
  lenient: new Map(),
  ...{ calls: 0, landed: 0, refused: 0, open: 0, merged: 0 },
  ...{ undone: 0, kept: 0, moved: 0, rewritten: 0, dirty: 0 },
});

/** The judge's objection to what happened. */
export interface Objection {
  /** `refused`: a call was refused, or with another code than the rules ask for; nothing was changed. */
  readonly kind: "wrong" | "refused";
  /** The story, and the reason. */
  readonly story: string;
}

/** The call was refused, and the rules do not ask for that. */
export class Overcautious extends Error {}

/** The identities are lost, or the document has another name, without any fault of the server: the story ends. */
export class Unknown extends Error {}
