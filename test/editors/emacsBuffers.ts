/** Scenes in which Emacs shows only a part of a file. */
import { expect, vi } from "vitest";
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
  await vi.waitFor(async () => expect((await stage.wire.read(stage.path("price.ts")))?.text).toContain("XYexport"));
}

export async function editsBehindIndirect(view: Emacs): Promise<void> {
  const { stage } = view;
  const typed = '(goto-char (point-min)) (insert "above\\n")';
  await inFile(view, `(with-current-buffer (make-indirect-buffer (current-buffer) "part") ${typed} (kill-buffer))`);
  const call = batch(["price.ts", "net * (1 + rate)", "net"]);
  expect(await stage.apply("agent", call)).toMatchObject({ outcome: "applied" });
  expect((await stage.held())["price.ts"]).toBe(`above\n${price.replace("net * (1 + rate)", "net")}`);
}
