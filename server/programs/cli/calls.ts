/**
 * The modules that send calls to sessions, or serve them on disk. The build keeps them in a file of their own, because they
 * take longer to load than Node takes to start: an agent must not wait for them before it knows its tools.
 */

export { answerFile } from "../acp/files.js";
export { callTool } from "../mcp/callTool.js";
export { DocumentResources } from "../mcp/resources.js";
export { showLog, showStatus } from "./log.js";
export { answer, edit, readText, undo } from "./sendCalls.js";
