/** Opens a question to an answer from a shell, by a code that only the user sees. */
import { randomInt } from "node:crypto";
import { callFailures } from "../../dialect/sentences.js";
import { limits } from "../../text/limits.js";
import { type Answer, toRefusal } from "../edit/result.js";
import type { AnswerParams } from "../protocol.js";
import type { Session } from "../session.js";
import { answerFailures, wantedAnswer } from "./sentences.js";

/** The question that a session's user may answer from a shell. */
export interface ShellQuestion {
  readonly label: string;
  /** Never logged, written to a file or sent to an agent, because an agent must not answer for the user. */
  readonly code: string;
  /** Resolves with the user's decision, or with `undefined` once too many codes were wrong. */
  readonly decided: Promise<Decision | undefined>;
  /** Reports whether a shell can still answer. */
  isOpen(): boolean;
  /** Closes the question to shells. */
  end(): void;
}

/** An answer without its code. `reason`: as received. */
interface Decision {
  readonly answer: "apply" | "reject";
  readonly reason: unknown;
}

/** The question that is open, and the way to settle it. */
interface Door {
  readonly question: ShellQuestion;
  readonly decide: (decision: Decision | undefined) => void;
  /** Number of wrong codes that are still accepted. */
  triesLeft: number;
}

/** Each session asks one question at a time. */
const doors = new WeakMap<Session, Door>();

/** Opens a question to one answer from a shell, with a new code. */
export function openToShell(session: Session, label: string): ShellQuestion {
  let decide: Door["decide"] = () => undefined;
  const question: ShellQuestion = {
    label,
    code: Array.from({ length: limits.answerCode }, () => letters[randomInt(letters.length)]).join(""),
    decided: new Promise((resolve) => {
      decide = resolve;
    }),
    isOpen: () => doors.get(session)?.question === question,
    end: () => void (question.isOpen() && doors.delete(session)),
  };
  doors.set(session, { question, decide, triesLeft: limits.answerTries });
  return question;
}

/** Letters and digits that people do not mistake for each other. */
const letters = "abcdefghjkmnpqrstuvwxyz23456789";

/** Returns the question that a shell may answer, if there is one. */
export function questionForShell(session: Session): ShellQuestion | undefined {
  return doors.get(session)?.question;
}

/** Serves `multiEdit/answer`. */
export function answerFromShell(session: Session, params: unknown): Answer<{ readonly label: string }> {
  const { code, answer, reason } = Object(params) as Partial<Record<keyof AnswerParams, unknown>>;
  if (answer !== "apply" && answer !== "reject") {
    return toRefusal([callFailures.wrongType({}, "answer", wantedAnswer)]);
  }
  const door = doors.get(session);
  if (door === undefined) return toRefusal([answerFailures.noQuestion()]);
  const { question } = door;
  if (code === question.code) {
    question.end();
    door.decide({ answer, reason });
    return { ok: true, result: { label: question.label } };
  }
  door.triesLeft -= 1;
  if (door.triesLeft === 0) {
    question.end();
    door.decide(undefined);
  }
  return toRefusal([answerFailures.wrongCode(door.triesLeft)]);
}
