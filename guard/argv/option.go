package argv

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

// Option is one option of a command line under its own name: clusters are taken
// apart, and "-m text", "-mtext" and "--message=text" look the same.
type Option struct {
	Name   string
	Value  effect.Arg
	Valued bool
}

// Operand is one argument and what the program does with it.
type Operand struct {
	effect.Arg
	Role Role
}

// reading is an argv as far as it was read.
type reading struct {
	opts     []Option
	values   []Operand    // of each word of options: the value, or the word itself
	bare     []string     // the words
	operands []effect.Arg // without their roles
}

// parse is the one reader of arguments. It stops at the first operand if asked to, and
// returns what it has not read.
func (s *Spec) parse(args []effect.Arg, leading bool) (r reading, rest []effect.Arg) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a.Text == "--":
			rest = args[i+1:]
		case len(a.Text) > 1 && a.Text[0] == '-':
			if s.word(&r, a, args[i+1:]) {
				i++
			}
			continue
		case leading:
			rest = args[i:]
		default:
			r.operands = append(r.operands, a)
			continue
		}
		break
	}
	return r, rest
}

// word reads one word of options, and reports that the next argument belongs to it.
func (s *Spec) word(r *reading, a effect.Arg, rest []effect.Arg) (next bool) {
	t := s.read()
	r.bare = append(r.bare, a.Text)
	name, text, joined := strings.Cut(a.Text, "=")
	full, role := t.flag(name)
	if !strings.HasPrefix(name, "--") && (role == 0 || len(name) == 2) {
		return t.cluster(r, a, rest)
	}
	o := Option{Name: full}
	value := Operand{effect.Renamed(a, a.Text), None}
	switch {
	case joined:
		value = Operand{effect.Renamed(a, text), cmp.Or(role, t.unlisted())}
	case role != 0 && len(rest) > 0:
		value, next = Operand{rest[0], role}, true
	}
	if o.Valued = joined || next; o.Valued {
		o.Value = value.Arg
	}
	r.opts, r.values = append(r.opts, o), append(r.values, value)
	return next
}

// cluster reads letters: the first that takes a value ends them.
func (t *specTable) cluster(r *reading, a effect.Arg, rest []effect.Arg) (next bool) {
	var seen [256]bool // -rfrfrf… is no more than -rf
	for i := 1; i < len(a.Text); i++ {
		if c := a.Text[i]; seen[c] {
			continue
		} else {
			seen[c] = true
		}
		o := Option{Name: "-" + a.Text[i:i+1]}
		role := t.flags[o.Name]
		switch {
		case role == 0:
			r.opts = append(r.opts, o)
			continue
		case i+1 < len(a.Text):
			text := a.Text[i+1:]
			if len(text) > 1 { // -o=json, but not cut -d=
				text = strings.TrimPrefix(text, "=")
			}
			o.Value, o.Valued = effect.Renamed(a, text), true
		case len(rest) > 0:
			o.Value, o.Valued, next = rest[0], true, true
		default:
			o.Value, role = effect.Renamed(a, a.Text), None
		}
		r.values = append(r.values, Operand{o.Value, role})
		if !o.Valued {
			o.Value = effect.Arg{}
		}
		r.opts = append(r.opts, o)
		return next
	}
	value := Operand{effect.Renamed(a, a.Text), t.unlisted()}
	if value.Role == Guess {
		if _, text, ok := strings.Cut(a.Text, "="); ok {
			value.Text = text
		} else if len(a.Text) > 2 { // -I../include, -o/opt/x
			value.Text = a.Text[2:]
		}
	}
	r.values = append(r.values, value)
	return false
}

// unlisted is the role of what belongs to an option that the table doesn't know.
func (t *specTable) unlisted() Role {
	if t.rest == Guess {
		return Guess
	}
	return None
}

// Options takes an argv apart by the options that s says take a value.
func (s *Spec) Options(args []effect.Arg) (opts []Option, operands []effect.Arg) {
	r, rest := s.parse(args, false)
	return r.opts, append(r.operands, rest...)
}

// Leading splits options with their values from what follows the first operand.
func (s *Spec) Leading(args []effect.Arg) (values []Operand, rest []effect.Arg) {
	r, rest := s.parse(args, true)
	return r.values, rest
}

// UpToOperand is Options for what comes before the first operand.
func (s *Spec) UpToOperand(args []effect.Arg) (opts []Option, rest []effect.Arg) {
	r, rest := s.parse(args, true)
	return r.opts, rest
}

// Split sorts arguments into options' values and operands. bare are the options
// without their values.
func (s *Spec) Split(args []effect.Arg) (values, operands []Operand, bare []string) {
	r, rest := s.parse(args, false)
	t := s.read()
	first := t.first
	if slices.ContainsFunc(r.values, func(v Operand) bool { return v.Role == Instead || v.Role == InsteadFile }) {
		first = t.rest
	}
	for _, a := range append(r.operands, rest...) {
		operands = append(operands, Operand{a, t.rest})
	}
	if n := len(operands); n > 0 {
		operands[n-1].Role = t.last
		operands[0].Role = first
	}
	return r.values, operands, r.bare
}

// Named reports an option by any of its names; long ones may be abbreviated, as
// `git reset --har` is.
func Named(o Option, names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool {
		return o.Name == n || len(o.Name) > 4 && strings.HasPrefix(o.Name, "--") && strings.HasPrefix(n, o.Name)
	})
}

// Any reports one of the options by any of its names.
func Any(opts []Option, names ...string) bool {
	return slices.ContainsFunc(opts, func(o Option) bool { return Named(o, names...) })
}

// AnyValue reports an option by any of its names, the text of whose value f accepts.
func AnyValue(opts []Option, f func(text string) bool, names ...string) bool {
	return slices.ContainsFunc(opts, func(o Option) bool { return Named(o, names...) && f(o.Value.Text) })
}

// Given is anyOption for a program whose options take no values that matter.
// Most rules ask this about every program, so it takes nothing apart.
func Given(args []effect.Arg, names ...string) bool {
	for _, a := range args {
		switch {
		case a.Text == "--":
			return false
		case len(a.Text) < 2 || a.Text[0] != '-':
		case a.Text[1] == '-':
			name, _, _ := strings.Cut(a.Text, "=")
			if Named(Option{Name: name}, names...) {
				return true
			}
		case slices.ContainsFunc(names, func(n string) bool {
			return len(n) == 2 && strings.IndexByte(a.Text[1:], n[1]) >= 0
		}):
			return true
		}
	}
	return false
}
