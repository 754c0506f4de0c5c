/** The current Neovim without the sample, configured only to start one more server. */
import { bareNeovim } from "./neovim.js";
import { describeEditor } from "./suite.js";

describeEditor(bareNeovim);
