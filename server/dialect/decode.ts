/** Decodes a tool call of any known shape into operations, or returns everything that is wrong with the call. */
import type { Failure } from "../plan/failure.js";
import type { EditOperation, Operation, Order, TextRules } from "../plan/operation.js";
import { loneSurrogateAt } from "../text/chars.js";
import { limits } from "../text/limits.js";
import { atPath, readEdit, readPath } from "./edit.js";
import {
  type ContainerName,
  callFields,
  type EditFieldName,
  editFieldNames,
  type FieldName,
  styleBySpelling,
  type TextStyle,
} from "./fields.js";
import { type Findings, makeFindings } from "./findings.js";
import { isObject, readKeys, reportKeys, type SentField, type SentKeys, trialKeys } from "./keys.js";
import type { CallOptions } from "./options.js";
import { inFolder, readShellCall } from "./patchCommand.js";
import { readOptions } from "./readOptions.js";
import { callFailures, callSizeFailures, nameOfValue, type Previewer, wrongValue } from "./sentences.js";
import { patchShape, type Shape, type ShapeName, shapeOf } from "./shapes.js";
import type { ReadingOptions } from "./textDialect.js";
import { dialectOf, readText } from "./textDialects.js";

/** The decoder's settings, which vary by caller. */
export interface DecodePolicy {
  /** `false` if a model wrote the whole call. A call with `options` is then refused. */
  readonly optionsAllowed: boolean;
  /** The user's setting, by default `true`, for patches whose call does not set `lenient`. */
  readonly lenient?: boolean;
  /** The request, tool or command that messages recommend for a preview; `undefined` means the request. */
  readonly previewer?: Previewer;
}

/** A decoded call, or the reasons why it could not be decoded. */
export type DecodedCall =
  | {
      readonly ok: true;
      readonly shape: ShapeName;
      /** At least one, in the order sent; indexes are 0-based. */
      readonly operations: readonly Operation[];
      readonly options: CallOptions;
      /** The shape's own order, which applies if the options set none. */
      readonly defaultOrder: Order;
      /** The planning rules of the text's dialect; `undefined` if it has none of its own. */
      readonly rules?: TextRules | undefined;
      /** A sentence for each field that was ignored and for each assumption made. */
      readonly warnings: readonly string[];
    }
  | { readonly ok: false; readonly failures: readonly Failure[] };

/** Decodes params, any JSON value, with all failures; never throws. Some clients wrap a string in an array. */
export function decodeCall(params: unknown, policy: DecodePolicy): DecodedCall {
  const sent: unknown = Array.isArray(params) && params.length === 1 ? params[0] : params;
  const command = isObject(sent) && "command" in sent ? readShellCall(sent) : undefined;
  if (command === undefined) return decodeSent(sent, policy);
  const { command: _, workdir: __, ...others } = Object(sent);
  // Beside another patch, this one is a second name for it, which is refused.
  const name = callFields.patch.spellings.find((spelling) => !(spelling in others)) ?? "patch";
  const decoded = decodeSent({ [name]: command.patch, ...others }, policy);
  const { folder } = command;
  if (!decoded.ok || folder === undefined) return decoded;
  return { ...decoded, operations: decoded.operations.map((operation) => inFolder(folder, operation)) };
}

