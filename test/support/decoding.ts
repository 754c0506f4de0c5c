/** Decodes calls as each door does, for the tests of the dialects, and makes the operations that must come of them. */
import type { DecodedCall } from "../../server/dialect/decode.js";
import { decodeCall } from "../../server/dialect/decode.js";
import type { EditOperation } from "../../server/plan/operation.js";

/** The door of an integration, which may add options. */
export const integration = { optionsAllowed: true };
/** The door of a model, which may not. */
export const model = { optionsAllowed: false };

/** A call as an integration sends it. */
export const decode = (params: unknown): DecodedCall => decodeCall(params, integration);

/** An operation as the decoder should give it, with everything that was not sent at its default. */
export const edit = (
  index: number,
  path: string,
  oldText: string,
  newText: string,
  more: Partial<EditOperation> = {},
): EditOperation => ({ kind: "edit", index, path, oldText, newText, replaceAll: false, ...more });
