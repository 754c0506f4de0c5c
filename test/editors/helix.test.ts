/** The current Helix. */
import { helix } from "./helix.js";
import { helixScenes } from "./helixScenes.js";
import { describeEditor } from "./suite.js";

describeEditor(helix, helixScenes);
