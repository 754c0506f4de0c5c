/** Finds the place of a call's only edit in one text alone, as if nobody had typed. */
import { decodeCall } from "../../../server/dialect/decode.js";
import { planBatch } from "../../../server/plan/plan.js";
import { toEnd } from "../../../server/text/lines.js";
import { documentAt, snapshotOf } from "../../support/planning.js";
import { type Call, toCall } from "./calls.js";
import { type Lines, textOf } from "./lines.js";

/** The only place at which a text has an edit. */
interface Alone {
  /** 0-based line at which the place starts. */
  readonly at: number;
  readonly lines: Lines;
  /** `true` if nothing was ignored. */
  readonly isExact: boolean;
  /** The text after the edit. */
  readonly text: string;
}

const path = "a";

/** Plans a call on a text that nobody has looked at before; `undefined` if the edit has no place, or several. */
export function resolve(lines: Lines, call: Call): Alone | undefined {
  const decoded = decodeCall(toCall(path, call), { optionsAllowed: false });
  if (!decoded.ok) throw new Error(`the benchmark made a bad call: ${JSON.stringify(decoded.failures)}`);
  const plan = toEnd(
    planBatch(decoded.operations, snapshotOf([documentAt(path, textOf(lines))]), {
      atomic: "all",
      order: decoded.defaultOrder,
      lenient: true,
      overwrite: false,
    }),
  );
  const [outcome] = plan.outcomes;
  const [place] = outcome?.places ?? [];
  if (!plan.ok || place === undefined) return undefined;
  const at = place.startLine - 1;
  return {
    at,
    lines: lines.slice(at, place.endLine),
    isExact: outcome?.rung === "exact",
    text: plan.files[0]?.text ?? textOf(lines),
  };
}
