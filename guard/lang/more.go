package lang

import (
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
	out := textValue("")
	for i, v := range a.list {
		if i > 0 && n == "paste" {
			out = join(out, textValue(" "))
		}
		out = join(out, v)
	}
	return out
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
		f := a.at(1)
		for _, key := range []string{"file", "con"} {
			if v, ok := a.named[key]; ok {
				f = v
			}
		}
		if f.kind == isText {
			s.path(effect.Write, f)
		}
	}
	return value{}
}
