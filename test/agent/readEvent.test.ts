/** The events that agents send before and after their own tools run, as calls, and these as calls of the server. */
import { describe, expect, it } from "vitest";
import type { AgentHook } from "../../server/agents/agent.js";
import { type AgentName, agents } from "../../server/agents/agents.js";
import { spanOf } from "../../server/programs/hook/hook.js";
import { type OwnCall, readEvent } from "../../server/programs/hook/readEvent.js";
import { toCall } from "../../server/programs/hook/toCall.js";
import { limits } from "../../server/text/limits.js";

function hookOf(name: AgentName): AgentHook {
  const { hook } = agents[name];
  if (hook === undefined) throw new Error(`${name} has no hook`);
  return hook;
}
const claude = hookOf("claude");

const common = { session_id: "s", cwd: "/p", hook_event_name: "PreToolUse", tool_use_id: "t" };
const event = (tool_name: unknown, tool_input: unknown, more: object = {}) => ({
  ...{ ...common, tool_name, tool_input },
  ...more,
});
const after = { hook_event_name: "PostToolUse" };

function read(agent: AgentHook, sent: Readonly<Record<string, unknown>>): OwnCall {
  const call = readEvent(agent, sent);
  if (call === undefined || call === "unreadable") throw new Error(`the event is ${call ?? "not for us"}`);
  return call;
}

describe("an event", () => {
  const edit = { file_path: "a.ts", old_string: "x", new_string: "y" };
  const shell = (command: string) => event("Bash", { command });

  it("is a call of a tool, with its paths and the directory that they refer to", () => {
    expect(read(claude, event("Edit", edit))).toEqual({
      tool: { kind: "edit", field: "file_path" },
      input: edit,
      paths: ["a.ts"],
      patch: undefined,
      perhaps: undefined,
      directory: "/p",
      id: JSON.stringify(["s", "t", "Edit", edit]),
      key: JSON.stringify(["s", "t", "Edit", edit]),
      conversation: JSON.stringify(["s", ""]),
      event: event("Edit", edit),
    });
  });

  it.each([
    ["a number for the session", { session_id: 7 }, undefined, JSON.stringify([7, "t", "Edit", edit]), undefined],
    ["no id of the call", { tool_use_id: undefined }, undefined, JSON.stringify(["s", null, "Edit", edit]), '["s",""]'],
    ["a subagent", { agent_id: "b" }, "same", JSON.stringify(["s", "t", "Edit", edit]), '["s","b"]'],
    ["an empty session", { session_id: "" }, "same", JSON.stringify(["", "t", "Edit", edit]), undefined],
  ])("with %s has these ids", (_, more, id, key, conversation) => {
    const call = read(claude, event("Edit", edit, more));
    expect([call.id, call.key, call.conversation]).toEqual([id === "same" ? key : id, key, conversation]);
  });

  it.each([
    ["another tool", event("WebFetch", { url: "x" }), undefined],
    ["a tool with the name of a property that every object has", event("constructor", edit), undefined],
    ["a tool that is about to read", event("Read", edit), undefined],
    ["a tool that is about to search", event("Grep", { path: "src" }), undefined],
    ["a command that is about to run", shell("ls"), undefined],
    ["another event", event("Edit", edit, { hook_event_name: "Stop" }), undefined],
    ["no tool", event(undefined, edit), "unreadable"],
    ["no tool, after it has run", event(7, edit, after), undefined],
    ["no path", event("Edit", { old_string: "x" }), "unreadable"],
    ["no path, after it has run", event("Edit", {}, after), undefined],
    ["an empty path", event("Write", { file_path: "" }), "unreadable"],
    ["an input that is a text", event("Write", "a.ts"), "unreadable"],
    ["no input", event("Write", null), "unreadable"],
    ["a path that is too long", event("Write", { file_path: "a".repeat(limits.pathLength + 1) }), "unreadable"],
    ["a path with a zero byte", event("Write", { file_path: "a\0b" }), "unreadable"],
    ["the same, after it has run", event("Write", { file_path: "a\0b" }, after), undefined],
    ["a directory with a zero byte", event("Write", { file_path: "a" }, { cwd: "/\0" }), "unreadable"],
  ])("about %s: %s", (_, sent, expected) => {
    expect(readEvent(claude, sent)).toBe(expected);
  });

  it("may have a path of the largest length", () => {
    expect(read(claude, event("Write", { file_path: "a".repeat(limits.pathLength) })).paths).toHaveLength(1);
  });

  it.each([
    ["a tool has read", event("Read", edit, after), { kind: "read", paths: ["a.ts"] }],
    ["a tool has edited", event("Edit", edit, after), { kind: "edit", paths: ["a.ts"] }],
    ["a command has run", event("Bash", { command: "ls" }, after), { kind: "command", paths: ["."] }],
    ["a search has looked in a folder", event("Grep", { path: "src" }, after), { kind: "search", paths: ["src"] }],
    ["a search has looked everywhere", event("Grep", {}, after), { kind: "search", paths: ["."] }],
  ])("after %s", (_, sent, { kind, paths }) => {
    const call = read(claude, sent);
    expect([call.tool.kind, call.paths]).toEqual([kind, paths]);
  });

  it.each([undefined, "", 7])("whose directory is %j is about the one in which the hook runs", (cwd) => {
    expect(read(claude, event("Edit", edit, { cwd })).directory).toBe(process.cwd());
  });
});

