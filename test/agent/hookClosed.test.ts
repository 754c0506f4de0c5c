/** `multi-edit hook` turns away what it can't find out, as long as an editor may have unsaved text. */
import { chmodSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { ownStateHome } from "../support/agentPeer.js";
import { hurry, runCommand } from "../support/commands.js";
import { makeDirectory } from "../support/directory.js";
import { type Name, reasonIn } from "../support/hookColumns.js";
import { answer, events, layProject, program, saved } from "../support/hookEvents.js";

/** Ways to make it unknown which editors there are, and the words that name the cause. */
const blind: readonly [what: string, make: (sessions: string) => void, cause: RegExp][] = [
  ["the folder of the sessions is not private", (sessions) => chmodSync(sessions, 0o755), /can't be found: .*sessions/],
  ["the folder above it is not private", (sessions) => chmodSync(dirname(sessions), 0o755), /can't be found: /],
  ["a record can't be read", (sessions) => record(sessions, "{", 0o600), /0123456789ab\.json" is not a valid/],
  ["a record is not private", (sessions) => record(sessions, "{}", 0o644), /it is not private to this user/],
];

const record = (sessions: string, text: string, mode: number): void => {
  writeFileSync(join(sessions, "0123456789ab.json"), text, { mode });
};

function laySessions(): { sessions: string; root: string } {
  const sessions = join(ownStateHome(), "multi-edit-language-server/sessions");
  mkdirSync(sessions, { recursive: true, mode: 0o700 });
  return { sessions, root: makeDirectory({ "price.ts": saved, "a.patch": "" }) };
}

const write = (root: string): object => events.claude("Write", { file_path: join(root, "price.ts"), content: "new\n" });

describe("a call for a file of which it can't be known whether an editor has unsaved text", () => {
  it.each(blind)("is turned away in the words of `multi-edit apply` if %s", async (_what, make, cause) => {
    const { sessions, root } = laySessions();
    expect(await answer("claude", write(root))).toBeUndefined();
    make(sessions);
    const edit = JSON.stringify({ edits: [{ path: "price.ts", oldText: "0.19", newText: "0.2" }] });
    const applied = await runCommand(program, ["apply"], { cwd: root, input: edit });
    const reason = reasonIn("claude", await answer("claude", write(root)));
    expect(reason).toMatch(/^An editor may have unsaved changes to these files, but it can't be asked\. /);
    expect(reason).toMatch(cause);
    expect(applied.stderr).toContain(reason);
    const command = events.codex("Bash", "apply_patch < a.patch", root);
    expect(reasonIn("codex", await answer("codex", command, "--apply"))).toBe(reason);
    expect(reasonIn("claude", await answer("claude", events.claude("Edit", { path: "x" })))).toBe(reason);
    const read = events.claude("Read", { file_path: join(root, "price.ts") }, "PostToolUse");
    expect(await answer("claude", read)).toBeUndefined();
  });

  it("is left alone if a record that can't be read was not renewed for two minutes", async () => {
    const { sessions, root } = laySessions();
    record(sessions, "{", 0o600);
    const then = Date.now() / 1000 - 121;
    utimesSync(join(sessions, "0123456789ab.json"), then, then);
    expect(await answer("claude", write(root))).toBeUndefined();
  });

  it("is left alone if no editor has ever announced itself, whatever the folder above is like", async () => {
    const home = ownStateHome();
    const root = makeDirectory({ "price.ts": saved });
    mkdirSync(join(home, "multi-edit-language-server"), { mode: 0o755 });
    expect(await answer("claude", write(root))).toBeUndefined();
  });
});

describe("an event that does not say which files a tool changes", () => {
  const base = { session_id: "95af993c", hook_event_name: "PreToolUse" };
  const known: readonly [name: Name, event: object][] = [
    ["claude", {}],
    ["claude", { ...base }],
    ["claude", { ...base, tool_name: 7, tool_input: {} }],
    ["claude", { ...base, tool_name: ["Edit"], tool_input: { file_path: "price.ts" } }],
    ["claude", { ...base, tool_name: "Edit" }],
    ["claude", { ...base, tool_name: "Edit", tool_input: null }],
    ["claude", { ...base, tool_name: "Edit", tool_input: "price.ts" }],
    ["claude", { ...base, tool_name: "Write", tool_input: { path: "price.ts", content: "x" } }],
    ["claude", { ...base, tool_name: "Write", tool_input: { file_path: ["price.ts"], content: "x" } }],
    ["claude", { ...base, tool_name: "Write", tool_input: { file_path: "", content: "x" } }],
    ["claude", { ...base, hook_event_name: null, tool_name: "Write", tool_input: { path: "price.ts" } }],
    ["codex", { ...base, tool_name: "apply_patch", tool_input: { command: "-a\n+b" } }],
    ["codex", { ...base, tool_name: "Bash", tool_input: { command: ["apply_patch"] } }],
    ["gemini", { hook_event_name: "BeforeTool", tool_name: "replace", tool_input: { path: "price.ts" } }],
    ["opencode", { tool: "edit", args: { file: "price.ts" } }],
  ];

  it("is turned away while an editor has unsaved text, and left alone otherwise", async () => {
    const { root } = await layProject();
    const asked = known.map(([name, event]) => [name, { cwd: root, directory: root, ...event }] as const);
    for (const [name, event] of asked) {
      const reason = reasonIn(name, await answer(name, event));
      expect(reason, JSON.stringify(event)).toMatch(
        /^This call can't be checked, because it does not say which files it changes\. .*price\.ts"/,
      );
    }
    ownStateHome();
    for (const [name, event] of asked) expect(await answer(name, event), JSON.stringify(event)).toBeUndefined();
  }, 60_000);

  it("is turned away while an editor has unsaved text if it is an array, however deep", async () => {
    await layProject();
    for (const input of ["[]", '[{"tool_name":"Edit"}]', `${"[".repeat(100_000)}${"]".repeat(100_000)}`]) {
      const { code, stdout } = await runCommand(program, ["hook", "claude"], { input });
      expect(code).toBe(0);
      expect(reasonIn("claude", JSON.parse(stdout))).toMatch(/its event is not a JSON object\. .*price\.ts"/);
    }
  });

  it("is turned away while an editor has unsaved text if the hook fails", async () => {
    const { root } = await layProject();
    const edit = events.claude("Edit", { file_path: join(root, "price.ts"), old_string: "0.19", new_string: "0.2" });
    const strange = { ...edit, permission_mode: { toString: 1, valueOf: 1 } };
    expect(reasonIn("claude", await answer("claude", strange, "--apply"))).toMatch(
      /^This call can't be checked, because multi-edit failed to check it\. .*price\.ts"/,
    );
  });
});

describe("a path that can't be one", () => {
  const paths: readonly [what: string, path: (root: string) => string][] = [
    ["many folders", (root) => `${root}${"/a".repeat(100_000)}`],
    ["many folders up", (root) => `${root}${"/..".repeat(100_000)}/price.ts`],
    ["many folders down and up", (root) => `${root}${"/a/..".repeat(50_000)}/price.ts`],
    ["a long name", (root) => `${root}/${"x".repeat(1_000_000)}`],
    ["a zero", (root) => `${root}/price.ts\0`],
    ["a lone surrogate", (root) => `${root}/price\ud800.ts`],
    ["lone surrogates only", () => "\udc00\ud800"],
  ];

  it("gets an answer within the time of a hook", async () => {
    const { root } = await layProject();
    for (const [what, path] of paths) {
      const before = performance.now();
      const given = await answer("claude", events.claude("Write", { file_path: path(root), content: "x" }));
      expect(performance.now() - before, what).toBeLessThan(10_000);
      if (given !== undefined) expect(reasonIn("claude", given), what).toMatch(/price\.ts"/);
      if (what === "many folders down and up") expect(given).toBeDefined();
    }
  }, 90_000);

  it("gets an answer within the time of a hook if a patch has a thousand of them, while an editor has unsaved text", async () => {
    const { root } = await layProject();
    hurry();
    const adds = Array.from({ length: 1_000 }, (_, i) => `*** Add File: ${"a/".repeat(1_900)}${i}\n+x\n`);
    const patch = events.codex("apply_patch", `*** Begin Patch\n${adds.join("")}*** End Patch`, root);
    const before = performance.now();
    expect(reasonIn("codex", await answer("codex", patch))).toMatch(/takes longer than 20 s\. .*price\.ts"/);
    expect(performance.now() - before).toBeLessThan(40_000);
  }, 90_000);
});
