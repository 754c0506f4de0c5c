/** The parts of the scenes in `diskScenes.ts` that all editors share: what happens to an open file, and who does it. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentName, hookNames } from "../../server/agents/agents.js";
import type { EditorKind, Place } from "./editor.js";

/**
 * A person's keys, another program's new text, a shell's command in the file's folder, an agent's own edit, its call of
 * our tool, or the text that the file must get; and what the screen then shows.
 */
type Act =
  | { readonly keys: string }
  | { readonly disk: string }
  | { readonly shell: string }
  | { readonly edit: OwnEdit }
  | { readonly call: { readonly oldText: string; readonly newText: string } }
  | { readonly becomes: string };
export type Step = readonly [act: Act, ...shown: string[]];

export const keys = (typed: string): Act => ({ keys: typed });
export const disk = (text: string): Act => ({ disk: text });
export const shell = (command: string): Act => ({ shell: command });
export const becomes = (text: string): Act => ({ becomes: text });

/** An agent's own edit of the file, in the form of the hook that `client-samples/agents/hooks.md` recommends. */
export interface OwnEdit {
  readonly agent: AgentName;
  readonly from: string;
  readonly to: string;
  /** `true` if the agent's own tool writes a saved file, whatever the form, because the editor can't save it. */
  readonly isLeft?: true;
}

/** The names of the sessions in which each agent edits the file. */
export const [ownEditsSaved, ownEditsUnsaved] = [
  "each agent's own edit of a saved file",
  "each agent's own edit of a file with unsaved text, and then a save",
] as const;

/** The keys with which a terminal says that it has lost and got the focus. */
export const focus = keys("\u001b[O\u001b[I");

/** The text that is opened. */
export const before = "rate = 0.19\nnet\n";
/** Two texts that another program writes. */
export const [by, after] = ["rate = 0.20\nnet\n", "rate = 0.21 and more\nnet\n"];

/** An editor, as it is set up and started, and a person's sessions with it: what happens, by name. */
export interface Row {
  readonly name: string;
  readonly program: "Neovim" | "Emacs" | "Helix" | "VS Code";
  readonly kind: EditorKind;
  readonly command: readonly string[];
  setUp(place: Place): void;
  readonly sessions: Readonly<Record<string, readonly Step[]>>;
}

/** Writes a file and makes its folder. */
export function writeTo(path: string, text: string): void {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
}

/** A person's keys for typing a new line with the word "mine" at the end of the text or below its first line, and for saving. */
export interface Hands {
  readonly mine: Act;
  readonly save: Act;
  /** The text after the first is typed into `rate = RATE` and saved. */
  readonly saved: (rate: string) => string;
}

const rateOf = (step: number): string => `rate = 0.${19 + step}`;

/**
 * The own edits of all agents with a hook, of a saved file and of one with unsaved text. `load`: what a person must do for
 * a saved file, and what the screen shows before.
 */
export const ownEdits = ({ mine, save, saved }: Hands, load?: readonly [shown: string, keys: Act]): Row["sessions"] => {
  const edits = hookNames.map((agent, i) => ({ agent, from: rateOf(i), to: rateOf(i + 1) }));
  const last = rateOf(edits.length);
  return {
    [ownEditsSaved]: edits.flatMap((edit): Step[] =>
      load === undefined
        ? [[{ edit }, edit.to]]
        : [
            [{ edit: { ...edit, isLeft: true } }, load[0]],
            [keys(":sh true\r"), edit.from],
            [load[1], edit.to],
          ],
    ),
    [ownEditsUnsaved]: [
      [mine, "mine"],
      ...edits.map((edit): Step => [{ edit }, edit.to, "mine"]),
      [save],
      [becomes(saved(last.slice("rate = ".length)))],
    ],
  };
};

/** What all writers of files have in common, in every editor that loads and merges. */
export const writers = ({ mine, save, saved }: Hands): Row["sessions"] => ({
  "sed -i on a clean file, and on one with unsaved text": [
    [shell("sed -i s/0.19/0.20/ price.txt"), "rate = 0.20"],
    [mine, "rate = 0.20", "mine"],
    [shell("sed -i s/0.20/0.21/ price.txt"), "rate = 0.21", "mine"],
    [save],
    [becomes(saved("0.21"))],
  ],
  "git checkout, stash and pop, with and without unsaved text": [
    [shell("git init -q . && git add price.txt && git commit -qm one && sed -i s/0.19/0.20/ price.txt"), "rate = 0.20"],
    [shell("git stash -q"), "rate = 0.19"],
    [shell("git stash pop -q"), "rate = 0.20"],
    [mine, "rate = 0.20", "mine"],
    [shell("git checkout -q price.txt"), "rate = 0.19", "mine"],
    [save],
    [becomes(saved("0.19"))],
  ],
  "git stash and pop in one moment, with unsaved text, and then a save": [
    [shell("git init -q . && git add price.txt && git commit -qm one && sed -i s/0.19/0.20/ price.txt"), "rate = 0.20"],
    [mine, "rate = 0.20", "mine"],
    [shell("git stash -q && git stash pop -q && sleep 1"), "rate = 0.20", "mine"],
    [save],
    [becomes(saved("0.20"))],
  ],
  "a file that is removed and made again, written twice in 50 ms, and truncated for a second": [
    [shell("rm price.txt; sleep 0.3; printf 'rate = 0.20\\nnet\\n' > price.txt"), "rate = 0.20"],
    [mine, "rate = 0.20", "mine"],
    [shell("sed -i s/0.20/0.21/ price.txt; sleep 0.05; sed -i s/0.21/0.22/ price.txt"), "rate = 0.22", "mine"],
    [shell(": > price.txt; sleep 1; printf 'rate = 0.23\\nnet\\n' > price.txt"), "rate = 0.23", "mine"],
    [save],
    [becomes(saved("0.23"))],
  ],
  "a save between two writes": [
    [mine, "mine"],
    [shell("sed -i s/0.19/0.20/ price.txt"), "rate = 0.20", "mine"],
    [save],
    [becomes(saved("0.20"))],
    [shell("sed -i s/0.20/0.21/ price.txt"), "rate = 0.21", "mine"],
    [save],
    [becomes(saved("0.21"))],
  ],
  "a formatter, right after the person has saved": [
    [mine, "mine"],
    [save],
    [becomes(saved("0.19"))],
    [shell("sed -i 's/ = /=/' price.txt"), "rate=0.19", "mine"],
    [shell("sed -i 's/=/ = /' price.txt"), "rate = 0.19", "mine"],
  ],
});

/** Makes 99 more files, and a branch on which all 100 are changed. */
export const branches = `git init -q .
for i in $(seq 99); do printf 'rate = 0.19\\nnet\\n' > f$i.txt; done
git add -- *.txt && git commit -qm one && git branch -q first && git checkout -qb other
sed -i s/0.19/0.20/ -- *.txt && git commit -qam two && git checkout -q first`;

/** The keys in Vim and in Helix. */
export const vimHands: Hands = {
  mine: keys("omine\u001b"),
  save: keys(":w\r"),
  saved: (rate) => `rate = ${rate}\nmine\nnet\n`,
};
