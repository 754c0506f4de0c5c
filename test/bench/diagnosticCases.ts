/** The case about calls that break nothing, in an editor that tells what other language servers report. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ApplyWorkspaceEditParams, TextDocumentEdit } from "vscode-languageserver/node";
import type { DiagnosticsResult, MultiEditResult } from "../../server/lsp/protocol.js";
import { median, race, ratios, uncertainty } from "./race.js";
import type { BenchCase } from "./result.js";
import { rounds } from "./scale.js";
import { connect } from "./server.js";

const lineCount = 500;

/** An editor with one document; `tells`: it has 1,000 diagnostics, 100 of them in the document, and tells them at once. */
async function startEditor(tells: boolean) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "multi-edit-bench-")));
  const { child, connection } = await connect(root, { tellsDiagnostics: tells });
  const uriOf = (name: string): string => pathToFileURL(join(root, name)).href;
  const uri = uriOf("a.ts");
  const diagnosticsIn = (first: number) =>
    Array.from({ length: 100 }, (_, i) => {
      const at = { line: first + i, character: 0 };
      return {
        range: { start: at, end: at },
        severity: 1 as const,
        message: `Cannot find name 'name${i}'.`,
        code: 2304,
      };
    });
  const files = Array.from({ length: 10 }, (_, i) => ({
    uri: i === 0 ? uri : uriOf(`other${i}.ts`),
    diagnostics: diagnosticsIn(lineCount / 2),
  }));
  let version = 1;
  connection.onRequest("multiEdit/diagnostics", (): DiagnosticsResult => ({ servers: [{ name: "ts", files }] }));
  connection.onRequest("workspace/applyEdit", ({ edit }: ApplyWorkspaceEditParams) => {
    const [change] = (edit.documentChanges ?? []) as TextDocumentEdit[];
    const contentChanges = (change?.edits ?? []).map((one) => ({
      range: Object(one).range,
      text: Object(one).newText,
    }));
    void connection.sendNotification("textDocument/didChange", {
      textDocument: { uri, version: ++version },
      contentChanges,
    });
    return { applied: true };
  });
  const text = Array.from({ length: lineCount }, (_, i) => `use(name${i});\n`).join("");
  const textDocument = { uri, languageId: "typescript", version, text };
  await connection.sendNotification("textDocument/didOpen", { textDocument });
  let rate = 0;
  return {
    async apply(): Promise<void> {
      const edit = {
        path: "a.ts",
        oldText: rate === 0 ? "use(name0);" : `rate(${rate});`,
        newText: `rate(${++rate});`,
      };
      const params = { command: "multiEdit.apply", arguments: [{ edits: [edit], options: { save: "never" } }] };
      const result = await connection.sendRequest<MultiEditResult>("workspace/executeCommand", params);
      const isQuiet = tells ? result.diagnostics?.count === 0 : result.diagnostics === undefined;
      if (!result.applied || !isQuiet) throw new Error("the server finds what is not there");
    },
    stop(): void {
      connection.dispose();
      child.kill("SIGKILL");
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** A call that breaks nothing, beside 1,000 old diagnostics that the editor tells at once, against one without them. */
export const quietDiagnostics: BenchCase = {
  name: "diagnostics",
  title: "wire: an applied call that breaks nothing, beside 1,000 old diagnostics",
  isOfProcess: true,
  async measure(scale) {
    const [told, off] = [await startEditor(true), await startEditor(false)];
    try {
      const times = await race(
        { told: { run: async () => told.apply() }, off: { run: async () => off.apply() } },
        { ...rounds(201, scale), warmUps: scale.rounds === undefined ? 50 : 0, collect: false },
      );
      const [ours, without] = [median(times.told), median(times.off)];
      return {
        rows: [
          {
            name: "wire",
            times: { ours, "without diagnostics": without },
            uncertainty: uncertainty(ratios(times.told, times.off)),
            goals: [
              { measure: "ms above the call without", value: ours - without, limit: 10, sense: "atMost", unit: " ms" },
            ],
          },
        ],
      };
    } finally {
      for (const editor of [told, off]) editor.stop();
    }
  },
};
