/** Plays a scenario against the server: the editor, its user, agents on the socket, and the judge. */
import { type Chance, chanceOf } from "../codex/random.js";
import type { Peer } from "../support/agentPeer.js";
import { type Call, toCall } from "./calls.js";
import { carry, type Effect, joined, product, wideEffect, withEffects, withLinesOf } from "./carry.js";
import { drawText } from "./deeds.js";
import { Document } from "./document.js";
import { judged } from "./judge.js";
import { textOf } from "./lines.js";
import { drawFrom, type Memory, remembered } from "./memory.js";
import { effectsHere, resolve } from "./resolve.js";
import { type Objection, Overcautious, type Scenario, type Stage, type Step, type Tally, Unknown } from "./story.js";
import { decide, type Panel } from "./table.js";
import { allowedUndo, type Landed } from "./undo.js";
import { allowedWhole, drawWhole } from "./whole.js";
import { allUpToDate, everything, panelsOf, upToDate, type View, type World, withBatch } from "./world.js";

/** The calls about a document. */
class Play {
  private readonly memories = new Map<string, Memory>();
  /** The last call of each agent that landed and was not undone, with what the agent had before its eyes before and after. */
  private readonly calls = new Map<string, Landed & { readonly memory: Memory; readonly then: Memory }>();

  constructor(
    private readonly document: Document,
    private readonly tally: Tally,
  ) {}

  async step({ kind, agent, seed }: Step): Promise<void> {
    const { document } = this;
    const chance = chanceOf(seed);
    document.world = { ...document.world, time: document.world.time + 1 };
    if (kind === "read" || kind === "readSome") return this.read(agent, kind === "read" ? undefined : chance);
    if (kind === "call") return this.call(agent, chance);
    if (kind === "undoCall") return this.undoLater(agent);
    if (kind === "whole") return this.callWhole(agent, chance);
    if (document.isClosed && onlyOpen.has(kind)) return;
    if (kind === "look") return this.look(agent);
    if (kind === "save") return document.save();
    if (kind === "reload") return document.reload(chance);
    if (kind === "minutes") return document.minutes(chance.pick([1.2, 3.2, 11]));
    if (kind === "undo") return document.undoLast();
    return document.deed(kind, chance);
  }

  private async ask(agent: string, method: string, params: object): Promise<Awaited<ReturnType<Peer["ask"]>>> {
    // The editor's notifications and the agent's requests come through different pipes.
    await this.document.stage.editor.request("multiEdit/status", undefined);
    return this.document.stage.agents.get(agent)!.ask(++requests, method, params);
  }

  private async read(agent: string, chance: Chance | undefined): Promise<void> {
    const first = chance === undefined ? 0 : chance.below(this.document.lines.length);
    const last =
      chance === undefined
        ? this.document.lines.length - 1
        : Math.min(this.document.lines.length - 1, first + chance.between(2, 10));
    const range = chance === undefined ? {} : { startLine: first + 1, endLine: last + 1 };
    const { result } = await this.ask(agent, "multiEdit/read", { path: this.document.path, ...range });
    const shown = this.document.lines.slice(first, last + 1);
    if ((result as { text: string }).text.replaceAll("\r\n", "\n") !== textOf(shown))
      throw new Error("the read shows another text");
    const { lines, time, reads } = { ...this.document.world, lines: this.document.lines };
    const view: View = {
      lines,
      time,
      shown: chance === undefined ? "all" : new Set(shown.map(({ id }) => id)),
      isForeign: false,
      isVague: false,
    };
    this.document.world = {
      ...this.document.world,
      reads: new Map([...reads, [agent, [...(reads.get(agent) ?? []), view]]]),
    };
    this.memories.set(agent, { view, isRead: true });
    this.document.played.push(`${agent} reads lines ${first + 1}-${last + 1}`);
  }

  private look(agent: string): void {
    const view = this.document.world.saved.at(-1)!;
    this.memories.set(agent, { view, isRead: false });
    this.document.played.push(`${agent} looks at the file:\n${textOf(view.lines)}`);
  }

