/**
 * Real agents read what they have broken: a real language server tells the real editor, and the editor tells our server. A call
 * of ours renames a function in two of three files, and its answer says what broke in the third; after an agent's own tool has
 * renamed it in one file, a note says what broke in the others.
 */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { columns } from "../editors/diagnosticColumns.js";
import type { Column } from "../editors/diagnosticScenes.js";
import { absence as editorAbsence, startSession } from "../editors/session.js";
import { onStage } from "../editors/stage.js";
import type { AgentKind } from "./agent.js";
import { workBeside } from "./beside.js";
import { claude, codexKnown, copilot, geminiCli, openCode, qwen } from "./kinds.js";
import { absence, type Conversation, type HookForm } from "./stage.js";

const files = {
  "price.ts": "export const gross = (net: number) => net * 1.19;\n",
  "bill.ts": 'import { gross } from "./price";\nexport const bill = gross(1);\n',
  "offer.ts": 'import { gross } from "./price";\nexport const offer = gross("2");\n',
};
const edits = [
  { path: "price.ts", oldText: "const gross", newText: "const total" },
  { path: "bill.ts", oldText: "{ gross }", newText: "{ total }" },
  { path: "bill.ts", oldText: "gross(1)", newText: "total(1)" },
];

/** How an agent changes the files, and what its model must then read. */
interface Way {
  readonly kind: AgentKind;
  readonly hook?: HookForm;
  play(conversation: Conversation, folder: string): Promise<string>;
  readonly read: readonly RegExp[];
}

const ours: Way = {
  kind: claude,
  play: ({ call }) => call("multi_edit", { edits }),
  read: [
    /^M price\.ts.*\nM bill\.ts.*\n1 new error \([\w-]+\): /,
    /offer\.ts:1 Module '"\.\/price"' has no exported member 'gross'\./,
  ],
};

const own = (kind: AgentKind): Way => ({
  kind,
  hook: "deny",
  async play({ hear }, folder) {
    const { read, edit } = kind.ownTools!;
    const path = join(folder, "price.ts");
    if (read !== undefined) await hear(read(path));
    const line = files["price.ts"].trimEnd();
    const { results, said } = await hear(edit(path, { oldText: line, newText: line.replace("gross", "total") }));
    return [...results.slice(-1), ...said].join("\n");
  },
  read: [
    /2 new errors \([\w-]+\): (?:bill|offer)\.ts:1 Module /,
    /bill\.ts:1 Module '.*' has no exported member 'gross'\./,
    /offer\.ts:1 Module '.*' has no exported member 'gross'\./,
  ],
});

async function play(way: Way, column: Column): Promise<void> {
  const session = await startSession(column.kind);
  try {
    await onStage(session, async (desk) => {
      desk.lay({ "tsconfig.json": "{}", ...files });
      await desk.open(...Object.keys(files));
      const count = () => desk.driver.run!(column.count(desk.path("offer.ts")));
      await vi.waitFor(async () => expect(await count()).toBe(1), { timeout: 60_000, interval: 50 });
      await delay(700);
      const answer = await workBeside(desk, way, (conversation) => way.play(conversation, desk.folder));
      for (const said of way.read) expect(answer).toMatch(said);
    });
  } finally {
    await session.stop();
  }
}

const current = columns.filter(({ kind }) => kind.root === "current");
const scenes = [
  ...current.map((column) => ({ how: "its call", way: ours, column })),
  ...current.map((column) => ({ how: "its own tool", way: own(claude), column })),
  ...[codexKnown, copilot, geminiCli, openCode, qwen].map((kind) => ({
    how: "its own tool",
    way: own(kind),
    column: current[0]!,
  })),
].map((scene) => ({ ...scene, agent: scene.way.kind.name, editor: scene.column.name }));

it.each(scenes)(
  "$agent reads what $how has broken, in $editor",
  // On a busy machine, the language server may take longer than a second.
  { timeout: 240_000, retry: 2 },
  async ({ way, column, agent, editor }) => {
    const missing = absence(way.kind) ?? editorAbsence(column.kind);
    if (missing === undefined) return play(way, column);
    if (process.env.REQUIRE_AGENTS === "1") throw new Error(missing);
    console.log(`left out: ${agent} in ${editor}: ${missing}`);
  },
);
