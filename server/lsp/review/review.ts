/**
 * The review: follows what calls have changed, hunk by hunk, until the user keeps or undoes it.
 *
 * The way of a change: `record` gets a call's steps once they are proved. Each change of a text becomes hunks (`hunk.ts`)
 * of the text that has it (`texts.ts`), which follow it with each change that the editor syncs. A hunk has the text of its
 * lines before and after each call, and the lines themselves say whether it was undone, by whatever means. An undo or a redo
 * puts another of these texts there, by the same steps and with the same proof as a call (`lsp/apply/undo.ts`). `show.ts` has
 * the editor show the hunks; `actions.ts` and `serve.ts` answer its requests.
 */
import type { CodeAction, Hover } from "vscode-languageserver/node";
import type { FileChange } from "../../plan/outcome.js";
import { nameAfter } from "../../plan/outcome.js";
import type { Document } from "../../plan/snapshot.js";
import { limits } from "../../text/limits.js";
import { type Answer, requestedFiles, toRefusal } from "../edit/result.js";
import type { AppliedStep } from "../history.js";
import type { Caller, HistoryCall } from "../protocol.js";
import { announcedBy, openAt, type Session } from "../session.js";
import { actionsOn, hoverOf, itemAt } from "./actions.js";
import { hears } from "./hearers.js";
import { forgetCall, isBefore, keepHunks, stateOf } from "./hunk.js";
import type { HunksOf, ReviewComment, ReviewedCall, ReviewedFile, ReviewItem } from "./item.js";
import { keepReview, noteSaved, readReview } from "./kept.js";
import type { HunkLines, HunkReversal, ReportedError, ReverseText, Reviewer, TextReversal } from "./reviewer.js";
import { readSelector, selected } from "./select.js";
import { noteText, redoFailures, reviewFailures, reviewTexts, undoneText } from "./sentences.js";
import { serveReview, showReview } from "./serve.js";
import { createShow, isOpen, placeOf, shownPath } from "./show.js";
import { baseOf, keyOf, levelOfCall, linesOf, ReviewedTexts, type WantedLevel } from "./texts.js";
import { fromKept, proveFile, stepsOf, toKept } from "./wholeFiles.js";

/** Reports whether the user wants to review changes. */
const isReviewed = (session: Session): boolean =>
  session.settings.review !== "off" || announcedBy(session).review === true;

/** Begins to follow what calls change, once the user wants to review it, and shows nothing once the user does not. */
export function beginReview(session: Session): void {
  session.review?.showAll();
  if (!isReviewed(session) || session.review !== undefined) return;
  const review = new Review(session);
  session.review = review;
  review.restore().catch((error: unknown) => session.log("warn", String(error)));
}

/** The review of a session. */
class Review implements Reviewer, HunksOf {
  readonly #session: Session;
  readonly #texts: ReviewedTexts;
  readonly #show: ReturnType<typeof createShow>;
  #files: ReviewedFile[] = [];
  readonly calls = new Map<string, ReviewedCall>();
  readonly comments = new Map<string, ReviewComment>();
  /** What the agents know of their hunks, by id. */
  readonly #told = new Map<string, ReviewItem["state"]>();
  /** The texts of hunks with which errors came, and their messages, by the ids of the hunks. */
  readonly #errors = new Map<string, { readonly text: string | undefined; readonly message: string }>();
  current: string | undefined;
  #keeping: NodeJS.Timeout | undefined;

  constructor(session: Session) {
    this.#session = session;
    this.#texts = new ReviewedTexts(session);
    this.#show = createShow(session, this);
  }

