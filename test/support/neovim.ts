/** The Neovim installed on this machine, for tests of the files that editors leave on disk. */
import { spawnSync } from "node:child_process";

const program = "nvim";

/** The first line of `nvim --version`; `undefined` if Neovim is not on the search path. */
export function neovimVersion(): string | undefined {
  const { status, stdout } = spawnSync(program, ["--version"], { encoding: "utf8" });
  return status === 0 ? stdout.split("\n", 1)[0] : undefined;
}
