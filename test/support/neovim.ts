/** The machine's own Neovim, for tests of what any editor leaves behind on disk. */
import { spawnSync } from "node:child_process";

const program = "nvim";

/** The first line of `nvim --version`; `undefined`: there is none on the path. */
export function neovimVersion(): string | undefined {
  const { status, stdout } = spawnSync(program, ["--version"], { encoding: "utf8" });
  return status === 0 ? stdout.split("\n", 1)[0] : undefined;
}
