/** Calls after a real Neovim has replaced a text that the agent has read: with a formatter, or because the file has changed. */
import { describe, expect, it, vi } from "vitest";
import { batch } from "../support/desk.js";
import { blockOf } from "./attach.js";
import type { EditorKind } from "./editor.js";
import { neovim, neovimWith, olderNeovim } from "./neovim.js";
import { absence, startSession } from "./session.js";
import { onStage, type Stage } from "./stage.js";

vi.setConfig({ testTimeout: 60_000 });

for (const kind of [neovim, olderNeovim]) {
  const missing = absence(kind);
  if (missing !== undefined) {
    it(`${kind.name} (${kind.root}) is not available`, () => {
      const leftOut = `left out: texts that ${kind.name} (${kind.root}) replaces as a whole; ${missing}`;
      if (process.env.REQUIRE_EDITORS === "1") throw new Error(leftOut);
      console.log(leftOut);
    });
    continue;
  }
  describe(`${kind.name} (${kind.root}), an agent's edit of a text that it has read`, () => {
    for (const [way, replace] of Object.entries(ways)) {
      it(`keeps what ${way} has changed beside it`, () => inNeovim(kind, (stage) => keeps(stage, replace)));
      it(`is refused if ${way} has changed its words`, () => inNeovim(kind, (stage) => refuses(stage, replace)));
      it(`is not made at other equal lines because of ${way}`, () => inNeovim(kind, (stage) => asks(stage, replace)));
    }

    it("is made as usual after the user has undone the formatter", () => inNeovim(kind, undoesFormatter));
  });
}

/** A way to replace a text as a whole: by one with a space around each `=`, with `end` for `fin`, and `fin` for `FIN`. */
type Replace = (stage: Stage, name: string) => Promise<void>;

const tidy = (text: string): string =>
  text.replaceAll(/ ?= ?/g, " = ").replaceAll("fin", "end").replaceAll("FIN", "fin");

/** A language server in Neovim itself, which has the whole text replaced, as many formatters do. */
const formattingServer = `
  local buffer = vim.api.nvim_get_current_buf()
  local function request(method, params, callback)
    if method == "initialize" then
      callback(nil, { capabilities = { documentFormattingProvider = true } })
    elseif method == "textDocument/formatting" then
      local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, true)
      for i, line in ipairs(lines) do
        lines[i] = line:gsub(" ?= ?", " = "):gsub("fin", "end"):gsub("FIN", "fin")
      end
      local range = { start = { line = 0, character = 0 }, ["end"] = { line = #lines, character = 0 } }
      callback(nil, { { range = range, newText = table.concat(lines, "\\n") .. "\\n" } })
    else
      callback(nil, nil)
    end
    return true, 1
  end
  local id = vim.lsp.start({ name = "formatter", root_dir = "/", cmd = function()
    return {
      request = request,
      notify = function() return true end,
      is_closing = function() return false end,
      terminate = function() end,
    }
  end })
  vim.wait(5000, function() return vim.lsp.get_client_by_id(id).initialized end, 5)
  vim.lsp.buf.format({ name = "formatter", timeout_ms = 5000 })`;

/** The document is in the current window, since it was opened last. */
const inBuffer = async (stage: Stage, code: string): Promise<void> => void (await stage.driver.run!(code));

const ways: Readonly<Record<string, Replace>> = {
  ":%!": (stage) => inBuffer(stage, `vim.cmd([[silent %!sed -e 's/ *= */ = /g' -e 's/fin/end/' -e 's/FIN/fin/']])`),
  "vim.lsp.buf.format()": (stage) => inBuffer(stage, formattingServer),
  ":edit": async (stage, name) => {
    // Another program has changed the file.
    stage.lay({ [name]: tidy(stage.disk()[name]!) });
    await inBuffer(stage, "vim.cmd.edit()");
  },
};

const messy = `function a() {
  const x=load();
  const y = parse(x);
  return y; // fin
}
`;

async function read(stage: Stage, name: string, text: string): Promise<void> {
  stage.lay({ [name]: text });
  await stage.open(name);
  expect((await stage.wire.read(stage.path(name)))?.text).toBe(text);
}

async function replaced(stage: Stage, name: string, text: string, replace: Replace): Promise<void> {
  await replace(stage, name);
  await stage.synced(name);
  expect((await stage.held())[name]).toBe(tidy(text));
}

async function keeps(stage: Stage, replace: Replace): Promise<void> {
  await read(stage, "a.ts", messy);
  await replaced(stage, "a.ts", messy, replace);
  const edit = batch([
    "a.ts",
    "  const x=load();\n  const y = parse(x);",
    "  const x=load();\n  const y = parseAll(x);",
  ]);
  const { outcome, text, answer } = await stage.apply("agent", edit);
  expect(outcome, text).toBe("applied");
  expect(text).toContain("const x = load();");
  expect(answer?.ok && answer.result.edits[0]).toMatchObject({ base: "read", places: [{ startLine: 2, endLine: 3 }] });
  expect((await stage.held())["a.ts"]).toBe(tidy(messy).replace("parse(", "parseAll("));
}

async function refuses(stage: Stage, replace: Replace): Promise<void> {
  await read(stage, "a.ts", messy);
  await replaced(stage, "a.ts", messy, replace);
  const edit = batch([
    "a.ts",
    "  const y = parse(x);\n  return y; // fin",
    "  const y = parse(x);\n  return y; // done",
  ]);
  expect(await stage.apply("agent", edit)).toMatchObject({ outcome: "failed", codes: ["contentModified"] });
  expect((await stage.held())["a.ts"]).toBe(tidy(messy));
}

/** In the text that the agent read, the first place has the old text; in the present one, only the second has it. */
async function asks(stage: Stage, replace: Replace): Promise<void> {
  const text = "first()\nx = load()\nreturn x # fin\n\nsecond()\nx = load()\nreturn x # FIN\n";
  await read(stage, "a.py", text);
  await replaced(stage, "a.py", text, replace);
  const edit = { path: "a.py", oldText: "x = load()\nreturn x # fin", newText: "x = load()\nreturn y # fin", line: 2 };
  expect(await stage.apply("agent", edit)).toMatchObject({ outcome: "failed", codes: ["contentModified"] });
  expect((await stage.held())["a.py"]).toBe(tidy(text));
}

async function undoesFormatter(stage: Stage): Promise<void> {
  await read(stage, "a.ts", messy);
  await replaced(stage, "a.ts", messy, ways["vim.lsp.buf.format()"]!);
  await stage.driver.undo(stage.path("a.ts"));
  await stage.synced("a.ts");
  expect((await stage.held())["a.ts"]).toBe(messy);
  const { outcome, text, answer } = await stage.apply("agent", batch(["a.ts", "x=load();", "x=read();"]));
  expect(outcome, text).toBe("applied");
  expect(answer?.ok && answer.result.edits[0]?.base).toBe(undefined);
  expect((await stage.held())["a.ts"]).toBe(messy.replace("load", "read"));
}

async function inNeovim(kind: EditorKind, run: (stage: Stage) => Promise<void>): Promise<void> {
  const initLua = blockOf("client-samples/neovim/README.md", "lua neovim").replace(
    "setup()",
    'setup({ settings = { save = "never" } })',
  );
  const session = await startSession(neovimWith(kind, initLua));
  try {
    await onStage(session, run);
  } finally {
    await session.stop();
  }
}
