package guard

import (
	"maps"
	"slices"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// maxAlternatives bounds the values one variable or the cwd may have after
// branches join; beyond it the value counts as unknown.
const maxAlternatives = 4

// maxValue bounds a variable's text in bytes, so that x=$x$x in a loop stays small.
const maxValue = 4096

// state is what a shell knows at one point of the script.
type state struct {
	cwds      []string   // absolute; unknown when it cannot be told
	fallback  []string   // where the script stands instead if a cd before failed
	stack     [][]string // of pushd
	vars      map[string]binding
	taint     map[string][]string // programs whose output went into a variable
	refs      map[string]string   // declare -n
	exported  map[string]bool
	funcs     map[string]function
	aliases   map[string]arg
	params    []string // $1…
	last      string   // $_, the last word of the command before
	sure      int      // of params stand in their place
	loose     bool     // params are not known
	errexit   bool     // set -e
	allexport bool     // set -a
	traps     []trapped
}

// function is a body with the place its text stands in.
type function struct {
	body     *syntax.Stmt
	at       origin
	exported bool
	maybe    bool      // defined in a branch: the program of that name may run instead
	also     *function // what another branch defined
	depth    int       // how many also there are
}

// trapped is code that runs when the shell ends, with the place it stands in.
type trapped struct {
	code arg
	at   origin
}

func (s *state) clone() *state {
	c := *s
	c.cwds, c.fallback, c.traps = slices.Clone(s.cwds), slices.Clip(s.fallback), slices.Clip(s.traps)
	c.stack = slices.Clip(s.stack)
	c.vars, c.funcs, c.aliases = maps.Clone(s.vars), maps.Clone(s.funcs), maps.Clone(s.aliases)
	c.taint, c.refs, c.exported = maps.Clone(s.taint), maps.Clone(s.refs), maps.Clone(s.exported)
	return &c
}

// size is how much there is to copy.
func (s *state) size() int {
	return len(s.vars) + len(s.funcs) + len(s.taint) + len(s.exported) + len(s.aliases) + len(s.traps)
}

// subshell is a copy for a subshell, which starts without the traps.
func (s *state) subshell() *state {
	c := s.clone()
	c.traps = nil
	return c
}

// child is what a shell started as a program inherits: the directory and what
// was exported. `rm() { :; }; bash -c 'rm -rf /'` runs the real rm.
func (s *state) child() *state {
	c := s.subshell()
	c.aliases, c.refs, c.stack, c.errexit = nil, nil, nil, false
	for name := range c.vars {
		if !c.exported[name] && !inherited()[name] {
			c.vars[name] = unknownBinding
			delete(c.taint, name)
		}
	}
	maps.DeleteFunc(c.funcs, func(_ string, f function) bool { return !f.exported })
	return c
}

// inherited are variables every environment has: assigning one changes what
// children see.
var inherited = sync.OnceValue(func() map[string]bool {
	return map[string]bool{
		"HOME": true, "PATH": true, "PWD": true, "OLDPWD": true, "USER": true, "LOGNAME": true, "SHELL": true,
		"TERM": true, "LANG": true, "TMPDIR": true, "EDITOR": true, "PAGER": true,
	}
})

// become makes s what o is; o must not be used after.
func (s *state) become(o *state) { *s = *o }

// assign gives a variable a value, with the programs that printed it.
func (s *state) assign(name string, b binding, from []string) {
	s.set(name, b)
	s.stain(name, from)
}

func (s *state) stain(name string, from []string) {
	if len(from) == 0 {
		delete(s.taint, name)
		return
	}
	if s.taint == nil {
		s.taint = map[string][]string{}
	}
	s.taint[name] = from
}

func (s *state) set(name string, b binding) {
	if target, ok := s.refs[name]; ok {
		name = target
	}
	if s.vars == nil {
		s.vars = map[string]binding{}
	}
	s.vars[name] = b
	if s.allexport {
		s.export(name)
	}
}

// refer is declare -n: from now on name is another name for target.
func (s *state) refer(name, target string) {
	if s.refs == nil {
		s.refs = map[string]string{}
	}
	if name != target {
		s.refs[name] = target
	}
}

func (s *state) export(name string) {
	if s.exported == nil {
		s.exported = map[string]bool{}
	}
	s.exported[name] = true
}

// ambiguous reports whether a word could fold in more than one way.
func (s *state) ambiguous() bool {
	for _, b := range s.vars {
		if len(b) > 1 {
			return true
		}
	}
	return len(s.cwds) > 1
}

// join makes s what is known when either s or o is where the script stands. A
// variable that only one side assigned may still hold what was inherited.
func (s *state) join(o *state) {
	for name, b := range o.vars {
		mine, ok := s.vars[name]
		if !ok {
			mine = unknownBinding
		}
		if s.vars == nil {
			s.vars = map[string]binding{}
		}
		s.vars[name] = union(mine, b)
	}
	for name, b := range s.vars {
		if _, ok := o.vars[name]; !ok {
			s.vars[name] = union(b, unknownBinding)
		}
	}
	for name, from := range o.taint {
		s.stain(name, mixed(s.taint[name], from...))
	}
	for name, target := range o.refs {
		s.refer(name, target)
	}
	for name := range o.exported {
		s.export(name)
	}
	for name, f := range o.funcs {
		if mine, ok := s.funcs[name]; !ok || mine.body != f.body {
			f.maybe = true
			s.define(name, f)
		}
	}
	for name, a := range o.aliases {
		if _, ok := s.aliases[name]; !ok {
			s.aliases = cloneAliases(s.aliases)
			s.aliases[name] = a
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

func (s *state) joinParams(o *state) {
	if !slices.Equal(s.params, o.params) || s.sure != o.sure || s.loose || o.loose {
		s.params, s.sure, s.loose = nil, 0, true
	}
}

func (s *state) joinPlaces(o *state) {
	s.cwds = alternatives(s.cwds, o.cwds)
	s.fallback = alternatives(s.fallback, o.fallback)
	if len(s.stack) < len(o.stack) {
		s.stack = o.stack
	}
}

// define gives a function its body. In a branch it is one of several it may
// have: `true || f() { :; }` leaves the f that deletes.
func (s *state) define(name string, f function) {
	if s.funcs == nil {
		s.funcs = map[string]function{}
	}
	if old, ok := s.funcs[name]; ok && f.maybe && old.body != f.body && old.depth < maxAlternatives {
		f.also, f.depth, f.maybe = &old, old.depth+1, old.maybe
	}
	s.funcs[name] = f
}
