/**
 * What a person sees in each editor when another program, such as an agent's own tool, writes a file that is open; the table
 * of agents and editors in `client-samples/agents/hooks.md` is made from it.
 */
import { join } from "node:path";
import { blockOf } from "./attach.js";
import {
  after,
  becomes,
  before,
  branches,
  by,
  disk,
  focus,
  type Hands,
  keys,
  ownEdits,
  type Row,
  shell,
  vimHands,
  writers,
  writeTo,
} from "./diskActs.js";
import type { EditorKind } from "./editor.js";
import { eglot, interpreted } from "./emacs.js";
import { helix, olderHelix } from "./helix.js";
import { helixRow } from "./helixDiskScenes.js";
import { neovim, olderNeovim } from "./neovim.js";

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
    ...writers(vimHands),
    ...ownEdits(vimHands),
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
      `${interpreted}
       (add-to-list 'load-path "${repository}/client-samples/emacs")
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
