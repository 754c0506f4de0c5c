/** Characters of every width, in each position encoding that an editor offers. */
import { expect } from "vitest";
import { batch } from "../support/desk.js";
import type { Traits } from "./editor.js";
import { applied, done, expectTexts } from "./scenes.js";
import type { Door, Stage } from "./stage.js";

/** Edits before, between and after characters of one to four bytes, in a session that uses this encoding. */
export async function editWideCharacters(stage: Stage, door: Door, traits: Traits, encoding: string): Promise<string> {
  const answered = stage.wire.messages.find(({ from, message }) => from === "server" && message.result?.capabilities);
  expect(answered?.message.result.capabilities.positionEncoding).toBe(encoding);
  stage.lay({
    "lf.txt": "α😀β one 😀\nsecond e\u0301 line 👩\u200d💻 end\nthird 𝒳 y\n",
    "crlf.txt": "😀😀 first 😀 line\r\n日本 two 𝒳\r\n",
  });
  await stage.open("lf.txt", "crlf.txt");
  await stage.retype("lf.txt", "𝒳 typed\nα😀β one 😀\nsecond e\u0301 line 👩\u200d💻 end\nthird 𝒳 y\n");
  await applied(
    stage,
    door,
    batch(
      ["lf.txt", "typed", "typed 😀"],
      ["lf.txt", "β one 😀", "β 𝒳 1 😀😀"],
      ["lf.txt", "e\u0301 line 👩\u200d💻", "é 😀 line 👩\u200d💻👩\u200d💻"],
      ["lf.txt", "𝒳 y\n", "𝒳𝒳 y\n😀 added\n"],
      ["crlf.txt", "first 😀", "1st 😀😀"],
      ["crlf.txt", "two 𝒳", "2 𝒳\n日 more"],
    ),
  );
  const texts = {
    "lf.txt": "𝒳 typed 😀\nα😀β 𝒳 1 😀😀\nsecond é 😀 line 👩\u200d💻👩\u200d💻 end\nthird 𝒳𝒳 y\n😀 added\n",
    "crlf.txt": "😀😀 1st 😀😀 line\r\n日本 2 𝒳\r\n日 more\r\n",
  };
  await expectTexts(stage, texts, traits);
  return done;
}
