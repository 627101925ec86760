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

// Carrier is the options of one program that run other programs.
type Carrier struct {
	Options map[string]string
	names   []string // of them, sorted, so that a verdict never varies
	others  []string
	Spec    *Spec // arities of the program's other options
	words   bool  // -ex is one option, not two
}

// NewCarrier reads rows "options=kind" of a model. The words after "!" are other
// options, that an abbreviation must not be taken from.
func NewCarrier(runs string, arities *Spec) *Carrier {
	h := &Carrier{Options: map[string]string{}, Spec: arities}
	for word := range strings.FieldsSeq(runs) {
		if other, ok := strings.CutPrefix(word, "!"); ok {
			h.others = append(h.others, other)
			continue
		}
		names, kind, _ := strings.Cut(word, "=")
		for name := range strings.SplitSeq(names, ",") {
			h.Options[name] = kind
			h.words = h.words || strings.Trim(name, "-")[1:] != "" && name[1] != '-' && kind != "sqlite" && name != "-TT"
		}
	}
	h.names = slices.Sorted(maps.Keys(h.Options))
	return h
}

// Dashed reads tar's old style, in which `tar cIf prog out` has the values of
// its letters in their order.
func Dashed(args []effect.Arg) []effect.Arg {
	out := []effect.Arg{}
	rest := args[1:]
	for _, c := range args[0].Text {
		a := effect.Renamed(args[0], "-"+string(c))
		out = append(out, a)
		if strings.ContainsRune("fICTXbgKNVHF", c) && len(rest) > 0 {
			out, rest = append(out, rest[0]), rest[1:]
		}
	}
	return append(out, rest...)
}

// Read reads one option word: its name, the kind and text of its value when
// that is code, and whether the value is the next argument.
func (h *Carrier) Read(a effect.Arg, rest []effect.Arg) (name, kind string, value effect.Arg, next bool) {
	name, text, joined := strings.Cut(a.Text, "=")
	if kind = h.long(name); kind != "" {
		if joined {
			a.Text, a.Exact = text, false
			return name, kind, a, false
		}
		if strings.HasPrefix(name, "-agentpath") || strings.HasPrefix(name, "-javaagent") || len(rest) == 0 {
			return name, "", a, false
		}
		return name, kind, rest[0], true
	}
	if text, ok := strings.CutPrefix(a.Text, "-B"); ok && h.Options["-B"] != "" && text != "" { // gcc -B/dir
		return "-B", h.Options["-B"], a.Tail(text), false
	}
	if strings.HasPrefix(a.Text, "--") || h.Spec != nil && h.Spec.read().flags[name] != 0 {
		return name, "", a, h.Spec != nil && h.Spec.word(new(reading), a, rest)
	}
	for i := 1; i < len(a.Text) && !h.words; i++ {
		short, tail := "-"+a.Text[i:i+1], a.Text[i+1:]
		if kind := h.Options[short]; kind != "" {
			if tail != "" {
				a.Text, a.Exact = strings.TrimPrefix(tail, "="), false
				return short, kind, a, false
			}
			if len(rest) == 0 {
				return short, "", a, false
			}
			return short, kind, rest[0], true
		}
		if h.Spec != nil && h.Spec.read().flags[short] != 0 {
			return short, "", a, tail == "" && len(rest) > 0
		}
	}
	for _, prefix := range h.names { // java -javaagent:x.jar
		if text, ok := strings.CutPrefix(a.Text, prefix); ok && len(prefix) > 3 {
			return prefix, h.Options[prefix], effect.Renamed(a, strings.TrimLeft(text, ":=")), false
		}
	}
	return name, "", a, false
}

// long finds a long option, also by an abbreviation of it: --compress-prog.
func (h *Carrier) long(name string) string {
	if kind, ok := h.Options[name]; ok {
		return kind
	}
	if len(name) < 5 || !strings.HasPrefix(name, "--") || slices.Contains(h.others, name) {
		return ""
	}
	if h.Spec != nil && h.Spec.read().flags[name] != 0 {
		return ""
	}
	if i, _ := slices.BinarySearch(h.names, name); i < len(h.names) && strings.HasPrefix(h.names[i], name) {
		return h.Options[h.names[i]]
	}
	return ""
}
