package guard

import (
	"slices"
	"testing"

	"github.com/pillion-sidecar/pillion/guard/shell"
)

// TestWordsFoldAsShellsMakeThem holds what real shells were found to do
// differently from package expand.
func TestWordsFoldAsShellsMakeThem(t *testing.T) {
	for command, want := range map[string][]string{
		`x "$@"`:                           nil,
		`set --; x "$@"`:                   {"x"},
		`set --; x "${@}" y`:               {"x", "y"},
		`set --; n=; x "$@"$n $n"$@"`:      {"x"},
		`set --; x """$@"`:                 {"x", ""},
		`set -- a ''; x "$@"`:              {"x", "a", ""},
		`set -- ''; x "$@"`:                {"x", ""},
		`set -- a b; x "-$@-"`:             nil,
		`x /${u:+tmp}`:                     {"x", "/"}, // and /tmp
		`u=; x /${u:+tmp}`:                 {"x", "/"},
		`u=1; x /${u:+tmp}`:                {"x", "/tmp"},
		`x $HOME{a,b}`:                     nil,
		`x ${HOME}{a,b}`:                   {"x", "/home/deva", "/home/devb"},
		`f() { x "$@"; }; f`:               {"x"},
		`x=1; x {$x,}b`:                    nil,
		`x $'\ca'`:                         nil,
		`l+=(e); x ${l[1]}`:                nil,
		`l=(a); l+=(e); x ${l[1]}`:         {"x", "e"},
		`l=(); x "${l[@]}"`:                {"x"},
		`l=(a 'b c'); x "${l[@]}" ${l[1]}`: {"x", "a", "b c", "b", "c"},
	} {
		list := Execs(shell.Input{Command: command, Cwd: testRoot, Dialect: "bash"}, DefaultPolicy(), paper{testRoot}, testHome)[0]
		last := list[len(list)-1]
		if last.Known != (want != nil) || want != nil && !slices.Equal(last.Argv, want) {
			t.Errorf("%q: %+v, want %q", command, last, want)
		}
	}
}
