/**
 * The user's settings: the values that each source may hold, the warnings, and the descriptions that editors can show.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { limits } from "../server/text/limits.js";
import {
  createWarnOnce,
  defaultSettings,
  readSettings,
  type Settings,
  settingsJsonSchema,
} from "../server/workspace/settings.js";
import { lawRuns } from "./support/extent.js";

const protectedNames = ["secrets"];
const complete = {
  lenient: false,
  atomic: "file",
  confirm: "always",
  save: "always",
  diskChanges: "off",
  diagnostics: "all",
  review: "hints",
  additionalFolders: ["/srv/shared", "~/notes", "~", "C:\\work", "\\\\host\\share"],
  protectedNames,
  schemes: ["chat"],
  agent: { enabled: false },
  logLevel: "debug",
  proofTimeout: 60_000,
};

/** A value that stays in force, in the wording of a warning. */
const list = (length: number): string => (length === 0 ? "an empty list" : `a list of length ${length}`);
const shown = (value: unknown): string => (Array.isArray(value) ? list(value.length) : JSON.stringify(value));

describe("settings", () => {
  it("have defaults that are safe", () => {
    const { protectedNames: names, ...rest } = defaultSettings;
    expect(rest).toEqual({
      lenient: true,
      atomic: "all",
      confirm: "protected",
      save: "ifWasClean",
      diskChanges: "merge",
      diagnostics: "errors",
      review: "off",
      additionalFolders: [],
      schemes: [],
      agent: { enabled: true },
      logLevel: "info",
      proofTimeout: limits.proofMs,
    });
    expect(names).toEqual(
      expect.arrayContaining([".git", ".vscode", ".idea", ".husky", ".claude", ".codex", ".cursor"]),
    );
    expect(names).toEqual(
      expect.arrayContaining([".mcp.json", ".envrc", ".gitmodules", ".bashrc", ".zshrc", ".profile"]),
    );
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
  });

  it.each([
    ["nothing", []],
    ["undefined and null", [undefined, null]],
    ["an empty object", [{}]],
    ["an empty section", [{ multiEdit: {} }]],
    ["a section that is null", [{ multiEdit: null }]],
    ["values that are null, as editors send settings that are not set", [{ lenient: null, confirm: undefined }]],
    ["other programs' settings next to the section", [{ python: { lint: 1 }, multiEdit: {} }]],
  ])("are the defaults if the client sends %s", (_, values) => {
    expect(readSettings(values)).toEqual({ settings: defaultSettings, warnings: [] });
  });

  it.each([
    ["at the top level", complete],
    ["under multiEdit", { multiEdit: complete }],
    ["only under multiEdit, if that exists", { lenient: true, multiEdit: complete }],
  ])("are read %s", (_, value) => {
    expect(readSettings([value])).toEqual({ settings: complete, warnings: [] });
  });

  it("of a later source override those of an earlier one key by key, and lists as a whole", () => {
    const sources = [
      { lenient: false, atomic: "file", protectedNames: ["a", "b"] },
      null,
      { multiEdit: { atomic: "none", protectedNames: [] } },
      {},
    ];
    const settings = { ...defaultSettings, lenient: false, atomic: "none", protectedNames: [] };
    expect(readSettings(sources)).toEqual({ settings, warnings: [] });
  });

  it.each([
    ["lenient", "yes", ["true or false"]],
    ["lenient", 1, ["true or false"]],
    ["atomic", "some", ['"all"', '"file"', '"none"']],
    ["atomic", true, ['"all"', '"file"', '"none"']],
    ["confirm", "sometimes", ['"never"', '"protected"', '"always"', "a list of rules"]],
    ["confirm", true, ['"never", "protected", "always", or a list of rules']],
    [
      "confirm",
      [
        { files: "a", ask: "never" },
        { files: "b", ask: "allways" },
      ],
      ["confirm.1.ask", '"always"'],
    ],
    ["confirm", [{ files: "infra/**" }], ["confirm.0"]],
    ["confirm", [{ files: "!infra/**", ask: "always" }], ["confirm.0.files", "without a leading !"]],
    ["confirm", [{ files: "infra/{a,b}/*", ask: "always" }], ["confirm.0.files", "braces"]],
    ["confirm", [{ files: "~/infra/**", ask: "always" }], ["confirm.0.files", "a path such as"]],
    ["confirm", [{ files: "infra/../a", ask: "always" }], ["confirm.0.files", '".."']],
    ["confirm", [{ files: "infra//a", ask: "always" }], ["confirm.0.files", "a path such as"]],
    ["confirm", [{ files: "", ask: "always" }], ["confirm.0.files", "a path such as"]],
    ["save", "sometimes", ['"never"', '"ifWasClean"', '"always"']],
    ["additionalFolders", "/srv", ["array"]],
    ["additionalFolders", ["/srv", 1], ["additionalFolders.1", "string"]],
    ["additionalFolders", ["/srv", "relative/folder"], ["additionalFolders.1", "absolute", "~/"]],
    ["additionalFolders", ["~other/folder"], ["absolute", "~/"]],
    ["additionalFolders", [""], ["absolute", "~/"]],
    ["schemes", "chat", ["array"]],
    ["schemes", ["chat:"], ["schemes.0", "without a colon"]],
    ["protectedNames", { ".git": true }, ["array"]],
    ["protectedNames", [""], ["a name"]],
    ["protectedNames", [".git//hooks"], ["a name", "with slashes between"]],
    ["protectedNames", ["/.git"], ["a name"]],
    ["protectedNames", ["!.npmrc"], ["a name", "- or +"]],
    [
      "protectedNames",
      ["-.npmrc", "secrets"],
      ["some of its items begin", "either + or - before every item", "or before none"],
    ],
    ["agent", { enabled: "yes" }, ["agent.enabled", "true or false"]],
    ["logLevel", "verbose", ['"error"', '"warn"', '"info"', '"debug"']],
    ["proofTimeout", "2000", ["integer"]],
    ["proofTimeout", 99, ["100"]],
    ["proofTimeout", 60_001, ["60000"]],
    ["proofTimeout", 2000.5, ["int"]],
    ["proofTimeout", Number.POSITIVE_INFINITY, ["number"]],
  ])('"%s" set to %j keeps its value, with a warning that names the expected ones', (key, value, expected) => {
    const alone = readSettings([{ [key]: value }]);
    expect(alone.settings).toEqual(defaultSettings);
    expect(alone.warnings).toHaveLength(1);
    for (const words of [key, ...expected]) expect(alone.warnings[0]).toContain(words);
    expect(alone.warnings[0]).toContain(`uses ${shown(defaultSettings[key as keyof Settings])} instead.`);

    const after = readSettings([complete, { multiEdit: { [key]: value, lenient: key === "lenient" ? value : true } }]);
    expect(after.settings).toEqual({ ...complete, lenient: key !== "lenient" });
    const held = key === "lenient" ? false : complete[key as keyof typeof complete];
    expect(after.warnings).toHaveLength(1);
    expect(after.warnings[0]).toContain(`uses ${shown(held)} instead.`);
  });

  it("that are unknown are named in one warning, and the others take effect", () => {
    const { settings, warnings } = readSettings([
      { lenientt: false, atomic: "none" },
      { lenientt: 1, trace: {}, agent: { enabled: false, port: 7, host: "a" } },
    ]);
    expect(settings).toEqual({ ...defaultSettings, atomic: "none", agent: { enabled: false } });
    expect(warnings).toEqual([
      `There is no setting "lenientt" (did you mean "lenient"?) or "trace" or "agent.port" or "agent.host"; the settings are ${Object.keys(defaultSettings).join(", ")}.`,
    ]);
  });

  it("that are unknown do not hide that the value beside them is wrong", () => {
    const { settings, warnings } = readSettings([{ agent: { enabled: "no", port: 7 } }]);
    expect(settings).toEqual(defaultSettings);
    expect(warnings).toHaveLength(2);
    expect(warnings.join()).toContain('"agent.enabled"');
    expect(warnings.join()).toContain('"agent.port"');
  });

  it("under another program's prefix are unknown, and the warning names the key without it", () => {
    const { warnings } = readSettings([{ "multiEdit.confirm": "always" }]);
    expect(warnings).toEqual([expect.stringContaining('"multiEdit.confirm" (did you mean "confirm"?)')]);
  });

  it("that remove a name that the default list lacks are used, with a warning", () => {
    const { settings, warnings } = readSettings([{ protectedNames: ["-.npmrcx", "-.npmrc", "+.a"] }]);
    expect(settings.protectedNames).toEqual(["-.npmrcx", "-.npmrc", "+.a"]);
    expect(warnings).toEqual([
      'The setting "protectedNames" has the item "-.npmrcx", but the default list has no ".npmrcx" (did you mean ".npmrc"?), so the item changes nothing.',
    ]);
  });

  it.each([
    { confirm: "Always" },
    { confirm: true },
    { confirm: [{ files: "a", ask: "allways" }] },
    { protectedNames: ["+secrets", ".npmrc"] },
    { "multiEdit.confirm": "never" },
    { protectedName: ["+secrets"] },
    { multiEdit: "always" },
    [],
    "always",
  ])("that say %j in the user's own file leave the user's wishes unknown, so every change needs consent", (value) => {
    const { settings, warnings } = readSettings([value], { failsClosed: true });
    expect(settings).toEqual({ ...defaultSettings, confirm: "always" });
    expect(warnings.at(-1)).toBe("Until this is corrected, no file is changed without the user's consent.");
    expect(readSettings([value]).settings).toEqual(defaultSettings);
  });

  it("for other things change nothing about consent if they can't be used", () => {
    const { settings, warnings } = readSettings([{ lenient: 1, colour: "red" }], { failsClosed: true });
    expect([settings, warnings.length]).toEqual([defaultSettings, 2]);
  });

  it("with the names of built-in properties are unknown, and change no object", () => {
    const value: unknown = JSON.parse('{"__proto__": {"lenient": false}, "constructor": 1, "toString": 2}');
    const { settings, warnings } = readSettings([value]);
    expect(settings).toEqual(defaultSettings);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('"__proto__" or "constructor" or "toString";');
    expect(({} as { lenient?: unknown }).lenient).toBeUndefined();
  });

  it.each([
    ["a string", "lenient"],
    ["a number", 1],
    ["a boolean", true],
    ["a list", [{ lenient: false }]],
    ["a section that is a list", { multiEdit: [] }],
    ["a section that is a string", { multiEdit: "lenient" }],
  ])("are ignored with a warning if the client sends %s", (_, value) => {
    const { settings, warnings } = readSettings([value, { atomic: "none" }]);
    expect(settings).toEqual({ ...defaultSettings, atomic: "none" });
    expect(warnings).toHaveLength(1);
  });

  it("are all read, however many are wrong, with one warning of limited length", () => {
    const wrong = Array.from({ length: 5000 }, (_, i) => [`k${i}${"k".repeat(500)}`, i]);
    const { settings, warnings } = readSettings([Object.fromEntries(wrong), { atomic: "none" }]);
    expect(settings.atomic).toBe("none");
    expect(warnings).toEqual([expect.stringContaining("or 4,996 others; the settings are")]);
    for (const warning of warnings) expect(warning.length).toBeLessThan(400);
    const folders = Array.from({ length: limits.settingItems + 1 }, () => "/srv");
    expect(readSettings([{ additionalFolders: folders }]).settings.additionalFolders).toEqual([]);
    expect(readSettings([{ additionalFolders: folders.slice(1) }]).settings.additionalFolders).toHaveLength(
      limits.settingItems,
    );
  });

  it("are complete and of the right types, whatever the client sends", () => {
    const value = fc.oneof(
      fc.anything(),
      fc.record(
        Object.fromEntries(
          Object.entries(complete).map(([key, good]) => [key, fc.oneof(fc.constant(good), fc.anything())]),
        ),
        { requiredKeys: [] },
      ),
    );
    const source = fc.oneof(value, fc.record({ multiEdit: value }));
    fc.assert(
      fc.property(fc.array(source, { maxLength: 4 }), (values) => {
        const { settings, warnings } = readSettings(values);
        expect(Object.keys(settings).sort()).toEqual(Object.keys(complete).sort());
        expect(typeof settings.lenient).toBe("boolean");
        expect(["all", "file", "none"]).toContain(settings.atomic);
        const { confirm } = settings;
        const words = typeof confirm === "string" ? [confirm] : confirm.map(({ ask }) => ask);
        expect(["never", "protected", "always"]).toEqual(expect.arrayContaining(words));
        expect(["error", "warn", "info", "debug"]).toContain(settings.logLevel);
        expect(typeof settings.agent.enabled).toBe("boolean");
        for (const item of [...settings.additionalFolders, ...settings.protectedNames])
          expect(typeof item).toBe("string");
        expect(Number.isInteger(settings.proofTimeout)).toBe(true);
        expect(settings.proofTimeout).toBeGreaterThanOrEqual(100);
        expect(settings.proofTimeout).toBeLessThanOrEqual(60_000);
        expect(new Set(warnings).size).toBe(warnings.length);
      }),
      { numRuns: lawRuns(300) },
    );
  });

  it("warn once, even if they are read again and again", () => {
    const warnOnce = createWarnOnce();
    expect(warnOnce(["a", "b", "a"])).toEqual(["a", "b"]);
    expect(warnOnce(["b", "c"])).toEqual(["c"]);
    expect(createWarnOnce()(["a"])).toEqual(["a"]);
    const many = Array.from({ length: limits.settingWarnings * 2 }, (_, i) => `warning ${i}`);
    expect(warnOnce(many)).toHaveLength(limits.settingWarnings - 3);
  });

  it("are described to editors key by key, with a description and the default", () => {
    const schema = settingsJsonSchema() as {
      properties: Record<string, { description?: string; default?: unknown }>;
      required?: string[];
      additionalProperties: boolean;
    };
    const defaults = Object.entries(schema.properties).map(([key, property]) => [key, property.default]);
    expect(Object.fromEntries(defaults)).toEqual(defaultSettings);
    for (const property of Object.values(schema.properties)) expect(property.description).toMatch(/^[A-Z].*\.$/);
    expect(schema.required ?? []).toEqual([]);
    expect(schema.additionalProperties).toBe(false);
    expect(schema.properties).toMatchObject({
      atomic: { type: "string", enum: ["all", "file", "none"] },
      proofTimeout: { type: "integer", minimum: 100, maximum: 60_000 },
      additionalFolders: { type: "array", items: { type: "string" } },
    });
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
  });
});
