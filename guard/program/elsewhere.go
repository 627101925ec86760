package program

import (
	"strconv"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
)

// Elsewhere is the commands that a program only hands on to another machine, or to a
// container of a cluster there. One of a single word is shell text.
func Elsewhere(name string, args []effect.Arg) (commands [][]effect.Arg) {
	m := Of(name)
	if m == nil || !m.Has("elsewhere") {
		return nil
	}
	spec := Options("machine")
	switch {
	case m.Has("with"):
		spec = m.With
	case m.Spec != nil:
		spec = m.Spec
	}
	for field := range strings.FieldsSeq(m.Get("elsewhere")) {
		verb, options, inOption := strings.Cut(field, "=")
		verb, own, _ := strings.Cut(verb, ":")
		rest, ok := behind(spec, args, verb)
		switch {
		case !ok:
		case inOption:
			for _, text := range argv.Values(rest, strings.Split(options, "|")...) {
				if !strings.HasPrefix(text.Text, "@") { // a file
					commands = append(commands, []effect.Arg{text})
				}
			}
		default:
			n, _ := strconv.Atoi(own)
			for range n {
				_, rest = spec.Leading(rest)
				rest = rest[min(1, len(rest)):]
			}
			if _, rest = spec.Leading(rest); len(rest) > 0 {
				commands = append(commands, rest)
			}
		}
	}
	return commands
}

// behind is what comes after the words of a verb, which options may stand between.
func behind(spec *argv.Spec, args []effect.Arg, verb string) ([]effect.Arg, bool) {
	for word := range strings.SplitSeq(verb, "+") {
		if word == "" {
			break
		}
		if _, args = spec.Leading(args); len(args) == 0 || args[0].Text != word {
			return nil, false
		}
		args = args[1:]
	}
	return args, true
}
