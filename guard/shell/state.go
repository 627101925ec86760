package shell

import (
	"maps"
	"slices"

	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
)

// maxAlternatives bounds the values one variable or the cwd may have after
// branches join; beyond it the value counts as unknown.
const maxAlternatives = 4

// State is what a shell knows at one point of the script.
type State struct {
	Cwds      []string   // absolute; unknown when the script doesn't say
	fallback  []string   // where the script is instead if a cd before failed
	stack     [][]string // of pushd
	Vars      map[string]Binding
	taint     map[string][]string // programs whose output went into a variable
	refs      map[string]string   // declare -n
	exported  map[string]bool
	funcs     map[string]function
	aliases   map[string]effect.Arg
	params    []string // $1…
	last      string   // $_, the last word of the command before
	sure      int      // of params are in their place
	loose     bool     // params are not known
	errexit   bool     // set -e
	allexport bool     // set -a
	traps     []trapped
}

// function is a body with the place of its text.
type function struct {
	body     *syntax.Stmt
	at       Origin
	exported bool
	maybe    bool      // defined in a branch: the program of that name may run instead
	also     *function // what another branch defined
	depth    int       // how many also there are
}

// trapped is code that runs when the shell ends, with the place of its text.
type trapped struct {
	code effect.Arg
	at   Origin
}

// Clone is a copy that changes by itself.
func (s *State) Clone() *State {
	c := *s
	c.Cwds, c.fallback, c.traps = slices.Clone(s.Cwds), slices.Clip(s.fallback), slices.Clip(s.traps)
	c.stack = slices.Clip(s.stack)
	c.Vars, c.funcs, c.aliases = maps.Clone(s.Vars), maps.Clone(s.funcs), maps.Clone(s.aliases)
	c.taint, c.refs, c.exported = maps.Clone(s.taint), maps.Clone(s.refs), maps.Clone(s.exported)
	return &c
}

// size is how much there is to copy.
func (s *State) size() int {
	return len(s.Vars) + len(s.funcs) + len(s.taint) + len(s.exported) + len(s.aliases) + len(s.traps)
}

// Subshell is a copy for a subshell, which starts without the traps.
func (s *State) Subshell() *State {
	c := s.Clone()
	c.traps = nil
	return c
}

// Child is what a shell started as a program inherits: the directory and what
// was exported. `rm() { :; }; bash -c 'rm -rf /'` runs the real rm.
func (s *State) Child() *State {
	c := s.Subshell()
	c.aliases, c.refs, c.stack, c.errexit = nil, nil, nil, false
	for name := range c.Vars {
		if !c.exported[name] && !inherited.Has(name) {
			c.Vars[name] = unknownBinding
			delete(c.taint, name)
		}
	}
	maps.DeleteFunc(c.funcs, func(_ string, f function) bool { return !f.exported })
	return c
}

// inherited are variables every environment has: assigning one changes what
// children see.
var inherited = argv.Names("HOME PATH PWD OLDPWD USER LOGNAME SHELL TERM LANG TMPDIR EDITOR PAGER")

// become makes s what o is; o must not be used after.
func (s *State) become(o *State) { *s = *o }

// Assign gives a variable a value, with the programs that printed it.
func (s *State) Assign(name string, b Binding, from []string) {
	s.set(name, b)
	s.stain(name, from)
}

func (s *State) stain(name string, from []string) {
	if len(from) == 0 {
		delete(s.taint, name)
	} else {
		put(&s.taint, name, from)
	}
}

func (s *State) set(name string, b Binding) {
	if target, ok := s.refs[name]; ok {
		name = target
	}
	put(&s.Vars, name, b)
	if s.allexport {
		s.Export(name)
	}
}

// refer is declare -n: from now on name is another name for target.
func (s *State) refer(name, target string) {
	if name != target {
		put(&s.refs, name, target)
	}
}

func (s *State) alias(name string, a effect.Arg) {
	s.aliases = maps.Clone(s.aliases)
	put(&s.aliases, name, a)
}

// Export makes programs see a variable.
func (s *State) Export(name string) { put(&s.exported, name, true) }

// put is m[key] = value, also where there is no map yet: most states need few of theirs.
func put[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = value
}

// ambiguous reports whether a word could fold in more than one way.
func (s *State) ambiguous() bool {
	for _, b := range s.Vars {
		if len(b) > 1 {
			return true
		}
	}
	return len(s.Cwds) > 1
}

// join makes s what is known when the script is in either s or o. A variable that only one
// side assigned may still hold what was inherited.
func (s *State) join(o *State) {
	for name, b := range o.Vars {
		mine, ok := s.Vars[name]
		if !ok {
			mine = unknownBinding
		}
		put(&s.Vars, name, union(mine, b))
	}
	for name, b := range s.Vars {
		if _, ok := o.Vars[name]; !ok {
			s.Vars[name] = union(b, unknownBinding)
		}
	}
	for name, from := range o.taint {
		s.stain(name, effect.Mixed(s.taint[name], from...))
	}
	for name, target := range o.refs {
		s.refer(name, target)
	}
	for name := range o.exported {
		s.Export(name)
	}
	for name, f := range o.funcs {
		if mine, ok := s.funcs[name]; !ok || mine.body != f.body {
			f.maybe = true
			s.define(name, f)
		}
	}
	for name, a := range o.aliases {
		if _, ok := s.aliases[name]; !ok {
			s.alias(name, a)
		}
	}
	s.joinPlaces(o)
	s.joinParams(o)
	s.errexit = s.errexit && o.errexit
	if s.last != o.last {
		s.last = ""
	}
	if len(s.traps) < len(o.traps) {
		s.traps = o.traps
	}
}

func (s *State) joinParams(o *State) {
	if !slices.Equal(s.params, o.params) || s.sure != o.sure || s.loose || o.loose {
		s.params, s.sure, s.loose = nil, 0, true
	}
}

func (s *State) joinPlaces(o *State) {
	s.Cwds = alternatives(s.Cwds, o.Cwds)
	s.fallback = alternatives(s.fallback, o.fallback)
	if len(s.stack) < len(o.stack) {
		s.stack = o.stack
	}
}

// define gives a function its body. In a branch it is one of several it may
// have: `true || f() { :; }` leaves the f that deletes.
func (s *State) define(name string, f function) {
	if old, ok := s.funcs[name]; ok && f.maybe && old.body != f.body && old.depth < maxAlternatives {
		f.also, f.depth, f.maybe = &old, old.depth+1, old.maybe
	}
	put(&s.funcs, name, f)
}
