/** Patches that replace the whole text of a document with unsaved changes: only what the caller has seen may be lost. */
import { describe, expect, it } from "vitest";
import { announced, friend, ownStateHome } from "./support/agentPeer.js";
import { batch, failed, layDesk, patchOf, serverForDesks } from "./support/desk.js";

const program = serverForDesks();

const saved = "one();\ntwo();\nthree();\n";
const typed = "one();\n// ask Ann\ntwo();\nthree();\n";
const whole = patchOf("*** Add File: a.ts", "+1;", "+// ask Ann", "+2;");
const written = "1;\n// ask Ann\n2;\n";

const lay = () => layDesk(program, { files: { "a.ts": saved }, open: { "a.ts": saved } });

describe("a patch with the whole text of a document that the user has typed in", () => {
  it("is refused, time and again, until the caller has read what was typed", async () => {
    const desk = await lay();
    await desk.read({ path: "a.ts" });
    await desk.typeBefore("a.ts", "two();", "// ask Ann\n");
    for (let times = 0; times < 2; times++) {
      const refusal = await failed(desk.apply(whole));
      expect([refusal.codes, refusal.failures[0]!.line]).toEqual([["dirty"], 2]);
      expect(refusal.message).toContain("\n2| // ask Ann\n");
    }
    expect(desk.texts()["a.ts"]).toBe(typed);
    await desk.read({ path: "a.ts", startLine: 2, endLine: 2 });
    expect(await desk.apply(whole)).toMatchObject({ outcome: "applied", files: [{ overwritten: true }] });
    expect(desk.texts()["a.ts"]).toBe(written);
    await desk.undo();
    expect(desk.texts()["a.ts"]).toBe(typed);
  });

  it("is refused if the user types again after the caller has read", async () => {
    const desk = await lay();
    await desk.typeBefore("a.ts", "two();", "// ask Ann\n");
    await desk.read({ path: "a.ts" });
    await desk.typeBefore("a.ts", "three();", "// and Bob\n");
    expect((await failed(desk.apply(whole))).message).toContain("have not seen:\n4| // and Bob\n");
  });

  it("is refused if what was typed is in lines that did not fit into the answer, or that the caller had to cut", async () => {
    const desk = await lay();
    await desk.typeBefore("a.ts", "two();", "// ask Ann\n");
    for (const [startLine, maxLength] of [
      [1, "one();\n".length],
      [2, "// ask".length],
    ]) {
      await desk.read({ path: "a.ts", startLine, maxLength });
      expect((await failed(desk.apply(whole))).codes).toEqual(["dirty"]);
    }
    await desk.read({ path: "a.ts", startLine: 2, maxLength: "// ask Ann\n".length });
    expect(await desk.apply(whole)).toMatchObject({ outcome: "applied" });
  });

  it("is applied over the caller's own edits, which it knows", async () => {
    const desk = await lay();
    expect(await desk.apply(batch(["a.ts", "two();", "2;\n3;"]))).toMatchObject({ outcome: "applied" });
    await desk.apply(whole);
    expect(desk.texts()["a.ts"]).toBe(written);
  });

  it("is refused if only another agent has read what was typed", async () => {
    const home = ownStateHome();
    const files = { "a.ts": saved };
    const desk = await layDesk(program, { files, open: files, clientInfo: { name: "Tester" } });
    const [session] = await announced(home);
    const one = await friend(session, { name: "one", agent: "1" });
    await desk.typeBefore("a.ts", "two();", "// ask Ann\n");
    // The agent's own connection may be faster than the notification of what was typed.
    await failed(desk.apply(whole));
    await one.ask(1, "multiEdit/read", { path: "a.ts" });
    expect((await failed(desk.apply(whole))).codes).toEqual(["dirty"]);
    await one.ask(2, "multiEdit/apply", whole);
    expect(desk.texts()["a.ts"]).toBe(written);
  });
});

describe("a patch with the whole text of a document that was opened with unsaved changes", () => {
  it.each([
    ["whose file has another text", { "a.ts": saved }],
    ["that was never saved", { "other.ts": "" }],
  ])("%s, is refused until the caller has read it", async (_, files) => {
    const desk = await layDesk(program, { files, open: { "other.ts": "" } });
    await desk.editor.open({ uri: desk.uri("a.ts"), text: typed });
    expect((await failed(desk.apply(whole))).codes).toEqual(["dirty"]);
    await desk.read({ path: "a.ts", startLine: 3 });
    expect((await failed(desk.apply(whole))).codes).toEqual(["dirty"]);
    await desk.read({ path: "a.ts" });
    await desk.apply(whole);
    expect(desk.texts()["a.ts"]).toBe(written);
  });

  it("is refused if the caller has edited it, but not read it", async () => {
    const desk = await layDesk(program, { files: { "a.ts": "one();\n" }, open: { "a.ts": typed } });
    await desk.apply(batch(["a.ts", "one();", "1;"]));
    const refusal = await failed(desk.apply(whole));
    expect(refusal.message).toContain("have not seen:\n2| // ask Ann\n3| two();\n4| three();\n");
  });
});
