/** The server's own parts in one process: the mirror of an open document, its earlier texts, and the planning of calls. */
import { decodeCall } from "../../server/dialect/decode.js";
import { editorPositions } from "../../server/lsp/edit/positions.js";
import { planBatch } from "../../server/plan/plan.js";
import type { Document } from "../../server/plan/snapshot.js";
import { toEnd } from "../../server/text/lines.js";
import { createDocuments, type OpenDocument } from "../../server/workspace/documents.js";
import { compareWithFile, type FileRead } from "../../server/workspace/files.js";
import { Trails } from "../../server/workspace/trails.js";
import { snapshotOf } from "../support/planning.js";

/** A position as an editor sends it; both numbers are 0-based. */
interface Position {
  readonly line: number;
  readonly character: number;
}

/** A change as an editor sends it. Without a range, `text` is the whole new text. */
export interface SyncedChange {
  readonly range?: { readonly start: Position; readonly end: Position };
  readonly text: string;
}

/** The answer to a call. */
export type Answer =
  | { readonly kind: "done"; readonly statuses: readonly string[]; readonly warnings: readonly string[] }
  | { readonly kind: "refused"; readonly codes: readonly string[]; readonly messages: readonly string[] };

const path = "a.py";
const uri = `file:///w/${path}`;
const habits = { syncsLf: false, endsLastLine: false };

/** One file, open in an editor. */
export class Desk {
  readonly #documents = createDocuments();
  readonly #trails: Trails;
  #version = 1;
  #file: string;
  /** The time in milliseconds. */
  time = 0;

  constructor(text: string) {
    this.#trails = new Trails(this.#documents, () => this.time);
    this.#file = text;
    this.#documents.open(uri, this.#version, text, { loneCrEndsLine: true });
  }

  get #open(): OpenDocument {
    const open = this.#documents.get(uri);
    if (open === undefined || open.desynced !== undefined) throw new Error(`desynced: ${open?.desynced}`);
    return open;
  }

  /** The text that the server knows. */
  get text(): string {
    return this.#open.text;
  }

  /** The editor sends one notification. */
  change(changes: readonly SyncedChange[]): void {
    this.#documents.change(uri, ++this.#version, changes, editorPositions["utf-16"]);
  }

  /** The editor saves the document. */
  save(): void {
    this.#file = this.text;
    this.#trails.saved(uri);
  }

  /** Another program writes the file. */
  write(text: string): void {
    this.#file = text;
  }

  get #onDisk(): FileRead {
    return {
      kind: "text",
      text: this.#file,
      bom: false,
      encoding: "utf-8",
      size: this.#file.length,
      hash: undefined,
    } as FileRead;
  }

  /** An agent reads lines through the server; 1-based, both inclusive. */
  read(caller: string, startLine: number, endLine: number): void {
    const { version, text } = this.#open;
    const onDisk = compareWithFile(text, this.#onDisk, habits);
    this.#trails.read(caller, { uri, version, text, ...(onDisk ? { onDisk } : {}) }, { startLine, endLine });
  }

  /** As `takeSnapshot` makes it. */
  #document(caller: string): Document {
    const open = this.#open;
    const { version, text, loneCrEndsLine } = open;
    const file = this.#onDisk;
    const onDisk = compareWithFile(text, file, habits)!;
    const isSame = onDisk === "same";
    const hasOthers = !isSame || this.#trails.open.get(uri)?.hasTrail === true;
    const views = hasOthers ? this.#trails.ofOpen(caller, open, { file, habits, isSame }) : undefined;
    const formerLines = open.formerLines.size === 0 ? undefined : open.formerLines;
    const made = hasOthers ? this.#trails.madeBy(caller, open) : undefined;
    const names = { uri, path, version, text, exists: true, bom: false, bomSynced: false, loneCrEndsLine };
    return { ...names, formerLines, views, made, onDisk };
  }

  /** An agent sends a call; the editor makes the change. */
  call(caller: string, request: unknown): Answer {
    const decoded = decodeCall(request, { optionsAllowed: true });
    if (!decoded.ok) throw new Error(`not a call: ${JSON.stringify(decoded.failures)}`);
    const document = this.#document(caller);
    const planned = toEnd(
      planBatch(decoded.operations, snapshotOf([document]), {
        atomic: "all",
        order: decoded.defaultOrder,
        lenient: true,
        overwrite: false,
        allowOmissions: undefined,
      }),
    );
    if (!planned.ok) {
      const codes = planned.failures.map(({ code }) => code);
      return { kind: "refused", codes, messages: planned.failures.map(({ message }) => message) };
    }
    const file = planned.files[0];
    if (file !== undefined && !file.change.isEmpty) {
      const { lines } = this.#open;
      const toPosition = (offset: number): Position => {
        const line = lines.lineAt(offset);
        return { line, character: offset - lines.start(line) };
      };
      const changes = file.change.changes.toReversed().map(({ from, to, insert }) => ({
        range: { start: toPosition(from), end: toPosition(to) },
        text: insert,
      }));
      this.change(changes);
    }
    if (file !== undefined) this.#trails.applied([caller, "agents"], uri, document, file);
    return { kind: "done", statuses: planned.outcomes.map(({ status }) => status), warnings: planned.warnings };
  }
}
