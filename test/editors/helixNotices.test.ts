/** Messages that a user of Helix sees, as text captures on the sample's page: what an agent changed, and what failed. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { announced, friend, type Peer } from "../support/agentPeer.js";
import { batch } from "../support/desk.js";
import { removeTree } from "../support/directory.js";
import { runAsUser } from "./attach.js";
import { expectCapture } from "./captures.js";
import type { Place } from "./editor.js";
import { helix } from "./helix.js";
import { createScreen, textOf } from "./screen.js";
import { absence, layPlace } from "./session.js";
import { startTerminal, type Terminal } from "./terminal.js";

const page = new URL("../../client-samples/helix/README.md", import.meta.url);
const size = { columns: 110, rows: 14 };

const missing = absence(helix);

/** Helix with one file open, its terminal, and an agent that is connected to its server. */
interface Scene {
  readonly place: Place;
  readonly terminal: Terminal;
  readonly agent: Peer;
  /**
   * Waits until the screen shows a text, perhaps without another one, and has not changed for a while; returns the
   * screen, without most empty lines.
   */
  shows(text: string, but?: { readonly without: string }): Promise<string>;
  /** Ends the progress of the busy server. */
  endProgress(): void;
}

/** Makes the server's timeouts of 30 s or more expire 100 times as fast. */
const hasty =
  "const wait = setTimeout; globalThis.setTimeout = (act, ms, ...rest) => wait(act, ms < 30000 ? ms : ms / 100, ...rest);";

/** A server beside ours that reports progress at its start, and its end as soon as the file in its argument exists. */
const busy = `
  const { existsSync } = require("node:fs");
  const send = (message) => {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    process.stdout.write("Content-Length: " + Buffer.byteLength(text) + "\\r\\n\\r\\n" + text);
  };
  const report = (value) => send({ method: "$/progress", params: { token: "t", value } });
  process.stdin.on("data", (chunk) => {
    if (String(chunk).includes('"initialize"')) send({ id: 0, result: { capabilities: {} } });
    if (!String(chunk).includes('"initialized"')) return;
    send({ id: "p", method: "window/workDoneProgress/create", params: { token: "t" } });
    report({ kind: "begin", title: "loading" });
    const wait = setInterval(() => {
      if (!existsSync(process.argv[2])) return;
      clearInterval(wait);
      report({ kind: "end" });
    }, 20);
  });
`;

/** Starts the busy server for text files, too. Returns the path of the file that ends its progress. */
function addBusyServer({ home }: Place): string {
  const [program, end, languages] = ["busy.cjs", "end", ".config/helix/languages.toml"].map((name) => join(home, name));
  writeFileSync(program!, busy);
  const text = readFileSync(languages!, "utf8");
  const listed = text.replace('["multi-edit"]', '["multi-edit", "busy"]');
  expect(listed).not.toBe(text);
  const server = ["[language-server.busy]", `command = "node"`, `args = ["${program}", "${end}"]`];
  writeFileSync(languages!, [listed, ...server, ""].join("\n"));
  return end!;
}

/** Has the server show hints on what agents have changed. */
function reviewHints({ home }: Place): void {
  const path = join(home, ".config/helix/languages.toml");
  const text = readFileSync(path, "utf8");
  const hinting = text.replace("[language-server.multi-edit]\n", '$&config = { review = "hints" }\n');
  expect(hinting).not.toBe(text);
  writeFileSync(path, hinting);
}

async function play(
  act: (scene: Scene) => Promise<void>,
  { isHasty = false, isBusy = false, hasHints = false } = {},
): Promise<void> {
  if (missing !== undefined) {
    const leftOut = `left out: the messages of Helix: ${missing}`;
    if (process.env.REQUIRE_EDITORS === "1") throw new Error(leftOut);
    console.log(leftOut);
    return;
  }
  const base = realpathSync(mkdtempSync(join(tmpdir(), "me-")));
  const place = await layPlace(helix, base, undefined);
  try {
    // Helix takes the repository as the workspace folder.
    mkdirSync(join(place.folder, ".git"));
    writeFileSync(join(place.folder, "price.txt"), "rate = 0.19\nname = net\n");
    runAsUser(place, ["multi-edit", "setup", "helix", "text", "diff", "--write"]);
    if (hasHints) reviewHints(place);
    const end = isBusy ? addBusyServer(place) : "";
    const screen = createScreen(size.columns, size.rows);
    const clock = join(place.home, "hasty.cjs");
    writeFileSync(clock, hasty);
    const env = { ...place.env, ...(isHasty ? { NODE_OPTIONS: `--require ${clock}` } : {}) };
    const terminal = startTerminal({ ...place, env }, ["hx", "price.txt"], size);
    terminal.child.stdout?.on("data", (chunk: Buffer) => void screen.print(chunk.toString()));
    const shows: Scene["shows"] = async (text, but) => {
      let last = "";
      for (const end = performance.now() + 20_000; performance.now() < end; await delay(200)) {
        const shown = textOf(screen.shoot());
        const isFree = but === undefined || !shown.includes(but.without);
        if (shown === last && shown.includes(text) && isFree) return shown.replace(/\n{3,}/g, "\n\n");
        last = shown;
      }
      throw new Error(`not on the screen: ${text}; but\n${last}`);
    };
    try {
      const [session] = await announced(join(place.home, ".local/state"));
      const agent = await friend(session, { name: "claude-code" });
      await act({ place, terminal, agent, shows, endProgress: () => writeFileSync(end, "") });
    } finally {
      await terminal.stop();
    }
  } finally {
    place.link.close();
    await removeTree(base);
  }
}

