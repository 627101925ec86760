package argv

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

// Role is what a program does with an argument.
type Role byte

// The roles, by the letter that a model has for them.
const (
	None        Role = ':' // not a path
	Read        Role = '<'
	Uses        Role = '+' // read, but what is in it is not shown: ls, a key for ssh
	Write       Role = '>'
	Delete      Role = 'x'
	Move        Role = 'm' // gone from there, but not lost
	Chdir       Role = '@' // later relative paths start there
	List        Role = '#' // read, and so is each path in it, one a line
	Guess       Role = '?' // a path if it looks like one outside
	Instead     Role = '=' // not a path; the first operand is then an ordinary one
	InsteadFile Role = '~' // Instead, from a file
)

// Spec is how a program reads its arguments, as far as paths go. It is read when
// the program is met: most never are.
type Spec struct {
	roles, flags string
	once         sync.Once
	table        *specTable
}

type specTable struct {
	first, rest, last Role            // of operands; last needs two of them
	flags             map[string]Role // options that take a value
	names             func() []string // of flags, sorted when the first abbreviation is looked up
	quiet             []string        // options with which no content is shown: grep -q
}

// New takes the table's notation: three roles ("." is "as rest") and
// options with the role of their value ("-o> --output> -n:").
func New(roles, flags string) *Spec {
	return &Spec{roles: roles, flags: flags}
}

func (s *Spec) read() *specTable {
	s.once.Do(func() { s.table = readTable(s.roles, s.flags) })
	return s.table
}

func readTable(roles, flags string) *specTable {
	s := &specTable{rest: Role(roles[1])}
	s.first, s.last = s.rest, s.rest
	if roles[0] != '.' {
		s.first = Role(roles[0])
	}
	if roles[2] != '.' {
		s.last = Role(roles[2])
	}
	for f := range strings.FieldsSeq(flags) {
		if name, ok := strings.CutSuffix(f, "!"); ok {
			s.quiet = append(s.quiet, name)
			continue
		}
		if s.flags == nil {
			s.flags = map[string]Role{}
		}
		s.flags[f[:len(f)-1]] = Role(f[len(f)-1])
	}
	s.names = sync.OnceValue(func() []string { return slices.Sorted(maps.Keys(s.flags)) })
	return s
}

// Quiet reports an option with which the program shows no content.
func (s *Spec) Quiet(args []effect.Arg) bool {
	if len(s.read().quiet) == 0 {
		return false
	}
	opts, _ := s.Options(args)
	return Any(opts, s.read().quiet...)
}

// flag finds an option: what it is called, and what the program does with its value,
// 0 if it takes none. GNU programs take any unambiguous beginning of a long one.
func (t *specTable) flag(name string) (full string, r Role) {
	if r := t.flags[name]; r != 0 || len(name) < 4 || !strings.HasPrefix(name, "--") {
		return name, r
	}
	for _, f := range t.abbreviated(name) {
		if r == 0 {
			full = f
		}
		if r == 0 || t.flags[f] != None {
			r = t.flags[f]
		}
	}
	return cmp.Or(full, name), r
}

// abbreviated are the options that begin with name, in the order of the alphabet,
// so that a verdict never varies.
func (t *specTable) abbreviated(name string) []string {
	names := t.names()
	from, _ := slices.BinarySearch(names, name)
	to := from
	for to < len(names) && strings.HasPrefix(names[to], name) {
		to++
	}
	return names[from:to]
}
