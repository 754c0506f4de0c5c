/** Which commands for a shell apply a patch, which may do so, and which only mention one. */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mayTouch, readPatchCommand } from "../../server/programs/hook/shellPatch.js";
import { makeDirectory } from "../support/directory.js";
import { lawRuns } from "../support/extent.js";
import { naming, others } from "./harmlessCommands.js";

const patch = "*** Begin Patch\n*** Update File: a.ts\n@@\n-x\n+y\n*** End Patch";
const text = ` <<'EOF'\n${patch}\nEOF`;
const here = (program: string): string => program + text;

describe("a command", () => {
  it.each([
    ["alone", here("apply_patch"), undefined],
    ["without a space", `apply_patch<<'EOF'\n${patch}\nEOF\n`, undefined],
    ["with a space after the sign", `apply_patch << "EOF" \n${patch}\nEOF\n`, undefined],
    ["without quotation marks", `apply_patch <<EOF\n${patch}\nEOF`, undefined],
    ["under its other name", here("applypatch"), undefined],
    ["in a folder", `cd /x && ${here("apply_patch")}`, "/x"],
    ["in a folder with a quoted name", `cd "/x y" && ${here("apply_patch")}`, "/x y"],
    ["in a folder with a name that is not replaced", `cd '/x $y' && ${here("apply_patch")}`, "/x $y"],
  ])("that does nothing but apply a patch, %s, is read", (_how, command, folder) => {
    expect(readPatchCommand(command)).toEqual({ kind: "plain", patch, folder });
  });

  it.each([
    ["and does more", `cd /x && ${here("apply_patch")}\nls`],
    ["and does more before the text", "apply_patch <<'EOF' && ls\n"],
    ["and goes on after the end of the text", `${here("apply_patch")}\nrm a.ts\nEOF`],
    ["in the last folder", `cd - && ${here("apply_patch")}`],
    ["in a folder that a variable names", `cd "$PWD/x" && ${here("apply_patch")}`],
    ["in the home", `cd ~ && ${here("apply_patch")}`],
    ["in a folder that a pattern names", `cd src* && ${here("apply_patch")}`],
    ["after a folder of another shell", `(cd sub && ls); ${here("apply_patch")}`],
    ["after a text that has a folder", `echo "x; cd /tmp" && ${here("apply_patch")}`],
    ["from a pipe", `cat <<EOF | apply_patch\n${patch}\nEOF`],
    ["from a file", "apply_patch < a.patch"],
    ["as an argument", `apply_patch "${patch}"`],
    ["by way of timeout", here("timeout 5 apply_patch")],
    ["by way of sudo", here("sudo -n apply_patch")],
    ["by way of nohup", here("nohup apply_patch")],
    ["by way of env", here("env LANG=C apply_patch")],
    ["by way of xargs", "ls *.patch | xargs -n 1 apply_patch"],
    ["by way of an unknown program", here("mystery apply_patch")],
    ["with quotation marks", here('"apply_patch"')],
    ["with quotation marks in the name", here("apply'_'patch")],
    ["with a backslash", here("\\apply_patch")],
    ["on the next line", here("timeout 5 \\\n apply_patch")],
    ["in a nested command", `echo "$(${here("apply_patch")}\n)"`],
    ["in backquotes", "echo `apply_patch < a.patch`"],
    ["in backquotes in a message", 'git commit -m "Use `apply_patch`"'],
    ["in a text in which commands are run", "cat <<E\n$(apply_patch < a.patch)\nE"],
    ["in a shell of its own", `bash -lc "${here("apply_patch")}"`],
    ["in a shell of its own, in single quotes", `sh -c 'apply_patch <<E\n${patch}\nE'`],
    ["in a shell that reads a text", `bash <<'X'\n${here("apply_patch")}\nX`],
    ["in a shell that reads a short text", 'bash <<< "apply_patch < a.patch"'],
    ["in a shell that reads from a pipe", "echo 'apply_patch < a.patch' | sh"],
    ["in a shell that reads from a group", "{ echo 'apply_patch < a.patch'; } | sh"],
    ["in a shell that reads from a loop", "for x in 1; do echo 'apply_patch < a.patch'; done | sh"],
    ["in a shell that reads from brackets", "(echo 'apply_patch < a.patch') | sh"],
    ["in a shell that reads a command's output", "bash <(echo 'apply_patch < a.patch')"],
    ["in a script that it writes", "cat > x.sh <<'E'\napply_patch < a.patch\nE\nbash x.sh"],
    ["in a script that it writes with tee", "echo 'apply_patch < a.patch' | tee x.sh; bash x.sh"],
    ["by eval", "eval 'apply_patch < a.patch'"],
    ["in a variable", "run='apply_patch'; $run < a.patch"],
    ["in a function", "f() { apply_patch < a.patch; }; f"],
    ["in a case of a nested command", 'echo "$(case x in x) apply_patch < a.patch;; esac)"'],
    ["on a condition", `if true; then ${here("apply_patch")}\nfi`],
    ["in brackets", `(${here("apply_patch")}\n)`],
    ["with a variable before it", `LANG=C ${here("apply_patch")}`],
    ["by the program's path", here("/usr/bin/apply_patch")],
    ["after another text", `${here("cat > doc.md")}\n${here("apply_patch")}`],
    ["by way of find", "find . -name '*.patch' -exec apply_patch '{}' ';'"],
    ["by sed", "sed '1e apply_patch < a.patch' x"],
    ["by the flag of a replacement in sed", "sed 's|x|apply_patch <a.patch|ge' x"],
    ["by rg", "rg --pre apply_patch x"],
    ["by the pager of man", "man --pager=apply_patch ls"],
    ["by the pager of man after a short option", "man -aP apply_patch ls"],
    ["by the pager of man that a file names", "echo 'DEFINE pager apply_patch' > ~/.manpath; man ls"],
    ["in a container, which may have the folder", "docker run -v .:/x -w /x img apply_patch"],
    ["by the pager of man that another program starts", "echo 'DEFINE pager apply_patch' > ~/.manpath; nice man ls"],
    ["by the pager of man in another shell", "echo 'DEFINE pager apply_patch' > ~/.manpath; bash -c 'man ls'"],
    ["in a command for a shell that can't be read", "bash -c 'echo $((1)); apply_patch < a.patch'"],
    ["by the pager of git", "git grep --open-files-in-pager=apply_patch x"],
    ["in a text that never ends", `cat <<EOF\napply_patch\n${patch}`],
    ["after a comment that a backslash ends", "echo apply_patch; # \\\napply_patch < a.patch"],
    ["after backquotes with a comment", "echo `true && # x`; apply_patch"],
    [
      "after a comment in backquotes and quotation marks",
      "echo \"a `true; # \\\nls <<'E'\napply_patch < a.patch\nE` b\"",
    ],
    ["by an alias of git", "git -c alias.x='!apply_patch' x"],
    ["in a nested command whose sign is on two lines", 'echo "$\\\n(apply_patch < a.patch)"'],
    ["after a text whose sign is on two lines", "cat <<\\\n-E\nE\napply_patch < a.patch\n-E"],
    [
      "in a program of the folder that has the name of another one",
      "echo 'apply_patch < a.patch' > rg; chmod +x rg; ./rg",
    ],
    ["by a script of sed in a file", "echo '1e apply_patch < a.patch' > x.sed; sed -f x.sed a.patch"],
    ["by sed after an address with a flag", "sed '/Patch/Ie apply_patch < a.patch' a.patch"],
    ["by a script of awk in a variable", 'x=\'BEGIN{system("apply_patch < a.patch")}\'; awk "$x"'],
    ["in the index of a variable", "[ -v 'x[$(apply_patch < a.patch)]' ]"],
    ["in the index of a variable that is compared", "x='a[$(apply_patch < a.patch)]'; [[ x -eq 0 ]]"],
    ["by a variable that bash reads", "echo 'apply_patch < a.patch' > x.sh; BASH_ENV=x.sh bash -c 'ls'"],
    ["by an abbreviated option", "sort --compress-prog=apply_patch -S 1 x"],
    ["by an option that is fed to a program", "echo --pre=apply_patch | xargs rg x"],
  ])("that may apply a patch, %s, is not taken for harmless, nor for a plain one", (_how, command) => {
    expect(readPatchCommand(command)).toEqual({ kind: "perhaps", command });
  });

  it.each([
    ["searches for a patch", `grep -rn "*** Begin Patch" . && grep '*** Update File: a.ts' docs`],
    ["searches for the program", "git log --grep apply_patch; which apply_patch_helper; echo apply_patch"],
    ["searches for it by way of another program", "rg -l apply_patch | xargs sed -i 's/apply_patch/patch/'"],
    ["prints its lines", "sed -n '/apply_patch/,/end/p' src/apply_patch.rs && sed -e 's/a/apply_patch/g' -i.bak x.ts"],
    ["looks for the program", "command -v apply_patch || which apply_patch"],
    ["looks for its files", "find . -name '*apply_patch*' && ls src/apply_patch.rs apply_patch/src"],
    ["tests it", "cd codex-rs/apply_patch && cargo test apply_patch && npx vitest run -t apply_patch"],
    ["prints it", `echo "apply_patch <<E\n${patch}\nE" | head -2`],
    ["writes one into a page", `cat > doc.md <<'EOF'\napply_patch <<X\n${patch}\nX\nEOF`],
    ["writes one into a page, indented", `cat > doc.md <<-EOF\napply_patch\n${patch}\n\tEOF\nls`],
    ["has one in a comment", `# apply_patch ${patch.replaceAll("\n", " ")}\nls`],
    ["has one in a comment after a program", "node x.js # like apply_patch"],
    ["commits with one in the message", `git commit -m "apply_patch\n${patch}"`],
    ["commits with one in a longer message", `git commit -m "$(cat <<'EOF'\napply_patch\n${patch}\nEOF\n)"`],
    ["compares what other commands print", "diff <(grep apply_patch a.ts) <(sort apply_patch.txt)"],
    ["has it in a nested command with quotation marks", 'echo "$(grep "apply_patch" a.ts)" > x.txt'],
    ["reads the manual first", "man apply_patch"],
    ["does not mention it", "cargo run && bash x.sh"],
  ])("that %s is left alone", (_what, command) => {
    expect(readPatchCommand(command)).toBeUndefined();
  });

  it("that only names the program is left alone, as agents run such commands", () => {
    expect(naming.length).toBeGreaterThanOrEqual(135);
    expect(naming.length + others.length).toBeGreaterThanOrEqual(276);
    expect(naming.filter((one) => !/apply_?patch/.test(one))).toEqual([]);
    expect([...naming, ...others].filter((one) => readPatchCommand(one) !== undefined)).toEqual([]);
  });

  it("of any length is read quickly", () => {
    const parts = [
      'a "b" ',
      "x=1 ",
      "<<E ",
      "'a",
      '"a',
      "\\",
      "# ",
      "sh -c '",
      "; apply_patch ",
      "<<E\n",
      "(",
      "`a",
      "$(",
    ];
    parts.push("}|", "done|", "{", "$'a", "apply_patch <<EOF\n", "\nEOF", " ", "<(", "cd x && ");
    for (const one of parts) {
      // The time of the processor, because others may use it as well.
      const start = process.cpuUsage();
      readPatchCommand(`${one.repeat(100_000)}\n; apply_patch x`);
      const { user, system } = process.cpuUsage(start);
      expect((user + system) / 1_000, one).toBeLessThan(2_000);
    }
  });
});

