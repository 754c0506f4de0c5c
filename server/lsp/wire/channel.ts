/** A channel for JSON-RPC messages, over byte streams or Node's IPC, and the ends that the library uses. */
import type { Readable } from "node:stream";
import type { Event, Message, MessageReader, MessageWriter } from "vscode-jsonrpc/node";
import { limits } from "../../text/limits.js";
import { encodeFrame, FrameDecoder } from "./framing.js";
import { frameFaults, refusals } from "./sentences.js";

/** Events of a channel; no event follows `end`. */
export interface ChannelEvents {
  /** A message parsed from JSON, of any shape. */
  message(message: unknown): void;
  /** A message whose body is not JSON in UTF-8. */
  unreadable(): void;
  /** No more messages will come. `fault` is a clause that says why; `undefined` if the client ended the channel. */
  end(fault: string | undefined): void;
}

/** Carries the messages of one connection. */
export interface Channel {
  /** Starts reading. Must be called only once. */
  listen(events: ChannelEvents): void;
  /** Sends a message after earlier ones; drops it if the channel is broken. Throws only if it can't be JSON. */
  send(message: Message): void;
  /** Settles when the client has taken everything that was sent, or has stopped taking output. */
  whenFlushed(): Promise<void>;
  /** Reports whether the client has stopped taking output. */
  isBroken(): boolean;
  /** The output that the client has not yet taken: in bytes or, if the client is the parent process, in messages. */
  backlog(): number;
  /** Stops reading. */
  stop(): void;
}

/** The writing end of a byte stream, such as a `Writable`. */
export interface ByteSink {
  write(bytes: Uint8Array, done: (error?: Error | null) => void): unknown;
  on(event: "error" | "close", listener: () => void): unknown;
}

/** Creates a channel over byte streams, which pauses while output or messages wait beyond their limits. */
export function streamChannel(input: Readable, output: ByteSink): Channel {
  const outbox = new Outbox();
  const intake = new Intake(input, outbox);
  for (const event of ["error", "close"] as const) output.on(event, () => outbox.breakOff());
  return {
    listen(events) {
      const end = (fault: string | undefined): void => {
        if (!intake.isOpen) return;
        intake.stop();
        events.end(fault);
      };
      const decoder = new FrameDecoder({
        body(bytes) {
          if (!intake.isOpen) return;
          intake.ahead += 1;
          let message: unknown;
          try {
            message = JSON.parse(utf8.decode(bytes));
          } catch {
            return events.unreadable();
          }
          events.message(message);
        },
        fault: end,
      });
      intake.start((chunk) => decoder.push(chunk));
      const close = () => end(decoder.isInsideFrame() ? frameFaults.cutOff : undefined);
      for (const event of ["end", "close", "error"]) input.on(event, close);
      outbox.onBroken = () => end(undefined);
    },
    send(message) {
      const frame = encodeFrame(JSON.stringify(message));
      if (!outbox.isBroken) output.write(frame, outbox.put(frame.length));
    },
    whenFlushed: () => outbox.whenEmpty(),
    isBroken: () => outbox.isBroken,
    backlog: () => outbox.backlog,
    stop: () => intake.stop(),
  };
}

/** Reads a stream, and pauses it while too much waits to be dispatched or to be taken by the client. */
class Intake {
  isOpen = false;
  /** The number of messages that were read and not dispatched yet. */
  ahead = 0;
  private counting = false;

  constructor(
    private readonly input: Readable,
    private readonly outbox: Outbox,
  ) {
    outbox.onTaken = this.setReading;
  }

  /** Begins to read; `take` counts the messages of a chunk in `ahead`. */
  start(take: (chunk: Buffer) => void): void {
    this.isOpen = true;
    this.input.on("data", (chunk: Buffer) => {
      take(chunk);
      if (this.ahead > 0 && !this.counting) {
        this.counting = true;
        setImmediate(() => this.countTurn());
      }
      this.setReading();
    });
  }

  stop(): void {
    this.isOpen = false;
    this.input.pause();
  }

  private readonly setReading = (): void => {
    if (!this.isOpen) return;
    if (this.ahead > limits.messagesAhead || this.outbox.backlog > limits.outputBacklogBytes) this.input.pause();
    else this.input.resume();
  };

  /** Counts one message as dispatched per turn of the event loop, the rate at which the library dispatches messages. */
  private countTurn(): void {
    this.ahead -= 1;
    this.counting = this.ahead > 0;
    if (this.counting) setImmediate(() => this.countTurn());
    this.setReading();
  }
}

/** Decodes UTF-8. Keeps a byte order mark, so that the JSON parser rejects it, as the JSON specification allows. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Creates a channel to the parent process, for `--node-ipc`; `undefined` if there is none. It reports no faults. */
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
    backlog: () => outbox.backlog,
    stop: () => stop(),
  };
}

/** Tracks the output that has been written but not yet taken by the client. */
class Outbox {
  /** Size of the output that the client has not taken: in bytes or, if it is the parent process, in messages. */
  backlog = 0;
  /** `true` if the client has stopped taking output. */
  isBroken = false;
  /** Called when the client has taken output. */
  onTaken = (): void => {};
  /** Called once, when the client stops taking output. */
  onBroken = (): void => {};
  private waiting: (() => void)[] = [];

  /** Adds output of a size. The returned function subtracts it; with an error, it marks the channel as broken. */
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

/** An event that never happens. */
const never: Event<never> = () => ({ dispose() {} });

/** Sees each incoming message before the library does, and each outgoing message once it has been sent. */
export interface MessageFilter extends ChannelEvents {
  /** Called after the library has sent a message. */
  sending(message: Message): void;
  /** Called if the library throws an error while it takes a message. */
  lost(error: unknown): void;
}

/** The ends of a channel that the JSON-RPC library reads from and writes to. */
export interface RpcStreams {
  readonly reader: MessageReader;
  readonly writer: MessageWriter;
  /** Hands a message to the library; messages delivered before the library listens are lost. */
  deliver(message: Message): void;
}

/**
 * Creates the ends of a channel. They report neither errors nor the channel's end to the library, which would only log
 * them. A write does not reject even if the client is gone, so late messages cause no unhandled rejections.
 */
export function createRpcStreams(channel: Channel, filter: MessageFilter): RpcStreams {
  let deliver = (_message: Message): void => {};
  const reader: MessageReader = {
    onError: never,
    onClose: never,
    onPartialMessage: never,
    listen(callback) {
      deliver = callback;
      channel.listen(filter);
      return { dispose: channel.stop };
    },
    dispose() {},
  };
  const writer: MessageWriter = {
    onError: never,
    onClose: never,
    async write(message) {
      try {
        channel.send(message);
      } catch (error) {
        // The message is cyclic, too deeply nested or too long to be written as JSON. If it answers a request, that
        // request must still get an answer.
        if (!("id" in message) || "method" in message) throw error;
        const reply = { jsonrpc: "2.0", id: message.id, error: refusals.unwritable };
        channel.send(reply);
      }
      filter.sending(message);
    },
    end() {},
    dispose() {},
  };
  return {
    reader,
    writer,
    deliver(message) {
      try {
        deliver(message);
      } catch (error) {
        filter.lost(error);
      }
    },
  };
}
