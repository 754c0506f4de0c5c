/**
 * Compares the server's result with Codex's: the two are equal, differ in documented ways, or differ for an unknown
 * reason.
 */
import { planPatch } from "../support/patching.js";
import type { CodexBinary } from "./binary.js";
import { codexRules, type DeviationName, promisedRules, type Rules } from "./deviations.js";
import { type Modelled, modelOf } from "./model.js";
import { type Outcome, sameFiles, show, showFiles, type Trial } from "./trial.js";

/** The verdict on one trial in one mode. */
export type Verdict =
  | { readonly kind: "same"; readonly isDone: boolean }
  /** The deviations that explain the difference; empty if only several of them together explain it. */
  | { readonly kind: "deviates"; readonly by: readonly DeviationName[] }
  /** `nature`: the mode and each side's reason, which identify the kind of difference. */
  | { readonly kind: "different"; readonly report: string; readonly nature: string };

/** The server's two modes. */
export const modes = [{ lenient: true }, { lenient: false }] as const;

/** Runs a trial on all sides; returns one verdict per mode, in the order of `modes`. */
export async function compare(trial: Trial, binary: CodexBinary): Promise<Verdict[]> {
  const real = await binary.apply(trial);
  const model = modelOf(trial, codexRules);
  if (!sameOutcome(real, model)) {
    const report = reportOf(trial, "the model is not what Codex is", { codex: real, model });
    return modes.map(() => ({ kind: "different", report, nature: `model ${real.ok} ${model.ok}` }));
  }
  return modes.map((mode) => verdictOf(trial, mode, { real, model }));
}

function verdictOf(
  trial: Trial,
  mode: { readonly lenient: boolean },
  codex: { readonly real: Outcome; readonly model: Modelled },
): Verdict {
  const rules = promisedRules(mode);
  const promised = modelOf(trial, rules);
  const server = runServer(trial, mode);
  const isPromised =
    sameOutcome(server, promised) && (promised.reason === undefined || saysSo(server.codes, promised.reason));
  // The server may refuse a patch that Codex cannot read; other tests check how much of such a patch the server must
  // understand.
  const isRefused = !server.ok && codex.model.reason === "patchSyntax" && server.codes.includes("patchSyntax");
  const isKnown = isRefused && sameFiles(server.files, trial.files);
  if (!isPromised && !isKnown) {
    const what = `the server is not what was promised with lenient: ${mode.lenient}`;
    const report = reportOf(trial, what, { codex: codex.real, promised, server });
    const nature = [mode.lenient, codex.model.reason, promised.reason, ...new Set(server.codes)].join(" ");
    return { kind: "different", report, nature };
  }
  if (sameOutcome(server, codex.real)) return { kind: "same", isDone: server.ok };
  return { kind: "deviates", by: reasonsOf(trial, rules, { promised, codex: codex.model }) };
}

/**
 * The deviations that the outcome depends on; if there are none, those that would each change Codex's result on their
 * own.
 */
function reasonsOf(trial: Trial, rules: Rules, outcomes: { promised: Outcome; codex: Outcome }): DeviationName[] {
  const needed = [...rules].filter((name) => {
    const without = modelOf(trial, new Set([...rules].filter((other) => other !== name)));
    return !sameOutcome(without, outcomes.promised);
  });
  if (needed.length > 0) return needed;
  return [...rules].filter((name) => !sameOutcome(modelOf(trial, new Set([name])), outcomes.codex));
}

/** Reports whether the codes include a reason, or a code with the same meaning. */
function saysSo(codes: readonly string[], reason: string): boolean {
  const kin = kinds.find((kind) => kind.includes(reason)) ?? [reason];
  return kin.some((code) => codes.includes(code));
}

/** Codes with the same meaning, one group per row: the lines are missing, or the path is not that of a file. */
const kinds: readonly (readonly string[])[] = [
  ["contextNotFound", "alreadyApplied", "consumed"],
  ["fileNotFound", "isDirectory", "ioError"],
];

const sameOutcome = (a: Outcome, b: Outcome): boolean => a.ok === b.ok && sameFiles(a.files, b.files);

function runServer(
  { files, patch }: Trial,
  mode: { readonly lenient: boolean },
): Outcome & { codes: readonly string[] } {
  const { failures, files: after } = planPatch(files, patch, mode);
  return {
    ok: failures.length === 0,
    files: after,
    said: failures.map(({ code, message }) => `${code}: ${message}`).join("\n"),
    codes: failures.map(({ code }) => code),
  };
}

function reportOf(trial: Trial, what: string, sides: Readonly<Record<string, Outcome>>): string {
  const patch = trial.patch.split("\n").map((line) => `  ${show(line)},`);
  const outcomes = Object.entries(sides).map(
    ([name, { ok, said, files }]) => `${name}: ${ok ? "done" : `failed: ${said}`}\n${showFiles(files)}`,
  );
  return [what, "files:", showFiles(trial.files), "patch:", ...patch, ...outcomes].join("\n");
}
