/** Emacs with lsp-mode. */
import { lspMode } from "./emacs.js";
import { describeEditor } from "./suite.js";

describeEditor(lspMode);
