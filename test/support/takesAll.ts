/** An editor that gets the texts of a call in a single edit, because it is known to apply that entirely or not at all. */
import type { EditorOptions } from "./fakeEditor.js";

/** The options of such an editor. */
export const takesAll = {
  clientInfo: { name: "Visual Studio Code", version: "1.139.1" },
  capabilities: {
    workspace: {
      applyEdit: true,
      workspaceEdit: {
        documentChanges: true,
        resourceOperations: ["create", "rename", "delete"],
        failureHandling: "textOnlyTransactional",
      },
    },
  },
} satisfies Pick<EditorOptions, "clientInfo" | "capabilities">;
