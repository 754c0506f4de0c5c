/** VS Code, as code-server in a headless browser, with the packed extension; each in a network namespace without a network. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Driver, EditorKind, Held, Place } from "../editors/editor.js";
import { remoteOf } from "../editors/link.js";
import { whileRunning, withUs } from "../editors/process.js";
import { browserArguments, controlBrowser, type Page } from "./browser.js";
import { entryPath, nodePath } from "./vscodeInstallation.js";
import { userOfVsCode } from "./vscodeUser.js";

/** A driver for VS Code, with additional functions for tests that run only there. */
export interface VsCodeDriver extends Driver {
  readonly page: Page;
  /** Runs the body of a function in the extension host, with `vscode` and `require`; its value must be JSON. */
  run(body: string): Promise<unknown>;
  /** Waits until VS Code has done everything that it was told before. */
  settle(): Promise<void>;
  /** Waits until the window has been loaded again; it gets a new server. */
  reload(): Promise<void>;
  /** Opens another window with the same folder, which has a server of its own. */
  openWindow(): Promise<VsCodeDriver>;
}

/** An `EditorKind` whose driver is a `VsCodeDriver`. */
export interface VsCodeKind extends EditorKind {
  start(place: Place): Promise<VsCodeDriver>;
}

/** The port of code-server inside its namespace, in which no other program listens. */
const port = 18080;

/** Settings of a user who has switched off what would disturb the tests. */
const settings = {
  "files.autoSave": "off",
  "workbench.startupEditor": "none",
  "security.workspace.trust.enabled": false,
  "telemetry.telemetryLevel": "off",
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "chat.disableAIFeatures": true,
  // A thousand short documents, each for a moment, are too many for language servers and for what is drawn beside the text.
  "files.associations": { "*": "plaintext" },
  // The pages have a notebook's file as a text. A scene opens one as a notebook.
  "workbench.editorAssociations": { "*.ipynb": "default" },
  "git.enabled": false,
  "explorer.autoReveal": false,
  "breadcrumbs.enabled": false,
  "editor.minimap.enabled": false,
  "workbench.reduceMotion": "on",
  "editor.quickSuggestions": { other: "off", comments: "off", strings: "off" },
  "editor.wordBasedSuggestions": "off",
};

/** VS Code with these settings besides the tests' own; `machine` are those that only the machine has. */
export const vscodeWith = (more: object, machine: object = {}): VsCodeKind => ({
  name: "VS Code",
  root: "vscode",
  traits: {
    encodings: ["utf-16"],
    command: true,
    request: false,
    restoresFinalNewline: false,
    makesLineEndingsAlike: true,
  },
  versionCommand: ["sh", "-c", `'${nodePath()}' '${entryPath()}' --version`],
  version: /with Code (\S+)/,
  start: (place) => start(place, { ...settings, ...more }, machine),
});

/** VS Code as the tests use it. */
export const vscode = vscodeWith({});

let extensions: string | undefined;

/** Sets up VS Code once for all sessions, as a person does who has installed our package; returns the extensions' folder. */
function extensionsFolder(): string {
  if (extensions !== undefined) return extensions;
  const user = userOfVsCode();
  process.on("exit", user.remove);
  const { status, stdout, stderr } = user.setup("--write");
  if (status !== 0) throw new Error(`the extension can't be installed: ${stdout}${stderr}`);
  extensions = user.extensions;
  return extensions;
}

/** Lines about the start, and about what the namespace has not. */
const noise =
  /^.*(?:dbus|File not found|\] info |^\s*at |mac address|127\.0\.0\.1|reconnection|AgentHost|open-vsx).*\n/gm;

/** Starts code-server and the browser, which share a namespace, as one process. */
function spawnBoth(place: Place, user: object, machine: object): { readonly child: ChildProcess; said(): string } {
  const { home, env, inside } = place;
  const data = join(home, "data");
  // In VS Code, the PATH is that of the user's login shell.
  const path = `PATH=${env.INSIDE_PATH}:${env.PATH}`;
  const command = { "multiEditServer.command": ["env", path, "multi-edit-language-server", "--stdio"] };
  for (const [kind, value] of Object.entries({ User: user, Machine: { ...command, ...machine } })) {
    mkdirSync(join(data, kind), { recursive: true });
    writeFileSync(join(data, kind, "settings.json"), JSON.stringify(value));
  }
  const server = [
    ...[nodePath(), entryPath(), "--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--user-data-dir", data],
    ...["--extensions-dir", extensionsFolder(), "--config", join(home, "config.yaml")],
    ...["--disable-telemetry", "--disable-update-check", "--disable-workspace-trust"],
  ];
  const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(" ");
  const both = `${quoted(server)} 3<&- 4>&- & exec ${quoted(["chromium", ...browserArguments(home)])}`;
  const [program, ...args] = inside;
  const child = spawn("setpriv", [...withUs, program, ...args, "sh", "-c", both], {
    cwd: place.folder,
    env: { ...env, EDITOR_SOCKET: place.link.path },
    stdio: ["ignore", "pipe", "pipe", "pipe", "pipe"],
  });
  let output = "";
  const keep = (chunk: Buffer): void => {
    output = (output + String(chunk).replace(noise, "")).slice(-2_000);
  };
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", keep);
  return { child, said: () => output };
}

