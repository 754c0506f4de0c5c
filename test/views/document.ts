/** A document under the eyes of agents: the file, the editor's text, and the identities of its lines. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Chance } from "../codex/random.js";
import { compared, followed } from "./alike.js";
import type { Present } from "./carry.js";
import { deeds } from "./deeds.js";
import { typedWith, withEndings, withoutEndings } from "./endings.js";
import { type Deed, type Lines, replaceAll, stepwise, textOf } from "./lines.js";
import type { Scenario, Stage } from "./story.js";
import { anyone, anyoneAlone, type View, type World } from "./world.js";

/** A document; `played` is the story so far, in words. */
export class Document {
  world: World;
  readonly played: string[] = [];
  readonly isClosed: boolean;
  readonly isCrlf: boolean;
  /** What the user can undo, oldest first. */
  readonly undo: { before: Present; after: Lines }[] = [];

  constructor(
    readonly stage: Stage,
    public path: string,
    { lines, isClosed, isCrlf }: { readonly lines: Lines } & Pick<Scenario, "isClosed" | "isCrlf">,
  ) {
    this.isClosed = isClosed;
    this.isCrlf = isCrlf;
    const view = { lines, time: 0, shown: "all" as const, isForeign: false, isVague: false };
    const saved = { ...view, minute: 0, withBatches: this.batchViews(view) };
    const present = { lines, moved: new Map<number, number>() };
    this.world = {
      present,
      lastWhole: -1,
      reads: new Map(),
      saved: isClosed ? [] : [saved],
      written: 0,
      opened: 0,
      minute: 0,
      time: 0,
    };
  }

  private batchViews(view: View): ReadonlyMap<string, View> {
    return new Map([...this.stage.agents.keys(), anyone, anyoneAlone].map((id) => [id, view]));
  }

  get uri(): string {
    return pathToFileURL(join(this.stage.folder, this.path)).href;
  }

  get lines(): Lines {
    return this.world.present.lines;
  }

  get text(): string {
    const own = this.isClosed ? readFileSync(this.file, "utf8") : this.stage.editor.documents.get(this.uri)!.text;
    return withoutEndings(own, this.isCrlf);
  }

  get file(): string {
    return join(this.stage.folder, this.path);
  }

  private write(lines: Lines): void {
    writeFileSync(this.file, withEndings(textOf(lines), this.isCrlf));
  }

  private async openNow(lines: Lines): Promise<void> {
    await this.stage.editor.open({ uri: this.uri, text: withEndings(textOf(lines), this.isCrlf) });
  }

  async open(): Promise<void> {
    this.write(this.lines);
    this.played.push(`opened${this.isCrlf ? " with CRLF" : ""}:\n${textOf(this.lines)}`);
    if (!this.isClosed) await this.openNow(this.lines);
  }

  /** A call has moved the file. */
  wasMoved(path: string): void {
    const { file } = this;
    this.path = path;
    if (existsSync(file) || !existsSync(this.file)) throw new Error("WRONG: the file was not moved");
  }

  async close(): Promise<void> {
    if (!this.isClosed) await this.stage.editor.close(this.uri);
    rmSync(this.file);
  }

  /** The user does something; the seed of `chance` decides what. */
  async deed(kind: keyof typeof deeds, chance: Chance): Promise<void> {
    const done = deeds[kind](chance, this.lines);
    if (done === undefined) return;
    const before = this.world.present;
    await this.type(done, kind === "format", done.moved);
    const moved = new Map([...before.moved, ...done.moved.map((id) => [id, this.world.time] as const)]);
    this.world = { ...this.world, present: { lines: this.lines, moved } };
    this.undo.push({ before, after: this.lines });
    this.played.push(`${kind}: ${JSON.stringify(done.typed)}`);
  }

  private async type(deed: Deed, isWhole: boolean, moved: readonly number[] = []): Promise<void> {
    if (this.isClosed) {
      this.write(deed.lines);
      this.world = { ...this.world, written: this.world.time };
      return this.changed(deed.lines, true);
    }
    const texts: string[][] = [];
    for (const typed of deed.typed) {
      if (typed.from === typed.to && typed.insert === "") continue;
      await this.stage.editor.type({ uri: this.uri, ...typedWith(this.text, typed, this.isCrlf) });
      texts.push(this.text.split("\n").slice(0, -1));
    }
    if (this.text !== textOf(deed.lines)) throw new Error("the model's own typing went wrong");
    this.changed(deed.lines, isWhole, { moved, texts });
  }

  /** Notes the lines after a change; `moved`: those that were cut and pasted; `texts`: those that the editor had by turns. */
  changed(
    lines: Lines,
    isWhole: boolean,
    { moved, texts }: { readonly moved: readonly number[]; readonly texts: readonly (readonly string[])[] } = {
      moved: [],
      texts: [lines.map(({ text }) => text)],
    },
  ): void {
    const { present, time } = this.world;
    const wasCompared = isWhole || this.stage.syncsWhole;
    const lastWhole = wasCompared ? time : this.world.lastWhole;
    const known = wasCompared ? compared(present.lines, lines, texts) : followed(present.lines, lines, moved);
    this.world = { ...this.world, lastWhole, present: { ...present, lines: known } };
  }

  async undoLast(): Promise<void> {
    const last = this.undo.pop();
    if (last === undefined || textOf(last.after) !== textOf(this.lines)) return;
    const deed = stepwise(this.lines, last.before.lines);
    await this.type(deed, false);
    this.world = { ...this.world, present: { lines: this.lines, moved: last.before.moved } };
    this.played.push(`undone: ${JSON.stringify(deed.typed)}`);
  }

  async save(): Promise<void> {
    if (textOf(this.world.saved.at(-1)!.lines) === textOf(this.lines)) return;
    this.write(this.lines);
    await this.stage.editor.notify("textDocument/didSave", { textDocument: { uri: this.uri } });
    this.wasSaved();
    this.played.push("saved");
  }

  private wasSaved(): void {
    const { time, minute, saved } = this.world;
    const view = { lines: this.lines, time, shown: "all" as const, isForeign: false, isVague: false };
    this.world = {
      ...this.world,
      written: time,
      saved: [...saved, { ...view, minute, withBatches: this.batchViews(view) }],
    };
  }

  /** Another program changes the file, and the editor reads it again. */
  async reload(chance: Chance): Promise<void> {
    const names = ["typeLine", "typeOnLine", "removeLines", "copyLines"] as const;
    const base = this.world.saved.at(-1)!.lines;
    if (textOf(base) !== textOf(this.lines)) return;
    const done = deeds[chance.pick(names)](chance, base);
    if (done === undefined) return;
    this.undo.length = 0;
    this.write(done.lines);
    if (chance.percent(50)) await this.type(replaceAll(this.lines, done.lines), true);
    else {
      await this.stage.editor.close(this.uri);
      await this.openNow(done.lines);
      this.changed(done.lines, true);
      this.world = { ...this.world, opened: this.world.time };
    }
    this.wasSaved();
    this.played.push(`reloaded\n${textOf(this.lines)}`);
  }

  async minutes(count: number): Promise<void> {
    await this.stage.pass(count);
    this.world = { ...this.world, minute: this.world.minute + count };
    this.played.push(`${count} minutes passed`);
  }
}
