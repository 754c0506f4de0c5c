/** The parts of the server in which bugs are planted, and the tests that should notice them. */

/** A part of the server. */
interface Area {
  /**
   * Files of tests that start no program of ours, in groups that run one after the other: they take seconds, and notice
   * most bugs. In a group, the longest file starts first, and ends although another one has failed.
   */
  readonly quick: readonly (readonly string[])[];
  /** `true` if the pages of cases notice bugs as well. They are only tried on the core: the wire has its own part. */
  readonly hasPages?: boolean;
  /** Files of tests that start the built program, in groups that run one after the other. */
  readonly slow?: readonly (readonly string[])[];
  /** By the names of sources, those of the slow files that are about them, which run before the others. */
  readonly near?: Readonly<Record<string, readonly string[]>>;
  /** The names of the files that belong to the part; by default all of the folder. */
  readonly likeWhat?: RegExp;
}

/** Stories, laws and tables about earlier texts and merging; comparisons with git; and the same with a server. */
const stories = [
  ["test/mergePlans", "test/merge.test.ts", "test/mergeEdges", "test/mergeLines", "test/trail.test.ts"],
  ["test/viewLaws.test.ts", "test/mergeLaws", "test/mergeWords", "test/mergeFile", "test/trailLaws"],
  ["test/mergeGit.test.ts", "test/viewsMerge.test.ts"],
];
const earlierTexts = [["test/views.test.ts", "test/viewsAgain", "test/viewsOf", "test/viewLimits", "test/identities"]];

/** The parts by their folders. */
export const areas: Readonly<Record<string, Area>> = {
  "server/plan/views": { quick: stories, hasPages: true, slow: earlierTexts },
  "server/text": {
    quick: [["test/text.test.ts"], ...stories],
    hasPages: true,
    slow: earlierTexts,
    likeWhat: /^(?:merge|lineChanges|lineParts|words|hunks)\.ts$/,
  },
  "server/match": {
    quick: [["test/ladderLaws.test.ts", "test/laws.test.ts", "test/batchLaws.test.ts", "test/ind"]],
    hasPages: true,
  },
  "server/plan": {
    quick: [["test/plan.test.ts", "test/laws.test.ts", "test/patchLaws.test.ts"]],
    hasPages: true,
    slow: [["test/outcomes"]],
  },
  "server/disk": {
    quick: [["test/disk/journal.test.ts"]],
    slow: [["test/disk"]],
    likeWhat: /^(?:journal|commit|stage|moveIntoPlace|recover|rollBack)\.ts$/,
  },
  "server/lsp/wire": {
    quick: [["test/framing.test.ts", "test/envelope", "test/rpc.test.ts"]],
    slow: [["test/connection.test.ts"]],
    likeWhat: /^(?:framing|gate|channel)\.ts$/,
  },
  "server/session": {
    quick: [["test/agent/settingsFile.test.ts"], ["test/agent/record.test.ts"]],
    slow: [["test/agent/gate", "test/agent/settingsLink.test.ts", "test/agent/sessions.test.ts"]],
    likeWhat: /^gates\.ts$/,
  },
  "server/programs/hook": {
    quick: [["test/agent/readEvent.test.ts"], ["test/agent/shellPatch.test.ts", "test/agent/remembered.test.ts"]],
    slow: [["test/agent/hook"]],
    near: {
      "hook.ts": ["test/agent/hook.test.ts", "test/agent/hookApply.test.ts", "test/agent/hookCommand.test.ts"],
      "applyCall.ts": ["test/agent/hookApply.test.ts", "test/agent/hookSaved.test.ts"],
      "afterTool.ts": ["test/agent/hookCommand.test.ts", "test/agent/hookDiagnostics.test.ts"],
      "unsaved.ts": ["test/agent/hookReach.test.ts", "test/agent/hook.test.ts"],
      "remembered.ts": ["test/agent/hookPairs.test.ts"],
    },
  },
  "server/lsp/apply": {
    quick: [
      [
        "test/savedTextLaws.test.ts",
        "test/outcomes",
        "test/within.test.ts",
        "test/questionLaws.test.ts",
        "test/editorAnswers.test.ts",
      ],
    ],
    slow: [
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
        ...["test/diskPart.test.ts", "test/requestOptions.test.ts", "test/trueReasons.test.ts", "test/scenes.test.ts"],
        ...["test/agent/undoOnDisk.test.ts", "test/shellAnswer.test.ts"],
      ],
    ],
    near: {
      "apply.ts": ["test/requestOptions.test.ts", "test/confirm.test.ts"],
      "applyLoop.ts": ["test/requestOptions.test.ts", "test/typing.test.ts"],
      "applyOutcome.ts": ["test/typing.test.ts", "test/roundTrip.test.ts"],
      "confirm.ts": ["test/confirm"],
      "question.ts": ["test/confirm"],
      "viewer.ts": ["test/confirm"],
      "keptCalls.ts": ["test/agent/undoOnDisk.test.ts"],
      "partial.ts": ["test/reviewQuestion.test.ts"],
      "recordApplied.ts": ["test/undo", "test/didApply.test.ts"],
      "rollBackSteps.ts": ["test/rollBack", "test/textsTogether.test.ts"],
      "save.ts": ["test/save.test.ts"],
      "savedText.ts": ["test/save.test.ts"],
      "shellAnswer.ts": ["test/shellAnswer.test.ts"],
      "step.ts": ["test/trueReasons.test.ts", "test/diskPart.test.ts"],
      "undo.ts": ["test/undo"],
    },
  },
  "server/workspace": {
    quick: [["test/protection.test.ts"], ["test/paths.test.ts", "test/pathLaws.test.ts"]],
    slow: [["test/hostile.test.ts", "test/agent/gate"]],
    likeWhat: /^protect/,
  },
};

/** The parts of the hundred bugs that `npm run prove` plants, in turn. */
export const pooled: readonly string[] = [
  ...["server/text", "server/match", "server/plan", "server/plan/views"],
  ...["server/workspace", "server/programs/hook", "server/disk", "server/lsp/wire"],
];
