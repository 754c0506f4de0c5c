/** An older Helix that many people still use. */
import { olderHelix } from "./helix.js";
import { describeEditor } from "./suite.js";

describeEditor(olderHelix);
