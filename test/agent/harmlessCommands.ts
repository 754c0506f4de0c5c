/** Commands as agents run them that apply no patch: some that name the program `apply_patch`, and others. */

const lines = (text: string): readonly string[] => text.trim().split("\n");

/** Commands that name it; `⏎` is a line ending. */
export const naming = lines(String.raw`
git log --oneline --grep apply_patch
git log -S apply_patch -- src
git log --all --grep='apply_patch' --format=%h
git grep -n apply_patch
git grep -l "apply_patch" -- '*.ts'
git -C codex-rs grep -n apply_patch
git show HEAD:src/apply_patch
git diff main -- codex-rs/apply_patch
git diff --stat -- apply_patch
git add codex-rs/apply_patch
git blame -L 1,20 src/apply_patch
git commit -m "Fix apply_patch"
git commit -am 'apply_patch: read the path'
git commit -m "$(cat <<'EOF'⏎Mend apply_patch⏎EOF⏎)"
git checkout -b fix/apply_patch
git checkout fix/apply_patch
git switch -c apply_patch
git switch apply_patch
git branch -d fix/apply_patch
git branch --list '*apply_patch*'
git push origin fix/apply_patch
git push -u origin apply_patch 2>&1 | tail -3
git fetch origin fix/apply_patch
git merge fix/apply_patch
git stash push -m apply_patch
git tag apply_patch
git worktree add ../apply_patch
git ls-files | grep apply_patch
git status --short | grep apply_patch
git rm -r --cached tools/apply_patch
git mv tools/apply_patch tools/patch
git restore src/apply_patch
git reset -- apply_patch
gh pr list --search apply_patch
gh issue list --search "apply_patch in:title"
gh pr create --title "Mend apply_patch" --body "It was apply_patch."
gh pr checkout fix/apply_patch
gh search code apply_patch
rg apply_patch
rg -n apply_patch src
rg -n "apply_patch" --glob '!node_modules' | head -20
rg -l apply_patch | wc -l
rg -c apply_patch src | sort -t: -k2 -n | tail -5
rg -n 'fn apply_patch' -A 5 codex-rs
rg -n apply_patch -g '*.rs' 2>/dev/null
rg "apply_patch|applypatch" . || true
rg -l apply_patch | xargs sed -n 1,5p
rg -l apply_patch src | xargs wc -l
rg -l apply_patch | xargs grep -c test
rg -l apply_patch | xargs -I{} head -1 {}
grep -rn apply_patch .
grep -rn "apply_patch" src | cut -d: -f1 | sort -u
grep -rn apply_patch src > /tmp/found.txt; wc -l /tmp/found.txt
grep -c apply_patch README.md
grep -q apply_patch README.md && echo yes
if grep -q apply_patch README.md; then echo yes; else echo no; fi
egrep -r 'apply_patch' docs
fgrep apply_patch README.md
ag apply_patch src
ag -l apply_patch
ack apply_patch
ack -l 'apply_patch' src
fd apply_patch
fd -t f apply_patch src
fdfind apply_patch
ls apply_patch
ls -la codex-rs/apply_patch
ls src | grep apply_patch
ls codex-rs/apply_patch/src
cat codex-rs/apply_patch/src/lib.rs | head -50
cat tools/apply_patch
cat apply_patch | sed -n 1,40p
head -20 bin/apply_patch
tail -5 bin/apply_patch
sed -n '/apply_patch/,/^}/p' src/lib.rs
sed -n 1,40p codex-rs/apply_patch/lib.rs
sed 's/apply_patch/patch/g' README.md
sed -i 's/apply_patch/patch/g' README.md
awk '/apply_patch/ {print NR}' README.md
awk '/apply_patch/{print FILENAME": "$0}' src/lib.rs
awk -F: '/apply_patch/ {n++} END {print n}' out.txt
find . -name apply_patch
find . -path '*/apply_patch/*' -name '*.rs'
find . -name '*apply_patch*' | head
find . -name '*.ts' | xargs grep -l apply_patch
wc -l codex-rs/apply_patch/src/lib.rs
stat bin/apply_patch
file bin/apply_patch
strings bin/codex | grep apply_patch
which apply_patch
command -v apply_patch
type apply_patch
whereis apply_patch
ps aux | grep apply_patch
ps aux | grep -v grep | grep apply_patch
pgrep -f apply_patch
pkill -f apply_patch
echo apply_patch
echo "apply_patch is the name" >> notes.md
printf '%s\n' apply_patch
cat > notes.md <<'EOF'⏎apply_patch takes a patch⏎EOF
cat >> notes.md <<EOF⏎apply_patch takes a patch⏎EOF
cat <<'EOF' | tee -a notes.md⏎apply_patch takes a patch⏎EOF
bash -lc 'rg -n apply_patch src'
bash -lc "rg -n apply_patch src | head"
bash -c 'git log --grep apply_patch'
sh -c 'grep -rn apply_patch .'
zsh -lc 'rg apply_patch'
bash -lc 'cd codex-rs && cargo test apply_patch'
for f in $(rg -l apply_patch); do echo $f; done
for f in $(rg -l apply_patch src); do sed -n 1,3p "$f"; done
for f in $(grep -rl apply_patch .); do wc -l $f; done
rg -l apply_patch | while read f; do echo "$f"; done
rg -l apply_patch | while read -r f; do head -1 "$f"; done
while read l; do echo $l; done < <(rg apply_patch)
npm test -- apply_patch
npm run test -- apply_patch
npm run test -- -t apply_patch 2>&1 | tail -20
npx vitest run -t apply_patch
npx vitest run test/apply_patch
npx jest -t apply_patch
pnpm test -- apply_patch
yarn test apply_patch
npx tsc --noEmit && rg apply_patch src
pytest -k apply_patch
pytest tests/apply_patch -q
python3 -m pytest -k apply_patch
python -m pytest -q -k "apply_patch" 2>&1 | tail -5
cargo test apply_patch
cargo test -p apply_patch
cargo build -p apply_patch 2>&1 | tail -20
cargo clippy -p apply_patch
cd codex-rs && cargo test -p apply_patch -- --nocapture
RUST_LOG=debug cargo test apply_patch
go test -run apply_patch ./...
go build ./cmd/apply_patch
make apply_patch
make -j4 apply_patch 2>&1 | tee make.log
./gradlew test --tests apply_patch
docker build -t apply_patch .
docker logs apply_patch
docker stop apply_patch
docker rmi apply_patch
kubectl logs deploy/apply_patch
kubectl get pods -l app=apply_patch
curl http://localhost:8080/api/apply_patch
curl -s -X POST http://localhost/apply_patch -d '{}' | jq .
curl -s https://example.org/apply_patch > page.html
jq '.tools[] | select(.name == "apply_patch")' tools.json
tar czf apply_patch.tgz codex-rs/apply_patch
zip -r out.zip codex-rs/apply_patch
mkdir -p codex-rs/apply_patch
rm -rf /tmp/apply_patch
cp bin/apply_patch /tmp/apply_patch
mv apply_patch patch
chmod +x bin/apply_patch
ln -s bin/apply_patch tool
touch apply_patch
tree codex-rs/apply_patch
diff a/apply_patch b/apply_patch
du -sh codex-rs/apply_patch
test -f bin/apply_patch && echo there
[ -x bin/apply_patch ] || echo missing
[[ -e apply_patch ]] && ls apply_patch
ls # apply_patch
node x.js # like apply_patch
timeout 60 cargo test apply_patch
nice rg apply_patch
time rg apply_patch
less src/apply_patch
code src/apply_patch
vim apply_patch.txt
man apply_patch
man -k apply_patch
man 1 apply_patch | head
`).map((line) => line.replaceAll("⏎", "\n"));