it("shows what an agent has changed, and sums up what it changes soon afterwards", { timeout: 60_000 }, async () => {
  await play(async ({ agent, shows }) => {
    await agent.ask(1, "multiEdit/apply", batch(["price.txt", "0.19", "0.2"], ["vat.txt", "", "rate = 0.07\n"]));
    expectCapture(page, "applied", await shows("To undo it"));
    await agent.ask(2, "multiEdit/apply", batch(["price.txt", "net", "gross"]));
    await agent.ask(3, "multiEdit/apply", batch(["price.txt", "nowhere", "x"]));
    await agent.ask(4, "multiEdit/undo", {});
    expectCapture(page, "summed up", await shows("undid a call"));
  });
});

/** A screen without the message about the call, which Helix shows a second time later. */
const withoutMessage = (screen: string): string => screen.replace(/\n"claude-code" changed .*$/m, "");

it("lets its user review a call over three files, hunk by hunk, without a plugin", { timeout: 60_000 }, async () => {
  await play(
    async ({ agent, shows, terminal, place }) => {
      const onDisk = (name: string): string | undefined =>
        existsSync(join(place.folder, name)) ? readFileSync(join(place.folder, name), "utf8") : undefined;
      writeFileSync(join(place.folder, "tax.txt"), "tax = 0.07\n");
      await shows("rate = 0.19");
      const edits = [["price.txt", "0.19", "0.2"] as const, ["tax.txt", "0.07", "0.05"] as const];
      await agent.ask(1, "multiEdit/apply", batch(...edits, ["vat.txt", "", "vat = 1\n"]));
      const next = (): void => terminal.write(":lsp-workspace-command multiEdit.reviewNext\r");
      next();
      expectCapture(page, "review", withoutMessage(await shows("1 line changed")));
      terminal.write(" k");
      expectCapture(page, "former", withoutMessage(await shows("-rate = 0.19")));
      terminal.write("\u001b");
      // Otherwise, Helix takes the escape and the next key for one key.
      await delay(100);
      terminal.write(" a");
      expectCapture(page, "menu", withoutMessage(await shows("Show all changes as a diff")));
      terminal.write("\r");
      await shows("rate = 0.19", { without: "1 line changed" });
      next();
      await shows("tax = 0.05");
      terminal.write(" a");
      await shows("Keep this change");
      terminal.write("\u000e\r");
      await shows("tax = 0.05", { without: "1 line changed" });
      next();
      await shows("file created");
      terminal.write(" a");
      await shows("Undo this change");
      terminal.write("\r");
      await expect.poll(() => onDisk("vat.txt")).toBe(undefined);
      expect(onDisk("tax.txt")).toBe("tax = 0.05\n");
    },
    { hasHints: true },
  );
});

it("shows it again if another server, which was starting, has removed it from the screen", {
  timeout: 60_000,
}, async () => {
  const act = async ({ agent, endProgress, shows }: Scene): Promise<void> => {
    await shows("rate = 0.19");
    await agent.ask(1, "multiEdit/apply", batch(["price.txt", "0.19", "0.2"]));
    await shows("To undo it");
    endProgress();
    await shows("rate = 0.2\n", { without: "To undo it" });
    await shows("To undo it");
  };
  await play(act, { isBusy: true });
});

const question = {
  ...batch(["price.txt", "0.19", "0.2"], ["vat.txt", "", "rate = 0.07\n"]),
  options: { confirm: true },
};

it("shows the agent's question with the files, and applies the edit after the answer", {
  timeout: 60_000,
}, async () => {
  await play(async ({ agent, terminal, shows }) => {
    await shows("rate = 0.19");
    const answer = agent.ask(1, "multiEdit/apply", question);
    expectCapture(page, "question", await shows("Reject"));
    terminal.write("\r");
    expect(await answer).toMatchObject({ result: { outcome: "applied" } });
    await shows("rate = 0.2\n");
  });
});

