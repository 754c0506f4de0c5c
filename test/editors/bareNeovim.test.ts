/** The current Neovim without the sample, configured only to start the server. */
import { bareNeovim } from "./neovim.js";
import { describeEditor } from "./suite.js";

describeEditor(bareNeovim);
