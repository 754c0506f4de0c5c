/**
 * The files that announce sessions: valid records are read back, and files that another user could have written are
 * ignored.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { announcedGates, gatesToAnnounce, warningsAbout } from "../../server/session/gates.js";
import { readRecords, recordPath, type SessionRecord, writeRecord } from "../../server/session/record.js";
import { findSessions } from "../../server/session/sessions.js";
import { limits } from "../../server/text/limits.js";
import { isProcess, processStart, realOwners } from "../../server/workspace/process.js";
import { judge, toGate } from "../../server/workspace/protection.js";
import { inServerFolder } from "../../server/workspace/serverFolder.js";
import { defaultSettings } from "../../server/workspace/settings.js";
import { makeDirectory } from "../support/directory.js";

const record: SessionRecord = {
  format: 1,
  id: "0123456789ab",
  pid: 7,
  processStart: "123",
  host: "here",
  address: "/run/a.sock",
  secret: "0".repeat(64),
  folders: [{ uri: "file:///a", path: "/a" }],
  client: "Tester 7",
  version: "0.1.0",
  protocols: [1],
  startedAt: "2026-01-01T00:00:00.000Z",
};

/** The rest of what is read if no session is closed, stale or ended. */
const others = { closed: [], stale: [], removed: 0 };

describe("a record", () => {
  it("is read back as written, with the most recent one first, and no other file is left in the folder", () => {
    const directory = makeDirectory({});
    const younger = { ...record, id: "ba9876543210", startedAt: "2026-01-02T00:00:00.000Z" };
    writeRecord(directory, { ...record, folders: [] });
    writeRecord(directory, record);
    writeRecord(directory, younger);
    expect(readRecords(directory)).toEqual({ ...others, records: [younger, record], problems: [], hidden: [] });
    expect(readdirSync(directory).sort()).toEqual(["0123456789ab.json", "ba9876543210.json"]);
  });

  it("does not exist if there is no directory", () => {
    expect(readRecords(join(makeDirectory({}), "none"))).toEqual({ ...others, records: [], problems: [], hidden: [] });
  });

  it("of a later version is read if only fields were added, and otherwise reported as such", () => {
    const directory = makeDirectory({});
    write(directory, { ...record, mood: "good" });
    expect(readRecords(directory).records).toEqual([record]);
    write(directory, { ...record, format: 2 });
    const newer = expect.stringContaining("newer version");
    const hidden = [{ problem: newer, held: ["/a"] }];
    expect(readRecords(directory)).toEqual({ ...others, records: [], problems: [newer], hidden });
  });

  it.each([
    ["not JSON", "{"],
    ["not an object", "null"],
    ["incomplete", JSON.stringify({ ...record, secret: undefined })],
    ["one with too short a secret", JSON.stringify({ ...record, secret: "00" })],
    ["one whose id is a path", JSON.stringify({ ...record, id: "../../../../x" })],
    ["too long", JSON.stringify({ ...record, more: "x".repeat(limits.sessionRecordBytes) })],
  ])("is not removed, but reported, if it is %s", (_, text) => {
    const directory = makeDirectory({});
    writeFileSync(recordPath(directory, record.id), text, { mode: 0o600 });
    const problem = expect.stringContaining("is not a valid session announcement");
    // The session may be running, and then it repairs its record soon.
    const hidden = [{ problem, held: undefined }];
    expect(readRecords(directory)).toEqual({ ...others, records: [], problems: [problem], hidden });
    const then = Date.now() / 1000 - limits.recordMs / 1000 - 1;
    utimesSync(recordPath(directory, record.id), then, then);
    expect(readRecords(directory)).toEqual({ ...others, records: [], problems: [problem], hidden: [] });
  });

  it("is not trusted under another record's name", () => {
    const directory = makeDirectory({});
    writeFileSync(recordPath(directory, "aaaaaaaaaaaa"), JSON.stringify(record), { mode: 0o600 });
    expect(readRecords(directory).records).toEqual([]);
  });

  it.each([
    ["a link", { link: "elsewhere" }],
    ["a link to nowhere", { link: "nowhere" }],
  ])("is not read through %s", (_, entry) => {
    const directory = makeDirectory({ elsewhere: JSON.stringify(record), "0123456789ab.json": entry });
    chmodSync(join(directory, "elsewhere"), 0o600);
    const { records, problems } = readRecords(directory);
    expect([records, problems]).toEqual([
      [],
      [expect.stringContaining("it is not a regular file, or it is not private to this user")],
    ]);
  });

  it("is not read if it is a FIFO, for which the reader does not wait, or if others may write to it", () => {
    const directory = makeDirectory({ "0123456789ab.json": JSON.stringify(record) });
    chmodSync(recordPath(directory, record.id), 0o660);
    execFileSync("mkfifo", ["-m", "600", recordPath(directory, "aaaaaaaaaaaa")]);
    const { records, problems } = readRecords(directory);
    expect([records, problems.length]).toEqual([[], 2]);
  });
});

