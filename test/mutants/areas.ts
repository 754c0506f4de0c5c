/** The parts of the server in which bugs are planted, and the tests that should notice them. */

/** A part of the server. */
interface Area {
  /** Files of tests, as vitest takes them. */
  readonly tests: readonly string[];
  /** `true` if these tests run the built program. */
  readonly isBuilt?: boolean;
  /** The names of the files that belong to the part; by default all of the folder. */
  readonly likeWhat?: RegExp;
}

const merging = [
  "test/merg",
  "test/views",
  "test/viewLaws.test.ts",
  "test/cases.test.ts",
  "test/trail",
  "test/identities.test.ts",
];

/** The parts by their folders. */
export const areas: Readonly<Record<string, Area>> = {
  "server/plan/views": { tests: merging },
  "server/text": {
    tests: [...merging, "test/text.test.ts"],
    likeWhat: /^(?:merge|lineChanges|lineParts|words|hunks)\.ts$/,
  },
  "server/match": {
    tests: ["test/ladderLaws.test.ts", "test/cases.test.ts", "test/laws.test.ts", "test/batchLaws.test.ts", "test/ind"],
  },
  "server/plan": {
    tests: ["test/plan.test.ts", "test/laws.test.ts", "test/cases.test.ts", "test/patchLaws.test.ts", "test/outcomes"],
  },
  "server/disk": {
    tests: ["test/disk"],
    likeWhat: /^(?:journal|commit|stage|moveIntoPlace|recover|rollBack)\.ts$/,
  },
  "server/lsp/wire": {
    tests: ["test/framing.test.ts", "test/envelope", "test/rpc.test.ts", "test/connection.test.ts"],
    likeWhat: /^(?:framing|gate|channel)\.ts$/,
  },
  "server/session": {
    tests: ["test/agent/gate", "test/agent/settings", "test/agent/sessions.test.ts", "test/agent/record.test.ts"],
    isBuilt: true,
    likeWhat: /^gates\.ts$/,
  },
  "server/programs/hook": {
    tests: ["test/agent/hook", "test/agent/shell", "test/agent/remembered.test.ts"],
    isBuilt: true,
  },
  "server/lsp/apply": {
    tests: [
      "test/typing.test.ts",
      "test/undo",
      "test/roundTrip.test.ts",
      "test/confirm",
      "test/rollBack",
      "test/textsTogether.test.ts",
      "test/clients.test.ts",
      "test/save.test.ts",
      "test/didApply.test.ts",
      "test/diskPart.test.ts",
      "test/requestOptions.test.ts",
      "test/review",
      "test/trueReasons.test.ts",
      "test/scenes.test.ts",
    ],
  },
  "server/workspace": {
    tests: [
      "test/protection.test.ts",
      "test/paths.test.ts",
      "test/pathLaws.test.ts",
      "test/hostile.test.ts",
      "test/agent/gate",
    ],
    isBuilt: true,
    likeWhat: /^protect/,
  },
};

/** The parts of the hundred bugs that `npm run prove` plants, in turn. */
export const pooled: readonly string[] = [
  ...["server/text", "server/match", "server/plan", "server/plan/views"],
  ...["server/workspace", "server/programs/hook", "server/disk", "server/lsp/wire"],
];
