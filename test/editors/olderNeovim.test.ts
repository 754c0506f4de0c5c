/** An older Neovim that many people still use. */
import { olderNeovim } from "./neovim.js";
import { neovimScenes } from "./neovimScenes.js";
import { describeEditor } from "./suite.js";

describeEditor(olderNeovim, neovimScenes);
