/** A program that runs the probes on a real transport; its arguments are `<transport> [address] [clientProcessId]`. */
import { serve, type Transport } from "../../server/lsp/wire/transport.js";
import { registerProbes } from "./probes.js";

const [kind, address, clientProcessId] = process.argv.slice(2);

void serve(
  {
    transport: toTransport(),
    clientProcessId: clientProcessId === undefined ? undefined : Number(clientProcessId),
    logLevel: undefined,
  },
  registerProbes,
);

function toTransport(): Transport {
  if (kind === "socket") return { kind, port: Number(address) };
  if (kind === "pipe") return { kind, path: String(address) };
  return kind === "node-ipc" ? { kind } : { kind: "stdio" };
}
