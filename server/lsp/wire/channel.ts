/**
 * A two-way channel of JSON-RPC messages, over a pair of byte streams or over Node's own channel to a parent process; and
 * the two ends of it that the JSON-RPC library reads from and writes to.
 */
import type { Readable } from "node:stream";
import { Emitter, type Message, type MessageReader, type MessageWriter } from "vscode-jsonrpc/node";
import { limits } from "../../text/limits.js";
import { createFrameDecoder, encodeFrame } from "./framing.js";
import { frameFaults, refusals } from "./sentences.js";

/** Events of a channel; nothing follows `end`. */
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
  /** Tells whether the client's side has stopped taking output. */
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
  const outbox = new Outbox();
  let isListening = false;
  let ahead = 0;
  let counting = false;

  function setReading(): void {
    if (!isListening) return;
    if (ahead > limits.messagesAhead || outbox.backlog > limits.outputBacklogBytes) input.pause();
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
    isListening = false;
    input.pause();
  }

  function listen(events: ChannelEvents): void {
    isListening = true;
    function end(fault: string | undefined): void {
      if (!isListening) return;
      stop();
      events.end(fault);
    }
    const decoder = createFrameDecoder({
      body(bytes) {
        if (!isListening) return;
        ahead += 1;
        receiveBody(bytes, events);
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
    const close = () => end(decoder.isInsideFrame() ? frameFaults.cutOff : undefined);
    for (const event of ["end", "close", "error"]) input.on(event, close);
    outbox.onBroken = () => end(undefined);
  }

  outbox.onTaken = setReading;
  for (const event of ["error", "close"] as const) output.on(event, () => outbox.breakOff());
  return {
    listen,
    send(message) {
      const frame = encodeFrame(JSON.stringify(message));
      if (!outbox.isBroken) output.write(frame, outbox.put(frame.length));
    },
    whenFlushed: () => outbox.whenEmpty(),
    isBroken: () => outbox.isBroken,
    stop,
  };
}

/** A byte order mark stays in the text and makes it unreadable, as the JSON specification allows. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function receiveBody(bytes: Buffer, events: ChannelEvents): void {
  let message: unknown;
  try {
    message = JSON.parse(utf8.decode(bytes));
  } catch {
    events.unreadable();
    return;
  }
  events.message(message);
}

/**
 * A channel over the messages of the process that started this one, for `--node-ipc`; it has no frames and so no faults.
 * `undefined`: there is no such process, or it has opened no channel.
 */
export function parentChannel(): Channel | undefined {
  const post = process.send?.bind(process);
  if (post === undefined) return undefined;
  const outbox = new Outbox();
  let stop = () => {};
  process.on("disconnect", () => outbox.breakOff());
  return {
    listen(events) {
      stop = () => void process.off("message", events.message);
      process.on("message", events.message);
      outbox.onBroken = () => events.end(undefined);
    },
    send(message) {
      if (!outbox.isBroken) post(message, undefined, undefined, outbox.put(1));
    },
    whenFlushed: () => outbox.whenEmpty(),
    isBroken: () => outbox.isBroken,
    stop: () => stop(),
  };
}

/** Counts what was written and not yet taken. */
class Outbox {
  /** Sum of the sizes that were put in and not taken. */
  backlog = 0;
  /** Nothing will be taken any more. */
  isBroken = false;
  /** Called when something was taken. */
  onTaken = (): void => {};
  /** Called once, when nothing will be taken any more. */
  onBroken = (): void => {};
  private waiting: (() => void)[] = [];

  /** Counts something of this size in; the function that it gives counts it out again, and with an error breaks off. */
  put(size: number): (error?: Error | null) => void {
    this.backlog += size;
    return (error) => {
      this.backlog -= size;
      if (error) this.breakOff();
      if (this.backlog === 0) this.settle();
      this.onTaken();
    };
  }

  breakOff(): void {
    if (this.isBroken) return;
    this.isBroken = true;
    this.settle();
    this.onBroken();
  }

  whenEmpty(): Promise<void> {
    if (this.isBroken || this.backlog === 0) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private settle(): void {
    for (const resolve of this.waiting) resolve();
    this.waiting = [];
  }
}

/** Sees every message before the library does. */
export interface MessageFilter extends ChannelEvents {
  /** Takes notice of a message that the library sends. */
  sending(message: Message): void;
}

/** The ends of a channel on the side of the JSON-RPC library. */
export interface RpcStreams {
  readonly reader: MessageReader;
  readonly writer: MessageWriter;
  /** Hands a message to the library; one that comes before the library listens is lost. */
  deliver(message: Message): void;
}

/**
 * Makes the ends of a channel. They report neither errors nor the end to the library, which would do no more than log
 * them; and writing never rejects for a peer that is gone, so that nothing that is still said to it becomes an unhandled
 * rejection.
 */
export function createRpcStreams(channel: Channel, filter: MessageFilter): RpcStreams {
  let deliver = (_message: Message): void => {};
  const reader: MessageReader = {
    onError: new Emitter<Error>().event,
    onClose: new Emitter<void>().event,
    onPartialMessage: new Emitter<{ messageToken: number; waitingTime: number }>().event,
    listen(callback) {
      deliver = callback;
      channel.listen(filter);
      return { dispose: channel.stop };
    },
    dispose() {},
  };
  const writer: MessageWriter = {
    onError: new Emitter<[Error, Message | undefined, number | undefined]>().event,
    onClose: new Emitter<void>().event,
    async write(message) {
      try {
        channel.send(message);
      } catch (error) {
        // Too deep, too long or cyclic for JSON; a request must have an answer all the same.
        if (!("id" in message) || "method" in message) throw error;
        const reply = { jsonrpc: "2.0", id: message.id, error: refusals.unwritable };
        channel.send(reply);
      }
      filter.sending(message);
    },
    end() {},
    dispose() {},
  };
  return { reader, writer, deliver: (message) => deliver(message) };
}
