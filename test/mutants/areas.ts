/** The parts of the server in which bugs are planted, and the tests that should notice them. */

/** A part of the server. */
interface Area {
  /**
   * The tests, as arguments of vitest, in groups that run one after the other until one fails. The first group has the
   * tests that start no program: they take seconds, and notice most bugs.
   */
  readonly tests: readonly (readonly string[])[];
  /** The names of the files that belong to the part; by default all of the folder. */
  readonly likeWhat?: RegExp;
}

/** What happens over the wire is the same for every plan, so the pages are only tried on the core. */
const pages = ["test/cases.test.ts", "-t", "on the core"];

/** Stories, laws and tables about earlier texts and merging, and the same with a server. */
const stories = ["test/merg", "test/viewLaws.test.ts", "test/viewsMerge.test.ts", "test/trail"];
const earlierTexts = ["test/views.test.ts", "test/viewsAgain", "test/viewsOf", "test/viewLimits", "test/identities"];

/** The parts by their folders. */
export const areas: Readonly<Record<string, Area>> = {
  "server/plan/views": { tests: [stories, pages, earlierTexts] },
  "server/text": {
    tests: [[...stories, "test/text.test.ts"], pages, earlierTexts],
    likeWhat: /^(?:merge|lineChanges|lineParts|words|hunks)\.ts$/,
  },
  "server/match": {
    tests: [["test/ladderLaws.test.ts", "test/laws.test.ts", "test/batchLaws.test.ts", "test/ind"], pages],
  },
  "server/plan": {
    tests: [["test/plan.test.ts", "test/laws.test.ts", "test/patchLaws.test.ts", "test/outcomes"], pages],
  },
  "server/disk": {
    tests: [["test/disk"]],
    likeWhat: /^(?:journal|commit|stage|moveIntoPlace|recover|rollBack)\.ts$/,
  },
  "server/lsp/wire": {
    tests: [["test/framing.test.ts", "test/envelope", "test/rpc.test.ts"], ["test/connection.test.ts"]],
    likeWhat: /^(?:framing|gate|channel)\.ts$/,
  },
  "server/session": {
    tests: [
      ["test/agent/settingsFile.test.ts", "test/agent/record.test.ts"],
      ["test/agent/gate", "test/agent/settingsLink.test.ts", "test/agent/sessions.test.ts"],
    ],
    likeWhat: /^gates\.ts$/,
  },
  "server/programs/hook": {
    tests: [["test/agent/shellPatch.test.ts", "test/agent/remembered.test.ts"], ["test/agent/hook"]],
  },
  "server/lsp/apply": {
    tests: [
      ["test/savedTextLaws.test.ts", "test/outcomes", "test/within.test.ts", "test/diskPart.test.ts"],
      [
        "test/typing.test.ts",
        "test/undo",
        "test/roundTrip.test.ts",
        "test/confirm",
        "test/save.test.ts",
        "test/review",
      ],
      [
        ...["test/rollBack", "test/textsTogether.test.ts", "test/clients.test.ts", "test/didApply.test.ts"],
        ...["test/requestOptions.test.ts", "test/trueReasons.test.ts", "test/scenes.test.ts"],
        ...["test/agent/undoOnDisk.test.ts", "test/shellAnswer.test.ts"],
      ],
    ],
  },
  "server/workspace": {
    tests: [
      ["test/protection.test.ts", "test/paths.test.ts", "test/pathLaws.test.ts"],
      ["test/hostile.test.ts", "test/agent/gate"],
    ],
    likeWhat: /^protect/,
  },
};

/** The parts of the hundred bugs that `npm run prove` plants, in turn. */
export const pooled: readonly string[] = [
  ...["server/text", "server/match", "server/plan", "server/plan/views"],
  ...["server/workspace", "server/programs/hook", "server/disk", "server/lsp/wire"],
];