describe("the time in which a command ran", () => {
  it("ends now, and begins so long before, and a second earlier", () => {
    const { from, to } = spanOf(5_000)!;
    expect(to - from).toBe(5_000 + limits.hookStartMs);
    expect(Math.abs(Date.now() - to)).toBeLessThan(60_000);
    expect(spanOf(0)).toBeDefined();
  });

  it.each([undefined, "5000", -1, Number.NaN])("is not known if the event has %j", (duration) => {
    expect(spanOf(duration)).toBeUndefined();
  });
});

describe("a patch in an event", () => {
  const codex = hookOf("codex");
  const patch = [
    ...["*** Begin Patch", "*** Update File: a.ts", "*** Move to: b.ts", "@@", "-x", "+y"],
    ...["  *** Delete File:  c.ts ", "*** Update File: a.ts", "*** Add File: d e.ts", "+z", "*** End Patch"],
  ].join("\n");

  it("names each of its files once", () => {
    const call = read(codex, event("apply_patch", { command: patch }));
    expect([call.paths, call.patch, call.tool.kind]).toEqual([["a.ts", "b.ts", "c.ts", "d e.ts"], patch, "patch"]);
    expect(toCall(call, codex, "a.ts")).toEqual({ patch });
  });

  it("that names no file can't be read", () => {
    expect(readEvent(codex, event("apply_patch", { command: "*** Begin Patch\n*** End Patch" }))).toBe("unreadable");
  });

  it("may be in a command that does nothing else, perhaps in another folder", () => {
    const call = read(codex, event("Bash", { command: `cd sub && apply_patch <<'EOF'\n${patch}\nEOF` }));
    expect([call.paths, call.directory, call.patch]).toEqual([["a.ts", "b.ts", "c.ts", "d e.ts"], "/p/sub", patch]);
    expect(call.perhaps).toBeUndefined();
  });

  it("may be in a command of which nobody knows what else it does", () => {
    const command = "apply_patch < a.patch";
    const call = read(codex, event("Bash", { command }));
    expect([call.paths, call.perhaps, call.patch, call.directory]).toEqual([["."], command, undefined, "/p"]);
    expect(toCall(call, codex, "a.ts")).toBeUndefined();
  });

  it("is not in a command that mentions it only", () => {
    expect(readEvent(codex, event("Bash", { command: "grep apply_patch a.ts" }))).toBeUndefined();
    // After it has run, any command may have changed a file.
    expect(read(codex, event("Bash", { command: "grep apply_patch a.ts" }, after)).tool.kind).toBe("command");
  });

  it("may be the input itself", () => {
    const copilot = hookOf("copilot");
    const [name = ""] = Object.entries(copilot.tools).find(([, { mayBePatch }]) => mayBePatch) ?? [];
    const call = read(copilot, event(name, patch));
    expect([call.tool.kind, call.patch, call.paths.length]).toEqual(["patch", patch, 4]);
    expect(read(copilot, event(name, { [copilot.tools[name]!.field]: "a.ts" })).patch).toBeUndefined();
  });
});

describe("a call of the server", () => {
  const made = (tool: string, input: object) => toCall(read(claude, event(tool, input)), claude, "/p/a.ts");
  const file_path = "a.ts";
  const one = { path: "/p/a.ts", oldText: "x", newText: "y" };

  it.each([
    ["an edit", { old_string: "x", new_string: "y" }, [one]],
    ["an edit everywhere", { old_string: "x", new_string: "y", replace_all: true }, [{ ...one, replaceAll: true }]],
    ["an edit of one", { old_string: "x", new_string: "y", replace_all: false }, [one]],
    ["a word for everywhere, which is none", { old_string: "x", new_string: "y", replace_all: "yes" }, [one]],
    ["nothing", {}, [{ path: "/p/a.ts" }]],
    [
      "several edits",
      { edits: [{ old_string: "x", new_string: "y" }, null, { old_string: "a", replace_all: true }] },
      [one, { path: "/p/a.ts" }, { path: "/p/a.ts", oldText: "a", replaceAll: true }],
    ],
  ])("is made of %s", (_, input, edits) => {
    expect(made("MultiEdit", { file_path, ...input })).toEqual({ edits });
  });

  it.each([
    ["a\nb\n", ["+a", "+b"]],
    ["a\n\nb", ["+a", "+", "+b", "\\ No newline at end of file"]],
    ["", []],
    ["\n", ["+"]],
  ])("gives a file the whole text %j", (content, lines) => {
    const patch = ["*** Begin Patch", "*** Add File: /p/a.ts", ...lines, "*** End Patch"].join("\n");
    expect(made("Write", { file_path, content })).toEqual({ patch });
  });

  it.each([" a.ts", "a.ts ", "a\nb", "a\rb"])("is not made of the path %j, which no patch can name", (path) => {
    expect(toCall(read(claude, event("Write", { file_path: path, content: "x" })), claude, path)).toBeUndefined();
  });

  it("is not made of a write without a text, or of a change to a notebook", () => {
    expect(made("Write", { file_path })).toBeUndefined();
    expect(made("NotebookEdit", { notebook_path: "a.ipynb" })).toBeUndefined();
  });
});
