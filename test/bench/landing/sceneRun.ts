/** Plays scenes against a server: an editor and an agent on its socket. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ForwardedCall } from "../../../server/lsp/protocol.js";
import { type EditorSession, MultiEditError, openSession } from "../../../server/session/client.js";
import { chanceOf } from "../../codex/random.js";
import { type FakeEditor, startEditor } from "../../support/fakeEditor.js";
import { allCircumstances, type Circumstances, drawScene, type Scene } from "./scenes.js";
import type { SourceFile } from "./sources.js";
import type { Staged } from "./staged.js";

/** The outcome of a scene. */
export interface PlayedScene<S extends Staged = Scene> {
  readonly scene: S;
  readonly outcome: "right" | "refused" | "wrong";
  /** The text afterwards. */
  readonly text: string;
  readonly codes: readonly string[];
}

/** An editor with a server, and an agent. */
interface Session {
  readonly editor: FakeEditor;
  readonly agent: EditorSession;
  readonly folder: string;
  stop(): Promise<void>;
}

/** Draws `count` scenes of each kind; fewer if the files do not allow them. */
export function drawScenes(files: readonly SourceFile[], { seed, count }: { seed: number; count: number }): Scene[] {
  return allCircumstances().flatMap((circumstances: Circumstances, kind) =>
    Array.from({ length: count }, (_, i) =>
      drawScene(chanceOf(seed * 1_000_003 + kind * 10_007 + i), files, circumstances),
    ).flatMap((scene) => scene ?? []),
  );
}

/** Plays all scenes against a program. */
export async function playScenes<S extends Staged>(program: string, scenes: readonly S[]): Promise<PlayedScene<S>[]> {
  const played = new Map<S, PlayedScene<S>>();
  for (const syncsWhole of [false, true]) {
    const session = await start(program, syncsWhole);
    const own = scenes.filter((scene) => scene.syncsWhole === syncsWhole);
    for (const [i, scene] of own.entries()) played.set(scene, await playScene(session, scene, `scene${i}.py`));
    await session.stop();
  }
  return scenes.flatMap((scene) => played.get(scene) ?? []);
}

async function start(program: string, syncsWhole: boolean): Promise<Session> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "multi-edit-scenes-")));
  const before = process.env.XDG_STATE_HOME;
  process.env.XDG_STATE_HOME = join(root, ".state");
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "multi-edit-scenes-")));
  const editor = await startEditor({
    server: [process.execPath, program, "--stdio"],
    folders: [folder],
    settings: { save: "never" },
    ...(syncsWhole ? { tells: "wholeText" } : {}),
  });
  const agent = await connected(folder);
  return {
    editor,
    agent,
    folder,
    stop: async () => {
      agent.close();
      await editor.stop();
      process.env.XDG_STATE_HOME = before;
      for (const path of [root, folder]) rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Connects as soon as the server has announced itself. */
async function connected(directory: string): Promise<EditorSession> {
  for (let tries = 0; tries < 200; tries++) {
    const session = await openSession({ client: { name: "agent", agent: "agent" }, directory });
    if (session !== undefined) return session;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("the server did not announce itself");
}

async function playScene<S extends Staged>(
  { editor, agent, folder }: Session,
  scene: S,
  name: string,
): Promise<PlayedScene<S>> {
  const path = join(folder, name);
  const uri = pathToFileURL(path).href;
  writeFileSync(path, scene.before);
  await editor.open({ uri, text: scene.before });
  await editor.request("multiEdit/status", undefined);
  if (scene.isRead) await agent.read({ path });
  for (const typed of scene.typed) await editor.type({ uri, ...typed });
  if (scene.isSaved) {
    writeFileSync(path, scene.present);
    await editor.notify("textDocument/didSave", { textDocument: { uri } });
  }
  await editor.request("multiEdit/status", undefined);
  const codes = await failuresOf(agent.apply(scene.call(path) as ForwardedCall));
  const { text } = editor.documents.get(uri)!;
  await editor.close(uri);
  rmSync(path);
  const isKept = text === scene.present;
  const outcome = codes.length > 0 && isKept ? "refused" : scene.right.includes(text) ? "right" : "wrong";
  return { scene, outcome, text, codes };
}

async function failuresOf(answer: Promise<unknown>): Promise<readonly string[]> {
  try {
    await answer;
    return [];
  } catch (error) {
    if (!(error instanceof MultiEditError) || error.failures.length === 0) throw error;
    return error.failures.map(({ code }) => code);
  }
}
