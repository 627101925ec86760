package guard

import (
	"slices"
	"testing"

	"github.com/pillion-sidecar/pillion/guard/rule"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

func TestTildesInAssignments(t *testing.T) {
	for command, want := range map[string][2]string{ // bash, posix
		"x=a:~/b; x $x":     {"a:/home/dev/b", "a:/home/dev/b"},
		"x=~/a:~:~/c; x $x": {"/home/dev/a:/home/dev:/home/dev/c", "/home/dev/a:/home/dev:/home/dev/c"},
		"x='q':~/r:b; x $x": {"q:/home/dev/r:b", "q:/home/dev/r:b"},
		"x=q':'~/r; x $x":   {"q:~/r", "q:~/r"},
		"x=a=~/b; x $x":     {"a=~/b", "a=~/b"},
		"x=a:~root/b; x $x": {"a:/root/b", "a:/root/b"},
		"x of=~/b":          {"of=/home/dev/b", "of=~/b"},
		"x of=a:~/b":        {"of=a:/home/dev/b", "of=a:~/b"},
		"x a+=~":            {"a+=/home/dev", "a+=~"},
		"x --of=~/b":        {"--of=~/b", "--of=~/b"},
		"x 'of'=~/b":        {"of=~/b", "of=~/b"},
		"x of='~/b'":        {"of=~/b", "of=~/b"},
		"x HEAD~1:a:~":      {"HEAD~1:a:~", "HEAD~1:a:~"},
		"x a=\\~/b":         {"a=~/b", "a=~/b"},
		"x a=b~c:d~":        {"a=b~c:d~", "a=b~c:d~"},
		"x a=~/b\"c\":~/d":  {"a=/home/dev/bc:/home/dev/d", "a=~/bc:~/d"},
		"x ~:/b":            {"/home/dev:/b", "~:/b"},
		"x ~root:b":         {"/root:b", "~root:b"},
		"x ~:~/b:~":         {"/home/dev:~/b:~", "~:~/b:~"},
		"x ~:/b\"c\"":       {"/home/dev:/bc", "~:/bc"},
		"x ~'':/b":          {"~:/b", "~:/b"},
		"x \\~:/b":          {"~:/b", "~:/b"},
		"x b~:/b":           {"b~:/b", "b~:/b"},
	} {
		for i, list := range Execs(shell.Input{Command: command, Cwd: testRoot}, DefaultPolicy(), paper{testRoot}, testHome) {
			last := list[len(list)-1]
			if !slices.Equal(last.Argv, []string{"x", want[i]}) {
				t.Errorf("%q, pass %d: %q, want %q", command, i, last.Argv, want[i])
			}
		}
	}
	for command, want := range map[string]rule.Decision{
		"dd if=a of=~/.bashrc": rule.Deny, "dd if=~/.ssh/id_rsa of=x": rule.Deny, "dd if=a of='~/x'": rule.Allow, "git diff HEAD~1:a": rule.Allow, "make PREFIX=~/.local": rule.Allow,
		"podman run --rm -v ~:/x:rw alpine true": rule.Deny, "podman run --rm -v '~:/x:rw' alpine true": rule.Allow,
	} {
		if v := judgeIn("posix", command); v.Decision != want {
			t.Errorf("%q: %s, want %s", command, describe(v), want)
		}
	}
}
