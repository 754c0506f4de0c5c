/** The agents in server/agents and the pages: each agent is in every list, and its configuration is protected. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { agents, askingNames, hookNames } from "../server/agents/agents.js";
import { setupNames } from "../server/programs/setup/setup.js";
import { defaultNames } from "../server/workspace/protectedNames.js";
import { judge, toGate } from "../server/workspace/protection.js";
import { homeFolder } from "../server/workspace/serverFolder.js";
import { rows } from "./editors/diskScenes.js";
import { vscodeRow } from "./reach/vscodeDiskScenes.js";
import { projectRoot } from "./support/project.js";

const page = (path: string): string => readFileSync(join(projectRoot, path), "utf8");
const agentsPage = page("client-samples/agents/README.md");
const hooksPage = page("client-samples/agents/hooks.md");

const names = Object.keys(agents).sort();

describe("the list of agents", () => {
  it("has each file of server/agents that is about an agent", () => {
    const files = readdirSync(join(projectRoot, "server/agents")).map((file) => file.replace(/\.ts$/, ""));
    expect(files.filter((file) => !["agent", "agents", "parts"].includes(file)).sort()).toEqual(names);
    expect(setupNames).toEqual(expect.arrayContaining(names));
    expect(names).toEqual(expect.arrayContaining([...askingNames]));
  });
});

describe.each(Object.entries(agents))("%s", (name, agent) => {
  it("has a section of its own and, with a hook in its configuration, a row of the page about hooks", () => {
    expect(agentsPage).toContain(`\n## ${agent.title}\n`);
    const hasRow = hooksPage.includes(`\n| ${agent.title} |`);
    expect(hasRow).toBe(hookNames.some((one) => one === name));
  });

  it("has its name in its set-up, and its configuration is protected", () => {
    expect(agent.about).toMatch(new RegExp(`^(?:#|//) ${agent.title}\\b`));
    const program = { command: ["multi-edit"], samples: join(projectRoot, "client-samples") } as const;
    const paths = [...agent.files(program).map(({ path }) => path), agent.hook?.installed?.path()];
    const gate = toGate({ protectedNames: defaultNames, confirm: "protected" });
    for (const path of paths.filter((one) => one !== undefined)) {
      const below = relative(homeFolder(), path);
      expect(judge([gate], path, below), below).toMatchObject({ kind: "refused" });
    }
  });
});

it("the page about hooks has a row for each editor in which tests change open files on disk", () => {
  const [, section = ""] = hooksPage.split("\n## A file that changes on disk\n");
  const named = [...section.matchAll(/^\| ([A-Z][A-Za-z ]*?) \d/gm)].map(([, name]) => name);
  const played = new Set([...rows, vscodeRow].map(({ program }) => program));
  expect(named.sort()).toEqual([...played].sort());
});
