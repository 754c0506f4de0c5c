/** Paths as they are shown to people. */
import { join, sep } from "node:path";
import { isInside } from "../../workspace/pathText.js";
import { homeFolder } from "../../workspace/serverFolder.js";

/** Returns a path with `~` in place of the home folder. */
export function inHome(path: string): string {
  const home = homeFolder();
  return home !== "" && home !== sep && isInside(home, path) ? join("~", path.slice(home.length)) : path;
}