  private async call(agent: string, chance: Chance): Promise<void> {
    const last = this.memories.get(agent);
    if (last === undefined || last.view.isVague) return;
    this.document.world = allUpToDate(this.document.world);
    const memory = { ...last, view: upToDate(last.view, this.document.world.present) };
    const drawn = drawFrom(chance, memory.view, this.document.lines);
    if (drawn === undefined) return;
    // A call that names the version of the present text is about that text alone.
    const isPinned = !this.document.isClosed && chance.percent(Number(process.env.VIEWS_PINNED ?? 12));
    const panels = isPinned ? drawn.edits.map(() => [presentAlone]) : panelsOf(this.document.world, agent, drawn);
    const allowed = decide(this.document.world, drawn, panels);
    const before = textOf(this.document.lines);
    const version = this.document.stage.editor.documents.get(this.document.uri)?.version;
    const options = isPinned ? { versions: { [this.document.path]: version } } : {};
    const moveTo = drawn.form === "patch" && chance.percent(15) ? `moved${this.document.path}` : undefined;
    const overwrites = moveTo !== undefined && chance.percent(50);
    const own = { ...options, ...(overwrites && { overwrite: true }) };
    const sent = {
      ...toCall(this.document.path, drawn, moveTo),
      ...(Object.keys(own).length > 0 && { options: own }),
    };
    const told = `the text is now:\n${textOf(this.document.lines)}${agent} sends ${"patch" in sent ? `${sent.patch}${JSON.stringify(own)}` : JSON.stringify(sent, null, 1)}`;
    this.document.played.push(told);
    const { codes, text, transaction } = await this.send(agent, sent, moveTo);
    this.tally.calls++;
    if (allowed.isOpen) this.tally.open++;
    if (codes === undefined) this.tally.landed++;
    else this.tally.refused++;
    const isUnsaved = !this.document.isClosed && textOf(this.document.world.saved.at(-1)!.lines) !== before;
    if (moveTo !== undefined && isUnsaved && !overwrites) {
      if (codes === undefined || text !== before) throw new Error(`WRONG: unsaved text was moved:\n${text}`);
      if (!codes.includes("dirty")) throw new Error(`a move of unsaved text was refused: ${codes}`);
      this.tally.dirty++;
      return;
    }
    const seen = {
      call: drawn,
      view: memory.view,
      isDiffed: memory.view.time < this.document.world.lastWhole,
      panels,
      allowed,
      codes,
      before,
      text,
    };
    const { objection, isRefusal, isMerged } = judged(seen, this.document.world.present, this.document.stage.folder);
    if (isMerged) this.tally.merged++;
    const row = allowed.lenient.get(codes?.find((code) => allowed.lenient.has(code)) ?? text);
    if (row !== undefined) this.tally.lenient.set(row, (this.tally.lenient.get(row) ?? 0) + 1);
    if (isRefusal) throw new Overcautious(objection);
    if (objection !== undefined) throw new Error(objection);
    if (codes !== undefined) return this.sendAgain(agent, { sent, moveTo }, codes);
    if (moveTo !== undefined) {
      this.tally.moved++;
      throw new Unknown();
    }
    const earlier = this.document.world;
    const effect = this.landed(agent, memory, drawn, text);
    const { lines: after } = this.document;
    if (transaction !== undefined) {
      const then = this.memories.get(agent)!;
      this.calls.set(agent, { transaction, before: earlier.present, after, effect, memory, then });
    }
    if (chance.percent(12) && transaction !== undefined) await this.undoCall(agent, memory, earlier);
  }

  /** Sends a call again that was refused: it must be refused again. */
  private async sendAgain(
    agent: string,
    { sent, moveTo }: { readonly sent: object; readonly moveTo: string | undefined },
    codes: readonly string[],
  ): Promise<void> {
    const before = this.document.text;
    const again = await this.send(agent, sent, moveTo);
    if (again.codes?.join() !== codes.join() || again.text !== before)
      throw new Error(`sent again, it is not refused again: ${again.codes} ${again.text}`);
  }

  /** The agent undoes its call at once. */
  private async undoCall(agent: string, memory: Memory, { present, reads, saved }: World): Promise<void> {
    const { error } = await this.ask(agent, "multiEdit/undo", {});
    if (error !== undefined) throw new Error(`the undo fails: ${error.message}`);
    if (this.document.text !== textOf(present.lines))
      throw new Error(`undone, it is another text:\n${this.document.text}`);
    this.document.changed(present.lines, this.document.isClosed);
    this.document.world = {
      ...this.document.world,
      present: { lines: this.document.lines, moved: present.moved },
      reads,
      saved,
    };
    this.memories.set(agent, memory);
    this.document.undo.pop();
    this.calls.delete(agent);
    this.document.played.push(`${agent} undoes it`);
  }

  /** The agent undoes its last call, after whatever has happened since. */
  private async undoLater(agent: string): Promise<void> {
    const call = this.calls.get(agent);
    if (call === undefined) return;
    const { document } = this;
    const { present } = document.world;
    const allowed = allowedUndo(call, document.lines, document.isClosed);
    const { transaction } = call;
    const { error } = await this.ask(agent, "multiEdit/undo", { transaction });
    const code = (error as FailureAnswer)?.data?.failures?.[0]?.code;
    document.played.push(`the text is now:\n${textOf(document.lines)}${agent} undoes its last call: ${code ?? "done"}`);
    if (error !== undefined) {
      if (code !== "undoConflict") throw new Error(`the undo fails: ${error.message}`);
      if (document.text !== textOf(present.lines))
        throw new Error(`a refused undo changed the text:\n${document.text}`);
      this.tally.kept++;
      if (allowed.mustSucceed) throw new Overcautious(`the undo fails: ${error.message}`);
      return;
    }
    this.calls.delete(agent);
    const { effect } = allowed;
    if (effect === undefined)
      throw new Error(`WRONG: what the call wrote has changed, but it is undone:\n${document.text}`);
    const lines = withEffects(present.lines, [effect]);
    if (document.text !== textOf(lines)) throw new Error(`WRONG: undone, it is another text:\n${document.text}`);
    document.changed(lines, document.isClosed);
    document.world = withBatch(document.world, present, agent, withLinesOf(effect, document.lines));
    document.undo.push({ before: present, after: document.lines });
    this.tally.undone++;
    const known = this.memories.get(agent)!;
    const after = known === call.then ? call.memory : { ...known, view: { ...known.view, isVague: true } };
    this.memories.set(agent, after);
  }

