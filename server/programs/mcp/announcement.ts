/**
 * The tools as MCP's `tools/list` answers them. The build replaces this module by one that has the answer, because the
 * schemas come from the decoder's tables, which take longer to load than Node takes to start.
 */
import { tools } from "./tools.js";

/** Returns all tools, in the order in which they are announced. */
export function announcement(): readonly object[] {
  return tools.map(({ name, title, description, inputSchema, readOnly, meta }) => ({
    name,
    title,
    description,
    inputSchema,
    annotations: {
      title,
      readOnlyHint: readOnly,
      destructiveHint: !readOnly,
      idempotentHint: readOnly,
      openWorldHint: false,
    },
    ...(meta === undefined ? {} : { _meta: meta }),
  }));
}
