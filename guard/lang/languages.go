package lang

import (
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
)

var javascript = Language{
	Name: "node", Comments: []string{"//"}, block: [2]string{"/*", "*/"}, Quotes: `"'`, backtick: 't', hole: "${",
	joins: "+", Sigils: "$", Regexes: true, Lines: true, named: ':',
}

// scriptImport is import x, {a as b} from 'm' and import * as x from 'm'.
func (s *script) scriptImport() bool {
	end := s.i + 1
	for end < len(s.toks) && s.toks[end].Kind != TokString && s.toks[end].Kind != TokEnd {
		end++
	}
	if end >= len(s.toks) || s.toks[end].Kind != TokString || s.toks[end-1].Text != "from" {
		return false
	}
	names := s.toks[s.i+1 : end-1]
	module := doRequire(s, "import", arguments{list: []value{s.interpolate(s.toks[end])}})
	s.i = end + 1
	inside := false
	for i, t := range names {
		switch {
		case t.Text == "{":
			inside = true
		case t.Text == "}":
			inside = false
		case t.Kind != TokName || t.Text == "as":
		case i+2 < len(names) && names[i+1].Text == "as": // the name after it counts
		case i > 1 && names[i-1].Text == "as" && inside:
			s.names[t.Text] = module.member(names[i-2].Text)
		case inside:
			s.names[t.Text] = module.member(t.Text)
		default:
			s.names[t.Text] = module
		}
	}
	return true
}

// doTemplate is exec(text), and $`text` of bun and zx.
func doTemplate(s *script, name string, a arguments) value {
	if a.at(0).kind == isRef || len(a.list) == 0 {
		return value{}
	}
	return s.shell(name, a.at(0))
}

func doDenoRun(s *script, name string, a arguments) value {
	if cmd := a.option("cmd"); cmd.kind == isList {
		s.exec(name, cmd.list)
	}
	return value{}
}

// doRequire loads a module: a built-in by name, or a file by path.
func doRequire(s *script, name string, a arguments) value {
	v := a.at(0)
	switch {
	case v.hidden:
		return value{kind: isRef, ref: effect.Unknown, hidden: true}
	case !v.known():
		return value{}
	case strings.HasPrefix(v.text, "/") || strings.HasPrefix(v.text, "."):
		s.path(effect.Read, v)
		return value{file: true}
	}
	return refValue(strings.TrimPrefix(v.text, "node:"))
}

// doBuffer decodes when it gets an encoding.
func doBuffer(s *script, name string, a arguments) value {
	if e := a.at(1).string(); e == "base64" || e == "hex" || e == "base64url" || a.at(0).kind == isList {
		return doDecode(s, name, a)
	}
	return doSame(s, name, a)
}

func doInterval(s *script, name string, a arguments) value {
	s.loops++
	return doTimer(s, name, a)
}

// doTimer runs a function, or text.
func doTimer(s *script, name string, a arguments) value {
	if a.at(0).kind != isText {
		return value{}
	}
	return doEval(s, name, a)
}

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
		s.path(effect.Write, a.named["file"])
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
		s.hide(name)
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

// tclJoined is a list that is put together to be run: [join {rm -rf x}].
var tclJoined = argv.Pattern(`\[\s*(?:join|concat|list)\s+\{?([^]{}]*)\}?\s*\]`)

// tcl judges exec, spawn and system; in Tcl every line is a list of words.
func (s *script) tcl(text string) {
	text = tclJoined().ReplaceAllString(text, " $1 ")
	for line := range strings.SplitSeq(strings.NewReplacer("[", "\n", "]", "\n", ";", "\n").Replace(text), "\n") {
		words := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "eval "))
		if len(words) < 2 || !s.w.Spend(1) {
			continue
		}
		for _, word := range words[1:] {
			secret(s.w, s.st, s.at, strings.Trim(word, `"{}`))
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