function decodeSent(sent: unknown, policy: DecodePolicy): DecodedCall {
  const findings = makeFindings(policy.previewer ?? "request");
  if (typeof sent === "string") {
    const isObjectText = /^\s*\{/.test(sent.slice(0, 100));
    if (isObjectText) return { ok: false, failures: [callFailures.notACall("a string of JSON")] };
    const read = readPatch({ spelling: "patch", value: sent }, { lenient: policy.lenient ?? true }, findings);
    return toDecoded(read, {}, findings);
  }
  if (!isObject(sent)) return { ok: false, failures: [callFailures.notACall(nameOfValue(sent))] };

  const keys = readKeys(sent, "call");
  const patch = keys.fields.patch;
  const edits = patch === undefined ? readEditCall(keys, findings) : undefined;
  const path = patch === undefined ? undefined : readBesidePatch(keys, patch, findings);
  const options = readPermittedOptions(keys, policy, findings);
  const read =
    patch === undefined
      ? edits
      : readPatch(patch, { lenient: options.lenient ?? policy.lenient ?? true, path }, findings);
  return toDecoded(read, options, findings);
}

/** A call's content, which may be incomplete if a failure has been reported. */
interface ReadCall {
  readonly shape: Shape;
  readonly operations: readonly Operation[];
  readonly warnings?: readonly string[];
  readonly rules?: TextRules | undefined;
}

function toDecoded(read: ReadCall | undefined, options: CallOptions, findings: Findings): DecodedCall {
  const failures = findings.failures();
  if (read === undefined || failures.length > 0) return { ok: false, failures };
  const { shape, operations, warnings = [], rules } = read;
  return {
    ok: true,
    shape: shape.name,
    operations,
    options,
    defaultOrder: shape.order,
    rules,
    warnings: [...findings.warnings(), ...warnings],
  };
}

function readPermittedOptions(keys: SentKeys, policy: DecodePolicy, findings: Findings): CallOptions {
  const field = keys.fields.options;
  if (field === undefined) return {};
  for (const key of isObject(field.value) ? trialKeys(field.value) : []) {
    findings.fail(callFailures.trial({}, `options.${key}`, findings.previewer));
  }
  if (policy.optionsAllowed) return readOptions(field.value, findings);
  findings.fail(callFailures.optionsRefused());
  return {};
}

/** Reports all fields beside a patch but `options` and, for some dialects, the path, which is returned. */
function readBesidePatch(keys: SentKeys, patch: SentField, findings: Findings): string | undefined {
  const dialect = typeof patch.value === "string" ? dialectOf(patch.value) : undefined;
  const allowed = ["patch", "options", ...(dialect?.takesPath ? ["path"] : [])];
  const others = Object.entries(keys.fields).filter(([name]) => !allowed.includes(name));
  const spellings = others.map(([, field]) => field.spelling);
  if (spellings.length > 0) findings.fail(callFailures.patchWithOthers(patch.spelling, spellings));
  const meant = reportKeys(keys, {}, undefined, findings);
  return dialect?.takesPath ? readPath(keys, meant, {}, findings).path : undefined;
}

/** Reads a patch, or a text in another dialect, and adds its failures to `findings`. */
function readPatch({ spelling, value }: SentField, how: ReadingOptions, findings: Findings): ReadCall | undefined {
  if (typeof value !== "string") {
    return findings.fail(callFailures.wrongType({}, spelling, wrongValue(value, "a string")));
  }
  if (value.length > limits.patchLength) return findings.fail(callSizeFailures.patch(value.length));
  const offset = loneSurrogateAt(value);
  if (offset >= 0) return findings.fail(callFailures.loneSurrogate({}, spelling, offset));
  const read = readText(value, how);
  if (read.ok) return { shape: patchShape, operations: read.operations, warnings: read.warnings, rules: read.rules };
  for (const failure of read.failures) findings.fail(failure);
  // `findings` has no room for the unlisted failures and only counts them, so any failure can stand in for them.
  const last = read.failures.at(-1);
  for (let i = 0; last !== undefined && i < read.unlisted; i++) findings.fail(last);
  return undefined;
}

function readEditCall(keys: SentKeys, findings: Findings): ReadCall | undefined {
  const lists = containers.flatMap((name) => {
    const field = keys.fields[name];
    return field === undefined ? [] : [{ name, field }];
  });
  if (lists.length > 1) {
    findings.fail(callFailures.mixedShapes(lists.map(({ field }) => field.spelling)));
    reportKeys(keys, {}, undefined, findings);
    return undefined;
  }
  const [list] = lists;
  const values = list === undefined ? [] : readList(list.field, findings);
  const items = (values ?? []).map((value) => ({
    value,
    keys: isObject(value) ? readKeys(value, "edit") : undefined,
  }));
  const objects = [keys, ...items.flatMap((item) => item.keys ?? [])];

  const texts = textSpellings(objects);
  if (texts.length > 1) findings.fail(callFailures.mixedShapes(texts));
  const style = texts[0] === undefined ? undefined : styleBySpelling.get(texts[0]);
  const has = (name: EditFieldName): boolean => objects.some(({ fields }) => fields[name] !== undefined);
  const hasOld = style !== undefined && texts[0] === style.oldText;
  const byLine = hasOld ? undefined : (["insertLine", "startLine"] as const).find(has);
  const shape = shapeOf(list?.name, style?.oldText, byLine);
  const ownFields = editFieldNames.filter((name) => name !== "path").flatMap((name) => keys.fields[name] ?? []);
  const mixed = list !== undefined && ownFields.length > 0 && shape.single !== "beside";
  const fields = [...ownFields, ...(list === undefined ? [] : [list.field])];
  if (mixed) findings.fail(callFailures.mixedShapes(fields.map(({ spelling }) => spelling)));

  const meant = reportKeys(keys, {}, style, findings);
  const single = ownFields.length > 0 && !mixed;
  const sent = items.length + (single ? 1 : 0);
  if (sent > limits.editsPerCall) return findings.fail(callSizeFailures.edits(sent));
  const isOther = keys.command === "view" || keys.command === "undo_edit";
  const unread = isOther || values === undefined || editContent.some((name) => meant.has(name));
  if (sent === 0 && !mixed && !unread) findings.fail(callFailures.noEdits());

  const path = readPath(keys, meant, single ? { index: 0 } : {}, findings);
  // Failures name a missing field as it is spelt elsewhere in this call, or else as the shape spells it.
  const pathSpelling = objects.find(({ fields }) => fields.path !== undefined)?.fields.path?.spelling;
  const spellings = { ...shape.spelling, ...style, ...(pathSpelling === undefined ? {} : { path: pathSpelling }) };
  const operations: (EditOperation | undefined)[] = [];
  if (single) operations.push(readEdit({ index: 0, keys, meant, path, spellings }, findings));
  for (const [i, item] of items.entries()) {
    const index = single ? i + 1 : i;
    if (item.keys === undefined) {
      const problem = wrongValue(item.value, "an object");
      findings.fail(callFailures.wrongType({ index }, list?.field.spelling ?? "edits", problem));
      continue;
    }
    const at = atPath(index, item.keys.fields.path?.value ?? path.path);
    const meantHere = reportKeys(item.keys, at, style, findings);
    const own = readPath(item.keys, meantHere, at, findings);
    const ownOrCalls = own.path === undefined && !own.reported ? path : own;
    operations.push(readEdit({ index, keys: item.keys, meant: meantHere, path: ownOrCalls, spellings }, findings));
  }
  return { shape, operations: operations.filter((operation) => operation !== undefined) };
}

const containers: readonly ContainerName[] = ["edits", "multi"];

/** A call without any of these has no edits, unless a misspelt key means one, which is then reported instead. */
const editContent: readonly FieldName[] = ["edits", "multi", "patch", "oldText", "newText", "insertLine", "startLine"];

/** Returns the list of edits, perhaps from a string of JSON or one object. Reports any other value. */
function readList({ spelling, value }: SentField, findings: Findings): readonly unknown[] | undefined {
  let list = value;
  if (typeof value === "string") {
    try {
      list = JSON.parse(value);
    } catch (error) {
      // `JSON.parse` throws a SyntaxError, or a RangeError if the nesting is too deep for its stack.
      return findings.fail(callFailures.badJson(spelling, error instanceof Error ? error.message : undefined));
    }
  }
  if (Array.isArray(list)) return list;
  return isObject(list) ? [list] : findings.fail(callFailures.noList(spelling, list));
}

/** Returns the first name that the call uses from each pair of `textStyles`. */
function textSpellings(objects: readonly SentKeys[]): string[] {
  const first = new Map<TextStyle, string>();
  for (const { fields } of objects) {
    for (const name of ["oldText", "newText"] as const) {
      const spelling = fields[name]?.spelling ?? "";
      const style = styleBySpelling.get(spelling);
      if (style !== undefined && !first.has(style)) first.set(style, spelling);
    }
  }
  return [...first.values()];
}
