/** Where the server keeps what outlives it, for one user of this machine. */
import { homedir } from "node:os";
import { pathsOf } from "./pathRules.js";

/** Where programs keep state, by the rules of the XDG base directories and of macOS and Windows; absolute, unless the home is not. */
export function stateHome(
  env: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  const { isAbsolute, join } = pathsOf(platform);
  const { XDG_STATE_HOME: given, LOCALAPPDATA: local } = env;
  if (given !== undefined && isAbsolute(given)) return given;
  const home = homeFolder();
  if (platform === "win32") return local ?? join(home, "AppData", "Local");
  if (platform === "darwin") return join(home, "Library", "Application Support");
  return join(home, ".local", "state");
}

/** The home of the user, as the environment has it, where it may be relative; empty where nobody knows it. */
export function homeFolder(): string {
  try {
    return homedir();
  } catch {
    // The variable is not set, and the system does not know the user.
    return "";
  }
}

/**
 * The server's own part of it. Never below the directory for temporary files: agents' sandboxes have one of their own, and
 * would look in another place than the editor.
 */
export function stateFolder(
  env: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  return pathsOf(platform).join(stateHome(env, platform), "multi-edit-language-server");
}
