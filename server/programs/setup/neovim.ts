/** The set-up of Neovim. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { configFolder } from "../../agents/parts.js";
import { readable, unreadable } from "../shared/input.js";
import { wholeFile } from "./configFile.js";
import { type Installation, ifNotOnPath, serverCommand } from "./installation.js";
import type { SetUpProgram } from "./program.js";
import { setupSentences } from "./sentences.js";

const folderOf = ({ samples }: Installation): string => JSON.stringify(join(samples, "neovim"));

/** Returns the command line as Lua. */
const commandOf = (installation: Installation): string =>
  `cmd = { ${serverCommand(installation)
    .map((word) => JSON.stringify(word))
    .join(", ")} }`;

/** Returns the options as Lua; without any, an empty string. */
const optionsOf = (installation: Installation): string => ifNotOnPath(installation, `{ ${commandOf(installation)} }`);

const start = (installation: Installation): string => `require("multi_edit").setup(${optionsOf(installation)})`;

/** Says which Neovim can use a form, and where the form goes. */
const about = (where: string): string =>
  `-- Neovim ${where}. Starts the server for every file, alongside the file's other\n-- servers.`;

/** Neovim: without a plugin manager, and for the two that most users have. */
export const neovim: SetUpProgram = {
  editor: "Neovim",
  aliases: ["vi", "vim", "nvim"],
  forms: {
    plain: (installation) =>
      readable(`${about("0.10 or later, in ~/.config/nvim/init.lua")}
vim.opt.runtimepath:append(${folderOf(installation)})
${start(installation)}
`),
    "lazy.nvim": (installation) =>
      readable(`-- Neovim 0.10 or later with lazy.nvim, in ~/.config/nvim/lua/plugins/multi-edit.lua. Starts the server for every file,
-- alongside the file's other servers.
return {
  dir = ${folderOf(installation)},
  name = "multi-edit",
  main = "multi_edit",
  opts = ${optionsOf(installation) || "{}"},
}
`),
    "vim.pack": (installation) => {
      const { repository } = installation;
      if (repository === undefined) return unreadable(setupSentences.noRepository());
      const src = JSON.stringify(pathToFileURL(repository).href);
      return readable(`${about("0.12 or later, in ~/.config/nvim/init.lua")} vim.pack copies what has been committed in the repository.
vim.pack.add({ { src = ${src}, name = "multi-edit" } }, { confirm = false })
${start(installation)}
`);
    },
  },
  files(installation) {
    const text = `-- multi-edit: this file is written and removed by "multi-edit setup".
vim.opt.runtimepath:append(${folderOf(installation)})
require("multi_edit").setup({ ${commandOf(installation)} })
`;
    const folder = join(configFolder(process.env.LOCALAPPDATA), process.env.NVIM_APPNAME || "nvim", "plugin");
    const isOurs = (present: string): boolean => present.startsWith("-- multi-edit:");
    return readable([wholeFile(join(folder, "multi_edit.lua"), text, isOurs)]);
  },
};
