/**
 * What a person sees in each editor when another program, such as an agent's own tool, writes a file that is open; the table
 * of agents and editors in `client-samples/agents/hooks.md` is made from it.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentName, hookNames } from "../../server/agents/agents.js";
import { blockOf, runAsUser } from "./attach.js";
import type { EditorKind, Place } from "./editor.js";
import { eglot } from "./emacs.js";
import { helix, olderHelix } from "./helix.js";
import { neovim, olderNeovim } from "./neovim.js";

/**
 * A person's keys, another program's new text, a shell's command in the file's folder, an agent's own edit, or the text that
 * the file must get; and what the screen then shows.
 */
type Act =
  | { readonly keys: string }
  | { readonly disk: string }
  | { readonly shell: string }
  | { readonly edit: OwnEdit }
  | { readonly becomes: string };
export type Step = readonly [act: Act, ...shown: string[]];

const keys = (typed: string): Act => ({ keys: typed });
const disk = (text: string): Act => ({ disk: text });
const shell = (command: string): Act => ({ shell: command });
const becomes = (text: string): Act => ({ becomes: text });

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

const focus = keys("\u001b[O\u001b[I");

/** The text that is opened. */
export const before = "rate = 0.19\nnet\n";
const [by, after] = ["rate = 0.20\nnet\n", "rate = 0.21 and more\nnet\n"];

/** An editor, as it is set up and started, and a person's sessions with it: what happens, by name. */
export interface Row {
  readonly name: string;
  readonly program: "Neovim" | "Emacs" | "Helix";
  readonly kind: EditorKind;
  readonly command: readonly string[];
  setUp(place: Place): void;
  readonly sessions: Readonly<Record<string, readonly Step[]>>;
}

function writeTo(path: string, text: string): void {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
}

