/** The programs that can be set up, by name. */
import { agents } from "../../agents/agents.js";
import { coc } from "./coc.js";
import { emacs } from "./emacs.js";
import { entrySetup } from "./entrySetup.js";
import { helix } from "./helix.js";
import { neovim } from "./neovim.js";
import type { SetUpProgram } from "./program.js";
import { vscode } from "./vscode.js";

/** The programs that can be set up. */
export const programs: Readonly<Record<string, SetUpProgram>> = {
  neovim,
  emacs,
  helix,
  coc,
  vscode,
  ...Object.fromEntries(Object.entries(agents).map(([name, agent]) => [name, entrySetup(agent)])),
};
