/** A call as it reaches a program rather than the editor: the files that it is about, and the options that are added to it. */
import { decodeCall } from "../../dialect/decode.js";
import type { CallOptions } from "../../dialect/options.js";
import type { Previewer } from "../../dialect/sentences.js";
import { callSentences } from "../../lsp/sentences.js";
import type { Failure } from "../../plan/failure.js";
import { pathsOf } from "../../plan/operation.js";
import type { SessionRequest } from "./request.js";

/** A call that can be sent. */
export interface SoundCall {
  readonly ok: true;
  /** As the model wrote it: an object, or the text of a patch. */
  readonly sent: object | string;
  /** Every path of it, as it spells them. */
  readonly targets: readonly string[];
}

/** A call that can't be read: its failures one by one, and as one text. */
export interface UnreadableCall {
  readonly ok: false;
  readonly failures: readonly Failure[];
  readonly message: string;
}

/** A call as it was given. */
export type CallInput = SoundCall | UnreadableCall;

/** Reads one call, which may be any JSON value. A model sets no options. `previewer` previews calls at this door. */
export function readCall(value: unknown, previewer: Previewer): CallInput {
  const call: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  const decoded = decodeCall(call, { optionsAllowed: false, previewer });
  if (!decoded.ok) {
    const { failures } = decoded;
    return { ok: false, failures, message: callSentences.failed(failures, { sound: [], total: 0, isPatch: false }) };
  }
  const paths = decoded.operations.flatMap((operation) => pathsOf(operation).map(({ path }) => path));
  // What could be decoded is an object or a text.
  return { ok: true, sent: call as object | string, targets: [...new Set(paths)] };
}

/** The request that sends a call with the options that the program adds. */
export function requestOf(method: string, { sent, targets }: SoundCall, options: CallOptions): SessionRequest {
  return { method, params: typeof sent === "string" ? { patch: sent, options } : { ...sent, options }, targets };
}
