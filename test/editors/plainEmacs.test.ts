/** Emacs with the sample and no other server. */
import { plainEmacs } from "./emacs.js";
import { describeEditor } from "./suite.js";

describeEditor(plainEmacs);