function write(directory: string, value: object): void {
  writeFileSync(recordPath(directory, record.id), JSON.stringify(value), { mode: 0o600 });
}

describe("the gates in records", () => {
  const { confirm, protectedNames } = defaultSettings;
  const rule = { files: "a/**", ask: "always" } as const;
  it.each([
    ["of default settings are left out", {}, undefined],
    ["have a word", { confirm: "never" }, { confirm: "never" }],
    ["have rules", { confirm: [rule] }, { confirm: [rule] }],
    ["have names", { protectedNames: ["+x"] }, { confirm, protectedNames: ["+x"] }],
    ["have both", { confirm: "always", protectedNames: [] }, { confirm: "always", protectedNames: [] }],
  ] as const)("%s", (_, settings, expected) => {
    expect(gatesToAnnounce({ ...defaultSettings, ...settings })).toEqual(expected);
  });

  it("hold for the files of their sessions, except one's own; those of a closed session ask nothing", () => {
    const directory = makeDirectory({});
    const strict = { confirm: "always", protectedNames: ["+x"] } as const;
    const closed = {
      ...record,
      id: "aaaaaaaaaaaa",
      closed: "switchedOff",
      gates: { ...strict, protectedNames: ["+x"] },
    };
    write(directory, { ...record, gates: strict });
    writeFileSync(recordPath(directory, closed.id), JSON.stringify(closed), { mode: 0o600 });
    expect(announcedGates(directory)).toEqual([
      { ...toGate(strict), holds: ["/a"] },
      { ...toGate({ ...strict, confirm: [] }), holds: ["/a"] },
    ]);
    const [open] = announcedGates(directory, closed.id);
    const [ended, ...more] = announcedGates(directory, record.id);
    const said = (gate = open, file = "t") => judge(gate === undefined ? [] : [gate], `/a/${file}`, file);
    expect([said(), said(ended), said(ended, "x"), more]).toEqual([
      { kind: "asks", name: undefined },
      undefined,
      { kind: "refused", why: "added", by: "x" },
      [],
    ]);
  });

  it("are the default ones if a record has none", () => {
    const directory = makeDirectory({});
    write(directory, record);
    expect(announcedGates(directory)).toEqual([{ ...toGate({ confirm, protectedNames }), holds: ["/a"] }]);
  });

  it("are none if the records can't be read", () => {
    const directory = join(makeDirectory({ file: "" }), "file");
    expect([announcedGates(directory), warningsAbout(directory, ["/a/x.ts"])]).toEqual([[], []]);
  });
});

describe("the directory", () => {
  it.each([
    ["linux", { XDG_STATE_HOME: "/state" }, "/state/multi-edit-language-server/sessions"],
    ["darwin", { XDG_STATE_HOME: "/state" }, "/state/multi-edit-language-server/sessions"],
    ["linux", { XDG_STATE_HOME: "state" }, /^\/.*\/\.local\/state\/multi-edit-language-server\/sessions$/],
    ["linux", {}, /^\/.*\/\.local\/state\/multi-edit-language-server\/sessions$/],
    ["darwin", {}, /^\/.*\/Library\/Application Support\/multi-edit-language-server\/sessions$/],
    ["win32", { LOCALAPPDATA: "C:\\Local" }, "C:\\Local\\multi-edit-language-server\\sessions"],
  ] as const)("on %s with %j", (platform, env, expected) => {
    const directory = inServerFolder("sessions", { TMPDIR: "/elsewhere", ...env }, platform);
    if (typeof expected === "string") expect(directory).toBe(expected);
    else expect(directory).toMatch(expected);
  });
});

