/** The list of folders on the architecture page. */
import { projectSources } from "../support/project.js";
import { isServerFile } from "../support/source.js";
import { type Maker, table } from "./markdown.js";

/** The parts of the architecture page. In the list of folders, the purposes are written by hand. */
export const architectureParts: Readonly<Record<string, Maker>> = {
  folders: (old) => {
    const paths = projectSources.filter(isServerFile).map(({ path }) => path.slice("server/".length));
    const folders = new Set(paths.flatMap((path) => /^.*\//.exec(path)?.[0] ?? []));
    const rows = [...folders].sort().map((folder) => ({ folder: `\`${folder}\`` }));
    return table(["folder", "purpose"], rows, old);
  },
};
