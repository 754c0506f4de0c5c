/** The table of kinds of cases: how the edits are treated, the shapes used to send them, and the goal. */
import {
  brokenViewNumbers,
  droppedBlankLine,
  elided,
  innerBlanks,
  otherQuotes,
  overEscaped,
  wrongAnchorText,
  wrongCase,
  wrongWord,
} from "./breakages.js";
import { type Cause, weightOf } from "./causes.js";
import * as damages from "./damages.js";
import { type CaseMaker, damaged } from "./landingCase.js";
import * as makers from "./makers.js";
import { broken } from "./makers.js";
import * as mistakes from "./mistakes.js";
import { inLine, inLines, mistaken } from "./mistakes.js";
import * as patches from "./patchMistakes.js";
import { anchored, arranged, pathSpelt, reformed, reforms } from "./patchMistakes.js";
import { type Door, doors } from "./sent.js";
import * as silent from "./silentMistakes.js";
import * as texts from "./textMistakes.js";
import { undamaged, undamagedFiles, unendedFile } from "./undamaged.js";

/** The percentage of cases that must land correctly, or that must be refused. No case may land wrong. */
export type Goal = { readonly right: number } | { readonly refused: number };

/** A row of the table. */
export interface Kind {
  readonly name: string;
  readonly cause: Cause;
  readonly make: CaseMaker;
  /** The shapes of calls that the cases use in turn. */
  readonly doors: readonly Door[];
  readonly goal: Goal;
}

/** A row of the table without its cause: name, goal, maker and, unless all shapes are used, the shapes. */
type Row = readonly [name: string, goal: Goal, make: CaseMaker, doors?: readonly Door[]];

const patch: readonly Door[] = ["patch"];
const asTexts = doors.filter((door) => door !== "patch");
const inSequence = asTexts.filter((door) => door !== "pi");

const all: Goal = { right: 100 };
const most: Goal = { right: 99 };
const many: Goal = { right: 95 };
/** Undamaged calls may be ambiguous. */
const unclear: Goal = { right: 90 };
/** Refusing is right, and so is landing as the author made it. */
const either: Goal = { right: 0 };
const none: Goal = { refused: 100 };