async function start(place: Place, user: object, machine: object): Promise<VsCodeDriver> {
  const { child, said } = spawnBoth(place, user, machine);
  const ended = new Promise<void>((resolve) => child.on("exit", () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
  };
  try {
    const browser = controlBrowser(child);
    const open = async (): Promise<VsCodeDriver> => {
      const page = await whileRunning(openWindow(browser.open, place.folder), ended, said);
      let remote = remoteOf(await hello(place, ended, said));
      const reload = async (): Promise<void> => {
        await page.reload();
        remote = remoteOf(await hello(place, ended, said));
      };
      const call: Parts["call"] = (method, params) => remote.call(method, params);
      return driverOf({ page, stop, said, reload, openWindow: open, call });
    };
    return await open();
  } catch (error) {
    await stop();
    throw new Error(`VS Code does not start: ${error instanceof Error ? error.message : error} ${said()}`, {
      cause: error,
    });
  }
}

/** Opens a window with a folder, once code-server listens. */
async function openWindow(open: (url: string) => Promise<Page>, folder: string): Promise<Page> {
  const page = await open("about:blank");
  const url = `http://127.0.0.1:${port}/?folder=${encodeURIComponent(folder)}`;
  const go = () => page.evaluate(`location.href = ${JSON.stringify(url)}`).catch(() => undefined);
  await go();
  for (let tries = 1; tries < 900; tries++) {
    await delay(100);
    if (await page.evaluate("document.querySelector('.monaco-workbench') !== null").catch(() => false)) return page;
    // Before code-server listens, the browser shows an error page, also while it loads the next one. Each new attempt ends the
    // one before, so code-server has some time to answer.
    const isError = await page.evaluate("location.protocol === 'chrome-error:'").catch(() => false);
    if (isError && tries % 30 === 0) await go();
  }
  throw new Error("the window does not appear");
}

async function hello(place: Place, ended: Promise<void>, said: () => string) {
  const late = delay(60_000, undefined, { ref: false }).then(() => {
    throw new Error("the extension for tests is not loaded");
  });
  return Promise.race([whileRunning(place.link.next("editor"), ended, said), late]);
}

interface Parts {
  readonly page: Page;
  stop(): Promise<void>;
  said(): string;
  reload(): Promise<void>;
  openWindow(): Promise<VsCodeDriver>;
  call(method: string, params?: unknown): Promise<unknown>;
}

/** An expression for the button of a dialogue with this title. */
const button = (title: string): string =>
  `[...document.querySelectorAll(".monaco-dialog-box .monaco-button")].find((one) => one.textContent.trim() === "${title}")`;

function driverOf({ call, ...parts }: Parts): VsCodeDriver {
  const { page } = parts;
  const settle = async (): Promise<void> => void (await call("settle"));
  let keys: Promise<unknown> = Promise.resolve();
  /** Files that were made only so that they could be opened. */
  const made = new Set<string>();
  return {
    ...parts,
    settle,
    async open(path) {
      // VS Code opens no file that does not exist, but keeps the unsaved text of one that is removed.
      if (!existsSync(path)) {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, "");
        made.add(path);
      }
      await call("open", path);
    },
    async retype(path, text) {
      await call("retype", { path, text });
      if (made.delete(path)) rmSync(path);
    },
    // The test reads the answer on the wire.
    command: async (call_) => void call("command", call_).catch(() => undefined),
    held: async (path) => {
      // The driver's answer has this type.
      const held = (await call("held", path)) as Omit<Held, "bom"> | null;
      return held === null ? undefined : { ...held, bom: undefined };
    },
    opened: async () => (await call("opened")) as string[],
    async undo(path) {
      await call("focus", path);
      const before = await call("versions");
      await page.press("z", { ctrl: true });
      // An undo in several files takes VS Code a while; there may also be nothing to undo.
      for (let tries = 0; tries < 20 && (await call("versions")) === before; tries++) await delay(50);
      await settle();
    },
    save: async (path) => void (await call("save", path)),
    startTyping: async (path, before) => void (await call("find", { path, before })),
    key: (key) => {
      keys = keys.then(() => page.press(key));
    },
    async stopTyping() {
      await keys;
      await settle();
    },
    answer: () => Promise.reject(new Error("the extension has a view of its own for questions")),
    async confirm(answer) {
      await page.click(button(answer === "apply" ? "Apply" : "Reject"));
      if (answer === "apply") return;
      await page.until("the prompt for a reason", "document.querySelector('.quick-input-widget input:focus') !== null");
      await page.press("Enter");
    },
    closeAll: async () => void (await call("closeAll")),
    run: (body) => call("run", body),
  };
}
