/** VS Code with the packed extension: `npm run vsix` makes it, and `.ci/vscode` installs VS Code. */
import { describeEditor } from "../editors/suite.js";
import { vscode } from "./vscode.js";
import { vscodeScenes } from "./vscodeScenes.js";

describeEditor(vscode, vscodeScenes, { isSlow: true });
