/** Plays a scenario against the server: the editor, its user, agents on the socket, and the judge. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Chance, chanceOf } from "../codex/random.js";
import type { Peer } from "../support/agentPeer.js";
import type { FakeEditor } from "../support/fakeEditor.js";
import { type Call, toCall } from "./calls.js";
import { carry, type Effect, joined, product, wideEffect, withEffects } from "./carry.js";
import { deeds, drawText } from "./deeds.js";
import { typedWith, withEndings, withoutEndings } from "./endings.js";
import { judged } from "./judge.js";
import { type Deed, type Lines, replaceAll, stepwise, textOf } from "./lines.js";
import { drawFrom, type Memory, remembered } from "./memory.js";
import { resolve } from "./resolve.js";
import { decide, type Panel } from "./table.js";
import { anyone, panelsOf, type View, type World, withBatch } from "./world.js";

/** Who takes part. */
export interface Stage {
  readonly editor: FakeEditor;
  readonly folder: string;
  /** A connection for each agent, by its id. */
  readonly agents: ReadonlyMap<string, Peer>;
  /** `true` if the editor syncs whole texts. */
  readonly syncsWhole: boolean;
  /** Lets minutes pass on the server's clock. */
  readonly pass: (minutes: number) => Promise<void>;
}

/** One step; its seed makes all its choices. */
export interface Step {
  readonly kind: keyof typeof deeds | "undo" | "save" | "reload" | "minutes" | "read" | "readSome" | "look" | "call";
  readonly agent: string;
  readonly seed: number;
}

/** A scenario: the same scenario always plays the same. */
export interface Scenario {
  readonly seed: number;
  readonly isDistinct: boolean;
  /** `true` if no editor has the document open, and another program changes it. */
  readonly isClosed: boolean;
  readonly isCrlf: boolean;
  readonly steps: readonly Step[];
}

/** Counts of what happened, for the figures. */
export interface Tally {
  calls: number;
  landed: number;
  refused: number;
  open: number;
  merged: number;
}

/** A played document; `played` is the story so far, in words. */
class Play {
  world: World;
  readonly played: string[] = [];
  private readonly isClosed: boolean;
  private readonly isCrlf: boolean;
  private readonly memories = new Map<string, Memory>();
  private readonly undo: { before: World["present"]; after: Lines }[] = [];

  constructor(
    private readonly stage: Stage,
    private readonly path: string,
    private readonly tally: Tally,
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
    return new Map([...this.stage.agents.keys(), anyone].map((id) => [id, view]));
  }

  private get uri(): string {
    return pathToFileURL(join(this.stage.folder, this.path)).href;
  }

  private get lines(): Lines {
    return this.world.present.lines;
  }

  private get text(): string {
    const own = this.isClosed ? readFileSync(this.file, "utf8") : this.stage.editor.documents.get(this.uri)!.text;
    return withoutEndings(own, this.isCrlf);
  }

