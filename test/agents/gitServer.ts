/**
 * Runs inside an agent's network namespace, which has only the loopback interface: serves a folder with Git repositories
 * over HTTP, and runs the command of an agent, which clones one of them, until it ends.
 *
 *     node gitServer.cjs FOLDER PORT COMMAND [ARGUMENT...]
 */
import { spawn } from "node:child_process";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

const [folder = "", port = "", command = "", ...args] = process.argv.slice(2);

/** Answers a request with Git's own CGI program. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? "/", "http://127.0.0.1");
  const variables = {
    GIT_PROJECT_ROOT: folder,
    GIT_HTTP_EXPORT_ALL: "1",
    PATH_INFO: pathname,
    QUERY_STRING: search.slice(1),
    REQUEST_METHOD: request.method,
    CONTENT_TYPE: request.headers["content-type"],
    HTTP_CONTENT_ENCODING: request.headers["content-encoding"],
    GIT_PROTOCOL: request.headers["git-protocol"]?.toString(),
  };
  const git = spawn("git", ["http-backend"], { env: { PATH: process.env.PATH, ...variables } });
  request.pipe(git.stdin);
  const parts: Buffer[] = [];
  git.stdout.on("data", (part: Buffer) => parts.push(part));
  git.stdout.on("end", () => {
    const whole = Buffer.concat(parts);
    const headEnd = whole.indexOf("\r\n\r\n");
    for (const [, name = "", value = ""] of whole.toString("latin1", 0, headEnd).matchAll(/^(\S+): (.*?)\r?$/gm)) {
      if (name === "Status") response.statusCode = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.end(whole.subarray(headEnd + 4));
  });
}

createServer(answer).listen(Number(port), "127.0.0.1", () => {
  const agent = spawn(command, args, { stdio: "inherit" });
  agent.on("exit", (code) => process.exit(code ?? 1));
});
