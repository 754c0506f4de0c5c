/** A real Neovim that many people still have. */
import { olderNeovim } from "./neovim.js";
import { neovimScenes } from "./neovimScenes.js";
import { describeEditor } from "./suite.js";

describeEditor(olderNeovim, neovimScenes);