const git =
  "status|status --short|diff|diff --stat|log --oneline -5|show HEAD|add -A|commit -m 'x'|stash|stash pop".split("|");
const more =
  "branch|checkout -b x|switch main|fetch|pull --rebase|push|blame a.ts|ls-files|rev-parse HEAD|tag v1|apply x.diff";

/** Commands that do not name it. */
export const others: readonly string[] = [
  ...[...git, ...more.split("|")].flatMap((one) => [`git ${one}`, `cd sub && git ${one} 2>&1 | head -20`]),
  ...["npm", "pnpm", "yarn"].flatMap((one) =>
    ["install", "test", "run build", "run lint -- --fix"].map((more) => `${one} ${more}`),
  ),
  ...[
    "ls",
    "ls -la src",
    "cat a.ts",
    "cat a.ts b.ts | head",
    "rg -n price src",
    "rg --files",
    "rg -l x | xargs sed -i s/x/y/",
  ],
  ...["sed -n 1,80p a.ts", "sed -i 's/a/b/' a.ts", "awk '{print $1}' x", "wc -l a.ts", "head -5 a.ts", "tail -f log"],
  ...[
    "npx tsc --noEmit",
    "npx vitest run",
    "tsc -p .",
    "pytest -q",
    "python3 -m pytest",
    "python3 x.py",
    "python - <<'E'\nprint(1)\nE",
  ],
  ...[
    "cargo build",
    "cargo test",
    "cargo fmt",
    "go test ./...",
    "go vet",
    "make",
    "make -j4 test",
    "cmake --build build",
  ],
  ...[
    "docker ps",
    "docker build .",
    "docker compose up -d",
    "kubectl get pods",
    "kubectl apply -f x.yaml",
    "jq . a.json",
  ],
  ...[
    "curl -s http://localhost",
    "curl -o x http://localhost",
    "echo x > /dev/null",
    "ls 2>&1",
    "ls 2>/dev/null || true",
  ],
  ...[
    "cat > x.txt <<'EOF'\ntext\nEOF",
    "cat <<EOF >> x.txt\n$HOME\nEOF",
    "tee x < y",
    "bash x.sh",
    "bash -lc 'ls'",
    "sh -c 'npm test'",
  ],
  ...[
    "gh pr list",
    "gh pr view 1",
    "ssh host ls",
    "scp a host:b",
    "tar xzf a.tgz",
    "unzip a.zip",
    "rsync -a a b",
    "mkdir -p a/b",
  ],
  ...[
    "for f in *.ts; do wc -l $f; done",
    "while read l; do echo $l; done < x",
    "if [ -f x ]; then cat x; fi",
    "x=1; echo $x",
  ],
  ...[
    "node -e 'console.log(1)'",
    "node x.js",
    "perl -pi -e s/a/b/ x",
    "ruby x.rb",
    "patch -p1 < x.diff",
    "mv a b",
    "cp a b",
    "rm a",
  ],
  ...[
    "export A=1 && npm test",
    "source .venv/bin/activate && pytest",
    ". ./env.sh",
    'eval "$(direnv hook bash)"',
    "$EDITOR x",
  ],
  ...[
    "ps aux",
    "kill 1234",
    "sleep 1 & wait",
    "(cd sub && ls)",
    "{ ls; pwd; }",
    "find . -name '*.ts' -exec wc -l {} +",
    "xargs ls < x",
  ],
  ...[
    "date",
    "env",
    "pwd",
    "whoami",
    "uname -a",
    "df -h",
    "du -sh .",
    "which node",
    "type ls",
    "test -f x",
    "true",
    "diff a b",
  ],
  ...[
    "sort x | uniq -c",
    "cut -d: -f1 x",
    "tr a b < x",
    "nl a.ts",
    "stat x",
    "file x",
    "tree",
    "touch x",
    "ln -s a b",
    "chmod +x x",
  ],
];
