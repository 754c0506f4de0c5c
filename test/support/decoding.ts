/** Decodes calls as each door does, for the tests of the dialects, and builds the expected operations. */
import type { DecodedCall } from "../../server/dialect/decode.js";
import { decodeCall } from "../../server/dialect/decode.js";
import type { EditOperation } from "../../server/plan/operation.js";

/** The door for integrations: an integration may add options. */
export const integration = { optionsAllowed: true };
/** The door for models: a model may not add options. */
export const model = { optionsAllowed: false };

/** Decodes a call that an integration sends. */
export const decode = (params: unknown): DecodedCall => decodeCall(params, integration);

/** The operation expected from the decoder, with defaults for all fields that were not sent. */
export const edit = (
  index: number,
  path: string,
  oldText: string,
  newText: string,
  more: Partial<EditOperation> = {},
): EditOperation => ({ kind: "edit", index, path, oldText, newText, replaceAll: false, ...more });
