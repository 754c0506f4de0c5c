/** The user's own rules for an agent's edits, with a hook that applies these edits in the editor. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { stateHome } from "../support/agentPeer.js";
import { builtServer } from "../support/wireServer.js";
import type { AgentKind } from "./agent.js";
import { claude, openCode } from "./kinds.js";
import { absence, layStage } from "./stage.js";
import { layTheatre } from "./theatre.js";

const saved = "const rate = 0.19;\n";
const unsaved = `// typed\n${saved}`;
const changed = unsaved.replace("0.19", "0.2");

/** What the user's rules lead to. */
interface Ruled {
  readonly kind: AgentKind;
  /** A file with the rule, in the project. */
  readonly file: readonly [path: string, settings: object];
  /** Matches what the model is told. */
  readonly answer: RegExp;
  readonly text: string;
  readonly questions: number;
}

const claudeRule = (list: string): Ruled["file"] => [
  ".claude/settings.json",
  { permissions: { [list]: ["Edit(price.ts)"] } },
];
const openCodeRule = (edit: object | string): Ruled["file"] => ["opencode.json", { permission: { edit } }];

const rows: Readonly<Record<string, Ruled>> = {
  "Claude Code, deny: Claude refuses the edit before it asks the hook": {
    kind: claude,
    file: claudeRule("deny"),
    answer: /denied by your permission settings/,
    text: unsaved,
    questions: 0,
  },
  "Claude Code, ask: the editor asks the user": {
    kind: claude,
    file: claudeRule("ask"),
    answer: /Done\. This call was applied/,
    text: changed,
    questions: 1,
  },
  "opencode, ask: the edit is turned away": {
    kind: openCode,
    file: openCodeRule("ask"),
    answer: /unsaved changes .*multi-edit_multi_edit/,
    text: unsaved,
    questions: 0,
  },
  "opencode, deny for a file: the edit is turned away": {
    kind: openCode,
    file: openCodeRule({ "*": "allow", "price.ts": "deny" }),
    answer: /unsaved changes .*multi-edit_multi_edit/,
    text: unsaved,
    questions: 0,
  },
  "opencode, allow: the edit is made in the editor": {
    kind: openCode,
    file: openCodeRule("allow"),
    answer: /Done\. This call was applied/,
    text: changed,
    questions: 0,
  },
};

for (const [name, { kind, file, answer, text, questions }] of Object.entries(rows)) {
  const reason = absence(kind);
  it(name, { timeout: 120_000 }, async () => {
    if (reason !== undefined) return expect(process.env.REQUIRE_AGENTS, reason).not.toBe("1");
    const stage = await layStage(kind, builtServer, "apply");
    stateHome(stage.state);
    const theatre = layTheatre(stage, builtServer);
    try {
      theatre.lay({ "price.ts": saved, [file[0]]: JSON.stringify(file[1]) });
      const editor = await theatre.openEditor({ "price.ts": unsaved });
      const path = join(theatre.root, "price.ts");
      const { ownTools } = kind;
      await theatre.converse(async ({ callOwn, hear }) => {
        if (ownTools?.read === undefined) throw new Error(`${kind.name} has no tool that reads files`);
        await callOwn(ownTools.read(path));
        const { results, said } = await hear(ownTools.edit(path, { oldText: "0.19", newText: "0.2" }));
        expect([...results.slice(-1), ...said].join("\n")).toMatch(answer);
      });
      expect(editor.texts()).toEqual({ "price.ts": text });
      expect(editor.questions()).toBe(questions);
      expect(theatre.disk()["price.ts"]).toBe(saved);
    } finally {
      theatre.close();
      await stage.close();
    }
  });
}
