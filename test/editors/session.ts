/** Starts a real editor in a new workspace, with the built server behind a tap. */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { absenceOfVsCode, aloneOf } from "../reach/vscodeInstallation.js";
import { buildProgram } from "../support/build.js";
import { removeTree } from "../support/directory.js";
import { builtServer } from "../support/wireServer.js";
import type { Driver, EditorKind, Place } from "./editor.js";
import { openLink } from "./link.js";
import { tapVariables } from "./tapProtocol.js";
import { openWire, type Wire } from "./wire.js";

/** A running editor, and its connection to the server. */
export interface Session {
  readonly kind: EditorKind;
  readonly place: Place;
  readonly driver: Driver;
  readonly wire: Wire;
  /** The folder in which the editor was started; it is no longer a workspace folder of the server. */
  readonly folder: string;
  /** The home directory of the editor's user. */
  readonly home: string;
  /** A file outside all stages, for editors that need a file to be open at all times. */
  readonly first: string;
  stop(): Promise<void>;
}

const repository = fileURLToPath(new URL("../../", import.meta.url)).replace(/\/$/, "");

/** The reason why this editor is unavailable; `undefined` if it is available. */
export function absence({ root }: EditorKind): string | undefined {
  if (root === "vscode") return absenceOfVsCode();
  const roots = process.env.EDITORS_ROOT;
  if (roots === undefined) return "EDITORS_ROOT is not set; .ci/editors prepares the editors and prints its value";
  return existsSync(join(roots, root, "usr/bin")) ? undefined : `${roots} has no ${root} editors`;
}

/** The version of an available editor. */
export function versionOf(kind: EditorKind): string {
  const [program, ...args] = insideOf(kind, []);
  const { stdout, stderr } = spawnSync(program, [...args, ...kind.versionCommand], { encoding: "utf8" });
  const version = kind.version.exec(stdout)?.[1];
  if (version === undefined) throw new Error(`no version in ${stdout}${stderr}`);
  return version;
}

/** A session's options; all are optional. */
interface SessionOptions {
  /** The position encodings to offer instead of the editor's own. */
  readonly encodings?: readonly string[];
  /**
   * Runs as soon as the server knows its first file. No key is pressed until it settles, so that whatever the editor
   * shows of the server's start stays on the screen.
   */
  readonly whenStarted?: (editor: Pick<Session, "driver" | "wire">) => Promise<void>;
}

/** Starts an editor. */
export async function startSession(kind: EditorKind, options: SessionOptions = {}): Promise<Session> {
  // A socket's path must be short.
  const base = realpathSync(mkdtempSync(join(tmpdir(), "me-")));
  const place = await layPlace(kind, base, options.encodings);
  let driver: Driver | undefined;
  const stop = async (): Promise<void> => {
    await driver?.stop();
    place.link.close();
    await removeTree(base);
  };
  try {
    driver = await kind.start(place);
    // Editors start a server when they first open a file that the server handles.
    const first = join(place.folder, "start.txt");
    writeFileSync(first, "start\n");
    await driver.open(first);
    const wire = await openWire(place.link);
    await wire.whenOpen(first);
    await options.whenStarted?.({ driver, wire });
    wire.setFolders({ remove: [place.folder] });
    await driver.closeAll();
    return { kind, place, driver, wire, folder: place.folder, home: place.home, first, stop };
  } catch (error) {
    const said = driver?.said() ?? "";
    await stop();
    throw new Error(`${kind.name} does not start: ${said}`, { cause: error });
  }
}

/**
 * Creates an empty folder and home for an editor below `base`, with our programs on the path. `encodings`: the position
 * encodings to offer instead of the editor's own.
 */
export async function layPlace(
  kind: EditorKind,
  base: string,
  encodings: readonly string[] | undefined,
): Promise<Place> {
  const [folder, home, bin] = [join(base, "w"), join(base, "h"), join(base, "b")];
  for (const path of [folder, home, bin]) mkdirSync(path, { mode: 0o700 });
  // The README tells users to keep a copy of this repository under this path.
  symlinkSync(repository, join(home, "multi-edit-language-server"));
  const tap = join(base, "tap.cjs");
  const built = await buildProgram(new URL("tap.ts", import.meta.url));
  copyFileSync(built.path, tap);
  built.remove();
  const program = join(bin, "multi-edit-language-server");
  // Only the connection to the editor passes through the tap.
  const tapped = `case "$*" in *--stdio*) set -- '${tap}' '${builtServer}' "$@" ;; *) set -- '${builtServer}' "$@" ;; esac`;
  writeFileSync(program, `#!/bin/sh\n${tapped}\nexec node "$@"\n`, { mode: 0o755 });
  writeFileSync(join(bin, "multi-edit"), `#!/bin/sh\nexec node '${builtServer}' "$@"\n`, { mode: 0o755 });
  const link = await openLink(join(base, "s"));
  const env = {
    PATH: process.env.PATH ?? "",
    INSIDE_PATH: bin,
    HOME: home,
    TMPDIR: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_RUNTIME_DIR: home,
    LANG: "C.UTF-8",
    LC_ALL: "C.UTF-8",
    TERM: "xterm-256color",
    [tapVariables.socket]: link.path,
    ...(encodings === undefined ? {} : { [tapVariables.encodings]: encodings.join(",") }),
  };
  const installed = join(process.env.EDITORS_ROOT ?? "", "servers");
  const inside = insideOf(kind, [base, repository, ...(existsSync(installed) ? [installed] : [])]);
  return { folder, home, env, repository, inside, servers: join(installed, "node_modules/.bin"), link };
}

/** A command line that runs a program in the root of an editor, with access to these folders. */
export function insideOf({ root }: EditorKind, folders: readonly string[]): readonly [string, ...string[]] {
  if (root === "vscode") return aloneOf();
  const roots = process.env.EDITORS_ROOT ?? "";
  return ["bash", join(repository, ".ci/inside"), join(roots, root), ...folders, "--"];
}
