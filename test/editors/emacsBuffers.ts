/** Scenes in which Emacs shows only a part of a file. */
import { expect } from "vitest";
import { batch } from "../support/desk.js";
import { price } from "./agentScenes.js";
import type { EmacsDriver } from "./emacs.js";
import type { Stage } from "./stage.js";

type Emacs = EmacsDriver & { readonly stage: Stage };

/** Evaluates Lisp in the buffer of the file. */
const inFile = ({ evaluate, stage }: Emacs, form: string): Promise<unknown> =>
  evaluate(`(with-current-buffer (find-buffer-visiting "${stage.path("price.ts")}") ${form} t)`);

export async function editsNarrowed(view: Emacs): Promise<void> {
  const { stage, press, settled } = view;
  await inFile(view, "(goto-char (point-min)) (narrow-to-region (point) (pos-eol))");
  press("X");
  await settled();
  const call = batch(["price.ts", "net * (1 + rate)", "net + net * rate"]);
  expect(await stage.apply("agent", call)).toMatchObject({ outcome: "applied" });
  press("Y");
  await settled();
  await inFile(view, "(widen)");
  expect((await stage.held())["price.ts"]).toBe(`XY${price.replace("net * (1 + rate)", "net + net * rate")}`);
  await expect.poll(async () => (await stage.wire.read(stage.path("price.ts")))?.text).toContain("XYexport");
}

export async function editsBehindIndirect(view: Emacs): Promise<void> {
  const { stage } = view;
  const inPart = (form: string): string =>
    `(with-current-buffer (make-indirect-buffer (current-buffer) "part") ${form} (kill-buffer))`;
  await inFile(view, inPart('(goto-char (point-min)) (insert "above\\n")'));
  const call = batch(["price.ts", "net * (1 + rate)", "net"]);
  expect(await stage.apply("agent", call)).toMatchObject({ outcome: "applied" });
  const edited = `above\n${price.replace("net * (1 + rate)", "net")}`;
  expect((await stage.held())["price.ts"]).toBe(edited);
  await syncs(view, inPart('(goto-char (point-min)) (delete-char 1) (insert "A")'), edited.replace("a", "A"));
}

/** Emacs counts a change of which eglot does not learn. */
export async function countsUnseenChanges(view: Emacs): Promise<void> {
  await syncs(view, "(translate-region (point-min) (point-max) (make-char-table 'translation-table))", price);
  await syncs(view, `(let ((inhibit-modification-hooks t)) (upcase-region 1 2))`, price.replace("e", "E"));
}

/** Makes a change that Emacs must send; the server must then have this text. */
async function syncs(view: Emacs, form: string, text: string): Promise<void> {
  const { wire, path } = view.stage;
  const before = wire.messages.length;
  await inFile(view, `${form} (multi-edit--flush (multi-edit--session))`);
  await wire.until("the change", () =>
    wire.messages.slice(before).find(({ message }) => message.method === "textDocument/didChange"),
  );
  expect((await wire.read(path("price.ts")))?.text).toBe(text);
}
