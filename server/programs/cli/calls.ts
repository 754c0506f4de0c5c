/** The modules that send or serve calls, in a file of their own in the build, because they load slowly. */

export { answerFile } from "../acp/files.js";
export { callTool } from "../mcp/callTool.js";
export { DocumentResources } from "../mcp/resources.js";
export { showLog, showStatus } from "./log.js";
export { answer, edit, readText, undo } from "./sendCalls.js";
