package lang

import (
	"slices"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

// Functions are called by other means than their name and brackets.

// doApply is Reflect.apply(f, this, list), partial(f, …) and do.call(f, list).
func doApply(s *script, name string, a arguments) value {
	f, rest := a.at(0), a.list[min(1, len(a.list)):]
	if name == "Reflect.apply" {
		rest = a.list[min(2, len(a.list)):]
	}
	if f.kind == isText {
		f = s.constant(f.text)
	}
	if len(rest) == 1 {
		rest = arguments{list: rest}.items()
	}
	if _, ok := callsOf(s.l.Name)[f.ref]; !ok {
		return opaque(a.list...)
	}
	return s.invoke(f, arguments{list: rest})
}

// sends reports the methods by which Ruby calls, or names, another.
func sends(name string) bool { return effect.Among(name, "send public_send __send__ method") }

// bound is v.call(this, …), v.apply(this, list) and v.bind(this, …) of JavaScript, which are
// taken for calls, v.send(:name, …) of Ruby, and the promise of a module. ok is false for
// another member.
func (s *script) bound(v value, name string) (out value, ok bool) {
	_, function := callsOf(s.l.Name)[v.ref]
	switch js := s.l == &javascript; {
	case v.kind != isRef || !s.sign("("):
		return v, false
	case s.l == &Ruby && sends(name):
		s.i++
		args := s.arguments(")")
		if !args.at(0).known() {
			return opaque(args.list...), true
		}
		f := s.constant(v.member(args.at(0).text).ref)
		if name == "method" {
			return f, true
		}
		return s.invoke(f, arguments{list: args.list[1:]}), true
	case js && name == "then":
		s.promised(v)
		return v, false
	case js && function && effect.Among(name, "call apply bind"):
		s.i++
		args := s.arguments(")")
		rest := args.list[min(1, len(args.list)):]
		if name == "apply" {
			rest = arguments{list: rest}.items()
		}
		if len(rest) == 0 {
			return v, true
		}
		return s.invoke(v, arguments{list: rest}), true
	}
	return v, false
}

// promised gives the module of import("m").then(f => …) the name that it has in there.
func (s *script) promised(module value) {
	toks := s.toks[min(s.i+1, len(s.toks)):]
	shut := slices.IndexFunc(toks[:min(len(toks), MaxList)], func(t Token) bool { return t.Text == "=>" })
	for i := range toks[:max(shut, 0)] {
		switch t := toks[i]; {
		case t.Kind != TokName:
		case toks[0].Text == "{" || toks[min(1, len(toks)-1)].Text == "{":
			s.names[t.Text] = module.member(t.Text)
		default:
			s.names[t.Text] = module
		}
	}
}
