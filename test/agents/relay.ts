/**
 * Runs inside an agent's network namespace, which has only the loopback interface: passes TCP connections of the agent on
 * to the scripted model, which listens outside on a Unix socket, and runs the agent until it ends.
 *
 *     node relay.cjs SOCKET PORT COMMAND [ARGUMENT...]
 */
import { spawn } from "node:child_process";
import { connect, createServer } from "node:net";

const [socket = "", port = "", command = "", ...args] = process.argv.slice(2);

const relay = createServer((client) => {
  const model = connect(socket);
  client.pipe(model).pipe(client);
  // The other end learns about a lost connection from the end of the stream.
  client.on("error", () => model.destroy());
  model.on("error", () => client.destroy());
});

relay.listen(Number(port), "127.0.0.1", () => {
  const agent = spawn(command, args, { stdio: "inherit" });
  agent.on("error", (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(127);
  });
  agent.on("exit", (code, signal) => process.exit(signal === null ? (code ?? 1) : 128));
  process.on("SIGTERM", () => agent.kill("SIGTERM"));
});
