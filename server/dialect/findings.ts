/** Collects the failures and warnings found while decoding a call, and reports a limited number of each. */
import type { Failure } from "../plan/failure.js";
import { limits } from "../text/limits.js";
import { callFailures, callSizeFailures, dialectWarnings, type Previewer } from "./sentences.js";
import { nearestName } from "./spelling.js";

/** A call's failures and warnings, in the order found. */
export interface Findings {
  /** Adds a failure. Returns `undefined`, so that a function that can't continue can `return findings.fail(…)`. */
  fail(failure: Failure): undefined;
  /** Returns what a key was meant to be, to be reported; or notes it for a warning. `within`: prefix in messages. */
  meantBy(key: string, names: readonly string[], within?: "options."): string | undefined;
  /** The request, tool or command that messages recommend for a preview. */
  readonly previewer: Previewer;
  /** At most `limits.failuresPerCall`. If more were found, the last one says how many are omitted. */
  failures(): readonly Failure[];
  /** One for each key that resembles no known name; if there are too many, the last says how many more. */
  warnings(): readonly string[];
}

/** Creates an empty collection. */
export function makeFindings(previewer: Previewer): Findings {
  const listed: Failure[] = [];
  let failed = 0;
  const unknownKeys = new Map<string, { readonly shown: string; readonly meant: string | undefined }>();
  let tooManyUnknown = false;

  const fail = (failure: Failure): undefined => {
    failed++;
    if (listed.length < limits.failuresPerCall) listed.push(failure);
  };
  const meantBy: Findings["meantBy"] = (key, names, within) => {
    const id = `${within}\n${key}`;
    const before = unknownKeys.get(id);
    if (before !== undefined) return before.meant;
    if (unknownKeys.size >= limits.unknownFields) {
      if (!tooManyUnknown) fail(callSizeFailures.unknownFields());
      tooManyUnknown = true;
      return undefined;
    }
    const meant = nearestName(key, names);
    unknownKeys.set(id, { shown: `${within ?? ""}${key}`, meant });
    return meant;
  };
  return {
    fail,
    meantBy,
    previewer,
    failures: () => {
      const more = failed - limits.failuresPerCall;
      return more <= 0 ? listed : [...listed.slice(0, -1), callFailures.moreFailures(more + 1)];
    },
    warnings: () => {
      const ignored = [...unknownKeys.values()].filter((each) => each.meant === undefined);
      const said = ignored.map((each) => dialectWarnings.unknownField(each.shown));
      const most = limits.unknownFieldWarnings;
      if (said.length <= most) return said;
      return [...said.slice(0, most - 1), dialectWarnings.moreUnknownFields(said.length - most + 1)];
    },
  };
}
