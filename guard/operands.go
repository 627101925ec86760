package guard

import (
	"maps"
	"slices"
	"strings"
	"sync"
)

// role is what a program does with an argument.
type role byte

const (
	none  role = ':' // not a path
	read  role = '<'
	uses  role = '+' // read, but what is in it is not shown: ls, a key for ssh
	write role = '>'
	del   role = 'x'
	move  role = 'm' // gone from there, but not lost
	chdir role = '@' // later relative paths start there
	guess role = '?' // a path if it looks like one outside
	given role = '=' // not a path; the first operand is then an ordinary one
	file  role = '~' // given, from a file
)

// spec is how a program reads its arguments, as far as paths go. It is read when
// the program is met: most never are.
type spec struct {
	roles, flags string
	once         sync.Once
	table        *specTable
}

type specTable struct {
	first, rest, last role            // of operands; last needs two of them
	flags             map[string]role // options that take a value
	names             func() []string // of flags, sorted when the first abbreviation is looked up
	quiet             []string        // options with which no content is shown: grep -q
}

// newSpec takes the table's notation: three roles ("." is "as rest") and
// options with the role of their value ("-o> --output> -n:").
func newSpec(roles, flags string) *spec {
	return &spec{roles: roles, flags: flags}
}

func (s *spec) read() *specTable {
	s.once.Do(func() { s.table = readTable(s.roles, s.flags) })
	return s.table
}

func readTable(roles, flags string) *specTable {
	s := &specTable{rest: role(roles[1])}
	s.first, s.last = s.rest, s.rest
	if roles[0] != '.' {
		s.first = role(roles[0])
	}
	if roles[2] != '.' {
		s.last = role(roles[2])
	}
	for f := range strings.FieldsSeq(flags) {
		if name, ok := strings.CutSuffix(f, "!"); ok {
			s.quiet = append(s.quiet, name)
			continue
		}
		if s.flags == nil {
			s.flags = map[string]role{}
		}
		s.flags[f[:len(f)-1]] = role(f[len(f)-1])
	}
	s.names = sync.OnceValue(func() []string { return slices.Sorted(maps.Keys(s.flags)) })
	return s
}

// operand is one argument and what the program does with it.
type operand struct {
	arg
	role role
}

// split sorts arguments into options' values and operands. bare are the options
// without their values.
func (s *spec) split(args []arg) (values, operands []operand, bare []string) {
	first := s.read().first
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a.text == "--":
			for _, a := range args[i+1:] {
				operands = append(operands, operand{a, s.read().rest})
			}
			i = len(args)
		case len(a.text) < 2 || a.text[0] != '-':
			operands = append(operands, operand{a, s.read().rest})
		default:
			value, next := s.option(a, args[i+1:])
			bare = append(bare, a.text)
			if next {
				i++
			}
			if value.role == given || value.role == file {
				first = s.read().rest
			}
			values = append(values, value)
		}
	}
	if n := len(operands); n > 0 {
		if n > 1 {
			operands[n-1].role = s.read().last
		}
		operands[0].role = first
	}
	return values, operands, bare
}

// option is the value of one option word, and whether it is the next argument.
func (s *spec) option(a arg, rest []arg) (value operand, next bool) {
	value = operand{a, none}
	value.exact = false
	if strings.HasPrefix(a.text, "--") {
		name, text, joined := strings.Cut(a.text, "=")
		r, ok := s.long(name)
		if joined {
			value.text, value.role = text, r
			if !ok && s.read().rest == guess {
				value.role = guess
			}
			return value, false
		}
		return s.take(ok, r, value, rest)
	}
	if name, text, joined := strings.Cut(a.text, "="); joined && len(name) > 2 { // -chdir=infra
		if r, ok := s.read().flags[name]; ok {
			value.text, value.role = text, r
			return value, false
		}
	}
	if r, ok := s.read().flags[a.text]; ok { // also find's and Go's long names with one dash
		return s.take(true, r, value, rest)
	}
	for i := 1; i < len(a.text); i++ { // a cluster: the first that takes a value ends it
		if r, ok := s.read().flags["-"+a.text[i:i+1]]; ok {
			if i+1 < len(a.text) {
				value.text, value.role = strings.TrimPrefix(a.text[i+1:], "="), r
				return value, false
			}
			return s.take(true, r, value, rest)
		}
	}
	if s.read().rest == guess {
		value.role = guess
		if _, text, ok := strings.Cut(a.text, "="); ok {
			value.text = text
		} else if len(a.text) > 2 { // -I../include, -o/opt/x
			value.text = a.text[2:]
		}
	}
	return value, false
}

