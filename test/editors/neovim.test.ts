/** The current Neovim. */
import { neovim } from "./neovim.js";
import { neovimScenes } from "./neovimScenes.js";
import { describeEditor } from "./suite.js";

describeEditor(neovim, neovimScenes);
