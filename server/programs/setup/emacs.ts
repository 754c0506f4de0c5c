/** The set-up of Emacs. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { configFolder } from "../../agents/parts.js";
import { homeFolder } from "../../workspace/serverFolder.js";
import { type Input, readable } from "../shared/input.js";
import { blockFile } from "./configFile.js";
import { type Installation, ifNotOnPath, serverCommand } from "./installation.js";
import type { SetUpProgram } from "./program.js";

const folderOf = ({ samples }: Installation): string => JSON.stringify(join(samples, "emacs"));

/** Returns the command line as Lisp. */
const commandOf = (installation: Installation): string =>
  `'(${serverCommand(installation)
    .map((word) => JSON.stringify(word))
    .join(" ")})`;

/** Returns the lines that load the package. `setq`: the line that sets the command line, or an empty string. */
const load = (installation: Installation, setq: string): string => `(add-to-list 'load-path ${folderOf(installation)})
(require 'multi-edit)
${setq}`;

const setq = (installation: Installation): string => `(setq multi-edit-command ${commandOf(installation)})\n`;

/** Returns a form for Emacs. `about`: comments; `end`: the last lines. */
const form =
  (about: string, end: string) =>
  (installation: Installation): Input<string> =>
    readable(`;; Emacs 29.1 or later, in ~/.emacs.d/init.el or ~/.config/emacs/init.el.
${about}
${load(installation, ifNotOnPath(installation, setq(installation)))}${end}
`);

const forEveryFile = ";; Starts the server for every file, alongside eglot's other servers.";

/** Returns the lines that start a client in the modes of text and programs. */
const inModes = (client: string): string => `(dolist (hook '(text-mode-hook prog-mode-hook conf-mode-hook))
  (add-hook hook #'${client}))`;

/** Emacs: for all files, without or with use-package, and for users of one of the two LSP clients. */
export const emacs: SetUpProgram = {
  editor: "Emacs",
  forms: {
    plain: form(forEveryFile, "(multi-edit-beside-mode)"),
    "use-package": (installation) =>
      readable(`;; Emacs 29.1 or later, in ~/.emacs.d/init.el or ~/.config/emacs/init.el.
${forEveryFile}
(use-package multi-edit
  :load-path ${folderOf(installation)}
  :demand t
${ifNotOnPath(installation, `  :custom (multi-edit-command ${commandOf(installation)})\n`)}\
  :config (multi-edit-beside-mode))
`),
    eglot: form(
      `;; Makes the server eglot's only server in these modes. List only modes that have no other server; to use the server
;; alongside others, run "multi-edit setup emacs".`,
      `(multi-edit-use-eglot 'text-mode 'prog-mode 'conf-mode)\n${inModes("eglot-ensure")}`,
    ),
    "lsp-mode": form(
      ";; Starts the server alongside lsp-mode's other servers.",
      `(multi-edit-use-lsp-mode)\n${inModes("lsp")}`,
    ),
  },
  files(installation) {
    const block = `${load(installation, setq(installation))}(multi-edit-beside-mode)\n`;
    return readable([blockFile(initFile(), { comment: ";;", block, byHand: /^\s*\(require 'multi-edit\)/m })]);
  },
};

/** Returns the path of the file that Emacs reads at startup: the first that exists, in Emacs' own order. */
function initFile(): string {
  const isWindows = process.platform === "win32";
  // Emacs Lisp manual, "Windows HOME": the folder of application data, unless the variable says otherwise.
  const home = (isWindows && (process.env.HOME || process.env.APPDATA)) || homeFolder();
  const folder = join(home, ".emacs.d");
  const old = [join(home, ".emacs.el"), join(home, ".emacs"), join(folder, "init.el")];
  const found = old.find((path) => existsSync(path));
  return found ?? join(isWindows || existsSync(folder) ? folder : join(configFolder(), "emacs"), "init.el");
}
