/** A real Neovim of today, of which nobody has heard but that it has a server more. */
import { bareNeovim } from "./neovim.js";
import { describeEditor } from "./suite.js";

describeEditor(bareNeovim);
