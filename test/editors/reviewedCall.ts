/** A call over three files, which the tests of the review in real editors have a named agent send. */
import { type Agent, startAgent } from "./agent.js";
import type { Stage } from "./stage.js";

/** The files besides `price.ts`. */
export const others = { "tax.ts": "export const tax = 0.2;\n" } as const;

/** What the agent hears of a user who undoes a change in line 5, keeps another one, and comments on the third. */
export const hears = (below: string): string =>
  JSON.stringify(
    `Since your last edit, the user undid ${below}price.ts:5 (your edit 2), kept 1 change, and says of ${below}tax.ts:1: "use cents".`,
  ).slice(1, -1);

/** Starts an agent on a stage, whose files are in this folder, and has it send the call. */
export async function reviewedCall({ session, folder }: Stage, below: string): Promise<Agent> {
  const agent = await startAgent(session.place, "claude-code", folder);
  const text = await agent.apply({
    edits: [
      { path: `${below}price.ts`, oldText: "rate = 0.19", newText: "rate = 0.2" },
      {
        path: `${below}price.ts`,
        oldText: "  return net * (1 + rate);\n",
        newText: "  const sum = net * (1 + rate);\n  return Math.round(sum);\n",
      },
      { path: `${below}tax.ts`, oldText: "0.2", newText: "0.21" },
      { path: `${below}cents.ts`, oldText: "", newText: "export const cents = 100;\n" },
    ],
  });
  if (!text.includes("A ")) throw new Error(text);
  return agent;
}