/** A person's keys for typing a new line with the word "mine" at the end of the text or below its first line, and for saving. */
interface Hands {
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
const ownEdits = ({ mine, save, saved }: Hands, load?: readonly [shown: string, keys: Act]): Row["sessions"] => {
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
const writers = ({ mine, save, saved }: Hands): Row["sessions"] => ({
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
const branches = `git init -q .
for i in $(seq 99); do printf 'rate = 0.19\\nnet\\n' > f$i.txt; done
git add -- *.txt && git commit -qm one && git branch -q first && git checkout -qb other
sed -i s/0.19/0.20/ -- *.txt && git commit -qam two && git checkout -q first`;

const neovimHands: Hands = {
  mine: keys("omine\u001b"),
  save: keys(":w\r"),
  saved: (rate) => `rate = ${rate}\nmine\nnet\n`,
};

const emacsHands: Hands = {
  mine: keys("\u001b>mine\r"),
  save: keys("\u0018\u0013"),
  saved: (rate) => `rate = ${rate}\nnet\nmine\n`,
};

const neovimRisks: Row["sessions"] = {
  "merges after the person has saved a copy under another name": [
    [keys("omine\u001b"), "mine", "[+]"],
    [keys(":w copy.txt\r"), "copy.txt", "written"],
    [disk(by), "rate = 0.20", "mine"],
    [focus],
    [keys(":sleep 3\r:w\r")],
    [becomes("rate = 0.20\nmine\nnet\n")],
  ],
  "asks before it saves over a conflict that came while the person was typing": [
    [keys("omi"), "mi", "-- INSERT --"],
    [disk(by), "rate = 0.20", "mi", "-- INSERT --"],
    [disk("rate = 0.20\ntheirs\nnet\n"), "not merged, you and the disk changed"],
    [keys("ne\u001b"), "mine"],
    [keys(":w\r"), "WARNING: The file has been changed since reading it!!!", "(y/n)?"],
  ],
  "loads a buffer that can't be changed": [
    [keys(":set readonly nomodifiable\r")],
    [disk(by), "rate = 0.20"],
    [disk(after), "rate = 0.21 and more"],
  ],
  "loads a clean buffer with a byte order mark, also without 'autoread'": [
    [keys(":set noautoread bomb\r:w\r"), "written"],
    [becomes(`\ufeff${before}`)],
    [disk(`\ufeff${by}`), "rate = 0.20"],
    [keys("omine\u001b"), "mine", "[+]"],
    [keys(":w\r"), "mine", "written"],
    [becomes("\ufeffrate = 0.20\nmine\nnet\n")],
  ],
};

const neovimRow = (name: string, kind: EditorKind): Row => ({
  name,
  program: "Neovim",
  kind,
  command: ["nvim", "-n", "price.txt"],
  setUp: ({ home }) =>
    writeTo(join(home, ".config/nvim/init.lua"), blockOf("client-samples/neovim/README.md", "lua neovim")),
  sessions: {
    "loads a clean buffer again at once, and asks nothing at the next save": [
      [disk(by), "rate = 0.20"],
      [keys("omine\u001b"), "rate = 0.20", "mine", "[+]"],
      [keys(":w\r"), "mine", "written"],
      [disk(after), "rate = 0.21 and more"],
    ],
    "merges into unsaved text, which one undo gives back, and asks nothing at the next save": [
      [keys("omine\u001b"), "mine", "[+]"],
      [disk(by), "rate = 0.20", "mine", "[+]"],
      [focus, "rate = 0.20", "mine"],
      [keys("u"), "rate = 0.19", "mine", "you have undone what was merged"],
      [keys("\u0012"), "rate = 0.20", "mine"],
      [keys(":w\r"), "mine", "written"],
      [disk(after), "rate = 0.21 and more"],
    ],
    "merges while the person goes on typing": [
      [keys("omi"), "mi", "-- INSERT --"],
      [disk(by), "rate = 0.20", "mi", "-- INSERT --"],
      [keys("ne\u001b"), "mine"],
      [keys(":w\r"), "mine"],
      [disk(after), "rate = 0.21 and more"],
    ],
    "keeps unsaved text where both sides changed the same, says where, and asks before it saves": [
      [keys("ccrate = 0.07\u001b"), "rate = 0.07", "[+]"],
      [disk(by), "rate = 0.07", "not merged, you and the disk changed line 1. :MultiEditMerge shows both."],
      [keys(":w\r"), "WARNING: The file has been changed since reading it!!!", "(y/n)?"],
    ],
    "merges a conflict by hand, change by change, and then asks nothing at the next save": [
      [keys("ccrate = 0.07\u001b"), "rate = 0.07", "[+]"],
      [disk(by), "rate = 0.07", "changed line 1"],
      [keys(":MultiEditMerge\r"), "rate = 0.07", "rate = 0.20", "on disk: price.txt"],
      [keys("ggdo"), "price.txt"],
      [keys("omine\u001b:only\r"), "rate = 0.20", "mine", "price.txt"],
      [keys(":w\r"), "mine", "written"],
      [disk(after), "rate = 0.21 and more"],
    ],
    "takes over 99 of 100 files that a branch switch changes, and says where the other one conflicts": [
      [shell(branches), "rate = 0.19"],
      [keys(":set hidden\r:silent args f*.txt\r:silent argdo edit\r:buffer price.txt\r"), "rate = 0.19", "price.txt"],
      [keys("ccrate = 0.07\u001b"), "rate = 0.07", "[+]"],
      [shell("git checkout -q other"), "99 files taken", "changed line 1"],
      [keys("\r:buffer f99.txt\r"), "rate = 0.20", "f99.txt"],
      [keys(":echo 'new:' len(filter(getbufinfo(), \"getbufline(v:val.bufnr, 1) == ['rate = 0.20']\"))\r"), "new: 99"],
    ],
    ...neovimRisks,
    ...writers(neovimHands),
    ...ownEdits(neovimHands),
  },
});

const refused = "file modified by an external process, use :w! to overwrite";

const [stale, unmerged, reload] = [
  '"price.txt" changed on disk; the editor shows the old text. :reload loads it.',
  '"price.txt" changed on disk, and has unsaved text here',
  keys(":reload\r"),
] as const;

const helixWriters: Row["sessions"] = {
  "sed -i on a clean file, and on one with unsaved text": [
    [shell("sed -i s/0.19/0.20/ price.txt"), stale],
    [reload, "rate = 0.20"],
    [keys("omine\u001b"), "mine", "[+]"],
    [shell("sed -i s/0.20/0.21/ price.txt"), "rate = 0.20", "mine", unmerged],
    [reload, "rate = 0.21"],
  ],
  "git checkout, stash and pop": [
    [shell("git init -q . && git add price.txt && git commit -qm one && sed -i s/0.19/0.20/ price.txt"), stale],
    [reload, "rate = 0.20"],
    [shell("git stash -q"), stale],
    [reload, "rate = 0.19"],
    [shell("git stash pop -q"), stale],
    [reload, "rate = 0.20"],
    [shell("git checkout -q price.txt"), stale],
    [reload, "rate = 0.19"],
  ],
  "a file that is removed and made again, written twice in 50 ms, and truncated for a second": [
    [shell("rm price.txt; sleep 0.3; printf 'rate = 0.20\\nnet\\n' > price.txt"), stale],
    [reload, "rate = 0.20"],
    [shell("sed -i s/0.20/0.21/ price.txt; sleep 0.05; sed -i s/0.21/0.22/ price.txt"), stale],
    [reload, "rate = 0.22"],
    [shell(": > price.txt; sleep 1; printf 'rate = 0.23\\nnet\\n' > price.txt"), stale],
    [reload, "rate = 0.23"],
  ],
  "a formatter, right after the person has saved": [
    [keys("omine\u001b"), "mine", "[+]"],
    [keys(":w\r"), "mine"],
    [becomes("rate = 0.19\nmine\nnet\n")],
    [shell("sed -i 's/ = /=/' price.txt"), stale],
    [reload, "rate=0.19", "mine"],
    [keys("omore\u001b"), "more", "[+]"],
    [keys(":w\r"), "more"],
    [becomes("rate=0.19\nmine\nmore\nnet\n")],
  ],
  "a branch switch that changes 100 open files": [
    [shell(branches), "rate = 0.19"],
    [keys(`:open ${Array.from({ length: 99 }, (_, i) => `f${i + 1}.txt`).join(" ")}\r:open price.txt\r`), "price.txt"],
    [shell("git checkout -q other"), "files changed on disk and not loaded."],
    [keys(":reload-all\r"), "rate = 0.20"],
  ],
};

const helixKept: Row["sessions"] = {
  "keeps what :w! replaces": [
    [disk(by), stale],
    [keys("omine\u001b"), "mine", "[+]"],
    [keys(":w!\r"), "has replaced what another program wrote"],
  ],
};

const helixRow = (name: string, kind: EditorKind): Row => ({
  name,
  program: "Helix",
  kind,
  command: ["hx", "price.txt"],
  setUp: (place) => void runAsUser(place, ["multi-edit", "setup", "helix", "text", "--write"]),
  sessions: {
    "never loads a clean buffer again by itself, refuses to save it, and reloads when told to": [
      [disk(by), stale],
      [focus],
      [keys(":sh true\r"), "rate = 0.19"],
      [keys(":w\r"), "rate = 0.19", refused],
      [keys(":reload\r"), "rate = 0.20"],
    ],
    ...(kind === helix ? helixKept : {}),
    "refuses to save a buffer with unsaved text; a reload drops it, and u brings it back": [
      [keys("omine\u001b"), "mine", "[+]"],
      [disk(by), '"price.txt" changed on disk, and has unsaved text here'],
      [keys(":w\r"), "mine", refused],
      [keys(":reload\r"), "rate = 0.20"],
      [keys("u"), "rate = 0.19", "mine"],
    ],
    ...ownEdits({ ...neovimHands, save: keys(":w\r") }, [
      "changed on disk; the editor shows the old text.",
      keys(":reload\r"),
    ]),
    ...helixWriters,
  },
});

const [save, toEnd] = ["\u0018\u0013", "\u001b>"];
const emacsRow = (name: string, more: string, sessions: Row["sessions"]): Row => ({
  name,
  program: "Emacs",
  kind: eglot,
  command: ["emacs", "-nw", "-Q", "-l", "../h/init.el", "price.txt"],
  setUp: ({ home, repository }) =>
    writeTo(
      join(home, "init.el"),
      `(add-to-list 'load-path "${repository}/client-samples/emacs")
       (setq inhibit-startup-screen t make-backup-files nil create-lockfiles nil)
       ${blockOf("client-samples/emacs/README.md", "elisp eglot")}${more}`,
    ),
  sessions,
});

/** The editors. */
export const rows: readonly Row[] = [
  neovimRow("Neovim 0.12", neovim),
  neovimRow("Neovim 0.10", olderNeovim),
  helixRow("Helix 25.07", helix),
  helixRow("Helix 25.01", olderHelix),
  ...["", "(global-auto-revert-mode 1)"].map((more) =>
    emacsRow(`Emacs 30${more === "" ? "" : " with global-auto-revert-mode"}`, more, {
      "loads a clean buffer again at once, and asks nothing": [
        [disk(by), "rate = 0.20"],
        [keys(`${toEnd}mine`), "rate = 0.20", "mine"],
        [keys(save), "Wrote"],
        [disk(after), "rate = 0.21 and more"],
      ],
      "merges into unsaved text, which one undo gives back, and asks nothing": [
        [keys(`${toEnd}mine`), "mine"],
        [disk(by), "rate = 0.20", "mine"],
        [keys("\u001f"), "rate = 0.19", "mine"],
        [keys("\u0001\u001f"), "rate = 0.20", "mine"],
        [keys(`${toEnd}!`), "mine", "!"],
        [keys(save), "Wrote"],
        [disk(after), "rate = 0.21 and more"],
      ],
      "keeps unsaved text where both sides changed the same, says where, and asks before it saves": [
        [keys("\u000brate = 0.07"), "rate = 0.07"],
        [disk(by), "rate = 0.07", "not merged, you and the disk changed line 1.", "edit-merge shows both."],
        [keys(save), "price.txt has changed since visited or saved.", "Save anyway?"],
      ],
      "takes over 99 of 100 files that a branch switch changes, and says where the other one conflicts": [
        [shell(branches), "rate = 0.19"],
        [keys("\u0018\u0006f*.txt\r"), "rate = 0.19", "f"],
        [keys("\u0018bprice.txt\r\u000brate = 0.07"), "rate = 0.07", "price.txt"],
        [shell("git checkout -q other"), "99 files taken over from disk, 1 conflict."],
        [keys("\u0018bf99.txt\r"), "rate = 0.20", "f99.txt"],
        [keys("\u0018bf1.txt\r"), "rate = 0.20", "f1.txt"],
      ],
      ...writers(emacsHands),
      ...ownEdits(emacsHands),
    }),
  ),
];