  get isOn(): boolean {
    return isReviewed(this.#session);
  }

  showAll(): void {
    for (const { uri } of [...this.#texts.held.values(), ...this.#files]) this.#show.now(uri);
  }

  expect(files: readonly FileChange[]): void {
    if (this.#texts.held.size > 0) this.#texts.expect(files);
  }

  record({ id, at, caller, label, steps, edits }: Parameters<Reviewer["record"]>[0]): void {
    if (!this.isOn) return;
    this.#follow();
    this.calls.set(id, { id, at, caller, label });
    const order = new Map([...this.calls.keys()].map((call, i) => [call, i]));
    let made = 0;
    const newId = (): string => `${id}.${++made}`;
    for (const file of requestedFiles([...new Set(steps.map((step) => step.file))])) {
      const { uri } = openAt(this.#session, nameAfter(file).uri) ?? nameAfter(file);
      if (file.kind !== "update") {
        const oldUri = file.kind === "rename" ? file.document.uri : undefined;
        this.#files.push({ id: newId(), kind: file.kind, uri, oldUri, call: id, state: "pending" });
      }
      if (file.kind === "delete") this.#texts.held.delete(keyOf(uri));
      else if (file.kind !== "create") this.#texts.record(file, { call: id, order, newId, edits });
      this.#show.now(uri);
      if (file.kind === "rename") this.#show.now(file.document.uri);
      this.saved(uri);
    }
    this.#limit();
  }

  broke(errors: readonly ReportedError[]): void {
    const known = errors.map((error) => ({ ...error, file: keyOf(error.uri) }));
    const changed = new Set<string>();
    for (const { id, uri, of } of this.items()) {
      if (of.kind === "file") continue;
      const { first, last } = linesOf(of.text, of.hunk);
      const key = keyOf(uri);
      const found = known.find(({ file, line }) => first <= line && line <= last && file === key);
      if (found === undefined) continue;
      this.#errors.set(id, { text: of.hunk.texts.at(-1), message: found.message });
      changed.add(uri);
    }
    for (const uri of changed) this.#show.now(uri);
  }

  errorIn({ id, state, of }: ReviewItem): string | undefined {
    const known = this.#errors.get(id);
    const isPresent = state === "pending" && of.kind === "text" && of.hunk.texts.at(-1) === known?.text;
    return isPresent ? known?.message : undefined;
  }

  #follow(): void {
    if (this.calls.size === 0) this.#session.documents.onChange((uri) => this.#changed(uri));
  }

  saved(uri: string): void {
    const key = keyOf(uri);
    const own = this.#texts.held.get(key);
    const files = this.#files.filter((file) => keyOf(file.uri) === key);
    const noted = [
      ...(own === undefined ? [] : [noteSaved(own)]),
      ...files.map((file) => proveFile(this.#session, file)),
    ];
    for (const one of noted) void one.then((isNews) => isNews && this.#keepLater());
  }

  /** Keeps the hunks of the saved texts for the next session, once for several changes. */
  #keepLater(): void {
    this.#keeping ??= setTimeout(() => {
      this.#keeping = undefined;
      this.#keepOnDisk();
    }, limits.reviewMs).unref();
  }

  #keepOnDisk(): void {
    const texts = [...this.#texts.held.values()].flatMap(({ uri, saved, hunks: now }) => {
      const open = new Set(now.filter((hunk) => stateOf(hunk) !== "kept").map(({ id }) => id));
      const hunks = (saved?.hunks ?? []).filter((hunk) => open.has(hunk.id) && stateOf(hunk) === "pending");
      if (saved === undefined || hunks.length === 0) return [];
      const copied = hunks.map((hunk) => ({ ...hunk, texts: [...hunk.texts], calls: [...hunk.calls] }));
      return [{ uri, hash: saved.hash, hunks: copied }];
    });
    keepReview(this.#session.folders, { calls: [...this.calls.values()], texts, files: toKept(this.#files) });
  }

  /** Takes over what an earlier session has kept. */
  async restore(): Promise<void> {
    // By then, the client has said which folders there are.
    await this.#session.ready;
    const { calls, texts, files: kept } = await readReview(this.#session.folders);
    const files = await fromKept(this.#session, kept);
    if (texts.length + files.length === 0) return;
    this.#follow();
    const present = [...this.calls];
    this.calls.clear();
    for (const call of calls) this.calls.set(call.id, { ...call, caller: call.caller });
    for (const [id, call] of present) this.calls.set(id, call);
    for (const { hunks, ...text } of texts) {
      this.#texts.restore({ ...text, hunks: hunks.map((hunk) => ({ ...hunk, level: hunk.level })) });
      this.#show.now(text.uri);
    }
    this.#files = [...files, ...this.#files];
    for (const { uri } of files) this.#show.now(uri);
  }

  #changed(uri: string): void {
    const own = this.#texts.synced(uri);
    if (own !== undefined && own.hunks.length > 0) this.#show.later(uri);
  }

  /** Forgets the oldest calls if there are too many hunks. */
  #limit(): void {
    const changed = new Set<string>();
    const files = this.#files;
    for (const call of this.calls.keys()) {
      if (this.calls.size === 1 || (this.calls.size <= limits.reviewCalls && this.#texts.fit(this.#files.length)))
        break;
      this.calls.delete(call);
      this.#files = this.#files.filter((file) => file.call !== call);
      for (const text of this.#texts.held.values()) {
        const left = forgetCall(text.hunks, call, (lost) => text.lost.add(lost));
        if (left !== text.hunks) changed.add(text.uri);
        text.hunks = left;
      }
    }
    for (const file of files) if (!this.#files.includes(file)) changed.add(file.uri);
    this.#texts.dropEmpty();
    for (const uri of changed) this.#show.now(uri);
    const ids = new Set(this.items().map(({ id }) => id));
    for (const known of [this.#told, this.#errors]) for (const id of known.keys()) if (!ids.has(id)) known.delete(id);
  }

  items(uri?: string): readonly ReviewItem[] {
    if (!this.isOn) return [];
    const key = uri === undefined ? undefined : keyOf(uri);
    const texts = [...this.#texts.held].filter(([held]) => key === undefined || held === key).map(([, text]) => text);
    const files = this.#files.filter((file) => key === undefined || keyOf(file.uri) === key);
    const ofFiles = files.map((file): ReviewItem => {
      const { id, call, state } = file;
      return { id, uri: file.uri, calls: [call], state, of: { kind: "file", file } };
    });
    const ofTexts = texts.flatMap((text) =>
      text.hunks.map((hunk): ReviewItem => {
        const { id, calls } = hunk;
        return { id, uri: text.uri, calls, state: stateOf(hunk), of: { kind: "text", text, hunk } };
      }),
    );
    return [...ofFiles, ...ofTexts].sort((a, b) => (a.uri < b.uri ? -1 : a.uri > b.uri ? 1 : 0));
  }

  callOf({ calls }: Pick<ReviewItem, "calls">): ReviewedCall | undefined {
    return this.calls.get(calls.at(-1) ?? "");
  }

  keep(items: readonly ReviewItem[]): void {
    const ids = new Set(items.map(({ id }) => id));
    for (const { of } of items) if (of.kind === "file") of.file.state = "kept";
    for (const text of new Set(items.flatMap(({ of }) => (of.kind === "text" ? [of.text] : [])))) {
      // What the user has made of the lines is not the call's any more.
      for (const { id, level, calls } of text.hunks)
        if (ids.has(id) && level === undefined) for (const call of calls) text.lost.add(call);
      // Also if the text becomes an earlier one again.
      for (const state of [text, ...text.before, ...(text.burst === undefined ? [] : [text.burst])])
        state.hunks = keepHunks(state.hunks, ids);
    }
    for (const uri of new Set(items.map((item) => item.uri))) this.#show.now(uri);
    this.#keepLater();
  }

  comment(about: string, comment: ReviewComment | undefined): void {
    if (comment === undefined) this.comments.delete(about);
    else this.comments.set(about, comment);
    const item = this.items().find(({ id }) => id === about);
    if (item !== undefined) this.#show.now(item.uri);
  }

  serve(request: Parameters<Reviewer["serve"]>[0]): Answer<object> {
    return serveReview(this.#session, this, request);
  }

  show(command: string, argument: unknown): Promise<object | null> {
    return showReview(this.#session, this, command, argument);
  }

  actionsAt({ uri, range }: HunkLines): CodeAction[] {
    const item = itemAt(this, uri, range);
    if (item === undefined) return [];
    this.current = item.id;
    return actionsOn(this.#session, this, item);
  }

  hoverAt({ uri, range }: HunkLines): Hover | undefined {
    const item = itemAt(this, uri, range);
    if (item === undefined) return undefined;
    this.current = item.id;
    return hoverOf(this.#session, this, item);
  }

  reverseCall(transaction: string, direction: "undo" | "redo"): ReverseText {
    return (document: Document): TextReversal | undefined => {
      const held = this.#texts.held.get(keyOf(document.uri));
      if (held === undefined || held.lost.has(transaction)) return undefined;
      if (!held.hunks.some(({ calls }) => calls.includes(transaction))) return undefined;
      return this.#texts.reverse(document, this.#levelOf(transaction, direction));
    };
  }

  /** Returns the function for the text that a hunk gets if a call is undone or redone. */
  #levelOf(transaction: string, direction: "undo" | "redo"): WantedLevel {
    return levelOfCall(transaction, direction, (call) => this.calls.get(call)?.label ?? "");
  }

  reverseHunks(params: object, direction: "undo" | "redo"): Answer<HunkReversal> {
    const selector = readSelector(params);
    if (selector === undefined) return toRefusal([reviewFailures.selector()]);
    // Whole files are redone only with their call, of whose undo the steps are known.
    const all = selected(this, selector).filter((item) =>
      direction === "redo" ? item.of.kind === "text" && isBefore(item.of.hunk, selector.transaction) : isOpen(item),
    );
    const { hunks } = selector;
    if (hunks !== undefined && all.length < new Set(hunks).size) return toRefusal([redoFailures.nothing()]);
    // Somebody who names hunks must be told if one of them can't be undone.
    const left = hunks === undefined ? all.filter(({ state }) => state === "changed") : [];
    const items = all.filter((item) => !left.includes(item));
    const placesOf = (some: readonly ReviewItem[]): readonly string[] =>
      some.map((item) => placeOf(this.#session, item));
    if (items.length === 0)
      return toRefusal([left.length > 0 ? reviewFailures.allTyped(placesOf(left)) : redoFailures.nothing()]);
    const name = items.length === 1 ? placesOf(items).join() : reviewTexts.changes(items.length);
    const warnings = left.length > 0 ? [reviewTexts.left(placesOf(left))] : [];
    return { ok: true, result: { ...this.#reverseItems(items, direction, selector.transaction), name, warnings } };
  }

  #reverseItems(
    items: readonly ReviewItem[],
    direction: "undo" | "redo",
    transaction: string | undefined,
  ): Pick<HunkReversal, "steps" | "reverse" | "done"> {
    const ids = new Set(items.map(({ id }) => id));
    const ofCall = transaction === undefined ? undefined : this.#levelOf(transaction, direction);
    const reverse = (document: Document): TextReversal | undefined =>
      this.#texts.reverse(document, (hunk) => {
        if (!ids.has(hunk.id)) return undefined;
        if (ofCall !== undefined) return ofCall(hunk);
        return direction === "undo" ? hunk.kept : hunk.texts.length - 1;
      });
    const files = items.flatMap(({ of }) => (of.kind === "file" ? [of.file] : []));
    const whole = files.flatMap((file) => stepsOf(this.#session, file));
    const texts = new Set(items.flatMap(({ of }) => (of.kind === "text" ? [of.text] : [])));
    const steps = [...texts].flatMap((text): AppliedStep[] => {
      const own = whole.find(({ file }) => keyOf(nameAfter(file).uri) === keyOf(text.uri));
      // A file that is removed needs no other text.
      if (own?.kind === "create") return [];
      return [{ kind: "text", file: own?.file ?? baseOf(shownPath(this.#session, text.uri), text, ids) }];
    });
    const done: HunkReversal["done"] = (caller, made): void => {
      this.#texts.written(made.map(({ file }) => file));
      for (const file of files) this.#flip(file, direction);
      const uris = [...items.map((item) => item.uri), ...made.map(({ file }) => nameAfter(file).uri)];
      for (const uri of new Set(uris)) this.#show.now(uri);
      if (caller !== undefined) this.#takeAsTold(ids, caller);
    };
    return { steps: [...steps, ...whole], reverse, done };
  }

  #flip(file: ReviewedFile, direction: "undo" | "redo"): void {
    file.state = direction === "undo" ? "undone" : "pending";
    // Without the file, there is nothing to review in it.
    if (file.kind === "create" && direction === "undo") this.#texts.held.delete(keyOf(file.uri));
  }

  /** An agent that has undone its own hunks need not be told. */
  #takeAsTold(ids: ReadonlySet<string>, by: Caller): void {
    for (const item of this.items()) {
      const { caller } = this.callOf(item) ?? {};
      if (ids.has(item.id) && caller !== undefined && hears(by, caller, this.calls.values()))
        this.#told.set(item.id, item.state);
    }
  }

  reversed({ id: transaction, caller, steps }: Parameters<Reviewer["reversed"]>[0], direction: "undo" | "redo"): void {
    this.#texts.written(steps.map(({ file }) => file));
    for (const file of this.#files) if (file.call === transaction) this.#flip(file, direction);
    const items = this.items().filter(({ calls }) => calls.includes(transaction));
    for (const uri of new Set(items.map((item) => item.uri))) this.#show.now(uri);
    if (caller !== undefined) this.#takeAsTold(new Set(items.map(({ id }) => id)), caller);
  }

  stateOfCall(transaction: string): HistoryCall["state"] | undefined {
    const states = this.items().flatMap(({ calls, state, of }) => {
      const at = calls.indexOf(transaction);
      if (at < 0) return [];
      if (of.kind === "file") return [state];
      const { level, kept } = of.hunk;
      return [level !== undefined && level <= at ? "undone" : kept > at ? "kept" : "pending"];
    });
    if (states.length === 0) return undefined;
    const [first] = states;
    const isSame = states.every((state) => state === first);
    if (isSame && (first === "kept" || first === "undone")) return first;
    return states.includes("undone") ? "partlyUndone" : "applied";
  }

  noteFor(caller: Caller, own?: string): string | undefined {
    const isHeard = (author: Caller): boolean => hears(caller, author, this.calls.values());
    const latest = [...this.calls.values()].findLast(
      ({ id, caller: author }) => id !== own && author && isHeard(author),
    )?.id;
    const undone: string[] = [];
    let kept = 0;
    for (const item of this.items()) {
      const call = this.callOf(item);
      if (call?.caller === undefined || this.#told.get(item.id) === item.state || !isHeard(call.caller)) continue;
      const isNews = item.state === "kept" || item.state === "undone" || this.#told.has(item.id);
      if (isNews) this.#told.set(item.id, item.state);
      const edits = item.of.kind === "text" && call.id === latest ? (item.of.hunk.edits ?? []) : [];
      if (item.state === "undone") undone.push(undoneText(placeOf(this.#session, item), edits));
      if (item.state === "kept") kept++;
    }
    const comments = [...this.comments].filter(([, { author }]) => isHeard(author));
    const news = { undone, kept, comments: comments.map(([, one]) => one) };
    if (undone.length === 0 && kept === 0 && comments.length === 0) return undefined;
    // What does not fit is told with the next answer.
    const { text, told } = noteText(news);
    for (const [id] of comments.slice(0, told)) this.comments.delete(id);
    for (const uri of new Set(this.items().map((item) => item.uri))) if (told > 0) this.#show.now(uri);
    return text;
  }
}
