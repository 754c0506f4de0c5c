/** Paths as they are shown to people. */
import { join, sep } from "node:path";
import { isInside } from "../../workspace/pathText.js";
import { homeFolder } from "../../workspace/serverFolder.js";

/** Returns a path with `~` in place of the home folder. */
export function inHome(path: string): string {
  const home = homeFolder();
  return home !== "" && home !== sep && isInside(home, path) ? join("~", path.slice(home.length)) : path;
}

/** Puts `~` for the home folder in the paths of a text, except in quoted ones, where a shell would not know it. */
export function withHome(text: string): string {
  const home = homeFolder();
  if (home === "" || home === sep) return text;
  const spelt = home.replace(/[^\w/]/g, "\\$&");
  return text.replace(new RegExp(`(?<=^|[\\s(])${spelt}(?=[\\\\/\\s),.]|$)`, "gm"), "~");
}
