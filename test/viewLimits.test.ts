/** The limits for earlier texts: what is larger is dropped, and then calls have the outcome that they have without them. */
import { describe, expect, it } from "vitest";
import { editorPositions } from "../server/lsp/edit/positions.js";
import type { View } from "../server/plan/views/view.js";
import { createDocuments } from "../server/workspace/documents.js";
import { Trails } from "../server/workspace/trails.js";
import { batch, failed, layDesk, serverForDesks } from "./support/desk.js";
import { documentAt, planOn } from "./support/planning.js";

const program = serverForDesks();

const place = "first();\nsecond();\nthird();\n";
const typedPlace = place.replace("third", "// typed\nthird");
const edits = [{ oldText: "second();\nthird();", newText: "second();\n3;" }];

/** As many bytes, in UTF-16, in lines of 50 units. */
const filler = (bytes: number, letter = "x"): string => `${letter.repeat(49)}\n`.repeat(bytes / 100);

const mebibyte = 1_048_576;

/** A session with documents in the places of an editor, a user and callers. */
class Session {
  readonly documents = createDocuments();
  readonly trails = new Trails(this.documents, () => 0);
  readonly #versions = new Map<string, number>();
  readonly #files = new Map<string, string>();

  open(uri: string, text: string): void {
    this.#versions.set(uri, 1);
    this.#files.set(uri, text);
    this.documents.open(uri, 1, text, { loneCrEndsLine: true });
  }

  textOf(uri: string): string {
    return this.documents.get(uri)!.text;
  }

