/** Where a session's socket can stand, and how it is put there so that nobody else ever reaches it. */

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

/** A place on which a server listens. */
export interface Address {
  /** Path of the socket, or name of the pipe. */
  readonly name: string;
  /** Takes away what the file system shows of it. */
  remove(): void;
}

/** An address, or why none can be had, as a clause. */
export type Bound = { readonly ok: true; readonly address: Address } | { readonly ok: false; readonly problem: string };

/**
 * Lets a server listen beside its session's record, or where the path is too long or the file system has no sockets, in a
 * private directory elsewhere: the record says where. Nothing that is there already is removed or used.
 */
export async function listen(server: Server, id: string, directory: string): Promise<Bound> {
  if (process.platform === "win32") {
    const name = `\\\\.\\pipe\\multi-edit-${id}-${randomBytes(16).toString("hex")}`;
    const code = await listenAt(server, name);
    return code === undefined
      ? { ok: true, address: { name, remove() {} } }
      : { ok: false, problem: sessionProblems.socket(name, folderProblems.system(code)) };
  }
  let problem = "";
  for (const place of places(directory)) {
    const made = place.make();
    const name = join(made.path, `${id}.sock`);
    const refused = made.problem ?? pathProblem(name);
    const code = refused === undefined ? await listenAt(server, name) : undefined;
    if (refused === undefined && code === undefined) {
      const remove = (): void => {
        removeQuietly(name);
        place.remove(made.path);
      };
      return { ok: true, address: { name, remove } };
    }
    place.remove(made.path);
    problem = refused ?? sessionProblems.socket(name, folderProblems.system(code ?? ""));
  }
  return { ok: false, problem };
}

/** A directory for sockets. */
interface Place {
  /** The directory, and what is wrong with it. */
  make(): { readonly path: string; readonly problem?: string | undefined };
  /** Takes it away where it was made for this socket alone. */
  remove(path: string): void;
}

function places(directory: string): readonly Place[] {
  const kept = (path: string): Place => ({ make: () => ({ path, problem: makePrivate(path) }), remove() {} });
  const { XDG_RUNTIME_DIR: runtime } = process.env;
  const own: Place = {
    make: () => ({ path: mkdtempSync(join(tmpdir(), "multi-edit-")) }),
    remove(path) {
      try {
        rmdirSync(path);
      } catch {
        // It is empty, or not ours to remove.
      }
    },
  };
  return [
    kept(directory),
    ...(runtime !== undefined && isAbsolute(runtime) ? [kept(join(runtime, "multi-edit-language-server", "s"))] : []),
    own,
  ];
}

/** Node cuts a longer path off without a word, and would listen somewhere else. */
function pathProblem(path: string): string | undefined {
  const most = process.platform === "linux" ? limits.linuxSocketPathBytes : limits.bsdSocketPathBytes;
  return Buffer.byteLength(path) > most ? sessionProblems.longSocketPath(dirname(path), most) : undefined;
}

/** The system's code of the error; `undefined`: it listens. */
function listenAt(server: Server, path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const fail = (error: Error): void => resolve(codeOf(error));
    server.once("error", fail);
    server.once("listening", () => {
      server.off("error", fail);
      resolve(undefined);
    });
    // The socket comes into being within the call, with the mode that this mask leaves: it never has another one.
    const mask = process.umask(0o177);
    try {
      server.listen(path);
    } finally {
      process.umask(mask);
    }
  });
}
