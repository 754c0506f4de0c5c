/** The directories that a session's socket can be in, and how it is put there so that nobody else ever reaches it. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmdirSync } from "node:fs";
import type { Server } from "node:net";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { limits } from "../../text/limits.js";
import { codeOf } from "../../workspace/identity.js";
import { folderProblems } from "../../workspace/sentences.js";
import { makePrivate } from "../../workspace/serverFolder.js";
import { sessionProblems } from "../sentences.js";
import { removeQuietly } from "./record.js";

/** An address on which a server listens. */
export interface SocketAddress {
  /** Path of the socket, or name of the pipe. */
  readonly name: string;
  /** Takes away what the file system shows of it. */
  remove(): void;
}

/** An address, or why none can be had, as a clause. */
export type BoundSocket =
  | { readonly ok: true; readonly address: SocketAddress }
  | { readonly ok: false; readonly problem: string };

/**
 * Lets a server listen beside its session's record, or if the path is too long or the file system has no sockets, in a
 * private directory elsewhere: the record says where. Nothing that is there already is removed or used.
 */
export async function listen(server: Server, id: string, directory: string): Promise<BoundSocket> {
  if (process.platform === "win32") {
    const name = `\\\\.\\pipe\\multi-edit-${id}-${randomBytes(16).toString("hex")}`;
    const problem = await listenAt(server, name);
    return problem === undefined ? { ok: true, address: { name, remove() {} } } : { ok: false, problem };
  }
  let lastProblem = "";
  for (const { make, removeDirectory } of directories(directory)) {
    const { path, problem } = make();
    const name = join(path, `${id}.sock`);
    const remove = (): void => {
      removeQuietly(name);
      removeDirectory(path);
    };
    const failure = problem ?? pathProblem(name) ?? (await listenAt(server, name));
    if (failure === undefined) return { ok: true, address: { name, remove } };
    removeDirectory(path);
    lastProblem = failure;
  }
  return { ok: false, problem: lastProblem };
}

/** A directory for sockets. */
interface SocketDirectory {
  /** The directory, and what is wrong with it. */
  make(): { readonly path: string; readonly problem?: string | undefined };
  /** Takes it away if it was made for this socket alone. */
  removeDirectory(path: string): void;
}

/** The directories to try, the first that fits counts. */
function directories(beside: string): readonly SocketDirectory[] {
  const lasting = (path: string): SocketDirectory => ({
    make: () => ({ path, problem: makePrivate(path) }),
    removeDirectory() {},
  });
  const { XDG_RUNTIME_DIR: runtime } = process.env;
  const temporary: SocketDirectory = {
    make: () => ({ path: mkdtempSync(join(tmpdir(), "multi-edit-")) }),
    removeDirectory(path) {
      try {
        rmdirSync(path);
      } catch {
        // It is empty, or not ours to remove.
      }
    },
  };
  const hasRuntime = runtime !== undefined && isAbsolute(runtime);
  const shared = hasRuntime ? [lasting(join(runtime, "multi-edit-language-server", "s"))] : [];
  return [lasting(beside), ...shared, temporary];
}

/** Node cuts a longer path off without a word, and would listen somewhere else. */
function pathProblem(path: string): string | undefined {
  const most = process.platform === "linux" ? limits.linuxSocketPathBytes : limits.bsdSocketPathBytes;
  return Buffer.byteLength(path) > most ? sessionProblems.longSocketPath(dirname(path), most) : undefined;
}

/** Gives why the server does not listen there, as a clause; `undefined`: it listens. */
function listenAt(server: Server, name: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const onError = (error: Error): void => resolve(sessionProblems.socket(name, folderProblems.system(codeOf(error))));
    server.once("error", onError);
    server.once("listening", () => {
      server.off("error", onError);
      resolve(undefined);
    });
    // The socket comes into being within the call, with the mode that this mask leaves: it never has another one.
    const mask = process.umask(0o177);
    try {
      server.listen(name);
    } finally {
      process.umask(mask);
    }
  });
}
