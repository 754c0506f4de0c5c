/** Emacs with eglot. */
import { eglot } from "./emacs.js";
import { describeEditor } from "./suite.js";

describeEditor(eglot);
