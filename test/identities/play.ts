/** Plays a story on the server's own parts and judges every call. */
import { chanceOf } from "../codex/random.js";
import { type Both, both } from "./both.js";
import { type Call, drawCall } from "./calls.js";
import { type Chars, Identities, inverted, lineStart, linesOf, type Splice, typedInto } from "./chars.js";
import { after, type Deed, drawDeed } from "./deeds.js";
import { type Answer, Desk, type SyncedChange } from "./desk.js";
import { afterCall, judge, type Verdict } from "./judge.js";
import { type Act, carriedOut } from "./landing.js";
import { leniencyOf } from "./leniencies.js";
import { reasonToRefuse } from "./needed.js";
import { count, type Objection, type Step, type Story, type Tally } from "./story.js";
import { typistDeed } from "./typist.js";
import { formatted, sorted } from "./wholeText.js";
import {
  type Agent,
  adoptEndings,
  alike,
  candidatesOf,
  endingsIn,
  keptDisks,
  type OnDisk,
  type Seen,
  withEdits,
} from "./world.js";

/** Plays a story. Returns the first objection; a story goes on after a refusal without need. */
export function play(story: Story, tally: Tally, { isScript = false } = {}): Objection | undefined {
  const stage = new Stage(story, tally, isScript);
  tally.stories++;
  for (const [at, step] of story.steps.entries()) {
    stage.step = at + 1;
    stage.act(step);
    if (stage.isOver || stage.objection?.kind === "wrong") break;
  }
  return stage.objection;
}

class Stage {
  step = 0;
  /** `true` if nobody can say any more which characters the text has. */
  isOver = false;
  objection: Objection | undefined;
  readonly #ids = new Identities();
  #present: Chars;
  readonly #desk: Desk;
  #disks: OnDisk[];
  #minute = 0;
  #undo: { readonly what: string; readonly splices: readonly Splice[]; readonly restore: () => void } | undefined;
  readonly #agents: Agent[];
  readonly #script: string[] = [];
  /** The texts that the person's changes have led to. */
  readonly #texts = new Map<string, Chars>();

  constructor(
    readonly story: Story,
    readonly tally: Tally,
    readonly isScript: boolean,
  ) {
    const text = story.lines.join("\n") + (story.isEnded && story.lines.length > 0 ? "\n" : "");
    this.#present = { text, ids: this.#ids.fresh(text, false) };
    const chance = chanceOf(text.length);
    if (Number(story.crlf) > 0)
      for (const [at, id] of this.#present.ids.entries())
        if (text[at] === "\n") this.#ids.setEnding(id, chance.percent(Number(story.crlf)));
    this.#texts.set(this.#rendered(), this.#present);
    this.#desk = new Desk(this.#rendered());
    this.#disks = [{ chars: this.#present, step: 0, until: undefined, untilStep: -1 }];
    const names = story.hasIds ? ["agent ann", "agent bob"] : ["agents"];
    const fresh = { view: undefined, reads: [], landed: -1, last: undefined };
    this.#agents = names.map((name) => ({ ...fresh, name, own: new Map() }));
    this.#tell(() => `text: ${this.#shown()}`);
  }

  #rendered(): string {
    return this.#ids.rendered(this.#present);
  }

  #shown(): string {
    return JSON.stringify(this.#rendered());
  }

