/** Turns a call of one of an agent's own tools into one that the server takes. */
import type { AgentHook } from "../../agents/agent.js";
import type { OwnCall } from "./readEvent.js";

/** Returns a call as the server takes it; `undefined` if the server has no such call. `path`: the file's path. */
export function toCall({ tool, input, patch }: OwnCall, { edit }: AgentHook, path: string): object | undefined {
  if (tool.kind === "patch") return patch === undefined ? undefined : { patch };
  if (tool.kind === "write") return toAdd(path, input[edit.content ?? "content"]);
  if (tool.kind !== "edit") return undefined;
  const list = input[edit.list ?? ""];
  const edits = (Array.isArray(list) ? list : [input]).map((one: Readonly<Record<string, unknown>> | null) => {
    const all = one?.[edit.replaceAll] === true ? { replaceAll: true } : {};
    return { path, oldText: one?.[edit.oldText], newText: one?.[edit.newText], ...all };
  });
  return { edits };
}

/** Returns the patch that gives a file its whole text; `undefined` if there is none. */
function toAdd(path: string, content: unknown): object | undefined {
  if (typeof content !== "string" || path !== path.trim() || /[\r\n]/.test(path)) return undefined;
  const lines = content.split("\n").map((line) => `+${line}`);
  if (content === "" || content.endsWith("\n")) lines.pop();
  else lines.push("\\ No newline at end of file");
  return { patch: ["*** Begin Patch", `*** Add File: ${path}`, ...lines, "*** End Patch"].join("\n") };
}
