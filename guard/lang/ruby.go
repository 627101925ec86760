package lang

import (
	"strings"
)

// Ruby is a language with words for brackets.
var Ruby = Language{
	Name: "ruby", Comments: []string{"#"}, Quotes: `"'`, raw: "'", backtick: 'c', hole: "#{", joins: "+", Sigils: "$@",
	quoting: "ruby", Regexes: true, Lines: true, bare: true, named: ':',
}

func doDeleteMethod(s *script, n string, a arguments) value {
	if n == "rmtree" {
		return doDeleteTree(s, n, a)
	}
	return opaque(a.list...)
}

// doRubyOpen is open("|cmd"), open(url) and a file with a mode.
func doRubyOpen(s *script, name string, a arguments) value {
	if cmd, ok := strings.CutPrefix(a.at(0).string(), "|"); ok && name == "open" {
		return s.shell(name, textValue(cmd))
	}
	return doOpen(s, name, a)
}

func doRubyRead(s *script, name string, a arguments) value {
	if cmd, ok := strings.CutPrefix(a.at(0).string(), "|"); ok {
		return s.shell(name, textValue(cmd))
	}
	if name == "read" && a.at(0).kind != isText {
		return a.at(0)
	}
	if name == "read" && a.at(0).kind == isText && strings.ContainsAny(a.at(0).text, " \n") {
		return a.at(0)
	}
	return doRead(s, name, a)
}

func doPopen(s *script, name string, a arguments) value {
	v := a.at(0)
	if v.fields != nil { // an environment
		v = a.at(1)
	}
	if v.kind == isList {
		s.exec(name, v.list)
		return value{}
	}
	if len(a.list) > 1 && strings.HasPrefix(name, "PTY") {
		s.exec(name, a.list)
		return value{}
	}
	return s.shell(name, v)
}

// doSend calls a method by its name.
func doSend(s *script, name string, a arguments) value {
	method := a.at(0)
	switch {
	case method.hidden || method.kind == isUnknown && name != "method":
		s.hide(name, method)
		return value{}
	case !method.known():
		return value{}
	case name == "method":
		return refValue(method.text)
	}
	return s.invoke(s.constant(method.text), arguments{list: a.list[1:]})
}
