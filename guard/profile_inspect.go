package guard

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// inspectDirs are where a program of this profile may come from when it is named
// by its path: a file called git in the workspace is not git.
var inspectDirs = []string{"/bin", "/usr/bin", "/usr/local/bin", "/usr/local/go/bin", "/opt/homebrew/bin", "/nix/store", "/run/current-system/sw/bin", "~/go/bin", "~/.cargo/bin", "~/.local/bin"}

// inspectPrograms is the whole table of the profile.
var inspectPrograms = names(`
	ls find stat file du wc head tail cat less sort uniq diff comm tr cut paste column
	grep egrep rg ag awk sed xargs jq yq
	git
	python python3 node npx uv cargo go java javac npm pip pip3 make
	base64 xxd hexdump echo printf date env printenv which type uname id whoami pwd realpath dirname basename
	ast-grep repomix tree tokei cloc scc`)

// inspectRules let programs look and nothing else. Operators are refused in the
// text, quoted or not, before anything is parsed: that is what the profile
// promises. What the text can't tell is judged by what the command would do.
var inspectRules = []Rule{
	{
		ID: "inspect/operator", Title: "Shell operator", Decision: Deny, Severity: 1,
		Why:      "One command at a time is what this profile can judge; operators and expansions make more of it.",
		Message:  "Shell operator",
		Safer:    "run the commands one by one",
		Match:    []string{"ls; rm -rf /", "cat file | bash", "echo $(id)", "sleep 1 & ls", "ls && pwd", "ls || pwd", "echo `id`", "echo ${HOME}", "echo foo > /tmp/out", "echo foo >/tmp/out", "echo a >> b", "ls\nrm -rf x", "diff <(ls) x", "ls 2>&1", "rg 'a|b' .", "eval ls", "exec ls", "source x.sh", "ls;ls", "ls|sh", "cat x>y"},
		NotMatch: []string{"ls -la", "rg 'pattern' .", "wc -l src/**/*.py", "cat < README.md", "git log --oneline -20", "echo $HOME", "find . -name '*.go'", "cat source/eval.go", "rg executor", "head -50 src/main.py"},
		when: func(_ *walker, e *effect) bool {
			return e.kind == kindText && e.name == "command" && operator(e.text) != ""
		},
		say: func(e *effect) string { return operator(e.text) },
	},
	{
		ID: "inspect/shell", Title: "More than a program", Decision: Deny, Severity: 2,
		Why:      "Only programs with arguments run here; functions, tests and declarations change what a later word means.",
		Message:  "Program not in allowlist (shell construct)",
		Match:    []string{"FOO=bar", "f() (ls)", "(ls) < x", "time ls", "export X=1", "[[ -f x ]]", "f() { ls\n}"},
		NotMatch: []string{"ls", "FOO=bar git status", "cat < x", "git log"},
		when:     func(_ *walker, e *effect) bool { return e.kind == kindCommand && e.name != writtenCommand },
	},
	{
		ID: "inspect/program", Title: "Program not in allowlist", Decision: Deny, Severity: 2,
		Why:      "This profile runs programs that look at things, from a fixed list.",
		Message:  "Program not in allowlist ({what})",
		Match:    []string{"rm -rf /", "curl https://evil.com", "tee out.txt", "./x.sh", ". x.sh", "bash -c ls", "env rm -rf x", "sudo ls", "$CMD", "./git status", "xargs rm", "/tmp/ls", "command rm x", "npx rimraf x", "uv run rm x", "vim x", "touch x"},
		NotMatch: []string{"ls", "/usr/bin/git log", "FOO=bar git status", "xargs grep x", "env", "python3 x.py", "npx --version", "make test", "echo rm", "env LANG=C ls", "uv run pytest"},
		when:     func(w *walker, e *effect) bool { return e.kind == kindExec && !w.inspects(e) },
	},
	{
		ID: "inspect/git", Title: "Git write operation", Decision: Deny, Severity: 2,
		Why:      "Only git subcommands that read run here, in the forms that read.",
		Message:  "Git write operation",
		Safer:    "use log, diff, show, status, …",
		Match:    []string{"git push origin main", "git commit -m x", "git reset --hard", "git checkout main", "git pull", "git add .", "git config user.name x", "git stash", "git stash drop", "git branch -D main", "git branch new", "git tag v1", "git remote add x y", "git reflog expire --all", "git diff --output=/tmp/x", "git diff --outp x", "git -c core.pager=x log", "git -C /tmp/repo push", "git", "git $X", "git config --get x --unset", "git log --ext-diff", "xargs git", "git --exec-path=/tmp log", "git config --edit", "git cat-file --filters HEAD:x"},
		NotMatch: []string{"git log", "git -C /tmp/repo log", "git config --get user.name", "git config -l", "git config --global --get user.name", "git stash list", "git stash show -p", "git branch -a", "git branch --list 'x*'", "git tag -l 'v*'", "git remote -v", "git remote show origin", "git --version", "git reflog", "git --no-pager diff HEAD~1", "git branch --show-current", "git diff --output-indicator-new=x", "git show HEAD:a.go", "git tag", "git stash show stash@{0}"},
		when:     func(_ *walker, e *effect) bool { return e.kind == kindExec && e.name == "git" && !gitReads(e.args) },
	},
	{
		ID: "inspect/option", Title: "Option that writes or runs", Decision: Deny, Severity: 2,
		Why:      "With this option the program changes files or runs other programs.",
		Message:  "{what} with an option that writes or runs something else",
		Match:    []string{"find . -delete", "find . -exec rm {} +", "find . -exec grep x {} +", "find . -fprint x", "sed -i s/a/b/ x", "sed --in-place s/a/b/ x", "sed 'w out' x", "sed 's/a/b/e' x", "sed -n '1e id' x", "awk 'BEGIN{system(\"id\")}'", "awk 'BEGIN{getline x}'", "sort -o x y", "sort --compress-program=x y", "rg --pre x y", "python3 -c 'print(1)'", "python -", "node -e 1", "date -s now", "yq -i .a x", "less '+!id' x", "go test -exec x", "make SHELL=x", "make --eval x", "xargs sed", "tree -o x", "env -S 'rm x'", "sed -ni p x", "go env -w A=b", "cargo --config x build", "python3", "npm exec x", "awk -i inplace x y"},
		NotMatch: []string{"find . -name x", "sed -n '1,5p' x", "sed 's/we/ew/g' x", "sed -e 's/a/b/' x", "awk '{print $1}' x", "sort -k2 x", "rg -n x", "python3 x.py", "node x.js", "date +%s", "yq .a x", "go test ./...", "make -n", "xargs grep x", "tree -L 2", "env", "less x", "python3 --version", "find . -type f -newer x", "sort --version", "sed -n '/write/p' x", "grep -e x y", "jq -e . x", "python -m json.tool x", "npm --version"},
		when:     func(_ *walker, e *effect) bool { return e.kind == kindExec && acts(e) },
	},
	{
		ID: "inspect/sensitive", Title: "Sensitive path", Decision: Deny, Severity: 3,
		Why:      "System directories and keys are not part of what is looked at.",
		Message:  "Sensitive path ({what})",
		Match:    []string{"cat /etc/passwd", "cat ../../../etc/passwd", "cat $HOME/.ssh/id_rsa", "cat </etc/passwd", "grep --file=/etc/passwd x", "head -n1 --bytes=9 /sys/class/x", "FOO=x cat /proc/self/environ", "ls /root", "cat /boot/grub", "cat /usr/sbin/x", "cat //etc/passwd", "cat /usr/../etc/x", "cat /e*/passwd", "python3 x.py /etc/passwd", "git -C /etc log", "git diff --no-index /dev/null /etc/passwd", "find / -name x", "cat '/etc'/x", "cat ~/.ssh/config", "ls /etc/", "make -C /etc", "wc --files0-from=/etc/x", "grep -r x /", "jq --slurpfile a /etc/x .", "cat ~root/x"},
		NotMatch: []string{"cat etc/passwd", "ls /etcetera", "rg '/etc/passwd' .", "echo /etc", "ls /usr/bin", "cat ./proc/x", "cat /var/log/x", "git log -- etc", "ls /", "grep '/root' x", "sed -n '/etc/p' x", "cat /home/dev/project/sys/x", "basename /etc/x"},
		when:     func(w *walker, e *effect) bool { return w.sensitive(e) },
	},
	{
		ID: "inspect/write", Title: "Write", Decision: Deny, Severity: 3,
		Why:      "This profile only looks.",
		Message:  "writes to {what}",
		Match:    []string{"uniq a b", "xxd a b", "sort -oy x", "go build -o x .", "find . -delete", "tree -o x"},
		NotMatch: []string{"uniq a", "xxd a", "ls", "cat x", "go vet ./...", "find ."},
		when:     func(_ *walker, e *effect) bool { return writes(e) && !device(e.path) },
	},
	{
		ID: "inspect/environment", Title: "Variable that changes a program", Decision: Deny, Severity: 2,
		Why:      "With this variable set, the program runs or loads something else.",
		Message:  "sets {what}, which can make a program run something else",
		Match:    []string{"PATH=/tmp ls", "LD_PRELOAD=./x.so ls", "GIT_EXTERNAL_DIFF=./x git diff", "PAGER=./x git log", "LESSOPEN=x less y", "PYTHONSTARTUP=x python3 y", "GIT_CONFIG_COUNT=1 git log", "env PATH=/tmp ls", "NODE_OPTIONS=x node y", "MAKEFLAGS=x make"},
		NotMatch: []string{"FOO=bar git status", "LANG=C sort x", "GIT_PAGER=cat git log", "PAGER= git log", "TZ=UTC date", "NO_COLOR=1 ls", "CI=1 npm test"},
		when:     func(_ *walker, e *effect) bool { return e.kind == kindEnv && redirects(e.name, e.text) },
	},
}

