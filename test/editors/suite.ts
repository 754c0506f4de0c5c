/** All tests for one real editor, and the resulting column of the table. */
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { columnOf, type ResultTable, writeColumn } from "../support/resultTable.js";
import { dialogues } from "./dialogues.js";
import type { EditorKind } from "./editor.js";
import { editWideCharacters } from "./encodings.js";
import { casesOf, difference, pageNames, runCase, subjectOfNoEditor } from "./pages.js";
import { races } from "./races.js";
import { randomBatches } from "./randomBatches.js";
import { done, type Scene, scenes } from "./scenes.js";
import { absence, type Session, startSession, versionOf } from "./session.js";
import { type Door, onStage, type Stage } from "./stage.js";
import { isReordered } from "./wire.js";

const table: ResultTable = {
  page: new URL("../../client-samples/README.md", import.meta.url),
  variable: "UPDATE_EDITORS",
};

/** Number of random batches per door. */
const randomRuns = Number(process.env.EDITOR_BATCHES ?? 100);

/**
 * Defines the tests for one editor; `more` are scenes that run only in this editor. `isSlow`: `true` for an editor in which
 * the 200 batches would take too long.
 */
export function describeEditor(kind: EditorKind, more: readonly Scene[] = [], { isSlow = false } = {}): void {
  const missing = absence(kind);
  if (missing !== undefined) {
    it(`${kind.name} (${kind.root}) is not available`, () => {
      const leftOut = `left out: what a real ${kind.name} (${kind.root}) does with the edits: ${missing}`;
      const variable = kind.root === "vscode" ? "REQUIRE_REACH" : "REQUIRE_EDITORS";
      if (process.env[variable] === "1") throw new Error(leftOut);
      console.log(leftOut);
    });
    return;
  }
  const editor = `${kind.name} ${versionOf(kind)}`;
  const desk = deskOf(kind);
  const column = new Map<string, string>();
  afterAll(() => desk.close());
  describe(editor, { timeout: 300_000 }, () => {
    describeScenes(
      desk,
      [...scenes, ...races.filter(({ isLong }) => !isSlow || isLong !== true), ...dialogues, ...more],
      column,
    );
    describeEncodings(desk, column);
    describePages(desk, column);
    describeRandom(desk, column);
    it("has the results that the table of client-samples/README.md shows", async () => {
      if (process.env.UPDATE_EDITORS === "1") await writeColumn(table, editor, column);
      expect(Object.fromEntries(columnOf(table, editor) ?? [])).toEqual(Object.fromEntries(column));
    });
  });
}

/** The running editor, if any; it is restarted whenever something goes wrong in it. */
interface Desk {
  readonly kind: EditorKind;
  readonly doors: readonly Door[];
  /** Runs a function on a stage in the editor. `isFresh`: `true` for a newly started editor. */
  use<T>(
    run: (stage: Stage) => Promise<T>,
    options?: { isFresh?: boolean | undefined; folders?: readonly string[] },
  ): Promise<T>;
  close(): Promise<void>;
}

function deskOf(kind: EditorKind): Desk {
  let session: Session | undefined;
  const close = async (): Promise<void> => {
    const left = session;
    session = undefined;
    await left?.stop();
  };
  const { command, request } = kind.traits;
  return {
    kind,
    doors: [command ? "command" : "agent", ...(request ? ["request" as const] : [])],
    close,
    use: async (run, { isFresh, folders } = {}) => {
      if (isFresh === true) await close();
      for (let tries = 1; ; tries++) {
        session ??= await startSession(kind);
        try {
          return await onStage(session, run, folders);
        } catch (error) {
          const { wire, driver } = session;
          const said = driver.said();
          await close();
          if (kind.traits.reordersChanges === true && isReordered(wire) && tries < 5) continue;
          throw error instanceof Error
            ? Object.assign(error, { message: `${error.message}\nThe editor: ${said}` })
            : error;
        }
      }
    },
  };
}

/** A cell of the table; it lists the doors separately if their outcomes differ. */
function cellOf(seen: ReadonlyMap<Door, string>): string {
  const outcomes = new Set(seen.values());
  if (outcomes.size === 1) return [...outcomes][0]!;
  return [...seen].map(([door, outcome]) => `${door}: ${outcome}`).join("; ");
}

function describeScenes(desk: Desk, all: readonly Scene[], column: Map<string, string>): void {
  for (const scene of all) {
    const seen = new Map<Door, string>();
    for (const door of scene.doors ?? desk.doors) {
      it(`${scene.name} (${door})`, async () => {
        const { kind } = desk;
        const outcome = await desk.use((stage) => scene.run(stage, door, kind.traits), { isFresh: scene.isFresh });
        column.set(scene.name, cellOf(seen.set(door, outcome)));
      });
    }
  }
}

function describeEncodings({ kind, doors }: Desk, column: Map<string, string>): void {
  it.each(kind.traits.encodings)("characters of every width, counted in %s", async (encoding) => {
    const seen = new Map<Door, string>();
    const session = await startSession(kind, { encodings: [encoding] });
    try {
      for (const door of doors) {
        const outcome = await onStage(session, (stage) => editWideCharacters(stage, door, kind.traits, encoding));
        seen.set(door, outcome);
      }
    } finally {
      await session.stop();
    }
    column.set(`characters of every width, counted in ${encoding}`, cellOf(seen));
  });
}

function describePages(desk: Desk, column: Map<string, string>): void {
  for (const door of desk.doors) {
    const tally = { exact: 0, refused: 0, notHeld: 0 };
    const reasons = new Set<string>();
    it.each(pageNames)(`%s (${door})`, async (page) => {
      const problems: string[] = [];
      for (const one of casesOf(page).filter((found) => subjectOfNoEditor(found) === undefined)) {
        const run = (stage: Stage) => runCase(one, stage, door, desk.kind.traits);
        const outcome = await desk.use(run, { folders: one.folders });
        if (outcome.kind === "wrong") problems.push(outcome.problem);
        else tally[outcome.kind]++;
        if (outcome.kind === "notHeld") reasons.add(outcome.why);
      }
      // The total number of cases is the same for every editor, so there is no need to show how many are exact.
      const { refused, notHeld } = tally;
      const rest = [
        ...(refused === 0 ? [] : [`${refused} refused`]),
        ...(notHeld === 0 ? [] : [`${notHeld} not run: ${[...reasons].join(", ")}`]),
      ];
      column.set(`the pages of test/cases (${door})`, ["as written", ...rest].join("; "));
      expect(problems).toEqual([]);
    });
  }
}

function describeRandom(desk: Desk, column: Map<string, string>): void {
  const seen = new Map<Door, string>();
  it.each(desk.doors)(`${randomRuns} random batches (%s)`, async (door) => {
    await fc.assert(
      fc.asyncProperty(randomBatches, async ({ files, typed, open, call, expected }) => {
        const problem = await desk.use(async (stage) => {
          stage.lay(files);
          await stage.open(...open);
          for (const [name, text] of Object.entries(typed)) await stage.retype(name, text);
          const told = await stage.apply(door, call);
          if (told.outcome !== "applied") return `${told.outcome}: ${told.text}`;
          return difference(expected, await stage.texts(), desk.kind.traits);
        });
        expect(problem).toBeUndefined();
      }),
      { numRuns: randomRuns, endOnFailure: true },
    );
    column.set("random batches", cellOf(seen.set(door, done)));
  });
}
