/** The two ends that the JSON-RPC library reads from and writes to, on top of a channel. */
import { Emitter, type Message, type MessageReader, type MessageWriter } from "vscode-jsonrpc/node";
import type { Channel } from "./channel.js";

/** It reports neither errors nor the end to the library, which would do no more than log them: they end the session. */
export function createReader(listen: MessageReader["listen"]): MessageReader {
  return {
    onError: new Emitter<Error>().event,
    onClose: new Emitter<void>().event,
    onPartialMessage: new Emitter<{ messageToken: number; waitingTime: number }>().event,
    listen,
    dispose() {},
  };
}

/**
 * Never rejects for a peer that is gone, so that nothing that is still said to it becomes an unhandled rejection.
 * `sending` takes notice of each message.
 */
export function createWriter(channel: Channel, sending: (message: Message) => void): MessageWriter {
  return {
    onError: new Emitter<[Error, Message | undefined, number | undefined]>().event,
    onClose: new Emitter<void>().event,
    async write(message) {
      try {
        channel.send(message);
      } catch (error) {
        // Too deep, too long or cyclic for JSON; a request must have an answer all the same.
        if (!("id" in message) || "method" in message) throw error;
        const reply = { jsonrpc: "2.0", id: message.id, error: unwritable };
        channel.send(reply);
      }
      sending(message);
    },
    end() {},
    dispose() {},
  };
}

const unwritable = { code: -32603, message: "The answer can't be written as JSON." };