  private get file(): string {
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

  async close(): Promise<void> {
    if (!this.isClosed) await this.stage.editor.close(this.uri);
    rmSync(this.file);
  }

  async step({ kind, agent, seed }: Step): Promise<void> {
    const chance = chanceOf(seed);
    this.world = { ...this.world, time: this.world.time + 1 };
    if (kind === "read" || kind === "readSome") return this.read(agent, kind === "read" ? undefined : chance);
    if (kind === "call") return this.call(agent, chance);
    if (this.isClosed && onlyOpen.has(kind)) return;
    if (kind === "look") return this.look(agent);
    if (kind === "save") return this.save();
    if (kind === "reload") return this.reload(chance);
    if (kind === "minutes") return this.minutes(chance.pick([1.2, 3.2, 11]));
    if (kind === "undo") return this.undoLast();
    const done = deeds[kind](chance, this.lines);
    if (done === undefined) return;
    const before = this.world.present;
    await this.type(done, kind === "format");
    const moved = new Map([...before.moved, ...done.moved.map((id) => [id, this.world.time] as const)]);
    this.world = { ...this.world, present: { lines: this.lines, moved } };
    this.undo.push({ before, after: this.lines });
    this.played.push(`${kind}: ${JSON.stringify(done.typed)}`);
  }

  private async type(deed: Deed, isWhole: boolean): Promise<void> {
    if (this.isClosed) {
      this.write(deed.lines);
      this.world = { ...this.world, written: this.world.time };
      return this.changed(deed.lines, true);
    }
    for (const typed of deed.typed) {
      if (typed.from === typed.to && typed.insert === "") continue;
      await this.stage.editor.type({ uri: this.uri, ...typedWith(this.text, typed, this.isCrlf) });
    }
    if (this.text !== textOf(deed.lines)) throw new Error("the model's own typing went wrong");
    this.changed(deed.lines, isWhole);
  }

  private changed(lines: Lines, isWhole: boolean): void {
    const lastWhole = isWhole || this.stage.syncsWhole ? this.world.time : this.world.lastWhole;
    this.world = { ...this.world, lastWhole, present: { ...this.world.present, lines } };
  }

  private async undoLast(): Promise<void> {
    const last = this.undo.pop();
    if (last === undefined || textOf(last.after) !== textOf(this.lines)) return;
    const deed = stepwise(this.lines, last.before.lines);
    await this.type(deed, false);
    this.world = { ...this.world, present: last.before };
    this.played.push(`undone: ${JSON.stringify(deed.typed)}`);
  }

  private async save(): Promise<void> {
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
  private async reload(chance: Chance): Promise<void> {
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

  private async minutes(count: number): Promise<void> {
    await this.stage.pass(count);
    this.world = { ...this.world, minute: this.world.minute + count };
    this.played.push(`${count} minutes passed`);
  }

  private async ask(agent: string, method: string, params: object): Promise<Awaited<ReturnType<Peer["ask"]>>> {
    // The editor's notifications and the agent's requests come through different pipes.
    await this.stage.editor.request("multiEdit/status", undefined);
    return this.stage.agents.get(agent)!.ask(++requests, method, params);
  }

  private async read(agent: string, chance: Chance | undefined): Promise<void> {
    const first = chance === undefined ? 0 : chance.below(this.lines.length);
    const last =
      chance === undefined ? this.lines.length - 1 : Math.min(this.lines.length - 1, first + chance.between(2, 10));
    const range = chance === undefined ? {} : { startLine: first + 1, endLine: last + 1 };
    const { result } = await this.ask(agent, "multiEdit/read", { path: this.path, ...range });
    const shown = this.lines.slice(first, last + 1);
    if ((result as { text: string }).text.replaceAll("\r\n", "\n") !== textOf(shown))
      throw new Error("the read shows another text");
    const { lines, time, reads } = { ...this.world, lines: this.lines };
    const view: View = {
      lines,
      time,
      shown: chance === undefined ? "all" : new Set(shown.map(({ id }) => id)),
      isForeign: false,
      isVague: false,
    };
    this.world = { ...this.world, reads: new Map([...reads, [agent, [...(reads.get(agent) ?? []), view]]]) };
    this.memories.set(agent, { view, isRead: true });
    this.played.push(`${agent} reads lines ${first + 1}-${last + 1}`);
  }

  private look(agent: string): void {
    const view = this.world.saved.at(-1)!;
    this.memories.set(agent, { view, isRead: false });
    this.played.push(`${agent} looks at the file:\n${textOf(view.lines)}`);
  }

  private async call(agent: string, chance: Chance): Promise<void> {
    const memory = this.memories.get(agent);
    if (memory === undefined || memory.view.isVague) return;
    const drawn = drawFrom(chance, memory.view, this.lines);
    if (drawn === undefined) return;
    // A call that names the version of the present text is about that text alone.
    const isPinned = !this.isClosed && chance.percent(Number(process.env.VIEWS_PINNED ?? 12));
    const panels = isPinned ? drawn.edits.map(() => [presentAlone]) : panelsOf(this.world, agent, drawn);
    const allowed = decide(this.world, drawn, panels);
    const before = textOf(this.lines);
    const version = this.stage.editor.documents.get(this.uri)?.version;
    const options = isPinned ? { options: { versions: { [this.path]: version } } } : {};
    const sent = { ...toCall(this.path, drawn), ...options };
    const told = `the text is now:\n${textOf(this.lines)}${agent} sends ${"patch" in sent ? `${sent.patch}${JSON.stringify(options)}` : JSON.stringify(sent, null, 1)}`;
    this.played.push(told);
    const { codes, text } = await this.send(agent, sent);
    this.tally.calls++;
    if (allowed.isOpen) this.tally.open++;
    if (codes === undefined) this.tally.landed++;
    else this.tally.refused++;
    const seen = {
      call: drawn,
      view: memory.view,
      isDiffed: memory.view.time < this.world.lastWhole,
      panels,
      allowed,
      codes,
      before,
      text,
    };
    const { objection, isRefusal, isMerged } = judged(seen, this.world.present, this.stage.folder);
    if (isMerged) this.tally.merged++;
    if (isRefusal) throw new Overcautious(objection);
    if (objection !== undefined) throw new Error(objection);
    if (codes !== undefined) {
      const again = await this.send(agent, sent);
      if (again.codes?.join() !== codes.join() || again.text !== before) {
        throw new Error(`sent again, it is not refused again: ${again.codes} ${again.text}`);
      }
      return;
    }
    const earlier = this.world;
    this.landed(agent, memory, drawn, text);
    if (chance.percent(12)) await this.undoCall(agent, memory, earlier);
  }

  /** The agent undoes its call at once. */
  private async undoCall(agent: string, memory: Memory, { present, reads, saved }: World): Promise<void> {
    const { error } = await this.ask(agent, "multiEdit/undo", {});
    if (error !== undefined) throw new Error(`the undo fails: ${error.message}`);
    if (this.text !== textOf(present.lines)) throw new Error(`undone, it is another text:\n${this.text}`);
    this.changed(present.lines, this.isClosed);
    this.world = { ...this.world, present, reads, saved };
    this.memories.set(agent, memory);
    this.undo.pop();
    this.played.push(`${agent} undoes it`);
  }

  private async send(agent: string, sent: object): Promise<{ codes: readonly string[] | undefined; text: string }> {
    const { error } = await this.ask(agent, "multiEdit/apply", sent);
    const data = (error as { data?: { failures?: readonly { code: string }[] } } | undefined)?.data;
    if (error !== undefined && data?.failures === undefined) throw new Error(error.message);
    return { codes: error === undefined ? undefined : (data?.failures ?? []).map(({ code }) => code), text: this.text };
  }

  /** Updates the identities after a call that landed. */
  private landed(agent: string, memory: Memory, call: Call, text: string): void {
    const ways = call.edits.map((edit): readonly Effect[] => {
      const own = resolve(this.lines, { form: call.form, edits: [edit] }).found[0]!;
      const now = { lines: this.lines, time: Number.MAX_SAFE_INTEGER };
      if (edit.isWide) return [wideEffect(edit, this.lines)];
      return [
        ...carry(edit, edit.at, memory.view, this.world.present).effects,
        joined([]),
        ...(own.kind === "one" && own.isExact ? carry(edit, own.at, now, this.world.present).effects : []),
      ];
    });
    const list = product(ways).find((some) => textOf(withEffects(this.lines, some)) === text);
    if (list === undefined) throw new Unknown();
    const effect = joined(list);
    const before = this.world.present;
    this.world = withBatch(this.world, agent, effect);
    this.changed(withEffects(this.lines, [effect]), this.isClosed);
    this.undo.push({ before, after: this.lines });
    this.memories.set(agent, { ...memory, view: remembered(memory.view, call, effect) });
    this.played.push(`it landed:\n${text}`);
  }
}

const onlyOpen: ReadonlySet<Step["kind"]> = new Set(["look", "save", "reload", "undo"]);

const presentAlone: Panel = { views: [], hasPresent: true };

/** The call was refused, and the rules do not ask for that. */
class Overcautious extends Error {}

/** The identities are lost, without any fault of the server: the story ends. */
class Unknown extends Error {}

let requests = 0;
let documents = 0;

/** The judge's objection to what happened. */
export interface Objection {
  /** `refused`: a call was refused, or with another code than the rules ask for; nothing was changed. */
  readonly kind: "wrong" | "refused";
  /** The story, and the reason. */
  readonly story: string;
}

/** Plays a scenario; returns the objection if the judge has one. */
export async function play(stage: Stage, scenario: Scenario, tally: Tally): Promise<Objection | undefined> {
  const lines = drawText(chanceOf(scenario.seed), scenario.isDistinct);
  const one = new Play(stage, `doc${++documents}.py`, tally, { ...scenario, lines });
  await one.open();
  try {
    for (const step of scenario.steps) await one.step(step);
  } catch (error) {
    if (error instanceof Unknown) return undefined;
    const reason = error instanceof Error ? error.message : String(error);
    return { kind: error instanceof Overcautious ? "refused" : "wrong", story: [...one.played, reason].join("\n") };
  } finally {
    await one.close();
  }
  return undefined;
}
