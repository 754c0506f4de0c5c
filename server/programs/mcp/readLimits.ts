/** The longest texts that agents pass on to their models, as seen with real agents; they cut off what is longer. */

/**
 * Maximum number of UTF-16 code units that a read returns, by the name that the agent's MCP client gives. For other
 * agents, `limits.toolText` applies. Codex models that call tools from a script get about 10,000 tokens.
 */
export const readLimits: Readonly<Record<string, number>> = {
  "claude-code": 80_000,
  "codex-mcp-client": 30_000,
  opencode: 45_000,
  "gemini-cli-mcp-client": 80_000,
};
