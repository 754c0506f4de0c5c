/** What a person sees in VS Code when another program writes a file that is open. The keys are those of `pressAll`. */
import {
  after,
  becomes,
  before,
  by,
  disk,
  type Hands,
  keys,
  ownEdits,
  type Row,
  writers,
} from "../editors/diskActs.js";
import type { VsCodeDriver } from "./vscode.js";

/** Single characters that stand for keys with Ctrl. */
const control: Readonly<Record<string, string>> = {
  "\u0005": "End",
  "\u0008": "Home",
  "\u0013": "s",
  "\u0019": "y",
  "\u001a": "z",
};
const [end, home, save, redo, undo] = ["\u0005", "\u0008", keys("\u0013"), keys("\u0019"), keys("\u001a")] as const;
/** Selects the rest of the line. */
const toLineEnd = "\u000b";

/** Presses keys in VS Code: `\r` is Enter, and other control characters are as above. */
export async function pressAll({ page }: VsCodeDriver, typed: string): Promise<void> {
  for (const key of typed) {
    const held = control[key];
    if (held !== undefined) await page.press(held, { ctrl: true });
    else if (key === toLineEnd) await page.press("End", { shift: true });
    else await page.press(key === "\r" ? "Enter" : key);
  }
}

const hands: Hands = {
  mine: keys(`${end}mine\r`),
  save,
  saved: (rate) => `rate = ${rate}\nnet\nmine\n`,
};

/** VS Code, as the other editors are in `diskScenes.ts`. It needs no command line. */
export const vscodeRow: Pick<Row, "program" | "sessions"> = {
  program: "VS Code",
  sessions: {
    "loads a clean file again at once, and asks nothing at the next save; undo gives the old text back": [
      [disk(by), "rate = 0.20"],
      [undo, "rate = 0.19"],
      [redo, "rate = 0.20"],
      [keys(`${end}mine\r`), "rate = 0.20", "mine"],
      [save],
      [becomes(`${by}mine\n`)],
      [disk(after), "rate = 0.21 and more"],
    ],
    "merges into unsaved text, which one undo gives back, and asks nothing at the next save": [
      [keys(`${end}mine\r`), "mine"],
      [disk(by), "rate = 0.20", "mine"],
      [undo, "rate = 0.19", "mine"],
      [redo, "rate = 0.20", "mine"],
      [save],
      [becomes(`${by}mine\n`)],
      [disk(after), "rate = 0.21 and more"],
    ],
    "takes what was merged out of the file if the person undoes it and saves": [
      [keys(`${end}mine\r`), "mine"],
      [disk(by), "rate = 0.20", "mine"],
      [undo, "rate = 0.19", "mine", "you have undone what was merged; your next save takes it out of the file"],
      [save],
      [becomes(`${before}mine\n`)],
    ],
    "keeps unsaved text where both sides changed the same, says where, and refuses to save if the file's length is another":
      [
        [keys(`${home}${toLineEnd}rate = 0.07`), "rate = 0.07"],
        [disk(after), "rate = 0.07", "not merged, you and the disk changed line 1."],
        [save, "Failed to save 'price.txt': The content of the file is newer.", "Compare", "Overwrite"],
        [becomes(after)],
      ],
    "saves such a text over one of the same length, and says where this is kept": [
      [keys(`${home}${toLineEnd}rate = 0.07`), "rate = 0.07"],
      [disk(by), "rate = 0.07", "not merged, you and the disk changed line 1."],
      [save, "has replaced what another program wrote, which was not merged. It is kept for 7 days"],
      [becomes("rate = 0.07\nnet\n")],
    ],
    ...writers(hands),
    ...ownEdits(hands),
  },
};
