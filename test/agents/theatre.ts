/** The place of a scene: a project, an agent, and editors that come and go. */
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { announced, filesIn } from "../support/agentPeer.js";
import { makeDirectory, textsBelow } from "../support/directory.js";
import { answerLoads } from "../support/editorLoads.js";
import { type FakeEditor, startEditor } from "../support/fakeEditor.js";
import type { Conversation, Stage } from "./stage.js";

/** Texts of the open documents by path, which need not be those on disk. */
export type OpenTexts = Readonly<Record<string, string>>;

/** The strict editor of the tests, with the project as its workspace folder. */
export interface SceneEditor {
  /** The open texts by path. */
  texts(): Record<string, string>;
  /** The number of questions that the user was asked. */
  questions(): number;
  /** Undoes the last call, as a command of the editor does it. */
  undo(): Promise<void>;
  /** Comments on lines of a file, from 0, as the person does who reviews them. */
  comment(path: string, line: number, text: string): Promise<void>;
  /** Ends as LSP says, and waits until the session is no longer announced. */
  quit(): Promise<void>;
  kill(): Promise<void>;
  /** Stops the server's process, which then answers no more. */
  suspend(): void;
}

/** The editor of a user, with our sample or without it. */
export interface SceneUser {
  /** Set if the user is asked about every edit, and agrees after so many milliseconds. */
  readonly confirmsAfter?: number;
  /** `true` if the editor saves files, and follows them on disk, as it does with our sample. */
  readonly hasSample?: boolean;
  /** `true` if the user reviews what agents change. */
  readonly reviews?: boolean;
}

/** The place of a scene. */
export interface Theatre {
  readonly stage: Stage;
  /** Canonical path of the project's folder. */
  readonly root: string;
  /** Writes files into the project. */
  lay(files: Readonly<Record<string, string>>): void;
  /** All files of the project by path. */
  disk(): Record<string, string>;
  /** Starts an editor, opens documents in it, and waits until agents can find it. */
  openEditor(open: OpenTexts, user?: SceneUser): Promise<SceneEditor>;
  /** Runs the agent in the project's folder, or in a folder below it. */
  converse<T>(play: (conversation: Conversation) => Promise<T>, folder?: string): Promise<T>;
  /** The message with which the server refuses this call. */
  messageOf(call: object): string;
  close(): void;
}

/** Lays an empty project. `server`: path of the built server. */
export function layTheatre(stage: Stage, server: string): Theatre {
  const root = makeDirectory({});
  const editors: FakeEditor[] = [];
  return {
    stage,
    root,
    lay(files) {
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), text);
      }
    },
    disk: () => textsBelow(root),
    async openEditor(open, user = {}) {
      const command = [process.execPath, server, "--stdio"] as const;
      const { confirmsAfter, hasSample = false, reviews = false } = user;
      const settings = {
        ...(hasSample ? {} : { save: "never" }),
        ...(confirmsAfter === undefined ? {} : { confirm: "always" }),
        ...(reviews ? { review: "hints" } : {}),
      };
      const multiEdit = hasSample ? { save: true, didChangeOnDisk: true } : {};
      const editor = await startEditor({
        ...{ server: command, folders: [root], clientInfo: { name: "Tester" }, settings, saves: "saves" },
        capabilities: { experimental: { multiEdit } },
      });
      answerLoads(editor);
      editors.push(editor);
      editor.answerQuestionsWith("Apply");
      editor.beforeAnswers(() => new Promise((resolve) => setTimeout(resolve, confirmsAfter ?? 0)));
      for (const [path, text] of Object.entries(open)) {
        const uri = pathToFileURL(join(root, path)).href;
        const old = hasSample ? readFileSync(join(root, path), "utf8") : text;
        await editor.open({ uri, text: old });
        if (old === text) continue;
        // The server compares a document with its file after it was opened.
        await delay(150);
        await editor.type({ uri, from: 0, to: old.length, insert: text });
      }
      await announced(stage.state, 1);
      return sceneEditor(editor, root, stage.state);
    },
    converse: (play, folder = root) => stage.converse(folder, play),
    messageOf: (call) => stage.refusalOf(call, root),
    close() {
      for (const editor of editors) editor.process.kill("SIGKILL");
    },
  };
}

function sceneEditor(editor: FakeEditor, root: string, state: string): SceneEditor {
  return {
    texts: () =>
      Object.fromEntries(
        [...editor.documents].map(([uri, { text }]) => [uri.slice(pathToFileURL(root).href.length + 1), text]),
      ),
    questions: () => editor.questions.length,
    async undo() {
      await editor.connection.sendRequest("workspace/executeCommand", { command: "multiEdit.undo", arguments: [] });
    },
    async comment(path, line, text) {
      const at = { line, character: 0 };
      const params = { uri: pathToFileURL(join(root, path)).href, range: { start: at, end: at }, text };
      await editor.connection.sendRequest("workspace/executeCommand", {
        command: "multiEdit.comment",
        arguments: [params],
      });
    },
    async quit() {
      await editor.stop();
      while (filesIn(state).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    },
    async kill() {
      editor.process.kill("SIGKILL");
      if (editor.process.signalCode === null) await once(editor.process, "exit");
    },
    suspend: () => void editor.process.kill("SIGSTOP"),
  };
}
