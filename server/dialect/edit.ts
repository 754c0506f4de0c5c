/** Turns one edit of a call, whose keys have already been sorted, into an operation. */
import * as v from "valibot";
import { type At, clip } from "../plan/failure.js";
import { allLines, type EditOperation } from "../plan/operation.js";
import { loneSurrogateAt } from "../text/chars.js";
import { limits } from "../text/limits.js";
import { type EditFieldName, editFieldNames, editFields, editSchema, type FieldName } from "./fields.js";
import type { Findings } from "./findings.js";
import { commandFields, type SentField, type SentKeys } from "./keys.js";
import { callFailures, callSizeFailures, contradictions, schemaProblem, wrongValue } from "./sentences.js";

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
export function readEdit(edit: SentEdit, findings: Findings): EditOperation | undefined {
  const { index, keys, path } = edit;
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
  reportFields(edit, at, findings);
  if (!checked.success) return undefined;

  const {
    oldText = "",
    newText = "",
    replaceAll = false,
    content,
    insertLine,
    startLine,
    endLine,
    ...choice
  } = checked.output;
  const { occurrence, line, expectedCount } = choice;
  const [hasOccurrence, hasLine] = [occurrence !== undefined, line !== undefined];
  // Each row is one way for an edit to contradict itself.
  const contradicted = [
    hasOccurrence && hasLine && contradictions.occurrenceAndLine,
    replaceAll && hasOccurrence && contradictions.occurrenceOfAll,
    replaceAll && hasLine && contradictions.lineOfAll,
    !replaceAll && (expectedCount ?? 1) !== 1 && contradictions.countOfOne,
    startLine !== undefined && endLine !== undefined && endLine < startLine && contradictions.endBeforeStart,
  ];
  for (const problem of contradicted) if (problem !== false) findings.fail(callFailures.contradiction(at, problem));
  if (path.path === undefined) return undefined;
  // Any other text that is missing has been reported.
  const made = { kind: "edit", index, path: path.path, oldText, newText, replaceAll } as const;
  if (content !== undefined) return { ...made, newText: content, seenLines: allLines };
  if (insertLine !== undefined) return { ...made, seenLines: { from: insertLine, to: insertLine } };
  if (startLine !== undefined && keys.fields.oldText === undefined)
    return { ...made, seenLines: { from: startLine - 1, to: endLine ?? startLine } };
  // With an old text, the first line only says which match is meant.
  const nearLine = replaceAll || hasOccurrence ? line : (line ?? startLine);
  return { ...made, ...choice, line: nearLine };
}

/** Reports the fields that an edit lacks, and those that it must not have together. */
function reportFields({ keys, meant, path, spellings }: SentEdit, at: At, findings: Findings): void {
  const { fields, command } = keys;
  const form = fields.oldText !== undefined && !fields.content && !fields.insertLine ? "oldText" : formOf(fields);
  const used = command && commandFields[command];
  // A text meant for a place must not replace the whole file.
  if (form === "content" && used !== undefined && used.own !== form) {
    findings.fail(callFailures.missingFields(at, used.lacks, used.own));
    return;
  }
  const own = form === "oldText" ? undefined : fields[form]?.spelling;
  if (own !== undefined) {
    const others = editFieldNames.filter((name) => !formFields[form].includes(name));
    const strange = others.flatMap((name) => fields[name]?.spelling ?? []);
    if (strange.length > 0) findings.fail(callFailures.mixedShapes([own, ...strange]));
  }
  const missing = requiredFields.filter(
    (name) =>
      formFields[form].includes(name) &&
      (name === "path" ? path.path === undefined && !path.reported : fields[name] === undefined && !meant.has(name)) &&
      // The text editor's command deletes the old text if it has no new one.
      !(name === "newText" && form === "oldText" && command === "str_replace"),
  );
  if (missing.length === 1 && missing[0] === "path") findings.fail(callFailures.missingPath(at, false));
  else if (missing.length > 0) {
    const names = missing.map((name) => spellings[name] ?? name);
    findings.fail(callFailures.missingFields(at, names, form, keys.unknown));
  }
}

/** Returns the field by which an edit says what it replaces. */
const formOf = (fields: SentKeys["fields"]) => forms.find((name) => fields[name] !== undefined) ?? "oldText";

/** The fields that say what an edit replaces; the first one that an edit has decides. */
const forms = ["content", "insertLine", "oldText", "startLine"] as const;

/** The fields that an edit may have, by the field that says what the edit replaces. */
const formFields: Readonly<Record<(typeof forms)[number], readonly EditFieldName[]>> = {
  content: ["path", "content"],
  insertLine: ["path", "insertLine", "newText"],
  startLine: ["path", "startLine", "endLine", "newText"],
  oldText: ["path", "oldText", "newText", "replaceAll", "occurrence", "line", "expectedCount"],
};

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

const requiredFields = ["path", "oldText", "endLine", "newText"] as const;

/** Checks the length and the characters of a value, if its field has a limit. Returns `false` if it fails. */
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
