package guard

import (
	"testing"

	"github.com/pillion-sidecar/pillion/guard/rule"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// ordinary is what editors and agents really run. A verdict other than allow on
// any of it is a defect: users turn off a guard that cries wolf.
var ordinary = []string{
	"go test ./...", "git log --oneline", `grep -rn "rm -rf /" .`, `echo "shutdown now"`, "make 2>/dev/null", "curl -s https://example.com/a/../b?x=/etc",
	"sed 's/a/b/' x", "sed -i 's#/etc/x#/usr/y#g' conf/app.conf", `git commit -m "fix: never rm -rf / or reboot /dev/sda > /etc"`, `git commit -am 'see ../x'`,
	`cd "$(dirname "$0")" && make`, `for f in *.go; do gofmt -l "$f"; done`, `for i in 1 2 3; do echo "$i"; done`, `while read -r line; do echo "$line"; done < input.txt`,
	`if [ -f package.json ]; then npm ci; else echo none; fi`, `[ -d "$HOME/.cache" ] || echo no`, "test -x /usr/bin/go && echo yes", `[[ "$x" == "$y" ]] && echo same`,
	"cat > main.go <<'EOF'\npackage main\n\nfunc main() { println(\"rm -rf /\") }\nEOF", "cat <<EOF > out.md\n# $USER's `date`\nEOF",
	"cat <<-EOF\n\tindented $HOME\n\tEOF", "python3 - <<'EOF'\nprint('/etc/passwd')\nEOF", "git apply <<'EOF'\n--- a/x\n+++ b/x\nEOF", "tee notes.txt <<< \"$TEXT\"",
	`find . -name '*.go' -print0 | xargs -0 grep -l TODO`, "find . -type f | wc -l", "find . -path ./node_modules -prune -o -name '*.js' -print", `find src -name '*.tmp' -exec rm {} \;`,
	"git diff --stat HEAD~1 -- src", "git show HEAD:../x || true", "git rebase -i HEAD~3", "git stash && git pull --rebase && git stash pop", "git -C src status", "git clone https://github.com/a/b.git vendor/b",
	`docker run --rm -v "$PWD":/app -w /app golang:1.26 go test ./...`, "docker exec -it web ls /etc", "kubectl get pods -n kube-system", "kubectl exec pod -- cat /etc/hosts", "ssh host 'ls /etc'",
	"npm run build -- --base=/app", "npx eslint --fix src", "NODE_ENV=production npm run build", "env FOO=bar make test", "timeout 60 npm test", "nohup make > make.log 2>&1 &", "time go build ./...", "nice -n 10 make -j8",
	"sudo -u postgres psql -c 'select 1'", "xargs -n1 echo < list.txt", "seq 1 10 | xargs -I{} echo item {}", "ls -la | sort -k5 -n | head -20", "ps aux | grep node | awk '{print $2}'",
	`export PATH="$PWD/bin:$PATH"; tool --version`, `VERSION=$(git describe --tags); echo "$VERSION"`, `FILES=$(git ls-files '*.go'); gofmt -l $FILES`, `x=${1:-default}; echo "${x%.txt}" "${x##*/}" "${#x}"`,
	"arr=1; case $arr in 1) echo one ;; *) echo other ;; esac", "f() { local n=$1; echo \"$n\"; }; f a b", "set -euo pipefail 2>/dev/null; make", "trap 'echo bye' EXIT; make", "( cd web && npm ci )", "{ echo a; echo b; } > out.txt",
	`T=$(mktemp -d) && cp -r src "$T" && rm -rf "$T"`, "rm -rf dist && mkdir -p dist && cp -r src/* dist/", "rm -f *.log", "mv src/a.ts src/b.ts", "ln -s ../shared src/shared", "touch a b c", "chmod +x scripts/*.sh",
	"tar czf out.tgz --exclude=.git .", "tar -xzf a.tgz -C vendor", "unzip -o a.zip -d vendor", "zip -r out.zip src", "rsync -a --delete src/ dist/", "curl -fsSLo /tmp/x.tgz https://example.com/x.tgz && tar -C /tmp -xzf /tmp/x.tgz",
	"curl -X POST -H 'Content-Type: application/json' -d '{\"path\":\"/etc/x\"}' http://localhost:8080/api/v1", "wget -q https://example.com/x -O x", "python3 -m venv .venv && . .venv/bin/activate && pip install -r requirements.txt",
	"source .venv/bin/activate", "bash scripts/run.sh --flag", "bash -lc 'go version'", "sh -c 'for i in 1 2; do echo $i; done'", "jq '.a | .b' x.json", "jq -r '.paths[\"/etc\"]' x.json", "awk '/^\\/usr/ {print}' x", "awk -F: '{print $1}' data.txt",
	"rg '/usr/local' -g '!*.md'", "grep -E '^(/etc|\\.\\./)' list.txt", "diff <(sort a) <(sort b) || true", "echo $((1 + 2))", "echo {a,b}{1,2}", "printf '%s\\n' /etc /usr", "ls src/*.{ts,js}", "head -c 32 /dev/urandom | base64",
	"docker build -t x . \\\n  --build-arg A=b \\\n  --no-cache", "go run . -- --root=/srv", "psql -h /var/run/postgresql -c 'select 1'", "npm test -- --grep '../utils'", "# just a comment", "echo done # rm -rf /", "kill %1", "sleep 1", ":", "true", "pwd", "go build -ldflags '-X main.path=/usr/lib' ./...",
	"command -v node >/dev/null 2>&1 || echo missing", "type go", "which python3", "uname -a; date; whoami", "lsof -i :3000", "killall -0 node || true", "go env GOPATH", "cargo build --target-dir /tmp/target", "pytest tests/test_x.py::test_y -k 'a or b'", "git log --format='%h %s' --since='2 weeks ago' -- src | head", "git config --get remote.origin.url",
	"for d in */; do (cd \"$d\" && git status -s); done", "export A=1 B=2; echo $A$B", "x=1; while [ $x -lt 5 ]; do x=$((x+1)); done", "grep -c . <<'EOF'\na\nEOF", "until curl -sf localhost:8080; do sleep 1; done", "ls 1>&2", "exec 3>&1; echo x >&3", "echo a >&2", "cmd=ls; $cmd -l", "echo \"${HOME}/project\"", "make -C src clean all", "cp -t dist a b", "install -m 755 bin/x dist/", "git worktree list", "git submodule update --init --recursive",
}

func TestOrdinaryCommandsAreAllowed(t *testing.T) {
	for _, command := range ordinary {
		for _, dialect := range []string{"posix", "bash"} {
			v := Check(shell.Input{Command: command, Cwd: testRoot, Dialect: dialect}, DefaultPolicy(), paper{testRoot}, testHome)
			if v.Decision != rule.Allow && !(dialect == "posix" && notPOSIX[command]) {
				t.Errorf("%s %q: %s", dialect, command, describe(v))
			}
		}
	}
}

// notPOSIX are commands that a plain sh would refuse or read otherwise.
var notPOSIX = map[string]bool{"diff <(sort a) <(sort b) || true": true, `tee notes.txt <<< "$TEXT"`: true}
