/** A server that the user keeps from formatting does not format after `multi-edit setup helix --write`, either. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { EditorKind } from "./editor.js";
import { helix, helixFor, olderHelix } from "./helix.js";
import { absence, startSession } from "./session.js";
import { onStage } from "./stage.js";

/** A language server that formats every file as the text "formatted", and leaves files as signs. */
const formatter = `
const { writeFileSync } = require("node:fs");
let input = Buffer.alloc(0);
const send = (message) => {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  process.stdout.write("Content-Length: " + Buffer.byteLength(body) + "\\r\\n\\r\\n" + body);
};
const edit = { range: { start: { line: 0, character: 0 }, end: { line: 9, character: 0 } }, newText: "formatted\\n" };
const answers = {
  initialize: () => ({ capabilities: { documentFormattingProvider: true, textDocumentSync: 1 } }),
  "textDocument/formatting": () => (writeFileSync(process.env.HOME + "/formatted", ""), [edit]),
};
process.stdin.on("data", (chunk) => {
  input = Buffer.concat([input, chunk]);
  for (;;) {
    const at = input.indexOf("\\r\\n\\r\\n");
    const length = Number(/Content-Length: (\\d+)/.exec(input.toString("latin1", 0, Math.max(at, 0)))?.[1]);
    if (at < 0 || input.length < at + 4 + length) return;
    const { id, method } = JSON.parse(input.toString("utf8", at + 4, at + 4 + length));
    input = input.subarray(at + 4 + length);
    if (method === "exit") process.exit();
    if (method === "textDocument/didOpen") writeFileSync(process.env.HOME + "/opened", "");
    if (id !== undefined && method !== undefined) send({ id, result: answers[method]?.() ?? null });
  }
});
`;

const attach = (mine: string) => (): string =>
  `mkdir -p ~/.config/helix
cat > ~/formatter.cjs <<'END'
${formatter}
END
cat > ~/.config/helix/languages.toml <<END
[language-server.mine]
command = "node"
args = ["$HOME/formatter.cjs"]
[[language]]
name = "typescript"
language-servers = [${mine}]
END
multi-edit setup helix text typescript --write
`;

/** Reports whether `:format` asks the user's server. */
async function formats(kind: EditorKind, mine: string): Promise<boolean> {
  const session = await startSession(helixFor(kind, [], attach(mine)));
  try {
    const sign = join(session.home, "formatted");
    await onStage(session, async (stage) => {
      stage.lay({ "price.ts": "rate\n" });
      await stage.open("price.ts");
      const { driver } = stage;
      await expect.poll(() => existsSync(join(session.home, "opened")), { timeout: 15_000 }).toBe(true);
      await driver.run?.(":format\r");
      const said = (): string => driver.said().replace(/\s+/g, " ");
      await expect
        .poll(() => existsSync(sign) || /formatter isn't available|no language server/i.test(said()))
        .toBe(true);
    });
    return existsSync(sign);
  } finally {
    await session.stop();
  }
}

for (const kind of [helix, olderHelix]) {
  it(`${kind.name} (${kind.root}): keeps the limit, and formats without it`, { timeout: 90_000 }, async () => {
    const missing = absence(kind);
    if (missing !== undefined) {
      const leftOut = `left out: limits in ${kind.name} (${kind.root}); ${missing}`;
      if (process.env.REQUIRE_EDITORS === "1") throw new Error(leftOut);
      return console.log(leftOut);
    }
    expect(await formats(kind, '"mine"')).toBe(true);
    expect(await formats(kind, '{ name = "mine", except-features = ["format"] }')).toBe(false);
  });
}
