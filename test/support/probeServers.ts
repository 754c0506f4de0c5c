/** Servers that answer probes, for tests of the wire: built before the tests of a file, and gone behind them. */
import { afterAll, beforeAll } from "vitest";
import { buildProgram, type Program } from "./build.js";
import { initialize, type RunningServer, startServer } from "./rawClient.js";

/** The built server, and what starts it. */
export interface ProbeServers {
  /** There when the tests begin. */
  readonly program: Program;
  /** Starts a server over the transport that the arguments name; without any over stdio. */
  start(...args: readonly string[]): RunningServer;
  /** Starts a server and waits until it has answered `initialize`. */
  startInitialized(...args: readonly string[]): Promise<RunningServer>;
}

/** The servers of a test file; what is still running behind its tests is killed. */
export function probeServers(): ProbeServers {
  const program = { path: "", folder: "", remove(): void {} };
  const running: RunningServer[] = [];
  beforeAll(async () => {
    Object.assign(program, await buildProgram(new URL("probeServer.ts", import.meta.url)));
  });
  afterAll(() => {
    for (const server of running) server.process.kill("SIGKILL");
    program.remove();
  });
  const start = (...args: readonly string[]): RunningServer => {
    const server = startServer(program.path, args.length === 0 ? ["stdio"] : args);
    running.push(server);
    return server;
  };
  const startInitialized = async (...args: readonly string[]): Promise<RunningServer> => {
    const server = start(...args);
    server.send(initialize);
    await server.answer(0);
    return server;
  };
  return { program, start, startInitialized };
}