describe("a process", () => {
  it("is distinguished from one that has ended, and from another one with the same id", () => {
    const { pid } = spawnSync(process.execPath, ["-e", ""]);
    expect(isProcess(pid, undefined)).toBe(false);
    expect(isProcess(process.pid, processStart(process.pid))).toBe(true);
    expect(isProcess(process.pid, undefined)).toBe(true);
    // On a system that does not report start times, any running process with that id counts.
    expect(isProcess(process.pid, "1")).toBe(processStart(process.pid) === undefined);
  });

  it.runIf(process.platform === "linux")("has ended even if its parent never asks for its exit code", async () => {
    // The shell becomes a program that knows nothing about the child that the shell has started.
    const parent = spawn("sh", ["-c", "sleep 0.3 & echo $!; exec sleep 60"], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void parent.kill("SIGKILL"));
    const pid = Number(String((await once(parent.stdout, "data"))[0]));
    const state = (): string => execFileSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).trim();
    // Of a process with a lower priority, it is "ZN".
    await expect.poll(state, { timeout: 10_000 }).toMatch(/^Z/);
    process.kill(pid, 0);
    expect([isProcess(pid, undefined), isProcess(pid, processStart(pid))]).toEqual([false, false]);
  });

  it.runIf(process.platform === "linux")("has the start time that the system's own tool reports", () => {
    const ticks = Number(processStart(process.pid));
    const perSecond = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));
    const up = Number(readFileSync("/proc/uptime", "utf8").split(" ")[0]);
    const age = Number(execFileSync("ps", ["-o", "etimes=", "-p", String(process.pid)], { encoding: "utf8" }));
    expect(Math.abs(up - ticks / perSecond - age)).toBeLessThan(3);
  });
});

describe("the record of a session that may have ended", () => {
  it.each([true, false])("does not matter if the session removes it meanwhile: %s", async (removes) => {
    const directory = makeDirectory({});
    write(directory, { ...record, pid: process.pid, processStart: undefined, address: join(directory, "gone.sock") });
    const found = await findSessions(
      directory,
      { name: "test" },
      {
        matters: async ({ id }) => {
          if (removes) rmSync(recordPath(directory, id));
          return true;
        },
      },
    );
    expect(found.unreached).toHaveLength(removes ? 0 : 1);
    expect(found.removed).toBe(0);
  });

  const here = realOwners().self;
  /** The name of a process of this machine that does not exist any more. */
  const ended = here.replace(/\d+-\d+$/, "4194305-1");
  const elsewhere = here.replace(/^[0-9a-f]{8}/, "00000000");

  it("is removed with its socket if its process is gone from this machine", () => {
    const directory = makeDirectory({ [`${record.id}.sock`]: "" });
    write(directory, { ...record, owner: ended, address: join(directory, `${record.id}.sock`) });
    expect(readRecords(directory)).toEqual({ ...others, records: [], problems: [], hidden: [], removed: 1 });
    expect(readdirSync(directory)).toEqual([]);
  });

  it("is kept if its process lives", () => {
    const directory = makeDirectory({});
    write(directory, { ...record, owner: here });
    utimesSync(recordPath(directory, record.id), 1, 1);
    expect(readRecords(directory).records).toEqual([{ ...record, owner: here }]);
  });

  it.each([
    ["two minutes ago", -limits.recordMs / 1000 - 1, "has not renewed it for 2 minutes"],
    ["at a time more than two minutes ahead", limits.recordMs / 1000 + 1, "is dated more than 2 minutes in the future"],
  ])("counts as gone, with a warning, if it is from elsewhere and was last renewed %s", (_, seconds, why) => {
    const directory = makeDirectory({});
    write(directory, { ...record, owner: elsewhere });
    const path = recordPath(directory, record.id);
    const renewed = Date.now() / 1000 + seconds;
    utimesSync(path, renewed, renewed);
    const { records, stale, problems } = readRecords(directory);
    expect([records, stale.map((one) => one.record.id)]).toEqual([[], [record.id]]);
    expect(problems).toEqual([expect.stringContaining(why)]);
    expect(problems[0]).toContain(path);
    // A call is warned of it only if one of its files is the session's.
    expect(warningsAbout(directory, ["/b/x.ts", "/a/x.ts"])).toEqual(problems);
    expect(warningsAbout(directory, ["/b/x.ts"])).toEqual([]);
    utimesSync(path, Date.now() / 1000, Date.now() / 1000);
    expect(readRecords(directory).records).toHaveLength(1);
  });
});
