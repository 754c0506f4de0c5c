/** Servers that answer probes, for wire tests; they are built before the tests of a file and removed after them. */
import { afterAll, beforeAll } from "vitest";
import { buildProgram, type Program } from "./build.js";
import { initialize, type RunningServer, startServer } from "./rawClient.js";

/** The built server, and functions that start it. */
export interface ProbeServers {
  /** The built program; set before the tests begin. */
  readonly program: Program;
  /** Starts a server on the transport that the arguments name; the default is stdio. */
  start(...args: readonly string[]): RunningServer;
  /** Starts a server and waits until it has answered `initialize`. */
  startInitialized(...args: readonly string[]): Promise<RunningServer>;
}

/** The servers for a test file; any that are still running after its tests are killed. */
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
