/** The set-up of coc.nvim, an LSP client for Vim, in its file of settings. */
import { join } from "node:path";
import { homeFolder } from "../../workspace/serverFolder.js";
import { entrySetup } from "./entrySetup.js";
import { serverCommand } from "./installation.js";
import type { SetUpProgram } from "./program.js";

/** coc.nvim in Vim: the server for all types of files, beside the others. */
export const coc: SetUpProgram = {
  editor: "Vim with coc.nvim",
  aliases: ["coc.nvim", "cocnvim"],
  ...entrySetup({
    about: `// coc.nvim 0.0.82 or later, in the file that :CocConfig opens.
`,
    files(program) {
      const [command, ...args] = serverCommand(program);
      const value = { command, args, filetypes: ["*"] };
      return [
        {
          kind: "json",
          path: settingsFile(),
          entries: [{ path: ["languageserver", "multi-edit"], value, kind: "own" }],
        },
      ];
    },
  }),
};

/** Returns the path of Vim's file for coc.nvim (coc.nvim, `coc#util#get_config_home`). */
function settingsFile(): string {
  const folder = join(homeFolder(), process.platform === "win32" ? "vimfiles" : ".vim");
  return join(process.env.VIMCONFIG || folder, "coc-settings.json");
}