  #tell(what: () => string): void {
    if (this.isScript) this.#script.push(what());
  }

  act({ kind, seed, agent: number }: Step): void {
    const chance = chanceOf(seed);
    const agent = this.#agents[number % this.#agents.length]!;
    const share = chance.below(1000) / 1000;
    if (kind === "deed") this.#deed(seed);
    else if (kind === "undo") this.#takeBack();
    else if (kind === "read") this.#read(agent, 0, Number.MAX_SAFE_INTEGER);
    else if (kind === "readPart") {
      const lines = linesOf(this.#present.text).length;
      const first = Math.max(0, Math.min(lines - 1, Math.round(this.story.focus * lines - share * 8)));
      this.#read(agent, first, Math.min(lines, first + 2 + chance.below(10)));
    } else if (kind === "look") this.#look(agent);
    else if (kind === "save") this.#save();
    else if (kind === "minutes") {
      this.#minute += chance.pick([0.25, 1, 2, 5]);
      this.#desk.time = this.#minute * 60_000;
      this.#tell(() => `it is minute ${this.#minute}`);
    } else if (kind === "call") this.#call(agent, seed);
    else if (kind === "again") this.#again(agent);
    else this.#replaceAll(kind, seed);
  }

  /** The editor sorts or formats the text, or reloads the file after another program has changed it. */
  #replaceAll(kind: "sort" | "format" | "reload", seed: number): void {
    const chance = chanceOf(seed);
    const hand = { chance, chars: this.#present, lines: linesOf(this.#present.text), ids: this.#ids };
    if (kind !== "reload") {
      const made = kind === "sort" ? sorted(hand, this.step) : formatted(hand);
      this.#put(made, `the editor ${kind}s the text`);
      return;
    }
    const deed = drawDeed({ ...hand, step: this.step, crlf: false, focus: this.story.focus });
    const made = deed.splices.reduce((text, one) => typedInto(text, one, this.#ids), this.#present);
    this.#desk.write(this.#ids.rendered(made));
    this.#put(made, `another program ${deed.what}, and the editor reloads the file`);
    this.#noteDisk();
  }

  #put(made: Chars, what: string): void {
    this.#present = made;
    this.#desk.change([{ text: this.#rendered() }]);
    this.#undo = undefined;
    this.#tell(() => `${what}: ${this.#shown()}`);
    this.#check();
  }

  #deed(seed: number): void {
    const chance = chanceOf(seed);
    const usesCrlf = chance.percent(Number(this.story.crlf));
    const deed = drawDeed({
      ...{ chance, chars: this.#present, lines: linesOf(this.#present.text), ids: this.#ids },
      ...{ step: this.step, crlf: usesCrlf, focus: this.story.focus },
    });
    this.#do(deed, chance.percent(50));
  }

  #do(deed: Deed, isTogether: boolean): void {
    if (deed.splices.length === 0) return;
    const before = this.#present;
    const endings = this.#ids.keepEndings();
    const back: Splice[] = [];
    const changes: SyncedChange[] = [];
    for (const one of deed.splices) {
      back.unshift(inverted(this.#present, one));
      changes.push(this.#synced(one));
      this.#present = typedInto(this.#present, one, this.#ids);
      if (this.story.isWhole) changes.splice(0, changes.length, { text: this.#rendered() });
      if (!isTogether) this.#desk.change([changes.pop()!]);
    }
    if (isTogether) this.#desk.change(changes);
    if (after(before, deed).text !== this.#present.text) throw new Error("a deed went wrong");
    // Contents count: what was taken away and put back, equal, at the same place, is untouched.
    this.#present = this.#texts.get(this.#rendered()) ?? this.#present;
    this.#texts.set(this.#rendered(), this.#present);
    const restore = (): void => {
      endings();
      this.#present = before;
    };
    this.#undo = { what: deed.what, splices: back, restore };
    this.#tell(() => `the person ${deed.what}: ${this.#shown()}`);
    this.#check();
  }

  /** A splice of the present text as an editor sends it. */
  #synced({ from, to, insert, ids }: Splice): SyncedChange {
    const { text } = this.#present;
    const position = (at: number) => {
      const start = lineStart(text, at);
      let line = 0;
      for (let i = text.indexOf("\n"); i !== -1 && i < start; i = text.indexOf("\n", i + 1)) line++;
      return { line, character: at - start };
    };
    const sent = this.#ids.rendered({ text: insert, ids });
    return { range: { start: position(from), end: position(to) }, text: sent };
  }

  #check(): void {
    if (this.#desk.text !== this.#rendered()) throw new Error("the server has another text");
  }

  #takeBack(): void {
    // In a text with mixed line endings, an undone change would have to bring its own back.
    if (this.#undo === undefined || Number(this.story.crlf) === 50) return;
    const { what, splices, restore } = this.#undo;
    this.#do({ what: `undoes what it did last (${what})`, splices }, false);
    restore();
    this.#undo = undefined;
  }

  #read(agent: Agent, first: number, last: number): void {
    const count = linesOf(this.#present.text).length;
    const end = Math.min(last, count);
    if (end <= first) return;
    this.#desk.read(agent.name, first + 1, end);
    agent.last = undefined;
    agent.view = { chars: this.#present, step: this.step, by: "read", first, end };
    agent.reads = [...agent.reads, agent.view].slice(-4);
    this.#tell(() => `${agent.name} reads lines ${first + 1} to ${end}`);
  }

  #look(agent: Agent): void {
    const disk = this.#disks.at(-1)!;
    // An agent whose edits are not saved would see a text that nobody can know of.
    if (agent.landed > disk.step) return;
    const chars = agent.own.get(disk.step) ?? disk.chars;
    agent.last = undefined;
    agent.view = { chars, step: disk.step, by: "disk", first: 0, end: linesOf(chars.text).length };
    this.#tell(() => `${agent.name} reads the file on disk`);
  }

  #save(): void {
    this.#desk.save();
    this.#noteDisk();
    this.#tell(() => "the person saves");
  }

  #noteDisk(): void {
    const current = this.#disks.at(-1)!;
    if (current.chars !== this.#present) {
      Object.assign(current, { until: this.#minute, untilStep: this.step });
      this.#disks.push({ chars: this.#present, step: this.step, until: undefined, untilStep: -1 });
      this.#disks = keptDisks(this.#disks, this.#minute);
    }
  }

  /** Reports whether the server can know that an agent goes by a text. */
  #isKnown(agent: Agent, { by, step }: Seen): boolean {
    const lastRead = agent.reads.at(-1);
    if (by === "read") return agent.reads.some((one) => one.step === step);
    const disk = this.#disks.find((one) => one.step === step);
    return disk !== undefined && (disk.until === undefined || disk.untilStep > (lastRead?.step ?? -1));
  }

  #call(agent: Agent, seed: number): void {
    const chance = chanceOf(seed);
    const { view } = agent;
    if (view === undefined || !this.#isKnown(agent, view)) {
      this.#look(agent);
      return;
    }
    // An agent that has read through the server since is not taken to go by an older text on disk.
    const lastRead = agent.reads.at(-1);
    const written = this.#disks.at(-1)!.step;
    if (view.by === "disk" && lastRead !== undefined && lastRead.step > written) agent.view = lastRead;
    const seen = agent.view!;
    const sight = {
      text: seen.chars.text,
      first: seen.first,
      end: Math.min(seen.end, linesOf(seen.chars.text).length),
    };
    if (sight.end <= sight.first) return;
    const crlf = Number(this.story.crlf) > 0;
    const call = drawCall({ chance, sight, focus: this.story.focus, mark: `n${this.step}`, crlf });
    if (call === undefined) return;
    if (chance.percent(12)) {
      const deed = typistDeed(chance, both(seen.chars, this.#present, this.#ids.count), call, this.#ids);
      if (deed !== undefined) this.#do(deed, false);
    }
    this.#send(agent, seen, call);
    if (chance.percent(40)) this.#read(agent, 0, Number.MAX_SAFE_INTEGER);
  }

  #send(agent: Agent, seen: Seen, call: Call): void {
    const { tally } = this;
    const before = this.#present;
    const texts = both(seen.chars, before, this.#ids.count);
    const answer = this.#desk.call(agent.name, call.request);
    this.#tell(() => `${agent.name} sends ${JSON.stringify(call.request)}`);
    tally.calls++;
    if (answer.kind === "refused") {
      this.#refused(agent, seen, call, answer);
      return;
    }
    this.#tell(() => `answer: ${answer.statuses.join(", ")}; text: ${JSON.stringify(this.#desk.text)}`);
    const rendered = this.#desk.text;
    const verdict = judge(texts, call, rendered.replaceAll("\r\n", "\n"), (id) => this.#ids.isPasted(id, seen.step));
    if (verdict.kind === "wrong") {
      this.#doubt(seen, call, verdict.why);
      return;
    }
    if (answer.statuses.every((status) => status === "skipped")) tally.skipped++;
    else tally.landed++;
    this.#adopt(agent, seen, call, verdict, texts, rendered);
    agent.last = { request: call.request, present: this.#present };
  }

  /** Objects to a call that was made wrongly, if the server can know better. */
  #doubt({ chars, step }: Seen, call: Call, why: string): void {
    const result = this.#desk.text.replaceAll("\r\n", "\n");
    const doubt = { seen: chars, present: this.#present, ids: this.#ids, step, call, result };
    const leniency = leniencyOf(doubt, this.story.isWhole);
    if (leniency === undefined) {
      this.#object("wrong", why);
      return;
    }
    count(this.tally.lenientBy, leniency);
    this.isOver = true;
  }

  #refused(agent: Agent, seen: Seen, call: Call, answer: Answer & { kind: "refused" }): void {
    const texts = both(seen.chars, this.#present, this.#ids.count);
    const { candidates, present } = candidatesOf(agent, seen, { disks: this.#disks, present: this.#present });
    const grounds = { texts, ids: this.#ids, step: seen.step, candidates, present };
    const reasons = call.edits.map((edit) => reasonToRefuse(grounds, edit));
    const reason = reasons.find((one) => one !== undefined);
    const codes = [...new Set(answer.codes)].join("+");
    this.#tell(() => `answer: ${codes} ${answer.messages.join(" | ")}`);
    if (reason !== undefined) {
      count(this.tally.neededBy, reason);
      return;
    }
    this.#object("needless", codes);
  }

  #object(kind: Objection["kind"], why: string): void {
    count(kind === "wrong" ? this.tally.wrongBy : this.tally.needlessBy, why);
    if (this.objection === undefined || kind === "wrong") this.objection = { kind, why, script: [...this.#script] };
  }

  /** Follows what a call has done to all texts. */
  #adopt(
    agent: Agent,
    seen: Seen,
    call: Call,
    verdict: Verdict & { kind: "right" },
    texts: Both,
    rendered: string,
  ): void {
    const before = this.#ids.count;
    const former = this.#present;
    const own = new Map<Act, readonly number[]>();
    for (const act of verdict.acts.flat()) if (act.insert !== "") own.set(act, this.#ids.fresh(act.insert, false));
    this.#present = afterCall(former, carriedOut(texts, verdict.acts.flat(), (act) => own.get(act)!).splices);
    const touched = endingsIn(texts, call);
    if (!adoptEndings(rendered, this.#present, this.#ids, (id) => id >= before || touched.has(id))) {
      this.#object("wrong", "changes line endings");
      return;
    }
    if (this.#present.text !== former.text) this.#undo = undefined;
    const taken = new Set<number>();
    /** The identities that a change has in the texts of its author. */
    const idsOf = (act: Act): readonly number[] => {
      const { hunk, insert, at, isDone } = act;
      if (own.has(act))
        return insert === hunk.insert ? own.get(act)! : alike(hunk.insert, insert, own.get(act)!, this.#ids);
      // Of two equal changes, each has its own characters.
      const from = isDone && taken.has(at) ? former.text.indexOf(hunk.insert, at + hunk.insert.length) : at;
      taken.add(from);
      if (isDone && from !== -1) return former.ids.slice(from, from + hunk.insert.length);
      return this.#ids.fresh(hunk.insert, false);
    };
    const all = verdict.acts.flat().map((act) => ({ hunk: act.hunk, ids: idsOf(act) }));
    const known = new Map<Chars, Chars>();
    const changed = (chars: Chars): Chars => {
      const made = known.get(chars) ?? withEdits(chars, seen.chars, all);
      known.set(chars, made);
      return made;
    };
    for (const disk of this.#disks) agent.own.set(disk.step, changed(agent.own.get(disk.step) ?? disk.chars));
    if (seen.chars === former && changed(former).text !== this.#present.text)
      throw new Error("the author has another text in mind");
    const grown = (one: Seen): Seen => {
      const chars = changed(one.chars);
      const added = linesOf(chars.text).length - linesOf(one.chars.text).length;
      return { ...one, chars, end: one.end + added };
    };
    const wasRead = agent.reads.map((one) => one === seen);
    agent.reads = agent.reads.map(grown);
    agent.view = agent.reads.find((_, i) => wasRead[i]) ?? grown(seen);
    agent.landed = this.step;
  }

  /** The agent sends its last call once more, because it did not get the answer. */
  #again(agent: Agent): void {
    const { last } = agent;
    // If anything has changed since, the result of the call may not be there any more.
    if (last === undefined || last.present.text !== this.#present.text) return;
    const answer = this.#desk.call(agent.name, last.request);
    this.#tell(() => `${agent.name} sends the same call again`);
    this.tally.calls++;
    if (answer.kind === "refused") {
      count(this.tally.neededBy, "the same call again");
      return;
    }
    this.#tell(() => `answer: ${answer.statuses.join(", ")}; text: ${JSON.stringify(this.#desk.text)}`);
    if (this.#desk.text !== this.#rendered()) {
      this.#object("wrong", "the same call again is made twice");
      return;
    }
    this.tally.skipped++;
  }
}
