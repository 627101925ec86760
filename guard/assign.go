package guard

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// assigns is x=1 y+=2 and the arguments of export, local, declare.
func (w *walker) assigns(st *state, list []*syntax.Assign) {
	for _, a := range list {
		if w.stopped {
			return
		}
		if a.Name != nil {
			w.assign(st, a)
			continue
		}
		for _, text := range w.fields(st, a.Value) { // a word that expands to x=1
			if name, value, ok := strings.Cut(text, "="); ok {
				st.set(name, constant(value))
			}
		}
	}
}

// declare is export, local, declare and their kin.
func (w *walker) declare(st *state, c *syntax.DeclClause) {
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
	before := st.vars
	if w.refused(c.Variant.Value) {
		st.vars = maps.Clone(before)
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
		st.export(a.Name.Value)
		if f, ok := st.funcs[a.Name.Value]; ok && strings.Contains(flags, "f") {
			f.exported = true
			st.funcs[a.Name.Value] = f
		}
	}
}

// refused reports builtins that fail in this shell, or here: dash has no declare,
// and local is for functions.
func (w *walker) refused(name string) bool {
	inFunction := slices.ContainsFunc(w.calling, func(c string) bool { return !strings.HasPrefix(c, "alias ") })
	return w.lang == syntax.LangPOSIX && (name == "declare" || name == "typeset") || name == "local" && !inFunction
}

// unlessRefused joins what such a builtin assigned with what was there before.
func (w *walker) unlessRefused(st *state, before map[string]binding) {
	old := &state{vars: before, cwds: st.cwds, params: st.params, sure: st.sure, loose: st.loose}
	for name, now := range st.vars {
		if was := w.lookup(old, name); !slices.EqualFunc(was, now, same) {
			st.vars[name] = union(was, now)
		}
	}
}

func (w *walker) assign(st *state, a *syntax.Assign) {
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
		st.assign(name, constant(w.get(st, name)+text), mixed(st.stains(name), from...))
	default:
		text, from := w.value(st, w.assigned(st, a.Value))
		st.assign(name, constant(text), from)
	}
	if w.exports(name) {
		w.emit(effect{kind: kindEnv, name: name, text: w.get(st, name), span: w.at.span(a)})
	}
}

func (w *walker) assignArray(st *state, a *syntax.Assign) {
	var list, from []string
	for _, e := range a.Array.Elems {
		if e.Index != nil || e.Value == nil {
			w.walkSubstitutions(st, a.Array)
			st.set(a.Name.Value, unknownBinding)
			return
		}
		fields, more := w.trace(st, e.Value)
		list, from = append(list, fields...), mixed(from, more...)
	}
	if a.Append {
		old := w.lookup(st, a.Name.Value)[0]
		if old.Kind != expand.Indexed {
			if strings.Contains(old.Str, unknown) { // it may be nothing, or a list
				st.set(a.Name.Value, unknownBinding)
				return
			}
			if old.List = nil; old.Set {
				old.List = []string{old.Str}
			}
		}
		list, from = append(slices.Clone(old.List), list...), mixed(st.stains(a.Name.Value), from...)
	}
	st.assign(a.Name.Value, indexed(list), from)
}

// get is a variable's value as one string.
func (w *walker) get(st *state, name string) string { return environ{w, st}.Get(name).String() }

// exports reports variables that act as soon as they are set in a shell that
// has them in its environment already.
func (w *walker) exports(name string) bool {
	return loaders()[name] || variableKinds()[name] != "" || patternKind(name) != ""
}
