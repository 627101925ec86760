package lang

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
)

// postfix is the members, subscripts and calls that hang on an operand.
func (s *script) postfix(v value) value {
	called := false
	for s.i < len(s.toks) && !s.w.Stopped {
		t, next := s.peek(), s.ahead(1)
		switch {
		case t.Kind == TokEnd && s.continues(t):
			s.i++
		case t.Kind == TokSign && (t.Text == "." && s.l.joins != "." || t.Text == "->" || t.Text == "::" || t.Text == "?." ||
			t.Text == ":" && s.l == &Lua) && next.Kind == TokName:
			s.i += 2
			v = s.access(v, next.Text)
		case t.Kind == TokSign && (t.Text == "->" || t.Text == "?."):
			s.i++
		case t.Kind == TokSign && t.Text == "(" && !(s.l.bare && t.tight && v.kind != isRef && v.kind != isText):
			s.i++
			s.net = s.net || slices.Contains(asynchronous, v.ref)
			v, called = s.invoke(v, s.arguments(")")), true
		case t.Kind == TokSign && t.Text == "[" && !(s.l.bare && (t.tight || !called && s.bareCall(v, t))):
			s.i++
			v = s.subscript(v, s.arguments("]"))
		case t.Kind == TokSign && t.Text == "{" && s.l.braces && v.kind == isRef && strings.HasPrefix(v.ref, "$"):
			s.i++
			v = s.braced(v)
		case t.Kind == TokString && (s.l == &Lua || s.l == &javascript) && v.kind == isRef: // f"x", $`x`
			s.i++
			v, called = s.invoke(v, arguments{list: []value{s.interpolate(t)}}), true
		case s.bareCall(v, t) && !called:
			v, called = s.invoke(v, s.bareArguments()), true
		default:
			return s.settle(v, called)
		}
	}
	return s.settle(v, called)
}

// asynchronous are network functions that hand what they got to an argument.
var asynchronous = []string{"https.get", "http.get", "https.request", "http.request"}

// settle is an operand nothing more hangs on. In languages where a call needs no
// parentheses a name may be one.
func (s *script) settle(v value, called bool) value {
	if v.kind == isRef && !called && s.l.bare {
		_, ok := callsOf(s.l.Name)[v.ref]
		if v.ref == "fork" || v.ref == "loop" || ok && s.l == &Ruby && strings.Contains(v.ref, ".") {
			return s.invoke(v, arguments{})
		}
	}
	return v
}

// access is v.name, and with arguments the method of v.
func (s *script) access(v value, name string) value {
	if _, function := callsOf(s.l.Name)[v.ref]; name == "__dict__" || name == "call" && function && s.l == &Ruby {
		return v
	}
	if out, ok := s.bound(v, name); ok {
		return out
	}
	if v.kind == isRef || v.fields != nil {
		m := v.member(name)
		if m.kind == isRef {
			c := s.constant(m.ref)
			return c.stain(m)
		}
		return m
	}
	if name == "__subclasses__" || name == "__globals__" { // the way round a missing import
		v.hidden = true
	}
	method, ok := callsOf(s.l.Name)["."+name]
	if !ok {
		method, ok = callsOf("methods")["."+name]
	}
	args := arguments{}
	if s.sign("(") {
		s.i++
		args = s.arguments(")")
	} else if !s.l.bare {
		return v.property(name)
	}
	if !ok {
		return opaque(append(args.list, v)...)
	}
	args.list = append([]value{v}, args.list...)
	return method(s, name, args)
}

