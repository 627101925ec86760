package judge

import (
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// Through is a command that a model runs through pillion itself.
type Through struct {
	display.Asked
	Flags []string // of exec, which only tighten
	AsIs  []string // the arguments of another subcommand, which has no effect
}

// errLoosens: what a person types loosens the sandbox, and a model is not a person.
var errLoosens = errors.New("this command changes how pillion confines commands, so it was not run. " +
	"Run the command itself: it goes through pillion anyway. Only the user can loosen the sandbox, in policy.toml or in their own terminal")

// telling are subcommands without an effect.
var telling = []string{"check", "doctor", "output", "rules", "version", "help", "--version", "--help"}

// Unwrapped unwraps a command that is a single call of pillion, so that it is not wrapped
// twice. An error is a call that would loosen something, anywhere in the command.
func Unwrapped(q Question) (Through, bool, error) {
	in, policy, plan, folder, err := q.input()
	if err != nil {
		return Through{}, false, err
	}
	if strings.Contains(q.Command, "PILLION_") && regexp.MustCompile(`\bPILLION_\w*=`).MatchString(q.Command) {
		return Through{}, false, errLoosens
	}
	if !strings.Contains(q.Command, "pillion") {
		return Through{}, false, nil
	}
	var single []string
	for _, list := range executor.Execs(in, policy, []string{folder}, q.homeIn(folder)) {
		for _, e := range list {
			if !isPillion(e.Argv) {
				continue
			}
			if _, ok := unwrap(e.Argv[1:]); !ok {
				return Through{}, false, errLoosens
			}
			single = e.Argv
		}
	}
	if single == nil || !whole(in, policy, plan, folder, q, single) {
		return Through{}, false, nil
	}
	t, _ := unwrap(single[1:])
	return t, true, nil
}

func isPillion(argv []string) bool {
	return len(argv) > 0 && strings.TrimSuffix(filepath.Base(argv[0]), ".exe") == "pillion"
}

// whole reports that the words are all of the text: written anew, both are the same.
func whole(in guard.Input, p guard.Policy, plan sandbox.Policy, folder string, q Question, words []string) bool {
	text := executor.Judge(in, p, plan, []string{folder}, q.homeIn(folder))
	in.Command = argv.Typed(words)
	again := executor.Judge(in, p, plan, []string{folder}, q.homeIn(folder))
	return text.Canonical != "" && text.Canonical == again.Canonical
}

// unwrap reads the arguments of pillion. It is not ok for anything that could loosen;
// flags that it doesn't know could.
func unwrap(args []string) (t Through, ok bool) {
	if len(args) == 0 {
		return t, false
	}
	if slices.Contains(telling, args[0]) {
		return Through{AsIs: args}, !slices.Contains(args, "-") && !slices.Contains(args, "--batch")
	}
	if args[0] != "exec" {
		return t, false
	}
	args = args[1:]
	for len(args) > 0 && strings.HasPrefix(args[0], "-") && args[0] != "--" {
		name, value, joined := strings.Cut(args[0], "=")
		switch {
		case name == "-q" || name == "--quiet":
		case !joined && len(args) > 1:
			value, args = args[1], args[1:]
			fallthrough
		default:
			if !slices.Contains([]string{"--mode read-only", "--network deny"}, name+" "+value) {
				return t, false
			}
			t.Flags = append(t.Flags, name, value)
		}
		args = args[1:]
	}
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	switch len(args) {
	case 0:
		return t, false
	case 1:
		t.Command = args[0]
	default:
		t.Argv = args
	}
	return t, true
}
