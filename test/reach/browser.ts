/** A headless browser that a test controls through two pipes, so that it may be in a network namespace of its own. */
import type { ChildProcess } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";

/** A page in the browser. */
export interface Page {
  /** Evaluates an expression whose value can be written as JSON. */
  evaluate(expression: string): Promise<unknown>;
  /** Waits until an expression is neither false nor null, and returns its value. */
  until(what: string, expression: string, patience?: number): Promise<unknown>;
  /** Presses a key, such as `z` or `Enter`, with modifiers, as a person would. */
  press(key: string, modifiers?: { readonly ctrl?: true; readonly shift?: true }): Promise<void>;
  /** Clicks the middle of the first element that an expression finds. */
  click(element: string): Promise<void>;
  /** A picture of the page, as a PNG file. */
  picture(): Promise<Buffer>;
  /** Loads the page again, as a person does; a dialogue about unsaved changes is agreed to. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

/** A running browser. */
export interface Browser {
  /** Opens a page. */
  open(url: string): Promise<Page>;
}

/** Arguments that keep the browser from using the network, except for the pages that it is told to open. */
export const browserArguments = (home: string): readonly string[] => [
  ...["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync", "--remote-debugging-pipe"],
  ...["--disable-background-timer-throttling", "--disable-renderer-backgrounding", "--window-size=1400,1000"],
  `--user-data-dir=${home}/browser`,
];

type Result = Readonly<Record<string, unknown>>;
type Send = (method: string, params?: object, sessionId?: string) => Promise<Result>;

/** Controls a browser, started with `browserArguments`, whose file descriptors 3 and 4 are pipes. */
export function controlBrowser(browser: ChildProcess): Browser {
  // The caller has asked for these two pipes.
  const [input, output] = [browser.stdio[3] as Writable, browser.stdio[4] as Readable];
  const pending = new Map<number, { resolve(result: Result): void; reject(error: Error): void }>();
  const heard: ((message: { method?: string; sessionId?: string }) => void)[] = [];
  let [last, rest] = [0, ""];
  // When the browser is killed, the test learns of it in another way.
  input.on("error", () => undefined);
  output.setEncoding("utf8").on("data", (chunk: string) => {
    const messages = (rest + chunk).split("\0");
    rest = messages.pop() ?? "";
    for (const text of messages) {
      const message = JSON.parse(text);
      for (const listener of heard) listener(message);
      const caller = pending.get(message.id);
      pending.delete(message.id);
      if (message.error === undefined) caller?.resolve(message.result);
      else caller?.reject(new Error(`the browser: ${JSON.stringify(message.error)}`));
    }
  });
  const send: Send = (method, params = {}, sessionId) =>
    new Promise((resolve, reject) => {
      const id = ++last;
      pending.set(id, { resolve, reject });
      input.write(`${JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) })}\0`);
    });
  return {
    async open(url) {
      const { targetId } = await send("Target.createTarget", { url });
      const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
      const toPage = (method: string, params?: object) => send(method, params, String(sessionId));
      await toPage("Page.enable");
      heard.push((message) => {
        const isDialogue = message.method === "Page.javascriptDialogOpening" && message.sessionId === sessionId;
        if (isDialogue) void toPage("Page.handleJavaScriptDialog", { accept: true });
      });
      return pageOf(toPage, async () => void (await send("Target.closeTarget", { targetId })));
    },
  };
}

/** The numbers of keys, if they are not the codes of characters: that of a full stop belongs to Delete. */
const codes: Readonly<Record<string, number>> = {
  Enter: 13,
  Escape: 27,
  Tab: 9,
  Backspace: 8,
  End: 35,
  Home: 36,
  ArrowDown: 40,
  F1: 112,
  ".": 190,
};

function pageOf(send: (method: string, params?: object) => Promise<Result>, close: () => Promise<void>): Page {
  const evaluate = async (expression: string): Promise<unknown> => {
    const answer = await send("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
    const { result, exceptionDetails } = answer as { result?: { value?: unknown }; exceptionDetails?: object };
    if (exceptionDetails !== undefined) throw new Error(`${expression}: ${JSON.stringify(exceptionDetails)}`);
    return result?.value;
  };
  const until: Page["until"] = async (what, expression, patience = 20_000) => {
    for (const end = performance.now() + patience; ; await delay(20)) {
      const value = await evaluate(expression).catch(() => undefined);
      if (value !== undefined && value !== null && value !== false) return value;
      if (performance.now() > end) throw new Error(`not seen in the browser: ${what}`);
    }
  };
  return {
    evaluate,
    until,
    async press(key, { ctrl, shift } = {}) {
      const isText = key.length === 1 && ctrl === undefined;
      const common = {
        key,
        code: key.length === 1 ? `Key${key.toUpperCase()}` : key,
        windowsVirtualKeyCode: codes[key] ?? key.toUpperCase().charCodeAt(0),
        modifiers: (ctrl ? 2 : 0) + (shift ? 8 : 0),
      };
      const text = key === "Enter" ? "\r" : isText ? key : undefined;
      await send("Input.dispatchKeyEvent", { type: text === undefined ? "rawKeyDown" : "keyDown", text, ...common });
      await send("Input.dispatchKeyEvent", { type: "keyUp", ...common });
    },
    async click(element) {
      const middle = `(() => { const box = (${element})?.getBoundingClientRect();
        return box && [box.x + box.width / 2, box.y + box.height / 2]; })()`;
      const find = async () => (await until(`the element ${element}`, middle)) as [number, number];
      // What is drawn above the element may still push it away.
      let [x, y] = await find();
      for (let still = 0; still < 3; ) {
        await delay(100);
        const [nextX, nextY] = await find();
        still = nextX === x && nextY === y ? still + 1 : 0;
        [x, y] = [nextX, nextY];
      }
      const common = { x, y, button: "left", clickCount: 1 };
      await send("Input.dispatchMouseEvent", { type: "mouseMoved", x, y });
      await send("Input.dispatchMouseEvent", { type: "mousePressed", ...common });
      await send("Input.dispatchMouseEvent", { type: "mouseReleased", ...common });
    },
    picture: async () => Buffer.from(String((await send("Page.captureScreenshot")).data), "base64"),
    reload: async () => void (await send("Page.reload")),
    close,
  };
}
