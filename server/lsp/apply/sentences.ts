/** Sentences about answers that the user gives from a shell. */
import { count, makeFailure, theCall } from "../../plan/failure.js";

/** What the field `answer` must be. */
export const wantedAnswer = 'it must be "apply" or "reject"';

/** Failures of an answer. */
export const answerFailures = {
  noQuestion: () =>
    makeFailure("invalidParams", theCall, {
      problem: "No question is waiting for an answer from a shell.",
      hint: "Only a question whose diff an editor has shown together with a code can be answered there.",
    }),
  wrongCode: (triesLeft: number) =>
    makeFailure("invalidParams", theCall, {
      problem: "The code is wrong; nothing was answered.",
      hint:
        triesLeft > 0
          ? `Copy the code that the editor shows; ${count(triesLeft, "attempt")} left.`
          : "Answer in the editor, which shows the question again.",
    }),
} as const;

/** Sentences for the user. */
export const answerSentences = {
  /** The way to answer a question from a shell. */
  howTo: (code: string): string => `To answer from a shell, run: multi-edit answer ${code} apply (or reject).`,
  /** `seconds`: the time until the question is asked again; `undefined` if it is not. */
  reading: (code: string, seconds: number | undefined): string =>
    `${seconds === undefined ? "The question stays open." : `The question comes back in ${seconds} s.`} ${answerSentences.howTo(code)}`,
} as const;
