/** A call of an agent's own tool that the hook applies in the editor: its answer names what the call has broken. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import type { DiagnosticsParams, DiagnosticsResult } from "../../server/lsp/protocol.js";
import { answer, events, layProject, type Name, reasonIn } from "../support/hookEvents.js";

const [from, to] = ["rate = 0.19", "vat = 0.2"];

it.each([
  [
    "claude",
    (file_path: string) => ({
      ...events.claude("Edit", { file_path, old_string: from, new_string: to }),
      permission_mode: "acceptEdits",
    }),
  ],
  [
    "gemini",
    (file_path: string, root: string) =>
      events.gemini("replace", { file_path, instruction: "x", old_string: from, new_string: to }, root),
  ],
  ["opencode", (filePath: string) => events.opencode("edit", { filePath, oldString: from, newString: to })],
] as const satisfies readonly (readonly [Name, (path: string, root: string) => object])[])(
  "%s is told of an error in another file",
  async (name, event) => {
    const { root, editor } = await layProject({}, { experimental: { multiEdit: { diagnostics: true } } });
    const uri = pathToFileURL(join(root, "saved.ts")).href;
    const start = { line: 1, character: 6 };
    const error = { range: { start, end: start }, severity: 1 as const, message: "Cannot find name 'rate'." };
    editor.connection.onRequest("multiEdit/diagnostics", ({ waitMs }: DiagnosticsParams): DiagnosticsResult => {
      return { servers: [{ name: "ts", files: [{ uri, diagnostics: waitMs === 0 ? [] : [error] }] }] };
    });
    const said = reasonIn(name, await answer(name, event(join(root, "price.ts"), root), "--apply"));
    expect(said).toMatch(/\nM price\.ts, not saved\n1 new error \(ts\): saved\.ts:2 Cannot find name 'rate'\.$/);
  },
);
