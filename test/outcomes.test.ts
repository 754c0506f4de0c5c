/** What a call answers if one of its steps ends with each of the outcomes, and no other step was done. */
import { join } from "node:path";
import { expect, it } from "vitest";
import type { StepOutcome } from "../server/lsp/apply/outcomes.js";
import { rollBackSteps } from "../server/lsp/apply/rollBackSteps.js";
import type { DoneStep, Run } from "../server/lsp/apply/step.js";
import { nobody } from "../server/lsp/session.js";
import type { FileUpdate } from "../server/plan/outcome.js";
import { openDiskSession } from "../server/session/diskSession.js";
import { ChangeSet } from "../server/text/changeSet.js";
import { uriOfPath } from "../server/workspace/pathText.js";
import { staleFailures } from "../server/workspace/sentences.js";
import { defaultSettings } from "../server/workspace/settings.js";
import { ownStateHome } from "./support/agentPeer.js";
import { makeDirectory } from "./support/directory.js";

const failure = staleFailures.contentModified({ path: "a.txt" }, "it was changed");

/** Whether the files are certainly as they were, and the failure's code or the first words of the warning. */
const answers: readonly (readonly [StepOutcome, "nothing changed" | "unknown", RegExp])[] = [
  [{ kind: "refused", reason: "busy" }, "nothing changed", /a\.txt.*busy/],
  [{ kind: "moved" }, "nothing changed", /a\.txt/],
  [{ kind: "untouched" }, "nothing changed", /a\.txt/],
  [{ kind: "failed", failure }, "nothing changed", /it was changed/],
  [{ kind: "unagreed", failure }, "nothing changed", /it was changed/],
  [{ kind: "diverged" }, "unknown", /a\.txt/],
  [{ kind: "timedOut" }, "unknown", /did not answer/],
  [{ kind: "acknowledgedButUnchanged" }, "unknown", /a\.txt/],
  [{ kind: "leftEmpty" }, "unknown", /created "a\.txt" but did not insert its text/],
  [{ kind: "pending", failure }, "unknown", /it was changed/],
  [{ kind: "unconfirmed", failure }, "unknown", /it was changed/],
];

it.each(answers.map(([outcome, ...rest]) => [outcome.kind, outcome, ...rest] as const))("%s", async (...row) => {
  const [, outcome, expected, words] = row;
  ownStateHome();
  const root = makeDirectory({ "a.txt": "old\n" });
  const user = { settings: defaultSettings, isStricterOnly: false, problems: [] };
  const start = { directory: root, user, version: "0.0.0", outside: nobody, log: () => undefined };
  const session = await openDiskSession(start);
  const uri = uriOfPath(join(root, "a.txt"));
  const document = { uri, path: "a.txt", version: null, text: "old\n", exists: true, loneCrEndsLine: true };
  const file: FileUpdate = {
    document: { ...document, bom: false, bomSynced: false },
    change: ChangeSet.of(4, [{ from: 0, to: 3, insert: "new" }]),
    text: "new\n",
    kind: "update",
    overwritten: false,
    edits: 1,
    operations: [],
  };
  const places = new Map();
  const run: Run = {
    session,
    options: {},
    places,
    plan: { ok: true, files: [file], outcomes: [], warnings: [], tasks: [], asks: [], places },
    tasks: [],
    disk: undefined,
    shownTo: session,
    warnings: [],
    replan: { plan: () => Promise.reject(new Error("no replanning is expected")), confirmation: undefined },
    done: [],
    budget: { bytes: 0 },
  };
  const step: DoneStep = { kind: "text", planned: file, file, editOutcomes: [], outcome };
  const answer = await rollBackSteps(run, [step]);
  const said = answer.ok ? [answer.result.outcome, answer.result.warnings.join()] : ["nothing changed", answer.message];
  expect(said).toEqual([expected, expect.stringMatching(words)]);
});
