/** The programs that can be set up, by name. */
import { agents } from "../../agents/agents.js";
import { agentSetup } from "./agentSetup.js";
import { emacs } from "./emacs.js";
import { helix } from "./helix.js";
import { neovim } from "./neovim.js";
import type { SetUpProgram } from "./program.js";
import { vscode } from "./vscode.js";

/** The programs that can be set up. */
export const programs: Readonly<Record<string, SetUpProgram>> = {
  neovim,
  emacs,
  helix,
  vscode,
  ...Object.fromEntries(Object.entries(agents).map(([name, agent]) => [name, agentSetup(agent)])),
};
