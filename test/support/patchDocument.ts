/** Documents with patches in an editor that shows code actions, hovers and diagnostics. */
import type { CodeAction, Diagnostic, Hover } from "vscode-languageserver/node";
import type { Program } from "./build.js";
import { type Desk, type DeskOptions, layDesk } from "./desk.js";

/** An editor with a document that people read. */
export interface PatchDesk extends Desk {
  /** The actions on the lines (1-based) of a document. */
  actions(uri: string, from: number, to?: number, only?: readonly string[]): Promise<CodeAction[]>;
  /** Runs the action whose title starts with these words, as an editor does. */
  run(uri: string, from: number, title: string): Promise<unknown>;
  /** The text of the hover on a line (1-based); `undefined` if there is none. */
  hover(uri: string, line: number): Promise<string | undefined>;
  /** The next diagnostics for a document, each as its first and last line (1-based), its code and its message. */
  nextDiagnostics(uri: string): Promise<string[]>;
  /** The number of diagnostics that the server sent last for a document; `undefined` if it sent none. */
  shows(uri: string): number | undefined;
  /** The number of notifications with diagnostics so far. */
  readonly published: () => number;
}

/** By default, the editor shows diagnostics and documents. */
const capabilities = {
  textDocument: { publishDiagnostics: {} },
  window: { showDocument: { support: true } },
};

/** Lays a desk whose editor asks for actions and hovers. */
export async function layPatchDesk(program: Program, options: DeskOptions = {}): Promise<PatchDesk> {
  const desk = await layDesk(program, { capabilities, ...options });
  const { connection } = desk.editor;
  let published = 0;
  const shown = new Map<string, number>();
  let waiting: { uri: string; settle: (diagnostics: Diagnostic[]) => void }[] = [];
  connection.onNotification(
    "textDocument/publishDiagnostics",
    ({ uri, diagnostics }: { uri: string; diagnostics: Diagnostic[] }) => {
      published++;
      shown.set(uri, diagnostics.length);
      for (const one of waiting) if (one.uri === uri) one.settle(diagnostics);
      waiting = waiting.filter((one) => one.uri !== uri);
    },
  );
  const actions: PatchDesk["actions"] = async (uri, from, to = from, only) =>
    ((await connection.sendRequest("textDocument/codeAction", {
      textDocument: { uri },
      range: { start: { line: from - 1, character: 0 }, end: { line: to - 1, character: 0 } },
      context: { diagnostics: [], ...(only === undefined ? {} : { only }) },
    })) ?? []) as CodeAction[];
  return {
    ...desk,
    actions,
    run: async (uri, from, title) => {
      const { command, arguments: given } = (await actions(uri, from)).find((one) => one.title.startsWith(title))!
        .command!;
      return desk.editor.request("workspace/executeCommand", { command, arguments: given });
    },
    hover: async (uri, line) => {
      const position = { line: line - 1, character: 0 };
      const hover = (await connection.sendRequest("textDocument/hover", {
        textDocument: { uri },
        position,
      })) as Hover | null;
      if (hover === null) return undefined;
      return (hover.contents as { value: string }).value;
    },
    nextDiagnostics: (uri) =>
      new Promise((resolve) => {
        const settle = (diagnostics: Diagnostic[]): void =>
          resolve(diagnostics.map((one) => `${linesOf(one)} ${one.severity} ${one.code}: ${one.message}`));
        waiting.push({ uri, settle });
      }),
    shows: (uri) => shown.get(uri),
    published: () => published,
  };
}

function linesOf({ range: { start, end } }: Diagnostic): string {
  return `${start.line + 1}-${end.line + 1}`;
}
