/** A real Helix that many people still have. */
import { olderHelix } from "./helix.js";
import { describeEditor } from "./suite.js";

describeEditor(olderHelix);
