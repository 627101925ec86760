package lang

import (
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

var php = Language{
	Name: "php", Comments: []string{"#", "//"}, block: [2]string{"/*", "*/"}, Quotes: `"'`, raw: "'", backtick: 'c',
	hole: "$", joins: ".", Sigils: "$", bare: true,
}

func doPHPExec(s *script, name string, a arguments) value {
	if name == "pcntl_exec" {
		list := []value{a.at(0)}
		s.exec(name, append(list, a.at(1).list...))
		return value{}
	}
	return s.shell(name, a.at(0))
}

// doLoadCode runs a file, or what a server sends.
func doLoadCode(s *script, name string, a arguments) value {
	v := a.at(0)
	if strings.Contains(v.string(), "://") {
		return s.eval(name, s.download())
	}
	s.path(effect.Read, v)
	return value{}
}

// doCallback calls a function by its name.
func doCallback(s *script, name string, a arguments) value {
	f := a.at(0)
	if f.hidden {
		s.hide(name, f)
		return value{}
	}
	if _, ok := callsOf(s.l.Name)[f.string()]; !ok || !f.known() {
		return opaque(a.list...)
	}
	rest := a.list[1:]
	if len(rest) == 1 && rest[0].kind == isList {
		rest = rest[0].list
	}
	return s.invoke(refValue(f.text), arguments{list: rest})
}
