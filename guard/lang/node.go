package lang

import (
	"strings"

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