func (s *spec) take(ok bool, r role, value operand, rest []arg) (operand, bool) {
	if !ok || len(rest) == 0 {
		return value, false
	}
	return operand{rest[0], r}, true
}

// long finds a long option; GNU programs take any unambiguous beginning.
func (s *spec) long(name string) (role, bool) {
	if r, ok := s.read().flags[name]; ok {
		return r, true
	}
	var found role
	if len(name) > 3 {
		for _, f := range s.abbreviated(name) {
			if r := s.read().flags[f]; found == 0 || r != none {
				found = r
			}
		}
	}
	return found, found != 0
}

// abbreviated are the options that begin with name, in the order of the alphabet,
// so that a verdict never varies.
func (s *spec) abbreviated(name string) []string {
	names := s.read().names()
	from, _ := slices.BinarySearch(names, name)
	to := from
	for to < len(names) && strings.HasPrefix(names[to], name) {
		to++
	}
	return names[from:to]
}

// operands judges the arguments of a program as paths, by the table.
func (w *walker) operands(st *state, name string, args []arg) {
	s, ok := specs()[name]
	if !ok {
		s = generic
	}
	values, operands, bare := s.split(args)
	st = w.chdirs(st, values)
	w.touch(st, values, bare)
	defer func(before bool) { w.discreet = before }(w.discreet)
	if len(s.read().quiet) > 0 {
		opts, _ := s.options(args)
		w.discreet = w.discreet || anyOption(opts, s.read().quiet...)
	}
	w.touch(st, operands, bare)
}

var generic = newSpec("???", "")

// chdirs is the state the program itself is in after its own -C.
func (w *walker) chdirs(st *state, values []operand) *state {
	for _, v := range values {
		if v.role == chdir {
			st = st.clone()
			w.path(st, kindRead, v.arg)
			w.moveTo(st, v.text)
		}
	}
	return st
}

func (w *walker) touch(st *state, list []operand, bare []string) {
	for _, o := range list {
		switch o.role {
		case read, file:
			if !strings.Contains(o.text, "://") || strings.HasPrefix(o.text, "file://") {
				w.path(st, kindRead, o.arg)
			}
		case uses:
			w.paths(st, effect{kind: kindRead, discreet: true}, o.arg)
		case write:
			w.path(st, kindWrite, o.arg)
		case del:
			w.paths(st, effect{kind: kindDelete, recursive: recursive(bare)}, o.arg)
		case move:
			w.paths(st, effect{kind: kindDelete, name: "mv"}, o.arg)
		case guess:
			// @file is a list of arguments.
			if text := strings.TrimPrefix(o.text, "@"); pathLike(text) || w.drivePath(text) || w.policy.Restrict && strings.HasPrefix(text, "/") {
				o.text, o.exact = text, o.exact && text == o.text
				w.paths(st, effect{kind: kindRead, discreet: true}, o.arg)
			}
		}
	}
}

func recursive(bare []string) bool {
	for _, b := range bare {
		if !strings.HasPrefix(b, "--") && strings.ContainsAny(b, "rR") || len(b) > 3 && strings.HasPrefix("--recursive", b) {
			return true
		}
	}
	return false
}
