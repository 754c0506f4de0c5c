/** Tells the server what VS Code's other extensions report, so that an agent learns what its call has broken. */
import { extname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { DiagnosticsParams, DiagnosticsResult } from "../../../server/lsp/protocol.js";

/** Milliseconds to wait for the first report after a call, and for silence after it. */
const firstReport = 1_000;
const silence = 300;

/**
 * Answers the request `multiEdit/diagnostics`. VS Code does not say which extension serves a file, so all of them together
 * count as one server, which serves the types of files about which something was ever reported.
 */
export function answerDiagnostics(client: LanguageClient): vscode.Disposable {
  const types = new Set(vscode.languages.getDiagnostics().map(([uri]) => extname(uri.path)));
  let [reports, lastAt, before] = [0, 0, 0];
  return vscode.Disposable.from(
    vscode.languages.onDidChangeDiagnostics(({ uris }) => {
      // This server reports, too.
      const others = uris.filter((uri) => vscode.languages.getDiagnostics(uri).every(isOfOthers));
      for (const { path } of others) types.add(extname(path));
      [reports, lastAt] = [reports + 1, Date.now()];
    }),
    client.onRequest(
      "multiEdit/diagnostics",
      async ({ uris, waitMs }: DiagnosticsParams): Promise<DiagnosticsResult> => {
        if (!uris.some((uri) => types.has(extname(vscode.Uri.parse(uri).path)))) return { servers: [] };
        const start = Date.now();
        const isAwaited = (): boolean =>
          reports === before ? Date.now() - start < firstReport : Date.now() - lastAt < silence;
        while (Date.now() - start < waitMs && isAwaited()) await delay(20);
        const pending = waitMs > 0 && reports === before;
        if (waitMs === 0) before = reports;
        const files = vscode.languages.getDiagnostics().map(async ([uri, all]) => ({
          uri: client.code2ProtocolConverter.asUri(uri),
          diagnostics: await client.code2ProtocolConverter.asDiagnostics(all.filter(isOfOthers)),
        }));
        return { servers: [{ name: "VS Code", pending, files: await Promise.all(files) }] };
      },
    ),
  );
}

const isOfOthers = ({ source }: vscode.Diagnostic): boolean => source !== "multi-edit";
