/** Turns one edit of a call, whose keys have already been sorted, into an operation. */
import * as v from "valibot";
import { type At, clip } from "../plan/failure.js";
import { allLines, type EditOperation } from "../plan/operation.js";
import { loneSurrogateAt } from "../text/chars.js";
import { limits } from "../text/limits.js";
import { type EditFieldName, editFieldNames, editFields, editSchema, type FieldName } from "./fields.js";
import type { Findings } from "./findings.js";
import type { SentField, SentKeys } from "./keys.js";
import {
  callFailures,
  callSizeFailures,
  contradictions,
  type EditForm,
  schemaProblem,
  wrongValue,
} from "./sentences.js";

/** The path of a call or an edit. */
export interface SentPath {
  /** As the caller spelt it; `undefined` if the path is missing or unusable. */
  readonly path: string | undefined;
  /** `true` if a problem with the path has been reported, so it must not also be reported as missing. */
  readonly reported: boolean;
}

/** One edit, with everything that the rest of the call contributes to it. */
interface SentEdit {
  /** The edit's 0-based position among the edits as sent. */
  readonly index: number;
  readonly keys: SentKeys;
  /** The fields that this edit's misspelt keys seem to mean; they are not reported as missing. */
  readonly meant: ReadonlySet<FieldName>;
  /** The edit's own path, or the path that it inherits from the call. */
  readonly path: SentPath;
  /** The names that messages use for missing fields; a field without an entry appears under its canonical name. */
  readonly spellings: Readonly<Partial<Record<EditFieldName, string>>>;
}

/** Reads an edit and adds its failures to `findings`. Returns `undefined` if the edit does not yield an operation. */
export function readEdit(
  { index, keys, meant, path, spellings }: SentEdit,
  findings: Findings,
): EditOperation | undefined {
  const at = atPath(index, path.path);
  const sent: Partial<Record<EditFieldName, unknown>> = {};
  for (const name of editFieldNames) {
    const field = keys.fields[name];
    if (name === "path" || field === undefined) continue;
    sent[name] = field.value;
    checkString(name, field, at, findings);
  }
  const checked = v.safeParse(editSchema, sent);
  if (!checked.success) {
    for (const issue of checked.issues) {
      const wrong = issue.path?.[0].key;
      const spelling = editFieldNames.flatMap((name) => (name === wrong ? keys.fields[name] : []))[0]?.spelling;
      findings.fail(callFailures.wrongType(at, spelling ?? String(wrong), schemaProblem(issue, sent)));
    }
  }
  const form = formOf(keys);
  const [own, others] = [keys.fields[form], editFieldNames.filter((name) => !formFields[form].includes(name))];
  const strange = own === undefined ? [] : others.flatMap((name) => keys.fields[name]?.spelling ?? []);
  if (own !== undefined && strange.length > 0) findings.fail(callFailures.mixedShapes([own.spelling, ...strange]));
  const missing = requiredFields.filter(
    (name) =>
      !meant.has(name) &&
      formFields[form].includes(name) &&
      !(name === "newText" && keys.command === "str_replace") &&
      (name === "path" ? path.path === undefined && !path.reported : keys.fields[name] === undefined),
  );
  if (missing.length === 1 && missing[0] === "path") findings.fail(callFailures.missingPath(at, false));
  else if (missing.length > 0)
    findings.fail(
      callFailures.missingFields(
        at,
        missing.map((name) => spellings[name] ?? name),
        form,
      ),
    );
  if (!checked.success) return undefined;

  const { oldText, newText, replaceAll = false, occurrence, line, expectedCount } = checked.output;
  const [hasOccurrence, hasLine] = [occurrence !== undefined, line !== undefined];
  // Each row is one way for an edit to contradict itself.
  const contradicted = [
    hasOccurrence && hasLine && contradictions.occurrenceAndLine,
    replaceAll && hasOccurrence && contradictions.occurrenceOfAll,
    replaceAll && hasLine && contradictions.lineOfAll,
    !replaceAll && (expectedCount ?? 1) !== 1 && contradictions.countOfOne,
  ];
  for (const problem of contradicted) if (problem !== false) findings.fail(callFailures.contradiction(at, problem));
  if (path.path === undefined) return undefined;
  const edit = { kind: "edit", index, path: path.path } as const;
  const byLine = { ...edit, oldText: "", replaceAll: false };
  const { content, insertLine } = checked.output;
  if (content !== undefined) return { ...byLine, newText: content, seenLines: allLines };
  if (insertLine !== undefined && newText !== undefined)
    return { ...byLine, newText, seenLines: { from: insertLine, to: insertLine } };
  // The text editor's command deletes the old text if it has no new one.
  const written = newText ?? (keys.command === "str_replace" && !meant.has("newText") ? "" : undefined);
  if (oldText === undefined || written === undefined) return undefined;
  return { ...edit, oldText, newText: written, replaceAll, occurrence, line, expectedCount };
}

/** The fields that an edit may have, by the field that says what the edit replaces. */
const formFields: Readonly<Record<EditForm, readonly EditFieldName[]>> = {
  content: ["path", "content"],
  insertLine: ["path", "insertLine", "newText"],
  oldText: ["path", "oldText", "newText", "replaceAll", "occurrence", "line", "expectedCount"],
};

const formOf = ({ fields }: SentKeys): EditForm =>
  fields.content !== undefined ? "content" : fields.insertLine !== undefined ? "insertLine" : "oldText";

/** Reads the path given in the call or the edit itself, not an inherited one. Adds failures to `findings`. */
export function readPath(keys: SentKeys, meant: ReadonlySet<FieldName>, at: At, findings: Findings): SentPath {
  const field = keys.fields.path;
  if (field === undefined) return { path: undefined, reported: meant.has("path") };
  if (typeof field.value !== "string") {
    findings.fail(callFailures.wrongType(at, field.spelling, wrongValue(field.value, "a string")));
  } else if (field.value === "") {
    findings.fail(callFailures.missingPath(at, true));
  } else if (checkString("path", field, at, findings)) {
    return { path: field.value, reported: false };
  }
  return { path: undefined, reported: true };
}

/** Returns the location of a failure. Repairs an ill-formed path, shortens a long one, and omits an unusable one. */
export function atPath(index: number | undefined, path: unknown): At {
  const shown = typeof path === "string" && path !== "" ? clip(path, limits.pathLength).toWellFormed() : undefined;
  if (shown === undefined) return index === undefined ? {} : { index };
  return index === undefined ? { path: shown } : { index, path: shown };
}

const requiredFields = ["path", "oldText", "newText"] as const;

/**
 * Checks a value's length and characters if its field has a maximum length. Returns `false` if it reports a failure.
 */
function checkString(name: EditFieldName, { spelling, value }: SentField, at: At, findings: Findings): boolean {
  const row = editFields[name];
  if (typeof value !== "string" || !("length" in row)) return true;
  const { most, what } = row.length;
  if (value.length > most) {
    findings.fail(callSizeFailures.value(at, what, value.length, most));
    return false;
  }
  const offset = loneSurrogateAt(value);
  if (offset >= 0) findings.fail(callFailures.loneSurrogate(at, spelling, offset));
  return offset < 0;
}