  /** The agent sends the whole text that it has before its eyes, with a change. */
  private async callWhole(agent: string, chance: Chance): Promise<void> {
    const { document } = this;
    const memory = this.memories.get(agent);
    if (memory === undefined || memory.view.isVague || memory.view.shown !== "all") return;
    document.world = allUpToDate(document.world);
    const { world } = document;
    const { lines, patch } = drawWhole(chance, document.path, memory.view);
    const allowed = allowedWhole(world, everything(world, agent));
    const before = textOf(document.lines);
    document.played.push(`the text is now:\n${before}${agent} sends ${patch}`);
    const { codes, text } = await this.send(agent, { patch });
    this.tally.calls++;
    if (codes === undefined) this.tally.landed++;
    else this.tally.refused++;
    if (codes === undefined && text !== textOf(lines)) throw new Error(`WRONG: it is another text:\n${text}`);
    if (codes === undefined && !allowed.text) throw new Error("WRONG: text that the caller has not seen was replaced");
    if (codes === undefined) {
      this.tally.rewritten++;
      throw new Unknown();
    }
    this.tally.dirty++;
    if (text !== before) throw new Error(`a refusal changed the text:\n${text}`);
    if (codes.join() !== "dirty") throw new Error(`it was refused: ${codes}`);
    if (!allowed.dirty) throw new Overcautious("it was refused, although its caller has seen the whole text");
  }

  /** Sends a call; `moveTo`: the path of the document if the call lands, unless it stays. */
  private async send(agent: string, sent: object, moveTo?: string): Promise<Answer> {
    const { error, result } = await this.ask(agent, "multiEdit/apply", sent);
    const data = (error as FailureAnswer)?.data;
    if (error === undefined && moveTo !== undefined) this.document.wasMoved(moveTo);
    if (error !== undefined && data?.failures === undefined) throw new Error(error.message);
    return {
      codes: error === undefined ? undefined : (data?.failures ?? []).map(({ code }) => code),
      text: this.document.text,
      transaction: (result as { transaction?: string } | undefined)?.transaction,
    };
  }

  /** Updates the identities after a call that landed. */
  private landed(agent: string, memory: Memory, call: Call, text: string): Effect {
    const ways = call.edits.map((edit): readonly Effect[] => {
      const own = resolve(this.document.lines, { form: call.form, edits: [edit] }).found[0]!;
      if (edit.isWide) return [wideEffect(edit, this.document.lines)];
      return [
        ...carry(edit, edit.at, memory.view, this.document.world.present).effects,
        joined([]),
        ...(own.kind === "one" ? effectsHere(own, { edit, form: call.form }, this.document.world.present) : []),
      ];
    });
    const list = product(ways).find((some) => textOf(withEffects(this.document.lines, some)) === text);
    if (list === undefined) throw new Unknown();
    const effect = joined(list);
    const before = this.document.world.present;
    this.document.changed(withEffects(this.document.lines, [effect]), this.document.isClosed);
    const made = withLinesOf(effect, this.document.lines);
    this.document.world = withBatch(this.document.world, before, agent, made);
    this.document.undo.push({ before, after: this.document.lines });
    this.memories.set(agent, { ...memory, view: remembered(memory.view, call, made) });
    this.document.played.push(`it landed:\n${text}`);
    return made;
  }
}

const onlyOpen: ReadonlySet<Step["kind"]> = new Set(["look", "save", "reload", "undo"]);

const presentAlone: Panel = { views: [], hasPresent: true };

/** An answer with failures. */
type FailureAnswer = { readonly data?: { readonly failures?: readonly { readonly code: string }[] } } | undefined;

/** The outcome of a call. */
interface Answer {
  /** The failures' codes; `undefined` if the call landed. */
  readonly codes: readonly string[] | undefined;
  /** The text afterwards. */
  readonly text: string;
  readonly transaction: string | undefined;
}

let requests = 0;
let documents = 0;

/** Plays a scenario; returns the objection if the judge has one. */
export async function play(stage: Stage, scenario: Scenario, tally: Tally): Promise<Objection | undefined> {
  const lines = drawText(chanceOf(scenario.seed), scenario.isDistinct);
  const document = new Document(stage, `doc${++documents}.py`, { ...scenario, lines });
  const one = new Play(document, tally);
  await document.open();
  try {
    for (const step of scenario.steps) await one.step(step);
  } catch (error) {
    if (error instanceof Unknown) return undefined;
    const reason = error instanceof Error ? error.message : String(error);
    return {
      kind: error instanceof Overcautious ? "refused" : "wrong",
      story: [...document.played, reason].join("\n"),
    };
  } finally {
    await document.close();
  }
  return undefined;
}