  /** Replaces the first occurrence of a text. */
  type(uri: string, from: string, to: string): void {
    const [text, version] = [this.textOf(uri), this.#versions.get(uri)! + 1];
    const at = text.indexOf(from);
    const position = (offset: number) => {
      const above = text.slice(0, offset).split("\n");
      return { line: above.length - 1, character: above.at(-1)!.length };
    };
    const range = { start: position(at), end: position(at + from.length) };
    this.documents.change(uri, version, [{ range, text: to }], editorPositions["utf-16"]);
    this.#versions.set(uri, version);
  }

  read(caller: string, uri: string): void {
    const document = { uri, version: this.#versions.get(uri)!, text: this.textOf(uri) };
    this.trails.read(caller, document, { startLine: 1, endLine: Number.MAX_SAFE_INTEGER });
  }

  viewsOf(caller: string, uri: string): readonly View[] {
    const text = this.#files.get(uri)!;
    const file = { kind: "text", text, bom: false, encoding: "utf-8", size: 0 } as const;
    const isSame = text === this.textOf(uri);
    const disk = { file, habits: { syncsLf: false, endsLastLine: false }, isSame };
    return this.trails.ofOpen(caller, this.documents.get(uri)!, disk) ?? [];
  }

  save(uri: string): void {
    this.#files.set(uri, this.textOf(uri));
    this.trails.saved(uri);
  }

  /** The texts that a caller has read, newest first. */
  readsOf(caller: string, uri: string): string[] {
    return this.viewsOf(caller, uri).flatMap(({ base, back }) => (base === "read" ? back.apply(this.textOf(uri)) : []));
  }

  /** The text that the edit makes, or the codes of its failures. */
  outcome(caller: string, uri: string): string | readonly string[] {
    return outcomeOn(this.textOf(uri), this.viewsOf(caller, uri));
  }
}

function outcomeOn(text: string, views: readonly View[] | undefined): string | readonly string[] {
  const planned = planOn([documentAt("a", text, { views })], edits);
  return planned.ok ? planned.files[0]!.text : planned.failures.map(({ code }) => code);
}

const carried = (text: string): string => text.replace("third();", "3;");

describe("an earlier text whose differences to the present one have", () => {
  const scene = (bytes: number): Session => {
    const session = new Session();
    session.open("file:///a", place + filler(bytes));
    session.read("me", "file:///a");
    session.type("file:///a", filler(bytes), "");
    session.type("file:///a", "third", "// typed\nthird");
    return session;
  };

  it("almost 1 MB decides", () => {
    const session = scene(mebibyte - 1_076);
    expect(session.readsOf("me", "file:///a")).toHaveLength(1);
    expect(session.outcome("me", "file:///a")).toBe(carried(typedPlace));
  });

  it("more than 1 MB is dropped, also as the file on disk", () => {
    const session = scene(mebibyte + 1_024);
    expect(session.viewsOf("me", "file:///a")).toEqual([]);
    expect(session.outcome("me", "file:///a")).toEqual(["noMatch"]);
    expect(outcomeOn(session.textOf("file:///a"), undefined)).toEqual(["noMatch"]);
  });

  it.each([
    ["almost 1 MB", 900_000, "applied"],
    ["more than 1 MB", 1_200_000, "failed"],
  ])("%s, in a real session", async (_, bytes, outcome) => {
    const text = place + filler(bytes);
    const desk = await layDesk(program, { files: { "a.txt": text }, open: { "a.txt": text } });
    await desk.read({ path: "a.txt", endLine: 3 });
    await desk.editor.type({ uri: desk.uri("a.txt"), from: place.length, to: text.length, insert: "" });
    await desk.typeBefore("a.txt", "third", "// typed\n");
    const call = desk.apply(batch(["a.txt", edits[0]!.oldText, edits[0]!.newText]));
    if (outcome === "failed") expect((await failed(call)).codes).toEqual(["noMatch"]);
    else await call;
    expect(desk.texts()["a.txt"]).toBe(outcome === "failed" ? typedPlace : carried(typedPlace));
  });
});

describe("the reads of a document", () => {
  const uri = "file:///a";
  /** Several callers read the document, and the user types before each read. */
  const reading = (session: Session, callers: readonly string[], each: number): void => {
    for (const caller of callers)
      for (let i = 0; i < each; i++) {
        session.type(uri, "first", "// typed\nfirst");
        session.read(caller, uri);
      }
  };

  it("are kept for the last 4 of each caller", () => {
    const session = new Session();
    session.open(uri, place);
    reading(session, ["one"], 6);
    const typed = (count: number): string => "// typed\n".repeat(count) + place;
    expect(session.readsOf("one", uri)).toEqual([6, 5, 4, 3].map(typed));
  });

  it("and its texts on disk are together at most 8; the oldest are dropped, but not the text that is on disk", () => {
    const session = new Session();
    session.open(uri, place);
    reading(session, ["one", "two", "three"], 4);
    const kept = ["one", "two", "three"].map((caller) => session.viewsOf(caller, uri).map(({ base }) => base));
    expect(kept).toEqual([["saved"], ["read", "read", "read", "saved"], ["read", "read", "read", "read", "saved"]]);
  });

  it("that were dropped have no say", () => {
    const session = new Session();
    session.open(uri, place + place);
    session.read("one", uri);
    session.type(uri, "third", "// typed\nthird");
    session.save(uri);
    // The caller has read a text in which the first match is gone by now.
    expect(session.outcome("one", uri)).toEqual(["ambiguousMatch"]);
    reading(session, ["two", "three"], 4);
    const asToday = outcomeOn(session.textOf(uri), undefined);
    expect(asToday).toBe(`${"// typed\n".repeat(8)}${typedPlace}${carried(place)}`);
    expect(session.outcome("one", uri)).toBe(asToday);
  });

  it("of a closed file are at most 8, and none is longer than 1 MB", () => {
    const session = new Session();
    const read = (caller: string, text: string): void =>
      session.trails.read(caller, { uri, version: null, text }, { startLine: 1, endLine: 3 });
    for (const caller of ["one", "two", "three"]) for (let i = 0; i < 4; i++) read(caller, `${i}\n${place}`);
    const texts = (caller: string): string[] =>
      (session.trails.ofClosed(caller, uri, typedPlace) ?? []).map(({ back }) => back.apply(typedPlace));
    expect(["one", "two", "three"].map((caller) => texts(caller).length)).toEqual([0, 4, 4]);
    read("three", place + filler(mebibyte + 1_024));
    expect(texts("three")).toEqual([3, 2, 1, 0].map((i) => `${i}\n${place}`));
    read("three", place + filler(900_000));
    expect(texts("three")[0]).toBe(place + filler(900_000));
  });
});

describe("the earlier texts of a session", () => {
  const count = 80;
  const bytes = 1_000_000;
  const uris = Array.from({ length: count }, (_, i) => `file:///${i}`);
  const kept = Math.floor((64 * mebibyte) / bytes);

  it("have at most 64 MB; those of the documents that were opened first are dropped", () => {
    const session = new Session();
    const isCarried = (uri: string): boolean => session.outcome("me", uri) === carried(typedPlace);
    for (const uri of uris) {
      session.open(uri, place + filler(bytes));
      session.read("me", uri);
      session.type(uri, filler(bytes), "");
      session.type(uri, "third", "// typed\nthird");
      session.save(uri);
      expect(isCarried(uri)).toBe(true);
    }
    // Each document has two of them: the text that was read, and the same text as it was on disk.
    const left = uris.filter(isCarried);
    expect(left).toEqual(uris.slice(-Math.floor(kept / 2)));
    expect(session.outcome("me", uris[0]!)).toEqual(outcomeOn(typedPlace, undefined));
  });

  it("are kept for at most 5,000 closed files, however short they are", () => {
    const { trails } = new Session();
    const read = (i: number): void =>
      trails.read("me", { uri: `file:///${i}`, version: null, text: "" }, { startLine: 1, endLine: 1 });
    for (let i = 0; i < 5_000; i++) read(i);
    read(0);
    read(5_000);
    expect(trails.closed.size).toBe(5_000);
    expect([0, 1, 2, 5_000].map((i) => trails.ofClosed("me", `file:///${i}`, "") !== undefined)).toEqual([
      ...[true, false, true, true],
    ]);
  });

  it("of closed files have at most 64 MB; those that were read first are dropped", () => {
    const session = new Session();
    const text = (i: number): string => `${i}\n${place}${filler(bytes)}`;
    for (const [i, uri] of uris.entries())
      session.trails.read("me", { uri, version: null, text: text(i) }, { startLine: 1, endLine: 3 });
    const left = uris.filter((uri) => session.trails.ofClosed("me", uri, typedPlace) !== undefined);
    expect(left).toEqual(uris.slice(-kept));
  });
});
