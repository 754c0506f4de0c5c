/** The package as `npm pack` makes it, unpacked, and projects that have installed it. */
import { type ExecFileSyncOptionsWithStringEncoding, execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { projectRoot } from "./project.js";

/** The fields of `package.json` that the tests read. */
interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly bin: Record<string, string>;
  readonly dependencies: Record<string, string>;
}

/** The package's `package.json`. */
export const manifest: Manifest = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));

/** The unpacked package. */
export interface Unpacked {
  /** A temporary folder, for anything that a test needs; neither it nor a parent folder contains `node_modules`. */
  readonly folder: string;
  /** The folder of the package, in the temporary folder. */
  readonly path: string;
  /** Makes a project in the temporary folder that has only this package and what it declares; returns its path. */
  consumer(name: string): string;
  remove(): void;
}

/** Packs and unpacks the package, which must have been built. */
export function unpackPackage(): Unpacked {
  const folder = mkdtempSync(join(tmpdir(), "multi-edit-package-"));
  const [packed] = pack("--pack-destination", folder);
  execFileSync("tar", ["-xzf", packed?.filename ?? ""], { cwd: folder });
  const path = join(folder, "package");
  return {
    folder,
    path,
    consumer(name) {
      const project = join(folder, name);
      cpSync(path, join(project, "node_modules", manifest.name), { recursive: true });
      // Links only the declared packages, so an import of any other package fails even if that package is installed.
      for (const one of [...Object.keys(manifest.dependencies), "@types/node"]) {
        mkdirSync(join(project, "node_modules", dirname(one)), { recursive: true });
        symlinkSync(join(projectRoot, "node_modules", one), join(project, "node_modules", one), "junction");
      }
      writeFileSync(join(project, "package.json"), '{ "type": "module" }');
      return project;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/**
 * The files that npm says it packs. The package's scripts are not run, since they would rebuild the program under test.
 */
export function pack(...args: string[]): { filename: string; files: { path: string }[] }[] {
  const options: ExecFileSyncOptionsWithStringEncoding = {
    cwd: projectRoot,
    encoding: "utf8",
    // On Windows, npm is a script that only a shell can run.
    shell: process.platform === "win32",
    stdio: ["ignore", "pipe", "pipe"],
  };
  return JSON.parse(execFileSync("npm", ["pack", "--ignore-scripts", "--json", ...args], options));
}

/** The compiler's errors about a file in a project. */
export function runTypeScript(file: string, project: string, ...more: readonly string[]): string {
  const compiler = join(projectRoot, "node_modules/typescript/bin/tsc");
  const flags = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2023", "--types", "node"];
  try {
    const args = [compiler, ...flags, ...more, "--ignoreConfig", file];
    return execFileSync(process.execPath, args, { cwd: project, encoding: "utf8" });
  } catch (error) {
    return error instanceof Error && "stdout" in error ? String(error.stdout) : String(error);
  }
}
