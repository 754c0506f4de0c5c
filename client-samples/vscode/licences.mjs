/** Collects the licences of the packages that are in what esbuild has written. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Name, version and licence text of every npm package with code in the bundles.
 * @param {import("esbuild").Metafile[]} metafiles
 */
export async function licencesOf(metafiles, program) {
  const inputs = metafiles
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap((output) =>
      Object.entries(output.inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
    );
  const folders = new Set(inputs.flatMap((path) => path.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0] ?? []));
  const sections = [`${program} contains code of these packages, under these licences.`];
  for (const folder of [...folders].sort()) {
    const { name, version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    const files = (await readdir(folder)).filter((file) =>
      /^(licen[cs]e|copying|notice|thirdpartynotices)/i.test(file),
    );
    if (!files.some((file) => /^(licen[cs]e|copying)/i.test(file))) throw new Error(`${folder} has no licence text`);
    const texts = await Promise.all(files.sort().map((file) => readFile(join(folder, file), "utf8")));
    sections.push([`${name} ${version} (${license})`, ...texts.map((text) => text.trim())].join("\n\n"));
  }
  return `${sections.join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}