// subscript is v[x]: an item, or a member with a computed name.
func (s *script) subscript(v value, args arguments) value {
	x := args.at(0)
	if v.known() && s.i > 4 && s.i <= len(s.toks) && s.toks[s.i-4].Text == "::" && s.toks[s.i-3].Text == "-" {
		return reversed(v)
	}
	switch {
	case len(args.list) != 1:
		return opaque(append(args.list, v)...)
	case x.known() && (v.kind == isRef || v.fields != nil):
		if home(v.ref, x.text) {
			return textValue(s.w.Home)
		}
		if environment(v.ref) {
			return textValue(s.w.Get(s.st, x.text))
		}
		return s.constant(v.member(x.text).ref)
	case x.kind == isNumber && v.kind == isList:
		for i, e := range v.list {
			if strconv.Itoa(i) == x.text {
				return e
			}
		}
		return value{}
	case v.kind == isRef && reflected.Has(v.ref): // globals()[x], process[x]
		return value{kind: isRef, ref: v.ref + "." + effect.Unknown, hidden: true}
	}
	return opaque(v, x)
}

// reflected are objects whose members are functions that matter: choosing one by
// a computed name hides which.
var reflected = argv.NamesOf(&languagesText, "reflected")

// reversed is Python's x[::-1].
func reversed(v value) value {
	text := []rune(v.text)
	slices.Reverse(text)
	return textValue(string(text)).stain(v)
}

// braced is Perl's $ENV{HOME}.
func (s *script) braced(v value) value {
	key := effect.Unknown
	if t := s.peek(); t.Kind == TokName {
		key = t.Text
	} else if t.Kind == TokString {
		key = s.interpolate(t).string()
	}
	s.block("}")
	if environment(v.ref) {
		return textValue(s.w.Get(s.st, key))
	}
	return value{}
}

// bareCall reports a call without parentheses: system "x" in Perl and Ruby.
func (s *script) bareCall(v value, t Token) bool {
	if !s.l.bare || v.kind != isRef || t.line {
		return false
	}
	if _, ok := callsOf(s.l.Name)[v.ref]; !ok {
		return false
	}
	switch t.Kind {
	case TokString, tokCommand, tokWords, tokNumber:
		return true
	case TokName:
		return !OperatorWord(t.Text)
	}
	next := s.ahead(1) // exec *%w[rm -rf], x
	return t.Kind == TokSign && (t.Text == "[" || t.Text == "(" ||
		t.Text == "*" && s.l == &Ruby && (next.Kind == tokWords || next.Text == "[") || t.Text == "{" &&
		(v.ref == "loop" || s.l == &perl && (v.ref == "system" || v.ref == "exec")))
}

func (s *script) bareArguments() arguments {
	if s.l == &perl && s.accept("{") { // system {program} list
		program := s.block("}")
		a := s.bareArguments()
		return arguments{list: []value{listValue(append([]value{program}, a.list[1:]...))}}
	}
	a := arguments{list: []value{s.expression()}}
	for s.accept(",") {
		if s.namedArgument() {
			s.i += 2
			s.expression()
			continue
		}
		a.list = append(a.list, s.expression())
	}
	return a
}

// invoke calls v.
func (s *script) invoke(v value, args arguments) value {
	name := v.ref
	if v.kind == isText && (s.l == &php || s.l.Name == "perl") { // $f = 'system'; $f('id')
		name = v.text
	}
	if n, own := s.defined[name]; own && v.kind == isRef {
		s.defined[name] = n + 1
		if n > 0 {
			s.loops++
		}
		if s.runs[name] {
			return s.shell(name, args.at(0))
		}
	}
	if v.hidden && (v.kind == isRef || v.kind == isUnknown) {
		s.hide(name)
		return opaque(v)
	}
	does, ok := callsOf(s.l.Name)[name]
	for _, module := range [...]string{".os.", ".subprocess."} { // platform.os.system is os.system
		if i := strings.Index(name, module); !ok && i > 0 && s.l == &Python {
			does, ok = callsOf(s.l.Name)[name[i+1:]]
		}
	}
	if !ok {
		does, ok = callsOf(s.l.Name)["*"+name[strings.LastIndexByte(name, '.')+1:]]
	}
	if ok && name != "" {
		return does(s, name, args)
	}
	out := opaque(append(args.list, v)...)
	if v.kind == isRef && len(v.ref) < 200 && !out.hidden && out.from == nil {
		return value{kind: isRef, ref: v.ref + "()", file: out.file}
	}
	return out
}
