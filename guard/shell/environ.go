package shell

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

// Binding is what a variable may hold: one value, or one for each branch.
type Binding []expand.Variable

// Constant is a variable that holds one text for sure.
func Constant(text string) Binding {
	if len(text) > effect.MaxValue {
		text = effect.Unknown
	}
	return Binding{{Set: true, Kind: expand.String, Str: text}}
}

func indexed(list []string) Binding {
	return Binding{{Set: true, Kind: expand.Indexed, List: list}}
}

var unknownBinding = Constant(effect.Unknown)

// alternatives is either of two lists of directories; too many are unknown.
func alternatives(a, b []string) []string {
	return either(a, b, func(a, b string) bool { return a == b }, []string{effect.Unknown})
}

func union(a, b Binding) Binding { return either(a, b, same, unknownBinding) }

func either[L ~[]E, E any](a, b L, same func(a, b E) bool, unknown L) L {
	out := slices.Clip(a)
	for _, v := range b {
		if !slices.ContainsFunc(out, func(o E) bool { return same(o, v) }) {
			out = append(out, v)
		}
	}
	if len(out) > maxAlternatives {
		return unknown
	}
	return out
}

func same(a, b expand.Variable) bool {
	return a.Set == b.Set && a.Kind == b.Kind && a.Str == b.Str && slices.Equal(a.List, b.List)
}

// environ is the symbol table as package expand wants it. Every name it does not
// know is set, to unknown: an unset one would vanish from argv.
type environ struct {
	w  *Walker
	st *State
}

// Get is the value of a variable in the alternative being walked.
func (e environ) Get(name string) expand.Variable {
	if target, ok := e.st.refs[name]; ok {
		name = target
	}
	b := e.w.lookup(e.st, name)
	if from := e.st.Stains(name); len(from) > 0 {
		e.w.stained = effect.Mixed(e.w.stained, from...)
	}
	if _, assigned := e.st.Vars[name]; name == "PPID" && !assigned {
		e.w.stained = effect.Mixed(e.w.stained, effect.ParentProcess)
	}
	if _, assigned := e.st.Vars[name]; !assigned {
		e.w.stained = effect.Mixed(e.w.stained, NamedFor(name)...)
	}
	return e.w.ways.choose(name, b)
}

// ways are those in which the words of a statement may fold, each a number that has a digit
// for every variable with several values: what one holds says nothing of what another does.
type ways struct {
	now, all int
	digits   map[digit]int // what the digit counts
}

type digit struct {
	name   string
	values int
}

// maxWays bounds them; a variable that would be more than that is unknown.
const maxWays = 64

func (w *ways) choose(name string, b Binding) expand.Variable {
	if len(b) == 1 {
		return b[0]
	}
	of := digit{name, len(b)}
	w.all = max(w.all, 1)
	if w.digits[of] == 0 {
		if w.all*len(b) > maxWays {
			return unknownBinding[0]
		}
		put(&w.digits, of, w.all)
		w.all *= len(b)
	}
	return b[w.now/w.digits[of]%len(b)]
}

// Each lists nothing: names by prefix (${!x*}) are frozen before.
func (e environ) Each(func(string, expand.Variable) bool) {}

// Set is ${x:=v}.
func (e environ) Set(name string, v expand.Variable) error {
	e.st.set(name, Binding{v})
	return nil
}

// NamedFor is what the name of a variable of the environment says of its value.
func NamedFor(name string) (marks []string) {
	lower := strings.ToLower(name)
	if live(name) {
		marks = append(marks, effect.Production)
	}
	if strings.Contains(lower, "webhook") {
		marks = append(marks, effect.Mailbox)
	}
	if effect.Ends(lower, "_url _uri _dsn _conn") {
		marks = append(marks, effect.Address)
	}
	return marks
}

// live reports PROD_URL and stagingConnection: a variable for what others use.
func live(name string) bool {
	lower := strings.ToLower(name)
	return effect.Begins(lower, "prod_ production staging") || effect.Holds(lower, "_prod _staging") ||
		strings.HasPrefix(name, "prod") && len(name) > 4 && name[4] <= 'Z'
}

func (w *Walker) lookup(st *State, name string) Binding {
	if b, ok := st.Vars[name]; ok {
		return b
	}
	sent, isSent := w.sent(name)
	if isSent && (name == "HOME" || name == "TMPDIR" || name == "SHELL") { // the others are the shell's own
		return sent
	}
	switch name {
	case "HOME":
		if w.Home != "" {
			return Constant(w.Home)
		}
	case "PWD", "HOME +":
		return eitherDir(st.Cwds)
	case "HOME -":
		if b := w.lookup(st, "OLDPWD"); b[0].Set {
			return b
		}
		return unknownBinding
	case "TMPDIR":
		if w.Temp != "" {
			return Constant(w.Temp) // the sandbox gives a private one
		}
	case "_":
		if st.last != "" {
			return Constant(st.last)
		}
	case "SHELL":
		return Constant("/bin/sh")
	case "IFS":
		return Constant(" \t\n")
	case "@", "*":
		if st.loose {
			return Binding{{Set: true, Kind: expand.Indexed, List: []string{effect.Unknown}}}
		}
		return Binding{{Set: true, Kind: expand.Indexed, List: st.params}}
	case "#":
		if !st.loose && st.sure == len(st.params) {
			return Constant(strconv.Itoa(len(st.params)))
		}
	}
	if user, ok := strings.CutPrefix(name, "HOME "); ok {
		// expand asks so for ~user; answering keeps it from reading the
		// system's user database.
		return Constant(homeOf(user))
	}
	if n, err := strconv.Atoi(name); err == nil && n > 0 && !st.loose {
		if st.sure < min(n, len(st.params)) {
			return unknownBinding
		}
		if n > len(st.params) {
			return Binding{{}}
		}
		return Constant(st.params[n-1])
	}
	return sent
}

// sent is what the request sets or removes, else unknown.
func (w *Walker) sent(name string) (Binding, bool) {
	switch v, ok := w.In.Env[name]; {
	case !ok:
		return unknownBinding, false
	case v == nil:
		return Binding{{}}, true
	default:
		return Constant(*v), true
	}
}

func homeOf(user string) string {
	switch {
	case user == "root":
		return "/root"
	case user[0] >= '0' && user[0] <= '9' || user[0] == '+' || user[0] == '-' || strings.Contains(user, `\`):
		return effect.Unknown // ~1 and ~-2 are directories of this shell; "~\ " is not a name
	}
	return "/home/" + user
}

// eitherDir is a variable that holds one of a few directories.
func eitherDir(dirs []string) Binding {
	var b Binding
	for _, dir := range dirs {
		b = append(b, Constant(dir)...)
	}
	return b
}

// Stains are the programs whose output is in a variable.
func (s *State) Stains(name string) []string {
	if len(s.taint) == 0 {
		return nil
	}
	if n, err := strconv.Atoi(name); name == "*" || err == nil && n > 0 {
		name = "@"
	}
	return s.taint[name]
}
