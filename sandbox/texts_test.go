package sandbox

import (
	"strings"
	"testing"
)

func TestStatesOfAnOperation(t *testing.T) {
	const pick = "pick 0123abc one\n"
	for _, row := range []struct {
		kind          textKind
		before, after string
		fine          bool
	}{
		{textNumber, "", "12\n", true},
		{textNumber, "", "", true},
		{textNumber, "1\n", "$(touch x)\n", false},
		{textNumber, "", "1;x", false},
		{textRef, "", "refs/heads/o'brien\n", false},
		{textRef, "", "refs/heads/feature/x-1\n", true},
		{textRef, "", "detached HEAD\n", true},
		{textRef, "", "refs/heads/x;touch${IFS}/x\n", false},
		{textWord, "", "ort\n", true},
		{textWord, "", "../x\n", false},
		{textTodo, "", pick + "# comment\n\nfixup -C 12ab\nlabel onto\nreset onto\nmerge -C 12ab x # y\nupdate-ref refs/heads/x\nbreak\nnoop\n", true},
		{textTodo, pick, pick + "exec touch x\n", false},
		{textTodo, pick, pick + "x touch x\n", false},
		{textTodo, pick, pick + "\texec touch x\n", false},
		{textTodo, pick + "exec make test\n", "exec make test\n", true},
		{textTodo, "exec make test\n", "exec make test; touch x\n", false},
	} {
		if err := judgeState(row.kind, row.before, row.after); (err == nil) != row.fine {
			t.Errorf("%q, before %q: %v", row.after, row.before, err)
		}
	}
}

func TestModulesOfACommand(t *testing.T) {
	const plain = "[submodule \"lib/x\"]\n\tpath = lib/x\n\turl = https://example.org/x.git\n"
	for text, fine := range map[string]bool{
		plain:                           true,
		plain + "\tbranch = main\n":     true,
		plain + "\tupdate = !touch x\n": false,
		strings.ReplaceAll(plain, "lib/x", "../x"):             false,
		strings.Replace(plain, "= lib/x", "= /x", 1):           false,
		strings.Replace(plain, "= lib/x", "= -x", 1):           false,
		strings.Replace(plain, "https://", "ext::sh -c ", 1):   false,
		strings.Replace(plain, "https://", "ssh://-oProxy", 1): false,
		plain + "[core]\n\tfsmonitor = x\n":                    false,
	} {
		if err := judgeModules("", text); (err == nil) != fine {
			t.Errorf("%q: %v", text, err)
		}
	}
}
