/** Installs the units of `client-samples` with the agents' own commands, and checks that the agents use them. */
import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toolSentences } from "../../server/programs/mcp/sentences.js";
import { cloneTo } from "../editors/attach.js";
import { stateHome } from "../support/agentPeer.js";
import { buildProgram } from "../support/build.js";
import { makeDirectory } from "../support/directory.js";
import { projectRoot } from "../support/project.js";
import { builtServer } from "../support/wireServer.js";
import { openCodePlan } from "./kinds.js";
import type { Heard } from "./protocols.js";
import { absence, alone, layStage, versionOf } from "./stage.js";
import { layTheatre, type SceneEditor, type Theatre } from "./theatre.js";
import { type Unit, units } from "./units.js";

for (const unit of units) {
  const reason = absence(unit);
  if (reason === undefined) describeUnit(unit);
  else it(`${unit.name}: not available`, () => expect(process.env.REQUIRE_AGENTS, reason).not.toBe("1"));
}

const plugin = units.find(({ name }) => name === "opencode, plugin");
const marketplace = units.find(({ unit, validator }) => unit === "agents/claude" && validator !== undefined);
if (marketplace?.validator !== undefined && absence(marketplace) === undefined) {
  const { command } = marketplace.validator;
  it("Claude Code: the list of plugins is valid", { timeout: 60_000 }, () =>
    expect(validate(marketplace, command, projectRoot)).toBe(true),
  );
}

if (plugin !== undefined && absence(plugin) === undefined) {
  it("opencode, plugin: the plan agent has only the tool that edits which the user allows", {
    timeout: 120_000,
  }, () => {
    const agent = { plan: { permission: { "multi-edit_multi_edit": "allow" } } };
    const kind: Unit = {
      ...plugin,
      command: openCodePlan.command,
      prepare(place) {
        plugin.prepare(place);
        place.put("project.json", JSON.stringify({ agent }));
      },
      env: (place) => ({ ...plugin.env(place), OPENCODE_CONFIG: join(place.home, "project.json") }),
    };
    const tools = ["multi_edit", ...openCodePlan.tools];
    return beside(kind, (theatre) =>
      theatre.converse(async ({ first }) => expect(kind.declared(first)).toEqual(tools)),
    );
  });
}

/** The port of the Git server in an agent's namespace; the scripted model has another one. */
const gitPort = 18081;

const saved = { "a.ts": "one\n", "b.ts": "one\n" };
const unsaved = { "a.ts": "// typed\none\n" };

function describeUnit(unit: Unit): void {
  const { own } = unit;
  describe(`${unit.name} ${versionOf(unit)}`, { timeout: 120_000 }, () => {
    it("describes the tools in the first request, and edits unsaved text", () => beside(unit, servesTools(unit)));

    if (unit.installFrom !== undefined) {
      it("does so, too, if it is installed from the address of the repository", async () => {
        const folder = makeDirectory({});
        cloneTo(join(folder, "clone"), { isBuilt: false });
        const server = await buildProgram(new URL("gitServer.ts", import.meta.url));
        const served = [process.execPath, server.path, folder, String(gitPort)];
        const install: Unit["install"] = (place) =>
          unit.installFrom?.(place, `http://127.0.0.1:${gitPort}/clone/.git`).map((step) => [...served, ...step]) ?? [];
        try {
          await beside({ ...unit, install }, servesTools(unit));
        } finally {
          server.remove();
        }
      });
    }

    const { validator } = unit;
    if (validator !== undefined) {
      it("is valid for the agent's own command, which refuses it if a file is broken", () => {
        expect(validate(unit, validator.command, samples(unit.unit))).toBe(true);
        for (const file of validator.reads) {
          const copy = makeDirectory({});
          cpSync(samples(unit.unit), copy, { recursive: true });
          writeFileSync(join(copy, file), readFileSync(join(copy, file), "utf8").replace(/\}\s*$/, ""));
          expect(validate(unit, validator.command, copy), file).toBe(false);
        }
      });
    }

    if (own === undefined) return;
    it("keeps the agent's own tools away from unsaved text, and from no other file", () =>
      beside(unit, (theatre, editor) =>
        theatre.converse(async ({ callOwn }) => {
          const path = (name: string): string => join(theatre.root, name);
          for (const name of Object.keys(saved)) {
            const read = own.read === undefined ? undefined : await callOwn(own.read(path(name)));
            if (read !== undefined) expect(read.includes("// typed"), read).toBe(name === "a.ts");
            const answer = await callOwn(own.edit(path(name)));
            expect(answer.includes(own.instead), answer).toBe(name === "a.ts");
          }
          expect(editor.texts()).toEqual(unsaved);
          expect(theatre.disk()).toEqual({ ...saved, "b.ts": "two\n" });
        }),
      ));
  });
}

const samples = (folder: string): string => join(projectRoot, "client-samples", folder);

/** A test: the first request describes the tools, and one of them edits unsaved text. */
const servesTools =
  (unit: Unit) =>
  (theatre: Theatre, editor: SceneEditor): Promise<void> =>
    theatre.converse(async ({ first, call }) => {
      expect(unit.declared(first)).toEqual(unit.tools);
      if (unit.setup !== "pi" && unit.setup !== "copilot")
        expect(toldIn(first)).toContain(oneLine(toolSentences.instructions));
      const pair = { oldText: "one", newText: "two" };
      if (unit.isHomeless) {
        const added = { edits: [{ path: "new.ts", oldText: "", newText: "x" }] };
        expect(await call("multi_edit", added)).toMatch(/^The path "new\.ts" is relative/);
      }
      const path = unit.isHomeless ? join(theatre.root, "a.ts") : "a.ts";
      const answer = await call("multi_edit", { edits: [{ path, ...pair }] });
      expect(editor.texts(), answer).toEqual({ "a.ts": "// typed\ntwo\n" });
      expect(theatre.disk()).toEqual(saved);
    });

const oneLine = (text: string): string => text.replace(/\s+/g, " ");

/** What a request tells the model besides the conversation. */
const toldIn = ({ system, said, tools }: Heard): string =>
  oneLine([system, ...said, ...tools.map(({ description }) => description)].join("\n"));

/** Runs the agent's own command that checks a unit; returns whether it accepts the unit. */
function validate({ folder }: Unit, command: readonly string[], unit: string): boolean {
  const program = join(process.env.AGENTS_ROOT ?? "", folder, "node_modules/.bin", folder);
  const env = { PATH: process.env.PATH, HOME: makeDirectory({}) };
  return spawnSync(...alone([program, ...command, unit]), { env }).status === 0;
}

/** Runs a test in a project with an editor that has unsaved text. */
async function beside(unit: Unit, test: (theatre: Theatre, editor: SceneEditor) => Promise<void>): Promise<void> {
  // The user has moved the folder with the announcements of editors.
  const env: Unit["env"] = (place) => ({ ...unit.env(place), XDG_STATE_HOME: join(place.home, "state") });
  const stage = await layStage({ ...unit, env }, builtServer);
  stateHome(stage.state);
  const theatre = layTheatre(stage, builtServer);
  try {
    theatre.lay(saved);
    await test(theatre, await theatre.openEditor(unsaved));
  } finally {
    theatre.close();
    await stage.close();
  }
}
