/** A real Neovim of today. */
import { neovim } from "./neovim.js";
import { describeEditor } from "./suite.js";

describeEditor(neovim);
