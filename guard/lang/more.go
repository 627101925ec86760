package lang

import (
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

// Lua is a language of few signs.
var Lua = Language{
	Name: "lua", Comments: []string{"--"}, block: [2]string{"--[[", "]]"}, Quotes: `"'`, joins: "..", long: true,
}

var rLang = Language{
	Name: "r", Comments: []string{"#"}, Quotes: `"'`, Lines: true, named: '=',
}

var julia = Language{
	Name: "julia", Comments: []string{"#"}, block: [2]string{"#=", "=#"}, Quotes: `"`, backtick: 'c', joins: "*",
	Lines: true, named: '=',
}

// AppleScript's verb is four words; see appleTokens.
var appleScript = Language{
	Name: "osascript", Comments: []string{"--"}, block: [2]string{"(*", "*)"}, Quotes: `"`, joins: "&", Lines: true,
	bare: true,
}

var tcl = Language{Name: "tcl", Comments: []string{"#"}, Lines: true, bare: true}

func doParseText(_ *script, _ string, a arguments) value { return a.option("text") }

func doPaste(_ *script, n string, a arguments) value {
	return joined(a.list, map[string]string{"paste": " "}[n])
}

// doROutput is R's writers: the file is named, or the second argument.
func doROutput(s *script, name string, a arguments) value {
	switch {
	case name == "dir.create" || name == "sink" || name == "pdf" || name == "png":
		s.path(effect.Write, a.at(0))
	case name == "cat":
		if f, ok := a.named["file"]; ok {
			s.path(effect.Write, f)
		}
	default:
		f := a.either("file", 1)
		if v, ok := a.named["con"]; ok {
			f = v
		}
		if f.kind == isText {
			s.path(effect.Write, f)
		}
	}
	return value{}
}

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
	if len(rest) == 1 {
		rest = arguments{list: rest}.items()
	}
	return s.invoke(refValue(f.text), arguments{list: rest})
}

// tcl judges exec, spawn and system; in Tcl every line is a list of words.
func (s *script) tcl(text string) {
	for line := range strings.SplitSeq(strings.NewReplacer("[", "\n", "]", "\n", ";", "\n").Replace(text), "\n") {
		words := strings.Fields(line)
		if len(words) < 2 || !s.w.Spend(1) {
			continue
		}
		switch words[0] {
		case "exec", "spawn", "system":
			for len(words) > 2 && strings.HasPrefix(words[1], "-") {
				words = words[1:]
			}
			quoted := strings.NewReplacer("{", "'", "}", "'").Replace(strings.Join(words[1:], " "))
			s.shell("tcl "+words[0], textValue(quoted))
		case "open":
			if cmd, ok := strings.CutPrefix(strings.Trim(words[1], `"{}`), "|"); ok {
				s.shell("tcl open", textValue(cmd))
			}
		case "source":
			s.path(effect.Read, textValue(words[1]))
		}
		if words[0] == "file" && words[1] == "delete" && len(words) > 2 {
			s.path(effect.Delete, textValue(words[len(words)-1]))
		}
	}
}
