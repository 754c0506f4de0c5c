/** What a person sees in Helix when another program writes a file that is open. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runAsUser } from "./attach.js";
import { becomes, branches, by, disk, focus, keys, ownEdits, type Row, shell, vimHands, writeTo } from "./diskActs.js";
import type { EditorKind, Place } from "./editor.js";
import { helix } from "./helix.js";

const refused = "file modified by an external process, use :w! to overwrite";

const [stale, unmerged, reload] = [
  '"price.txt" changed on disk; the editor shows the old text. :reload loads it.',
  '"price.txt" changed on disk, and has unsaved text here',
  keys(":reload\r"),
] as const;

const openAll = keys(`:open ${Array.from({ length: 99 }, (_, i) => `f${i + 1}.txt`).join(" ")}\r:open price.txt\r`);

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
  "git stash, pop and checkout, with unsaved text": [
    [shell("git init -q . && git add price.txt && git commit -qm one && sed -i s/0.19/0.20/ price.txt"), stale],
    [reload, "rate = 0.20"],
    [keys("omine\u001b"), "mine", "[+]"],
    [shell("git stash -q"), "rate = 0.20", "mine", unmerged],
    [keys(":w\r"), "mine", refused],
    [shell("git stash pop -q")],
    [keys(":sh true\r"), "rate = 0.20", "mine", "[+]"],
    [shell("git checkout -q price.txt"), "rate = 0.20", "mine", unmerged],
    [reload, "rate = 0.19"],
    [keys("u"), "rate = 0.20", "mine"],
    [keys(":w\r")],
    [becomes("rate = 0.20\nmine\nnet\n")],
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
    [openAll, "price.txt"],
    [shell("git checkout -q other"), "files changed on disk and not loaded."],
    [keys(":reload-all\r"), "rate = 0.20"],
  ],
  "a branch switch that changes 100 open files, one of them with unsaved text": [
    [shell(branches), "rate = 0.19"],
    [openAll, "price.txt"],
    [keys("omine\u001b"), "mine", "[+]"],
    [shell("git checkout -q other"), unmerged],
    [keys(":sh true\r"), "99 files changed on disk and not loaded."],
    [keys(":w\r"), "rate = 0.19", "mine", refused],
    [keys(":reload-all\r"), "rate = 0.20"],
    [keys("u"), "rate = 0.19", "mine"],
  ],
  "an edit by the server that brings in what is on disk, after which :w is refused all the same": [
    [disk(by), stale],
    [{ call: { oldText: "rate = 0.19", newText: "rate = 0.20" } }, "rate = 0.20"],
    [keys(":w\r"), "rate = 0.20", refused],
    [reload, "rate = 0.20"],
    [keys("omine\u001b"), "mine", "[+]"],
    [keys(":w\r")],
    [becomes("rate = 0.20\nmine\nnet\n")],
  ],
};

const helixKept: Row["sessions"] = {
  "keeps what :w! replaces": [
    [disk(by), stale],
    [keys("omine\u001b"), "mine", "[+]"],
    [keys(":w!\r"), "has replaced what another program wrote"],
  ],
};

/** A Helix with its sessions. */
export const helixRow = (name: string, kind: EditorKind): Row => ({
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
    ...ownEdits({ ...vimHands, save: keys(":w\r") }, [
      "changed on disk; the editor shows the old text.",
      keys(":reload\r"),
    ]),
    ...helixWriters,
  },
});

/** Has Helix format each text at its save: no space around `=`. */
function setUpFormatter(place: Place): void {
  runAsUser(place, ["multi-edit", "setup", "helix", "text", "--write"]);
  const path = join(place.home, ".config/helix/languages.toml");
  const formatter = 'auto-format = true\nformatter = { command = "sed", args = ["s/ = /=/"] }';
  writeTo(path, readFileSync(path, "utf8").replace('name = "text"', `$&\n${formatter}`));
}

/** A Helix that formats a text before it saves it; in the table, it would be the Helix without. */
export const helixFormatting: Row = {
  ...helixRow("Helix 25.07 with auto-format", helix),
  setUp: setUpFormatter,
  sessions: {
    "formats, and refuses to save, after an edit by the server that brings in what is on disk": [
      [disk(by), stale],
      [{ call: { oldText: "rate = 0.19", newText: "rate = 0.20" } }, "rate = 0.20"],
      [keys(":w\r"), "rate=0.20", refused],
      [becomes(by)],
      [reload, "rate = 0.20"],
      [keys(":w\r")],
      [becomes("rate=0.20\nnet\n")],
    ],
  },
};
