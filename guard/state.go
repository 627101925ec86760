package guard

import (
	"maps"
	"slices"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// maxAlternatives bounds the values one variable or the cwd may have after
// branches join; beyond it the value counts as unknown.
const maxAlternatives = 4

// maxValue bounds a variable's text in bytes, so that x=$x$x in a loop stays small.
const maxValue = 4096

// binding is what a variable may hold: one value, or one for each branch.
type binding []expand.Variable

// state is what a shell knows at one point of the script.
type state struct {
	cwds    []string // absolute; unknown when it cannot be told
	vars    map[string]binding
	funcs   map[string]function
	aliases map[string]arg
	params  []string // $1…
	loose   bool     // params are not known
}

// function is a body with the place its text stands in.
type function struct {
	body *syntax.Stmt
	at   origin
}

func (s *state) clone() *state {
	c := *s
	c.cwds = slices.Clone(s.cwds)
	c.vars, c.funcs, c.aliases = maps.Clone(s.vars), maps.Clone(s.funcs), maps.Clone(s.aliases)
	return &c
}

// become makes s what o is; o must not be used after.
func (s *state) become(o *state) { *s = *o }

func constant(text string) binding {
	if len(text) > maxValue {
		text = unknown
	}
	return binding{{Set: true, Kind: expand.String, Str: text}}
}

var unknownBinding = constant(unknown)

func (s *state) set(name string, b binding) {
	if s.vars == nil {
		s.vars = map[string]binding{}
	}
	s.vars[name] = b
}

// ambiguous reports whether a word could fold in more than one way.
func (s *state) ambiguous() bool {
	for _, b := range s.vars {
		if len(b) > 1 {
			return true
		}
	}
	return false
}

// join makes s what is known when either s or o is where the script stands. A
// variable that only one side assigned may still hold what was inherited.
func (s *state) join(o *state) {
	for name, b := range o.vars {
		mine, ok := s.vars[name]
		if !ok {
			mine = unknownBinding
		}
		s.set(name, union(mine, b))
	}
	for name, b := range s.vars {
		if _, ok := o.vars[name]; !ok {
			s.vars[name] = union(b, unknownBinding)
		}
	}
	for _, dir := range o.cwds {
		if !slices.Contains(s.cwds, dir) {
			s.cwds = append(s.cwds, dir)
		}
	}
	if len(s.cwds) > maxAlternatives {
		s.cwds = []string{unknown}
	}
	for name, f := range o.funcs {
		s.define(name, f)
	}
	if !slices.Equal(s.params, o.params) || o.loose {
		s.params, s.loose = nil, true
	}
}

func (s *state) define(name string, f function) {
	if s.funcs == nil {
		s.funcs = map[string]function{}
	}
	s.funcs[name] = f
}

func union(a, b binding) binding {
	out := slices.Clone(a)
	for _, v := range b {
		if !slices.ContainsFunc(out, func(o expand.Variable) bool { return same(o, v) }) {
			out = append(out, v)
		}
	}
	if len(out) > maxAlternatives {
		return unknownBinding
	}
	return out
}

func same(a, b expand.Variable) bool {
	return a.Set == b.Set && a.Kind == b.Kind && a.Str == b.Str && slices.Equal(a.List, b.List)
}
