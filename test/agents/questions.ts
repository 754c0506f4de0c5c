/** Scenes in which the user is asked about an agent's edit and takes a while to decide. */
import { expect } from "vitest";
import type { Scene } from "./scenes.js";
import type { Theatre } from "./theatre.js";

/** Milliseconds that the user takes. `AGENTS_USER_SECONDS=90` shows what happens after the usual limits of agents. */
const userMs = Number(process.env.AGENTS_USER_SECONDS ?? 3) * 1000;

const saved = "const rate = 0.19;\n";
const unsaved = `// typed\n${saved}`;
const oneEdit = { edits: [{ path: "price.ts", oldText: "rate = 0.19", newText: "rate = 0.2" }] };

/**
 * Lets the user decide late; returns the number of tickets that the agent got. `patience`: the seconds that a call waits
 * for its answer; `undefined`: as long as the agent is set up to wait.
 */
async function ticketsOf({ stage, lay, openEditor, converse }: Theatre, patience: number | undefined): Promise<number> {
  lay({ "price.ts": saved });
  const editor = await openEditor({ "price.ts": unsaved }, { confirmsAfter: userMs });
  stage.setPatience(patience);
  return converse(async ({ call }) => {
    let tickets = 0;
    let answer = await call("multi_edit", oneEdit);
    for (let ticket = ticketIn(answer); ticket !== undefined; ticket = ticketIn(answer)) {
      tickets++;
      // By the time that the model has a later ticket, the user may have decided.
      if (tickets === 1) expect(editor.texts()).toEqual({ "price.ts": unsaved });
      answer = await call("editor_status", { ticket });
    }
    expect(editor.texts(), answer).toEqual({ "price.ts": unsaved.replace("0.19", "0.2") });
    expect([editor.questions(), answer]).toEqual([1, expect.stringContaining("price.ts")]);
    return tickets;
  });
}

const ticketIn = (answer: string): string | undefined =>
  /^Not applied: waiting for the user \(ticket (q\d+)\)/.exec(answer)?.[1];

/** Scenes that every agent goes through, except those that may not edit. */
export const questionScenes: readonly Scene[] = [
  {
    name: "the user takes a while to answer a question: the call waits, as set up",
    run: async (theatre) => {
      if (theatre.stage.kind.refuses !== undefined) return "can't edit";
      expect(await ticketsOf(theatre, undefined)).toBe(0);
      return "yes";
    },
  },
  {
    name: "the user takes longer than a call waits: a ticket waits, and the user is asked once",
    run: async (theatre) => {
      const { kind } = theatre.stage;
      if (kind.refuses !== undefined) return "can't edit";
      if (!kind.tools.includes("editor_status")) return "no tickets";
      expect(await ticketsOf(theatre, userMs / 3000)).toBeGreaterThan(0);
      return "yes";
    },
  },
];
