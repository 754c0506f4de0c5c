/** One JSON-RPC connection over a socket: the strict frames of the language server below, the library above. */
import type { Socket } from "node:net";
import { createMessageConnection, type Message, type MessageConnection, NullLogger } from "vscode-jsonrpc/node";
import { type Channel, streamChannel } from "../../lsp/wire/channel.js";
import { createReader, createWriter } from "../../lsp/wire/rpcStreams.js";

/** A connection that listens already. */
export interface Wire {
  readonly connection: MessageConnection;
  readonly channel: Channel;
}

/** What stands between the channel and the library. */
export interface WireEnds {
  /** Takes a message off the channel; gives it to the library by `deliver`, or answers it in another way. */
  receive(message: unknown, deliver: (message: Message) => void): void;
  /** Takes notice of a body that is not JSON. */
  receiveUnreadable(): void;
  /** Takes notice of a message that the library sends. */
  sending(message: Message): void;
  /** Nothing more will come; `fault` says why it can't be read, `undefined`: the other side has ended it. */
  ended(fault: string | undefined): void;
}

/** Builds the connection; `register` adds the handlers before the first message is read. */
export function openWire(socket: Socket, ends: WireEnds, register: (connection: MessageConnection) => void): Wire {
  const channel = streamChannel(socket, socket);
  const reader = createReader((deliver) => {
    channel.listen({
      message: (message) => ends.receive(message, deliver),
      unreadable: ends.receiveUnreadable,
      end: ends.ended,
    });
    return { dispose: channel.stop };
  });
  const connection = createMessageConnection(reader, createWriter(channel, ends.sending), NullLogger);
  register(connection);
  connection.listen();
  return { connection, channel };
}
