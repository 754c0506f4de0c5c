/**
 * Loaded before a program on Linux (`node --require`), gives the answers that macOS gives where the server asks its system:
 * another platform, no /proc, names that the disk keeps in NFD, `cp` without GNU's options, and sockets with shorter paths.
 * `SYNC_LOG` names a file that gets the path of each file and directory that is synced.
 */
import child from "node:child_process";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";

type Call = (this: unknown, ...args: unknown[]) => unknown;

Object.defineProperty(process, "platform", { value: "darwin" });

const pathOf = fs.readlinkSync;
const append = fs.appendFileSync;

/** The path that is asked for on the disk. */
function onDisk(path: unknown): unknown {
  if (typeof path !== "string") return path;
  return path.startsWith("/proc/") || path === "/proc" ? path.replace("/proc", "/no-proc") : path.normalize("NFD");
}

/** The functions whose first two arguments are paths; all others have at most one. */
const withTwo = /^(?:rename|link|copyFile|cp)(?:Sync)?$/;

function translate(functions: Record<string, unknown>): void {
  for (const [name, original] of Object.entries(functions)) {
    if (typeof original !== "function" || /^[A-Z]/.test(name)) continue;
    const act = original as Call;
    const count = withTwo.test(name) ? 2 : 1;
    const replacement: Call = function (...args) {
      return act.apply(this, [...args.slice(0, count).map(onDisk), ...args.slice(count)]);
    };
    functions[name] = Object.assign(replacement, original);
    const { native } = original as { native?: Call };
    if (native)
      Object.assign(replacement, { native: (path: unknown, ...more: unknown[]) => native(onDisk(path), ...more) });
  }
}

translate(fs as unknown as Record<string, unknown>);
translate(fs.promises as unknown as Record<string, unknown>);

const { fsyncSync } = fs;
fs.fsyncSync = (fd) => {
  const path = pathOf(`/proc/self/fd/${fd}`);
  if (process.env.SYNC_LOG) append(process.env.SYNC_LOG, `${path}\n`);
  // fsync(2) may refuse directories; that is no loss, and no call may fail for it.
  if (fs.fstatSync(fd).isDirectory()) throw Object.assign(new Error("EINVAL: fsync"), { code: "EINVAL", errno: -22 });
  fsyncSync(fd);
};

const { spawnSync } = child;
child.spawnSync = ((program: string, ...rest: []) =>
  spawnSync(program === "cp" ? "false" : program, ...rest)) as typeof child.spawnSync;

const { listen } = net.Server.prototype as unknown as { listen: Call };
Object.assign(net.Server.prototype, {
  listen(this: unknown, ...args: readonly unknown[]) {
    const [path] = args;
    if (typeof path === "string" && Buffer.byteLength(path) > 103) throw new Error(`too long for sun_path: ${path}`);
    return listen.apply(this, [...args]);
  },
});

syncBuiltinESMExports();