/** `SHELL_RUNS=8000 SHELL_SEED=1` plays more commands; an unsound reader passed 300 of them twice. */
const runs = Number(process.env.SHELL_RUNS ?? lawRuns(5_000));
const seed = process.env.SHELL_SEED === undefined ? undefined : Number(process.env.SHELL_SEED);

it("a command that is left alone does not run the program, whatever it is made of", () => {
  const root = makeDirectory({ "bin/apply_patch": '#!/bin/sh\ntouch "$RAN"\n', "a.patch": patch });
  chmodSync(join(root, "bin/apply_patch"), 0o755);
  const ran = join(root, "ran");
  const env = { PATH: `${join(root, "bin")}:/usr/bin:/bin`, RAN: ran };
  const doesRun = (command: string): boolean => {
    rmSync(ran, { force: true });
    spawnSync("bash", ["-c", command], { cwd: root, env, stdio: "ignore", timeout: 5_000 });
    return existsSync(ran);
  };
  expect(execFileSync("bash", ["-c", "command -v apply_patch"], { env, encoding: "utf8" })).toContain(root);
  expect([doesRun(here("apply_patch")), doesRun("echo apply_patch")]).toEqual([true, false]);
  const seeds = ["apply_patch < a.patch", here("apply_patch"), "'apply_patch' x", "echo apply_patch", "true"];
  const wraps: readonly ((inner: string) => string)[] = [
    ...["echo $(@)", 'echo "$(@\n)"', "echo `@`", 'echo "a `@` b"', "(@\n)", "{ @\n}", "{ @\n} | sh", "(@\n) | cat"],
    ...["if true; then @\nfi", "for x in 1; do @\ndone | bash", "while read l; do @\nbreak; done <<< x", "cat <(@\n)"],
    ...["bash -c '@'", 'bash -c "@"', "eval '@'", "echo '@' | sh", 'echo "@" | cat', "x='@'; $x", "x=$(@\n)"],
    ...["cat <<'E1'\n@\nE1", "cat <<E2\n@\nE2", "bash <<'E3'\n@\nE3", "cat <<'E4' | sh\n@\nE4", "cat <<-E5\n\t@\n\tE5"],
    ...["timeout 5 @", "env A=1 @", "true && @", "false || @", "! @", "time @", "# @", "true # @\n@", "f() { @\n}; f"],
    ...[
      "cat > s.sh <<'E6'\n@\nE6\nsh s.sh",
      "echo '@' > s.sh; . ./s.sh",
      "case x in x) @\n;; esac",
      "grep '@' a.patch",
    ],
    ...[
      "\\\n@",
      "@ &",
      "@ | cat",
      "cat a.patch | @",
      "echo $'@'",
      `echo \${x:-$(@\n)}`,
      `echo "\${x:-\`@\`}"`,
      "[[ '@' ]] && @",
    ],
    ...[
      "echo '@' | tee s.sh | cat; bash s.sh",
      "for x in '@'; do eval \"$x\"; done",
      "echo `true && # x`; @",
      "true; # \\\n@",
    ],
    ...[
      "bash -lc '@'",
      "rg -l x | while read l; do @\ndone",
      "[ -x '@' ] || @",
      "cat <<< '@' | bash -s",
      "make -f - <<< '@'",
    ],
    ...[
      'echo "<("; @\necho ")"',
      "((1)); @",
      `x="\${y:-'}"; @ #"'}"`,
      "echo x | { cat; @\n}",
      "@ >> out; . ./out",
      'echo "@" \\\n; true',
    ],
    ...['echo "$\\\n(@\n)"', "cat <<\\\n-E7\nE7\n@\n-E7", "echo '@' > rg; ./rg", "x='a[$(@)]'; [[ x -eq 0 ]]"],
    ...['cat <<E8 "\n@"\nE8', "ls {'@',b}", "echo a # b \\\n@", "{ @\n} 2>&1 | tee x", "[ -v 'x[$(@)]' ]"],
    ...["find . -maxdepth 0 -exec @ ';'", "git log --grep='@'", "xargs -n 1 @ < a.patch", "echo $((1 + $(@\n)))"],
  ].map((template) => (inner) => template.replaceAll("@", () => inner));
  const command = fc
    .tuple(fc.constantFrom(...seeds), fc.array(fc.constantFrom(...wraps), { maxLength: 3 }))
    .map(([seed, list]) => list.reduce((inner, wrap) => wrap(inner), seed));
  const whole = fc
    .tuple(command, fc.constantFrom("; ", "\n", " && ", " | "), command)
    .map(([one, sign, other]) => one + sign + other);
  fc.assert(
    fc.property(fc.oneof(command, whole), (line) => {
      fc.pre(readPatchCommand(line) === undefined);
      expect(doesRun(line), line).toBe(false);
    }),
    { numRuns: runs, ...(seed === undefined ? {} : { seed }) },
  );
}, 1_200_000);

describe("a command that may apply a patch may change", () => {
  const shown = here("timeout 5 apply_patch");
  it.each([
    ["a file that the patch names, in any folder", shown, "/else/where/a.ts", true],
    ["a file that the patch names in other letters", shown.replace("a.ts", "src/A.ts"), "/project/src/a.ts", true],
    ["no other file", shown, "/project/b.ts", false],
    ["every file if a variable names it", shown.replace("a.ts", "$f"), "/project/b.ts", true],
    ["every file of the directory if the patch is not shown", "apply_patch < a.patch", "/project/src/b.ts", true],
    ["no file elsewhere if the patch is not shown", "apply_patch < a.patch", "/other/b.ts", false],
    ["every file if it may go elsewhere", "cd .. && apply_patch < a.patch", "/other/b.ts", true],
    ["every file if the patch may have any path", "/bin/apply_patch < /tmp/a.patch", "/other/b.ts", true],
    ["every file if one of two patches is shown", `${shown}\napply_patch < a.patch`, "/project/b.ts", true],
  ])("%s", (_what, command, file, expected) => {
    expect(mayTouch(command, "/project", file)).toBe(expected);
  });
});
