/** The table of kinds of cases: how the edits are treated, the shapes used to send them, and the goal. */
import {
  brokenViewNumbers,
  droppedBlankLine,
  elided,
  innerBlanks,
  otherQuotes,
  overEscaped,
  unevenIndentation,
  wrongAnchor,
  wrongCase,
  wrongWord,
} from "./breakages.js";
import * as damages from "./damages.js";
import { type CaseMaker, damaged } from "./landingCase.js";
import {
  absent,
  alreadyApplied,
  ambiguous,
  broken,
  chain,
  consumed,
  partOfLine,
  repeatedWithLine,
  shuffled,
} from "./makers.js";
import { type Door, doors } from "./sent.js";

/** A row of the table. */
export interface Kind {
  readonly name: string;
  readonly make: CaseMaker;
  /** The shapes of calls that the cases use in turn. */
  readonly doors: readonly Door[];
  /** The percentage of cases that must land correctly, or that must be refused. */
  readonly goal: { readonly right: number } | { readonly refused: number };
}

const texts = doors.filter((door) => door !== "patch");
const inSequence = texts.filter((door) => door !== "pi");

/** All kinds: first those that land, then those that are refused. */
export const kinds: readonly Kind[] = [
  { name: "exact", make: damaged(damages.exact), doors, goal: { right: 100 } },
  { name: "shuffled", make: shuffled, doors, goal: { right: 100 } },
  { name: "chains", make: chain, doors: [...inSequence, "patch"], goal: { right: 100 } },
  { name: "part of a line", make: partOfLine, doors: texts, goal: { right: 99 } },
  { name: "repeated, with its line", make: repeatedWithLine, doors: ["batch", "patch"], goal: { right: 99 } },
  { name: "first line dedented", make: damaged(damages.firstLineDedented), doors, goal: { right: 99 } },
  { name: "spaces added by the model", make: damaged(damages.blanksByModel), doors, goal: { right: 99 } },
  { name: "spaces only in the file", make: damaged(damages.blanksInFile), doors, goal: { right: 99 } },
  { name: "typography only in the file", make: damaged(damages.typographyInFile), doors, goal: { right: 99 } },
  { name: "typography by the model", make: damaged(damages.typographyByModel), doors, goal: { right: 99 } },
  { name: "dedented block", make: damaged(damages.dedented), doors, goal: { right: 99 } },
  { name: "over-indented block", make: damaged(damages.overIndented), doors, goal: { right: 99 } },
  { name: "spaces for tabs", make: damaged(damages.spacesForTabs), doors, goal: { right: 99 } },
  { name: "tabs for spaces", make: damaged(damages.tabsForSpaces), doors, goal: { right: 99 } },
  { name: "CRLF file", make: damaged(damages.crlfFile), doors, goal: { right: 99 } },
  { name: "CRLF by the model", make: damaged(damages.crlfByModel), doors: texts, goal: { right: 99 } },
  { name: "view line numbers", make: damaged(damages.viewNumbers), doors: texts, goal: { right: 99 } },
  { name: "CRLF and another damage", make: damaged(damages.twoAtOnce), doors, goal: { right: 99 } },
  { name: "dropped empty line", make: broken("blankLine", droppedBlankLine), doors, goal: { refused: 100 } },
  { name: "over-escaped text", make: broken("escaped", overEscaped), doors, goal: { refused: 100 } },
  { name: "one wrong context word", make: broken("wrongWord", wrongWord), doors, goal: { refused: 100 } },
  { name: "wrong case", make: broken("case", wrongCase), doors, goal: { refused: 100 } },
  { name: "other straight quotes", make: broken("quotes", otherQuotes), doors, goal: { refused: 100 } },
  {
    name: "spaces within a line",
    make: broken("innerBlanks", innerBlanks, { found: true }),
    doors,
    goal: { refused: 100 },
  },
  {
    name: "uneven indentation",
    make: broken("indentation", unevenIndentation, { found: true }),
    doors: texts,
    goal: { refused: 100 },
  },
  {
    name: "broken view numbers",
    make: broken("viewNumbers", brokenViewNumbers),
    doors: texts,
    goal: { refused: 100 },
  },
  { name: "elision mark", make: broken("elision", elided), doors, goal: { refused: 100 } },
  {
    name: "wrong anchor",
    make: broken("wrongAnchor", wrongAnchor, { found: true }),
    doors: ["patch"],
    goal: { refused: 100 },
  },
  { name: "ambiguous", make: ambiguous, doors, goal: { refused: 100 } },
  { name: "absent", make: absent, doors, goal: { refused: 100 } },
  { name: "already applied", make: alreadyApplied, doors, goal: { refused: 100 } },
  { name: "consumed", make: consumed, doors: texts, goal: { refused: 100 } },
];
