package shell

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

// assigns is x=1 y+=2 and the arguments of export, local, declare.
func (w *Walker) assigns(st *State, list []*syntax.Assign) {
	for _, a := range list {
		if w.Stopped {
			return
		}
		if a.Name != nil {
			w.assign(st, a)
			continue
		}
		for _, text := range w.fields(st, a.Value) { // a word that expands to x=1
			if name, value, ok := strings.Cut(text, "="); ok {
				st.set(name, Constant(value))
			}
		}
	}
}

// declare is export, local, declare and their kin.
func (w *Walker) declare(st *State, c *syntax.DeclClause) {
	flags := ""
	for _, a := range c.Args {
		if a.Name == nil && a.Value != nil {
			if lit := a.Value.Lit(); strings.HasPrefix(lit, "-") {
				flags += lit
			}
		}
	}
	exports := c.Variant.Value == "export" || strings.Contains(flags, "x")
	if c.Variant.Value == "nameref" || strings.Contains(flags, "n") && !exports {
		for _, a := range c.Args {
			if a.Name != nil && a.Value != nil {
				st.refer(a.Name.Value, w.literal(st, a.Value))
			}
		}
		return
	}
	before := st.Vars
	if w.refused(c.Variant.Value) {
		st.Vars = maps.Clone(before)
	}
	w.assigns(st, c.Args)
	if w.refused(c.Variant.Value) {
		w.unlessRefused(st, before)
	}
	w.declaredNames(st, c, strings.Contains(flags, "i"))
	for _, a := range c.Args {
		if a.Name == nil || !exports {
			continue
		}
		st.Export(a.Name.Value)
		if f, ok := st.funcs[a.Name.Value]; ok && strings.Contains(flags, "f") {
			f.exported = true
			st.funcs[a.Name.Value] = f
		}
	}
}

// refused reports builtins that fail in this shell, or here: dash has no declare,
// and local is for functions.
func (w *Walker) refused(name string) bool {
	inFunction := slices.ContainsFunc(w.calling, func(c string) bool { return !strings.HasPrefix(c, "alias ") })
	return w.Lang == syntax.LangPOSIX && (name == "declare" || name == "typeset") || name == "local" && !inFunction
}

// unlessRefused joins what such a builtin assigned with what was there before.
func (w *Walker) unlessRefused(st *State, before map[string]Binding) {
	old := &State{Vars: before, Cwds: st.Cwds, params: st.params, sure: st.sure, loose: st.loose}
	for name, now := range st.Vars {
		if was := w.lookup(old, name); !slices.EqualFunc(was, now, same) {
			st.Vars[name] = union(was, now)
		}
	}
}

func (w *Walker) assign(st *State, a *syntax.Assign) {
	name := a.Name.Value
	switch {
	case a.Array != nil:
		w.assignArray(st, a)
	case a.Index != nil:
		w.arithmetics(st, a, a.Index)
		st.set(name, unknownBinding)
	case a.Value == nil && a.Naked: // export x
	case a.Append:
		text, from := w.value(st, w.assigned(st, a.Value))
		st.Assign(name, Constant(w.Get(st, name)+text), effect.Mixed(st.Stains(name), from...))
	default:
		text, from := w.value(st, w.assigned(st, a.Value))
		st.Assign(name, Constant(text), from)
	}
	if w.Programs.Acts(name) {
		w.Emit(effect.Effect{Kind: effect.Env, Name: name, Text: w.Get(st, name), Span: w.At.span(a)})
	}
}

func (w *Walker) assignArray(st *State, a *syntax.Assign) {
	var list, from []string
	for _, e := range a.Array.Elems {
		if e.Index != nil || e.Value == nil {
			w.walkSubstitutions(st, a.Array)
			st.set(a.Name.Value, unknownBinding)
			return
		}
		fields, more := w.trace(st, e.Value)
		list, from = append(list, fields...), effect.Mixed(from, more...)
	}
	if a.Append {
		old := w.lookup(st, a.Name.Value)[0]
		if old.Kind != expand.Indexed {
			if strings.Contains(old.Str, effect.Unknown) { // it may be nothing, or a list
				st.set(a.Name.Value, unknownBinding)
				return
			}
			if old.List = nil; old.Set {
				old.List = []string{old.Str}
			}
		}
		list, from = append(slices.Clone(old.List), list...), effect.Mixed(st.Stains(a.Name.Value), from...)
	}
	st.Assign(a.Name.Value, indexed(list), from)
}

// Get is a variable's value as one string.
func (w *Walker) Get(st *State, name string) string { return environ{w, st}.Get(name).String() }