it("says that a question has expired, and does not ask it again while it is on the screen", {
  timeout: 60_000,
}, async () => {
  const act = async ({ agent, terminal, shows }: Scene): Promise<void> => {
    await shows("rate = 0.19");
    expect(await agent.ask(1, "multiEdit/apply", question)).toMatchObject({ error: { data: { failures: [{}] } } });
    expectCapture(page, "expired", await shows("has expired"));
    expect(await agent.ask(2, "multiEdit/apply", question)).toMatchObject({
      error: { message: expect.stringContaining("it may still be on the screen") },
    });
    // The first answer, "Apply", no longer counts.
    terminal.write("\r");
    expect(await shows("rate = 0.19")).not.toContain("Reject");
  };
  await play(act, { isHasty: true });
});

it("answers an undo of what the user has undone as other editors do", { timeout: 60_000 }, async () => {
  await play(async ({ agent, place, shows, terminal }) => {
    await agent.ask(1, "multiEdit/apply", batch(["price.txt", "0.19", "0.2"]));
    await shows("rate = 0.2\n");
    terminal.write("u");
    await shows("rate = 0.19\n");
    const [program, ...args] = place.inside;
    const undo = spawnSync(program, [...args, "multi-edit", "undo"], {
      env: place.env,
      cwd: place.folder,
      encoding: "utf8",
    });
    expect([undo.status, undo.stderr]).toEqual([
      0,
      "price.txt (1 edit) has already been undone in the editor.\nNothing was changed.\n",
    ]);
  });
});

it("shows why the user's own command failed", { timeout: 60_000 }, async () => {
  await play(async ({ terminal, shows }) => {
    await shows("rate = 0.19");
    const command = (call: object): string => `:lsp-workspace-command multiEdit.apply ${JSON.stringify(call)}`;
    terminal.write(command({ path: "price.txt", oldText: "rate: 0.19", newText: "x" }));
    await shows("newText");
    terminal.write("\r");
    expectCapture(page, "failed", await shows("was not found"));
    terminal.write(`${command({ path: "price.txt", oldText: "0.19", newText: "0.2" })}\r`);
    expect(await shows("You changed price.txt (+1 -1)")).toContain("rate = 0.2\n");
  });
});

const longCall = {
  ...batch(["long.txt", "line 100\n", "line 100\nadded\n".repeat(40)]),
  options: { confirm: true },
};

it("lets the user scroll through a diff, and takes the answer that the user then gives in a shell", {
  timeout: 60_000,
}, async () => {
  await play(async ({ agent, place, shows, terminal }) => {
    writeFileSync(join(place.folder, "long.txt"), Array.from({ length: 200 }, (_, i) => `line ${i}\n`).join(""));
    const answer = agent.ask(1, "multiEdit/apply", longCall);
    await shows("Show diff");
    terminal.write("\u000e\r");
    const shown = await shows("comes back in 20 s");
    expectCapture(page, "reading", hideRandom(shown));
    const [, code = ""] = /answer (\w{4}) apply/.exec(shown) ?? [];
    // Ctrl-D scrolls. The status line of Helix is cleared by any key.
    terminal.write("\u0004\u0004\u0004\u0004\u0004\u0004\u0004\u0004\u0004\u0004\u0004\u0004\u0004\u0004\u0004\u0004");
    await shows("line 103");
    terminal.write(`:sh multi-edit answer ${code} apply\r`);
    expect(await answer).toMatchObject({ result: { outcome: "applied" } });
  });
});

it("asks again once the user has closed the diff; Esc then leaves the question to the shell", {
  timeout: 60_000,
}, async () => {
  await play(async ({ agent, shows, terminal }) => {
    await shows("rate = 0.19");
    const answer = agent.ask(1, "multiEdit/apply", question);
    await shows("Show diff");
    terminal.write("\u000e\r");
    await shows("comes back in 20 s");
    terminal.write(":bc\r");
    expectCapture(page, "asked again", hideRandom(await shows("Reject")));
    terminal.write("\u001b");
    const [, code = ""] = /answer (\w{4}) apply/.exec(await shows("stays open")) ?? [];
    terminal.write(`:sh multi-edit answer ${code} reject\r`);
    expect(await answer).toMatchObject({ error: { data: { failures: [{ code: "userRejected" }] } } });
  });
});

/** Replaces the code and the diff's folder, which are others each time. */
const hideRandom = (screen: string): string =>
  screen.replace(/(multi-edit answer) \w{4}/g, "$1 k7fp").replace(/(~\/multi-edit)-\w{6}/g, "$1-Xq3vZt");
