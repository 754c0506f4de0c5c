/** Chooses a directory for a session's socket and creates the socket so that no other user can ever connect to it. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmdirSync } from "node:fs";
import type { Server } from "node:net";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { limits } from "../text/limits.js";
import { codeOf } from "../workspace/identity.js";
import { folderProblems } from "../workspace/sentences.js";
import { makePrivate } from "../workspace/serverFolder.js";
import { removeQuietly } from "./record.js";
import { sessionProblems } from "./sentences.js";

/** An address that a server is listening on. */
export interface SocketAddress {
  /** The socket's path, or the pipe's name. */
  readonly name: string;
  /** Reports whether the socket has been removed, so that nobody can connect any more. Always `false` for a pipe. */
  isGone(): boolean;
  /** Removes the socket, and the directory if it was made for this socket alone. Does nothing for a pipe. */
  remove(): void;
}

/** The address that a server is listening on, or a clause that says why it can't listen. */
export type BoundSocket =
  | { readonly ok: true; readonly address: SocketAddress }
  | { readonly ok: false; readonly problem: string };

/** Listens on a socket in `directory` or another private one (a pipe on Windows). Never removes anything. */
export async function listen(server: Server, id: string, directory: string): Promise<BoundSocket> {
  if (process.platform === "win32") {
    const name = `\\\\.\\pipe\\multi-edit-${id}-${randomBytes(16).toString("hex")}`;
    const problem = await listenAt(server, name);
    return problem === undefined
      ? { ok: true, address: { name, isGone: () => false, remove() {} } }
      : { ok: false, problem };
  }
  const { XDG_RUNTIME_DIR: runtime } = process.env;
  const hasRuntime = runtime !== undefined && isAbsolute(runtime);
  const lasting = hasRuntime ? [directory, join(runtime, "multi-edit-language-server", "s")] : [directory];
  let problem = "";
  // Use the first directory that works; `undefined` means a temporary directory created for this socket alone.
  for (const shared of [...lasting, undefined]) {
    const path = shared ?? mkdtempSync(join(tmpdir(), "multi-edit-"));
    const removeDirectory = (): void => {
      if (shared === undefined) removeQuietly(path, rmdirSync);
    };
    const name = join(path, `${id}.sock`);
    const remove = (): void => {
      removeQuietly(name);
      removeDirectory();
    };
    const privacy = shared === undefined ? undefined : makePrivate(shared);
    const failure = privacy ?? pathProblem(name) ?? (await listenAt(server, name));
    if (failure === undefined) return { ok: true, address: { name, isGone: () => !existsSync(name), remove } };
    removeDirectory();
    problem = failure;
  }
  return { ok: false, problem };
}

/** Returns the problem if a path is too long: Node would silently listen on a truncated path. */
function pathProblem(path: string): string | undefined {
  const most = process.platform === "linux" ? limits.linuxSocketPathBytes : limits.bsdSocketPathBytes;
  return Buffer.byteLength(path) > most ? sessionProblems.longSocketPath(dirname(path), most) : undefined;
}

/** Makes the server listen on a socket or pipe. Returns a clause that says why it failed, or `undefined` on success. */
async function listenAt(server: Server, name: string): Promise<string | undefined> {
  const problem = once(server, "listening").then(
    () => undefined,
    (error: unknown) => sessionProblems.socket(name, folderProblems.system(codeOf(error))),
  );
  // `listen` creates the socket while this umask is in effect, so no other user can ever connect to it.
  const mask = process.umask(0o177);
  try {
    server.listen(name);
  } finally {
    process.umask(mask);
  }
  return problem;
}
