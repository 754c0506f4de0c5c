/** A two-way channel of JSON-RPC messages, over a pair of byte streams or over Node's own channel to a parent process. */
import type { Readable } from "node:stream";
import type { Message } from "vscode-languageserver/node";
import { limits } from "../../text/limits.js";
import { createFrameDecoder, encodeFrame } from "./framing.js";

/** What a channel tells its reader; after `end`, nothing more is told. */
export interface ChannelEvents {
  /** A message as parsed from JSON, of any shape. */
  message(message: unknown): void;
  /** A message whose body is not JSON in UTF-8. */
  unreadable(): void;
  /** No more will come. `fault` says why it can't be read, as the end of a sentence; `undefined`: the client ended it. */
  end(fault: string | undefined): void;
}

/** Carries the messages of one connection. */
export interface Channel {
  /** Starts reading; to be called once. */
  listen(events: ChannelEvents): void;
  /** Sends a message after those before it; what can't be sent any more is dropped. Throws only if it is no JSON. */
  send(message: Message): void;
  /** Settles when the client's side has taken all that was sent, or will take no more. */
  whenFlushed(): Promise<void>;
  /** Whether the client's side has stopped taking output. */
  isBroken(): boolean;
  /** Reads no more. */
  stop(): void;
}

/** The writing end of a byte stream; a `Writable` is one. */
export interface ByteSink {
  write(bytes: Uint8Array, done: (error?: Error | null) => void): unknown;
  on(event: "error" | "close", listener: () => void): unknown;
}

/**
 * A channel of frames over byte streams. It stops reading for as long as the client leaves more than
 * `limits.outputBacklogBytes` untaken, or has sent over `limits.messagesAhead` messages that were not dispatched yet.
 */
export function streamChannel(input: Readable, output: ByteSink): Channel {
  const outbox = createOutbox(setReading);
  let state: "new" | "listening" | "stopped" = "new";
  let ahead = 0;
  let counting = false;

  function setReading(): void {
    if (state !== "listening") return;
    if (ahead > limits.messagesAhead || outbox.backlog() > limits.outputBacklogBytes) input.pause();
    else input.resume();
  }

  /** The library dispatches one message a turn of the event loop, so that is how fast the count falls. */
  function countTurn(): void {
    ahead -= 1;
    counting = ahead > 0;
    if (counting) setImmediate(countTurn);
    setReading();
  }

  function stop(): void {
    state = "stopped";
    input.pause();
  }

  function listen(events: ChannelEvents): void {
    state = "listening";
    function end(fault: string | undefined): void {
      if (state === "stopped") return;
      stop();
      events.end(fault);
    }
    const decoder = createFrameDecoder({
      body(bytes) {
        if (state === "stopped") return;
        ahead += 1;
        const parsed = parseBody(bytes);
        if (parsed.ok) events.message(parsed.message);
        else events.unreadable();
      },
      fault: end,
    });
    input.on("data", (chunk: Buffer) => {
      decoder.push(chunk);
      if (ahead > 0 && !counting) {
        counting = true;
        setImmediate(countTurn);
      }
      setReading();
    });
    const close = () => end(decoder.isInsideFrame() ? "the input ends in the middle of a message" : undefined);
    for (const event of ["end", "close", "error"]) input.on(event, close);
    outbox.onBroken(() => end(undefined));
  }

  output.on("error", outbox.breakOff);
  output.on("close", outbox.breakOff);
  return {
    listen,
    send(message) {
      const frame = encodeFrame(JSON.stringify(message));
      if (!outbox.isBroken()) output.write(frame, outbox.put(frame.length));
    },
    whenFlushed: outbox.whenEmpty,
    isBroken: outbox.isBroken,
    stop,
  };
}

/** The process that started this one with an IPC channel, as `process` shows it. */
export interface ParentPort {
  send(message: unknown, handle: undefined, options: undefined, done: (error: Error | null) => void): unknown;
  on(event: "message", listener: (message: unknown) => void): unknown;
  on(event: "disconnect", listener: () => void): unknown;
  off(event: "message", listener: (message: unknown) => void): unknown;
}

/** A channel over the messages of a parent process, for `--node-ipc`; it has no frames and so no faults. */
export function parentChannel(port: ParentPort): Channel {
  const outbox = createOutbox(() => undefined);
  let stop = () => {};
  port.on("disconnect", outbox.breakOff);
  return {
    listen(events) {
      stop = () => void port.off("message", events.message);
      port.on("message", events.message);
      outbox.onBroken(() => events.end(undefined));
    },
    send(message) {
      if (!outbox.isBroken()) port.send(message, undefined, undefined, outbox.put(1));
    },
    whenFlushed: outbox.whenEmpty,
    isBroken: outbox.isBroken,
    stop: () => stop(),
  };
}

/** Counts what was written and not yet taken. */
interface Outbox {
  /** Counts something of this size in; the function that it gives counts it out again, and with an error breaks off. */
  put(size: number): (error?: Error | null) => void;
  /** Sum of the sizes that were put in and not taken. */
  backlog(): number;
  /** Nothing will be taken any more. */
  breakOff(): void;
  isBroken(): boolean;
  onBroken(listener: () => void): void;
  whenEmpty(): Promise<void>;
}

function createOutbox(onTaken: () => void): Outbox {
  let backlog = 0;
  let broken = false;
  let waiting: (() => void)[] = [];
  const listeners: (() => void)[] = [];

  function settle(): void {
    for (const resolve of waiting) resolve();
    waiting = [];
  }

  function breakOff(): void {
    if (broken) return;
    broken = true;
    settle();
    for (const listener of listeners) listener();
  }

  return {
    put(size) {
      backlog += size;
      return (error) => {
        backlog -= size;
        if (error) breakOff();
        if (backlog === 0) settle();
        onTaken();
      };
    },
    backlog: () => backlog,
    breakOff,
    isBroken: () => broken,
    onBroken: (listener) => void listeners.push(listener),
    whenEmpty: () =>
      new Promise((resolve) => {
        if (broken || backlog === 0) resolve();
        else waiting.push(resolve);
      }),
  };
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A byte order mark stays in the text and makes it unreadable, as the JSON specification allows. */
function parseBody(bytes: Buffer): { ok: true; message: unknown } | { ok: false } {
  try {
    return { ok: true, message: JSON.parse(utf8.decode(bytes)) };
  } catch {
    return { ok: false };
  }
}
