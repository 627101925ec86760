package lang

import (
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

// Python is a language whose lines end its statements.
var Python = Language{
	Name: "python", Comments: []string{"#"}, Quotes: `"'`, hole: "{", joins: "+", Lines: true, named: '=',
}

// pythonImport is import a.b as c and from a import b as c.
func (s *script) pythonImport() {
	from := s.word("from")
	s.i++
	module := s.dottedName()
	if !from {
		s.bind(module)
		for s.accept(",") {
			s.bind(s.dottedName())
		}
		return
	}
	if !s.word("import") {
		return
	}
	s.i++
	open := s.accept("(")
	for s.i < len(s.toks) {
		if s.accept("*") {
			s.star(module)
			return
		}
		if open && s.peek().Kind == TokEnd {
			s.i++
			continue
		}
		name := s.dottedName()
		if name == "" {
			return
		}
		s.bindAs(name, module+"."+name)
		if !s.accept(",") {
			return
		}
	}
}

// star is from os import *: the functions of the module we know by name.
func (s *script) star(module string) {
	for name := range callsOf(s.l.Name) {
		if rest, ok := strings.CutPrefix(name, module+"."); ok && !strings.Contains(rest, ".") && rest != "open" {
			s.names[rest] = refValue(name)
		}
	}
}

func (s *script) dottedName() string {
	name := ""
	for s.peek().Kind == TokName || s.sign(".") {
		if s.word("import") || s.word("as") {
			break
		}
		name += s.peek().Text
		s.i++
	}
	return name
}

// bind is import a.b: the name a; import a.b as c: the name c.
func (s *script) bind(module string) {
	first, _, _ := strings.Cut(module, ".")
	if s.word("as") {
		first = module
	}
	s.bindAs(first, first)
}

func (s *script) bindAs(local, full string) {
	if s.word("as") {
		s.i++
		local = s.peek().Text
		s.i++
	}
	s.names[local] = refValue(full)
}

func doImport(s *script, _ string, a arguments) value {
	v := a.at(0)
	if !v.known() || v.hidden {
		return value{kind: isRef, ref: effect.Unknown, hidden: true}
	}
	return s.constant(v.text)
}

func doGetattr(s *script, _ string, a arguments) value {
	object, name := a.at(0), a.at(1)
	switch {
	case object.kind != isRef:
		return opaque(a.list...)
	case !name.known():
		if name.hidden || name.kind == isText {
			return value{kind: isRef, ref: object.ref + "." + effect.Unknown, hidden: true}
		}
		return opaque(a.list...)
	}
	return s.constant(object.ref + "." + name.text)
}

// doLibrary is ctypes: the C library has a system of its own.
func doLibrary(s *script, n string, a arguments) value {
	doLoad(s, n, a)
	return refValue("ctypes.CDLL")
}

func doOSOpen(s *script, _ string, a arguments) value {
	mode := value{}
	if flags := a.at(1); flags.kind != isRef || flags.ref != "os.O_RDONLY" {
		mode = textValue("w")
	}
	return s.opened(a.at(0), mode)
}

// doMap keeps what a function such as chr does to every item.
func doMap(s *script, _ string, a arguments) value {
	v := opaque(a.list...)
	f := a.at(0)
	if f.kind == isRef && (f.ref == "chr" || f.ref == "int") {
		v.hidden = f.ref == "chr"
		return v
	}
	if _, ok := callsOf(s.l.Name)[f.ref]; ok && f.kind == isRef {
		return s.invoke(f, arguments{list: a.list[1:]})
	}
	return v
}

func doDict(_ *script, _ string, a arguments) value {
	if len(a.list) == 1 {
		return a.list[0]
	}
	return value{}
}

func doPathGlob(s *script, _ string, a arguments) value {
	s.path(effect.Read, a.at(0))
	return textValue(strings.TrimSuffix(a.at(0).string(), "/") + "/" + a.at(1).string())
}

// doReplace is a string's replace, or a path's.
func doReplace(_ *script, _ string, a arguments) value {
	if v, from, to := a.at(0), a.at(1), a.at(2); v.known() && from.known() && to.known() && from.text != "" &&
		len(v.text) < effect.MaxValue && len(to.text) < 64 {
		return textValue(strings.ReplaceAll(v.text, from.text, to.text)).stain(v)
	}
	return opaque(a.list...)
}
