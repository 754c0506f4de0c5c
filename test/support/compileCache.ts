/**
 * Is loaded first by the programs that the small suite starts: keeps the compiled form of the program's large files, so that
 * Node does not compile them at each start. (From Node 22 on, it can do this itself.)
 */
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import Module from "node:module";
import { basename, dirname, join } from "node:path";
import { Script } from "node:vm";

/** The part of a module of Node that compiles it; not documented, but stable. */
interface Compiling {
  exports: object;
  require(id: string): unknown;
  _compile(content: string, filename: string): unknown;
}

/** Shorter files, in UTF-16 units, are compiled as usual. */
const shortest = 50_000;

const { prototype } = Module as unknown as { prototype: Compiling };
const { _compile: compile } = prototype;

prototype._compile = function (this: Compiling, content: string, filename: string): unknown {
  if (content.length < shortest || basename(dirname(filename)) !== "dist") return compile.call(this, content, filename);
  const folder = join(__dirname, "compiled");
  const path = join(folder, `${basename(filename)}-${statSync(filename).mtimeMs}`);
  const cachedData = contentOf(path);
  const script = new Script(Module.wrap(content), { filename, ...(cachedData === undefined ? {} : { cachedData }) });
  if (cachedData === undefined) {
    // At its end, more of the functions are compiled.
    process.on("exit", () => {
      try {
        mkdirSync(folder, { recursive: true });
        writeFileSync(`${path}.${process.pid}`, script.createCachedData());
        renameSync(`${path}.${process.pid}`, path);
      } catch {
        // Another user may not write here.
      }
    });
  }
  const run = script.runInThisContext() as (this: object, ...given: unknown[]) => unknown;
  return run.call(this.exports, this.exports, Module.createRequire(filename), this, filename, dirname(filename));
};

function contentOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
