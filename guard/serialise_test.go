package guard

import (
	"reflect"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/rule"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

func judgeIn(dialect, command string) Verdict {
	return Check(shell.Input{Command: command, Cwd: testRoot, Dialect: dialect}, DefaultPolicy(), paper{testRoot}, testHome)
}

func TestCanonicalText(t *testing.T) {
	for command, want := range map[string]string{
		"ls -l":                               `'ls' '-l'`,
		"  ls   -l  ; ":                       `'ls' '-l'`,
		"ls; pwd":                             `'ls'; 'pwd'`,
		"a && b || c | d":                     `'a' && 'b' || 'c' | 'd'`,
		"! grep -q x f":                       `! 'grep' '-q' 'x' 'f'`,
		"! a | b && c":                        `! 'a' | 'b' && 'c'`,
		`echo it\'s "a\"b\$c\d" 'x"y'`:        `'echo' 'it'\''s' 'a"b$c\d' 'x"y'`,
		`r''m -f x`:                           `'rm' '-f' 'x'`,
		`grep "foo$" "^$|x" a$ $`:             `'grep' 'foo$' '^$|x' 'a$' '$'`,
		"git diff HEAD~1 @{1} {} -I{} a{b":    `'git' 'diff' 'HEAD~1' '@{1}' '{}' '-I{}' 'a{b'`,
		"[ -f x ] && test ! -d y":             `'[' '-f' 'x' ']' && 'test' '!' '-d' 'y'`,
		">f echo 2 >g 2>&1 <h":                `>'f' 'echo' '2' >'g' 2>&1 <'h'`,
		"x >>f 3>|g 2>&- 4<&0":                `'x' >>'f' 3>|'g' 2>&- 4<&0`,
		"> f":                                 `>'f'`,
		"exec 3>&1":                           `'exec' 3>&1`,
		"( cd web && npm ci ) > log":          `( 'cd' 'web' && 'npm' 'ci'; ) >'log'`,
		"{ a; b; } 2>&1 | c":                  `{ 'a'; 'b'; } 2>&1 | 'c'`,
		"( (a) )":                             `( ( 'a'; ); )`,
		"\n\nls # why\n\npwd":                 "\n\n'ls'\n\n'pwd'",
		"ls \\\n  -l \\\n  >f\npwd":           "'ls'  \\\n'-l'  \\\n>'f'\n'pwd'",
		"a &&\nb |\n\nc":                      "'a' &&  \\\n'b' |  \\\n \\\n'c'",
		"echo 'a\nb' c; d":                    "'echo' 'a\nb' 'c'; 'd'",
		"(\nls\n)":                            "( \n'ls'\n)",
		"echo '' \"\" é 'a b'":                `'echo' '' '' 'é' 'a b'`,
		"env A=b c=d ls":                      `'env' 'A=b' 'c=d' 'ls'`,
		"set -eu; set -o errexit; make":       `'set' '-eu'; 'set' '-o' 'errexit'; 'make'`,
		"command -v node || exit 3":           `'command' '-v' 'node' || 'exit' '3'`,
		`git commit -m "fix: $5 is \$5"`:      "",
		`echo "a \` + "\n" + `b"`:             `'echo' 'a b'`,
		`printf '%s\n' a 'b`:                  "",
		`'time' ls`:                           `'time' 'ls'`,
		`\[[ a`:                               "",
		"echo a=b file~ x:y":                  `'echo' 'a=b' 'file~' 'x:y'`,
		"echo a; # b":                         `'echo' 'a'`,
		"find . -name '*.go' -exec ls {} \\;": `'find' '.' '-name' '*.go' '-exec' 'ls' '{}' ';'`,
	} {
		for _, dialect := range []string{"", "posix", "bash"} {
			v := judgeIn(dialect, command)
			if v.Canonical != want || (v.RunAs == "canonical") != (want != "") {
				t.Errorf("%s %q: %s %q, want %q", dialect, command, v.RunAs, v.Canonical, want)
			}
		}
	}
}

// TestRunsAsWritten lists what is allowed and has no canonical text.
func TestRunsAsWritten(t *testing.T) {
	for _, command := range []string{
		"ls *.go", "ls a?", "ls [ab]", "echo ~/x", "ls ~", "echo a=~/x", "echo $HOME", `echo "$x"`, "echo `date`", "echo $(date)", "echo $((1+2))",
		"echo {a,b}", "echo {1..3}", "A=1", "A=1 make", "export A=1", "for i in 1 2; do echo x; done", "if true; then ls; fi", "f() { ls; }; f", "while read -r x; do ls; done",
		"case x in x) ls ;; esac", "make & ls", "cat <<'EOF'\nx\nEOF", "cat <<EOF\nx\nEOF", "time ls", "sh -c 'ls'", "bash -c 'ls -l'", "echo ls | sh", "eval 'ls -l'", "trap 'ls' EXIT",
		". ./env.sh", "alias l=ls", "set -v", "set -k", "set -- a b", "unset x", `\unset x`, "command unset x", "test -v x", "printf -v x y", "read -r x < f",
		"[ 'a[$(id)]' -eq 1 ]", "exec 12>f", "timeout 5 bash -c 'ls'", "env -S 'ls -l'", "find . -exec sh -c 'ls' \\;", "xargs sh -c 'ls'", "hash -p ls x", "jobs -x ls", "shopt -s extglob",
		"echo a~/b:~/c", "# only a comment", "\\unalias ls", "enable -n ls", "builtin read x",
	} {
		v := judgeIn("", command)
		if v.RunAs != "written" || v.Canonical != "" {
			t.Errorf("%q: %s %q", command, v.RunAs, v.Canonical)
		}
		if v.Decision != rule.Allow {
			t.Logf("%q: %s", command, v.Decision)
		}
	}
	for _, dialect := range []string{"powershell", "fish"} {
		if v := judgeIn(dialect, "ls"); v.RunAs != "written" || v.Canonical != "" {
			t.Errorf("%s: %s %q", dialect, v.RunAs, v.Canonical)
		}
	}
}

func TestOnlyWhatIsAllowedIsCanonical(t *testing.T) {
	for _, command := range []string{"rm -rf /", "ls /etc/shadow", "cat ../x", "ls # x\\\ncat y", "echo \"$\\\n(ls)\"", "ls 'x"} {
		if v := judgeIn("", command); v.Decision == rule.Allow || v.RunAs != "written" || v.Canonical != "" {
			t.Errorf("%q: %s, %s %q", command, v.Decision, v.RunAs, v.Canonical)
		}
	}
	for _, args := range [][]string{{"ls"}, {"rm", "-rf", "/"}, {"sh", "-c", "ls"}} {
		if v := judgeArgv(args...); v.RunAs != "argv" || v.Canonical != "" {
			t.Errorf("%q: %s %q", args, v.RunAs, v.Canonical)
		}
	}
}

// TestDialectsMustAgree: what only one of the shells takes for a keyword, a
// pattern or two words can't be quoted for both.
func TestDialectsMustAgree(t *testing.T) {
	for _, command := range []string{"time ls", "function f", "[[ a ]]", "echo $'a'", "ls &>f", "echo @(a)", "let x", "declare x", "a+=1 b"} {
		if v := judgeIn("posix", command); v.RunAs != "written" {
			t.Errorf("%q: %s %q", command, v.RunAs, v.Canonical)
		}
	}
}

func TestCanonicalTextIsNoLongerThanWhatIsJudged(t *testing.T) {
	if v := judgeIn("", "echo "+strings.Repeat(`\'`, effect.MaxBytes/8)); v.Decision != rule.Allow || v.RunAs != "canonical" {
		t.Errorf("%s %s", v.Decision, v.RunAs)
	}
	if v := judgeIn("", "echo "+strings.Repeat(`\'`, effect.MaxBytes/3)); v.Decision != rule.Allow || v.RunAs != "written" {
		t.Errorf("%s %s", v.Decision, v.RunAs)
	}
}

// TestSerialiserKnowsEveryField fails when a later parser adds a field to a node
// that is written: something new in it would be left out, and the command mean
// something else.
func TestSerialiserKnowsEveryField(t *testing.T) {
	for _, n := range []struct {
		node   any
		fields string
	}{
		{syntax.File{}, "Name Stmts Last"},
		{syntax.Stmt{}, "Comments Cmd Position Semicolon Negated Background Coprocess Disown Redirs"},
		{syntax.CallExpr{}, "Assigns Args"},
		{syntax.BinaryCmd{}, "OpPos Op X Y"},
		{syntax.Subshell{}, "Lparen Rparen Stmts Last"},
		{syntax.Block{}, "Lbrace Rbrace Stmts Last"},
		{syntax.Redirect{}, "OpPos Op N Word Hdoc"},
		{syntax.Word{}, "Parts"},
		{syntax.Lit{}, "ValuePos ValueEnd Value"},
		{syntax.SglQuoted{}, "Left Right Dollar Value"},
		{syntax.DblQuoted{}, "Left Right Dollar Parts"},
	} {
		var names []string
		for f := range reflect.TypeOf(n.node).Fields() {
			names = append(names, f.Name)
		}
		if got := strings.Join(names, " "); got != n.fields {
			t.Errorf("%T has the fields %s, not %s", n.node, got, n.fields)
		}
	}
}

// TestCanonicalTextIsItsOwn: judged again, canonical text is allowed and gives
// itself, and the same programs.
func TestCanonicalTextIsItsOwn(t *testing.T) {
	n := 0
	for _, command := range ordinary {
		v := judgeIn("", command)
		if v.RunAs != "canonical" {
			continue
		}
		n++
		again := judgeIn("", v.Canonical)
		if again.Decision != rule.Allow || again.Canonical != v.Canonical {
			t.Errorf("%q: %q, then %s %q", command, v.Canonical, describe(again), again.Canonical)
		}
	}
	t.Logf("%d of %d ordinary commands are canonical", n, len(ordinary))
}