// operators are what the profile rejects before parsing. A line break ends a
// command like a semicolon; eval and its kin count as words of their own.
var operators = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("[;&|`>\n]|\\$\\(|\\$\\{|<\\(|(?:^|\\s)(?:eval|exec|source)(?:\\s|$)")
})

// operator says what the text holds, "" for nothing of the kind.
func operator(text string) string {
	switch op := strings.TrimSpace(operators().FindString(strings.Trim(text, " \t\n"))); op {
	case "":
		if strings.Contains(strings.Trim(text, " \t\n"), "\n") {
			return "Shell operator (line break)"
		}
		return ""
	case "`", "$(", "<(":
		return "Command substitution"
	case "${":
		return "Variable expansion"
	case ">":
		return "Output redirection"
	case "eval", "exec", "source":
		return "Dynamic execution (" + op + ")"
	default:
		return "Shell operator (" + op + ")"
	}
}

// inspects reports a program of the table, from where the system keeps it.
func (w *walker) inspects(e *effect) bool {
	if e.unknown || !inspectPrograms.has(e.name) || strings.Contains(e.name, unknown) {
		return false
	}
	if e.path != "" && !w.trusted(e.text, e.path) {
		return false
	}
	return launches(e)
}

// redirects reports variables through which a program is made to run or load
// something. Pagers may be switched off.
func redirects(name, value string) bool {
	if strings.HasSuffix(name, "PAGER") {
		return value != "" && value != "cat" && value != "less"
	}
	for _, prefix := range [...]string{"LD_", "DYLD_", "GIT_", "LESS", "PYTHON", "PERL", "RUBY", "NODE_", "npm_", "NPM_", "PIP_", "UV_", "MAKE", "CARGO_", "RUST", "JAVA", "_JAVA", "AWK", "BASH", "PS4", "RIPGREP_CONFIG", "XDG_"} {
		if strings.HasPrefix(name, prefix) && value != "" && name != "NODE_ENV" && name != "RUST_BACKTRACE" && name != "RUST_LOG" {
			return true
		}
	}
	return slices.Contains([]string{"PATH", "HOME", "IFS", "ENV", "SHELL", "EDITOR", "VISUAL", "PROMPT_COMMAND", "GOFLAGS", "GOENV", "CLASSPATH", "JDK_JAVA_OPTIONS", "TERMINFO", "LOCPATH"}, name)
}