const table: Readonly<Record<Cause, readonly Row[]>> = {
  undamaged: [
    ["undamaged, anchors as in git diff", unclear, undamaged({ context: 3, anchor: "git" }), patch],
    ["undamaged, enclosing line as anchor", unclear, undamaged({ context: 3, anchor: "enclosing" }), patch],
    ["undamaged, no anchors", unclear, undamaged({ context: 3 }), patch],
    ["undamaged, line numbers", unclear, undamaged({ context: 3, isNumbered: true }), patch],
    ["undamaged batches", unclear, undamaged({ context: 3 }), asTexts],
    ["undamaged batches, shuffled", unclear, undamaged({ context: 3, isShuffled: true }), asTexts],
    ["undamaged, two files", { right: 80 }, undamagedFiles({ context: 3 }), ["batch", "patch"]],
    ["undamaged batches, little context", either, undamaged({}), asTexts],
    ["undamaged batches, line numbers", either, undamaged({ isNumbered: true }), ["batch"]],
    ["undamaged, one line of context", either, undamaged({ context: 1, anchor: "git" }), patch],
    ["undamaged, no context", either, undamaged({ context: 0, anchor: "git" }), patch],
  ],
  sound: [
    ["exact", all, damaged(damages.exact)],
    ["shuffled", all, makers.shuffled],
    ["chains", all, makers.chain, [...inSequence, "patch"]],
    ["part of a line", most, makers.partOfLine, asTexts],
    ["repeated, with its line", most, makers.repeatedWithLine, ["batch", "patch"]],
    ["file without final line ending", many, unendedFile],
    ["outer context left out", many, mistaken(inLines(mistakes.outerContextLeftOut))],
    ["changed elsewhere since", most, texts.changedElsewhere],
    ["one edit twice", many, texts.editTwice, inSequence],
    ["CRLF file", most, damaged(damages.crlfFile)],
  ],
  "several lines in other words": [
    ["several lines reworded", either, mistaken(inLines(mistakes.severalReworded), { isAbsent: true })],
  ],
  "one of several lines in other words": [
    ["removed line reworded", either, mistaken(inLines(mistakes.removedReworded), { isAbsent: true })],
    ["one wrong context word", none, broken("wrongWord", wrongWord)],
  ],
  "a single line in other words": [
    ["single line reworded", either, mistaken(inLines(mistakes.singleLineReworded), { isAbsent: true, isAlone: true })],
  ],
  "only context in other words": [
    ["context code reworded", either, mistaken(inLines(mistakes.contextReworded("code")), { isAbsent: true })],
    ["context comment reworded", either, mistaken(inLines(mistakes.contextReworded("comment")), { isAbsent: true })],
    ["comma changed on context", either, mistaken(inLines(mistakes.commaChanged), { isAbsent: true })],
  ],
  "already applied": [
    ["already applied", none, makers.alreadyApplied],
    ["insertion already applied", none, silent.insertionAgain],
  ],
  "nowhere in the file": [["absent", none, makers.absent]],
  "whitespace only": [
    ["first line dedented", most, damaged(damages.firstLineDedented)],
    ["spaces added by the model", most, damaged(damages.blanksByModel)],
    ["spaces only in the file", most, damaged(damages.blanksInFile)],
    ["dedented block", most, damaged(damages.dedented)],
    ["over-indented block", most, damaged(damages.overIndented)],
    ["spaces for tabs", most, damaged(damages.spacesForTabs)],
    ["tabs for spaces", most, damaged(damages.tabsForSpaces)],
    ["tabs for spaces, and dedented", many, mistaken(texts.tabsAndDedented), asTexts],
    ["only the old text dedented", many, mistaken(texts.onlyOldDedented), asTexts],
    ["old text dedented, new text with a shallower line", many, texts.onlyOldDedentedShallower, asTexts],
    ["dedented hunk with an added block", many, patches.dedentedWithBlock, patch],
    ["levels of another width", many, mistaken(texts.otherWidth)],
    ["only the new text dedented", most, texts.onlyNewDedented, asTexts],
    ["old lines of a hunk trimmed", either, mistaken(patches.oldLinesTrimmed), patch],
    ["one space more on all lines", many, mistaken(patches.spaceAfterSigns("all")), patch],
    ["one space more on context", many, mistaken(patches.spaceAfterSigns("context")), patch],
    ["context without its sign", either, mistaken(patches.contextUnsigned), patch],
    ["spaces within a line", either, mistaken(inLines(mistakes.innerSpacesDoubled)), patch],
    ["spaces within all lines", many, mistaken(inLines(mistakes.innerSpacesDoubled)), asTexts],
    ["space added or left out in a line", either, mistaken(inLine(innerBlanks)), asTexts],
    ["one line indented", either, mistaken(inLines(mistakes.oneLineIndented))],
    ["empty line before both texts", many, mistaken(texts.emptyLineBefore), asTexts],
    ["empty line after both texts", many, mistaken(texts.emptyLineAfter), asTexts],
    ["line ending in the old text only", many, mistaken(texts.lineEndInOldOnly), asTexts],
    ["line ending that the file lacks", many, texts.lineEndMissingInFile],
    ["CRLF by the model", most, damaged(damages.crlfByModel), asTexts],
    ["CRLF and another damage", most, damaged(damages.twoAtOnce)],
  ],
  "lines left out, added or exchanged": [
    ["context line left out", either, mistaken(inLines(mistakes.innerContextLeftOut), { isAbsent: true })],
    ["removed line left out", either, mistaken(inLines(mistakes.removedLineLeftOut), { isAbsent: true })],
    ["context lines exchanged", either, mistaken(inLines(mistakes.contextExchanged), { isAbsent: true })],
    ["empty line left out", none, broken("blankLine", droppedBlankLine)],
    ["empty line doubled", either, mistaken(inLines(mistakes.emptyLineDoubled), { isAbsent: true })],
    ["two hunks merged", either, arranged(patches.merged), patch],
  ],
  "an older version of the file": [["older lines as context", either, texts.staleContext]],
  "several places": [["ambiguous", none, makers.ambiguous]],
  "old and new text the same": [
    ["same texts", none, texts.sameTexts(true), asTexts],
    ["same texts beside other edits", most, texts.sameTexts(false), asTexts],
  ],
  "a patch that changes nothing": [
    ["result as context", none, patches.changingNothing("result"), patch],
    ["result removed and added", none, patches.changingNothing("twice"), patch],
  ],
  "@@ without a hunk": [
    ["@@ after the last hunk", most, reformed(reforms.bareEnd), patch],
    ["anchor after the last hunk", none, reformed(reforms.anchorEnd, "patchSyntax"), patch],
    ["only @@ lines", none, reformed(reforms.onlyHeaders, "patchSyntax"), patch],
  ],
  "an anchor that is no line above": [
    ["anchor cut short", many, mistaken(anchored(patches.cutAnchor)), patch],
    ["anchor with another word", many, mistaken(anchored(wrongAnchorText)), patch],
    ["prose as anchor", many, mistaken(anchored(patches.proseAnchor)), patch],
    ["anchor without indentation", most, mistaken(anchored(patches.unindentedAnchor)), patch],
    ["anchor is the first old line", many, mistaken(anchored(patches.ownLineAnchor(false))), patch],
    ["anchor is the first old line, repeated", either, mistaken(anchored(patches.ownLineAnchor(true))), patch],
    ["anchor below the hunk", either, mistaken(anchored(patches.anchorBelow)), patch],
  ],
  "line numbers of a view": [
    ["view line numbers", most, damaged(damages.viewNumbers), asTexts],
    ["numbers of a failure", many, mistaken(texts.numbersOfFailures), asTexts],
    ["broken view numbers", none, broken("viewNumbers", brokenViewNumbers), asTexts],
    ["view line numbers in hunks", either, mistaken(patches.linesNumbered), patch],
  ],
  "hardly ever": [
    ["typography only in the file", most, damaged(damages.typographyInFile)],
    ["typography by the model", most, damaged(damages.typographyByModel)],
    ["full-width signs only in the file", many, damaged(damages.fullWidthInFile)],
    ["over-escaped text", none, broken("escaped", overEscaped)],
    ["wrong case", none, broken("case", wrongCase)],
    ["other straight quotes", none, broken("quotes", otherQuotes)],
    ["elision mark", none, broken("elision", elided)],
    ["elision mark in a hunk", either, mistaken(inLines(mistakes.contextElided)), patch],
    ["elision mark in the new text only", none, texts.elidedNew, asTexts],
    ["elision mark, and lines that return", none, silent.omittedAndReturning],
    ["ellipsis that is meant", many, silent.meantEllipsis],
    ["consumed", none, makers.consumed, asTexts],
    ["plus sign missing", either, mistaken(patches.plusMissing("")), patch],
    ["space instead of a plus sign", either, mistaken(patches.plusMissing(" ")), patch],
    ["hunks in reverse", many, arranged(patches.reversed), patch],
    ["hunks in reverse, looser twin", either, silent.looserTwin(false), patch],
    ["hunks in reverse, looser twin, line numbers", many, silent.looserTwin(true), patch],
    ["line number off, repeated lines", none, silent.numberOff, patch],
    ["hunks in two sections", many, arranged(patches.inTwoSections), patch],
    ["one hunk twice", either, arranged(patches.lastTwice), patch],
    ["no end marker", many, reformed(reforms.noEnd), patch],
    ["no begin marker", many, reformed(reforms.noBegin), patch],
    ["cut off within a hunk", none, reformed(reforms.cutOff, "patchSyntax"), patch],
    ["Markdown fence and prose", many, reformed(reforms.fenced), patch],
    ["file headers of git", many, reformed(reforms.gitHeaders), patch],
    ["plain unified diff", either, reformed(reforms.unified), patch],
    ["path with ./", most, pathSpelt((path) => `./${path}`)],
    ["path with @", most, pathSpelt((path) => `@${path}`), asTexts],
    ["path with a/", many, pathSpelt((path) => `a/${path}`)],
    ["path in capitals", either, pathSpelt((path) => path.toUpperCase())],
    ["only the name of the file", either, pathSpelt((path) => path.slice(path.lastIndexOf("/") + 1))],
  ],
};

/** All kinds, in the order of the table; calls without a mistake come first. */
export const kinds: readonly Kind[] = (Object.keys(table) as Cause[]).flatMap((cause) =>
  table[cause].map(([name, goal, make, shapes = doors]) => ({ name, cause, make, doors: shapes, goal })),
);

/** The weight of a kind: a cause's weight is shared equally by its kinds. */
export const weightOfKind = ({ cause }: Kind): number => weightOf(cause) / table[cause].length;
