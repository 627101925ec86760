package lang

import (
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

func (s *script) statement() value {
	t := s.peek()
	if t.Kind == TokName {
		switch t.Text {
		case "import", "from":
			if s.l == &Python {
				s.pythonImport()
				return value{}
			}
			if s.l == &javascript && t.Text == "import" && s.scriptImport() {
				return value{}
			}
		case "def", "function", "fn", "sub", "lambda", "class":
			s.i++
			s.definition()
			return value{}
		case "my", "our", "local", "const", "let", "var", "global", "static":
			s.i++
			return s.statement()
		case "for", "foreach", "each":
			s.i++
			s.forLoop()
			return value{}
		case "with":
			s.i++
			return s.statement()
		}
	}
	if name, ok := s.assigned(); ok {
		return s.assign(name)
	}
	if s.l == &javascript && s.sign("{") && s.destructures() {
		return value{}
	}
	v := s.expression()
	if name := s.ahead(1); s.word("as") && name.Kind == TokName {
		s.names[name.Text] = v
		s.i += 2
	}
	for s.accept(",") {
		v = s.expression()
	}
	return v
}

// assigned is the name at the left of an assignment that begins here.
func (s *script) assigned() (string, bool) {
	t, op := s.peek(), s.ahead(1)
	return t.Text, t.Kind == TokName && op.Kind == TokSign && effect.Among(op.Text, "= += .= := <-")
}

func (s *script) assign(name string) value {
	op := s.toks[s.i+1].Text
	s.i += 2
	v := s.expression()
	if op == "+=" || op == ".=" {
		v = join(s.names[name], v)
	}
	if s.sign(",") && s.l != &javascript { // a tuple
		for s.accept(",") {
			s.expression()
		}
		v = opaque(v)
	}
	if len(s.names) < shell.MaxSteps {
		s.names[name] = v
	}
	return v
}

// destructures is JavaScript's const {execSync: x} = require('child_process').
func (s *script) destructures() bool {
	shut := s.i + 1
	for shut < len(s.toks) && !(s.toks[shut].Kind == TokSign && strings.Contains("}{()", s.toks[shut].Text)) {
		shut++
	}
	if shut+1 >= len(s.toks) || s.toks[shut].Text != "}" || s.toks[shut+1].Text != "=" {
		return false
	}
	names := s.toks[s.i+1 : shut]
	s.i = shut + 2
	of := s.expression()
	for i := 0; i < len(names); i++ {
		if names[i].Kind != TokName {
			continue
		}
		local := names[i].Text
		if i+2 < len(names) && names[i+1].Text == ":" && names[i+2].Kind == TokName {
			local = names[i+2].Text
		}
		s.names[local] = of.member(names[i].Text)
		if local != names[i].Text {
			i += 2
		}
	}
	return true
}

// definition steps over a function's name, and makes its parameters unknown.
func (s *script) definition() {
	name := s.peek().Text
	for s.i < len(s.toks) && (s.peek().Kind == TokName || s.sign(".") || s.sign("*")) {
		s.i++
	}
	if len(s.defined) < MaxList {
		s.defined[name] = 0
	}
	if !s.sign("(") {
		return
	}
	for s.i++; s.i < len(s.toks) && !s.accept(")"); s.i++ {
		if t := s.peek(); t.Kind == TokName {
			s.names[t.Text] = value{param: name}
		}
	}
}

// forLoop binds the variable of for x in list to all of the list.
func (s *script) forLoop() {
	s.loops++
	open := s.accept("(")
	if open && s.l == &php { // foreach (list as $x)
		v := s.expression()
		if s.word("as") && s.i+1 < len(s.toks) {
			s.names[s.toks[s.i+1].Text] = v
			s.i += 2
		}
		return
	}
	for s.word("my") || s.word("const") || s.word("let") || s.word("var") {
		s.i++
	}
	if open && s.peek().Kind == TokEnd {
		s.loops++ // for(;;)
	}
	var names []string
	for s.peek().Kind == TokName && !s.word("in") && !s.word("of") {
		names = append(names, s.peek().Text)
		s.i++
		if !s.accept(",") {
			break
		}
	}
	if s.word("in") || s.word("of") || s.sign("(") {
		if !s.accept("(") {
			s.i++
		}
		v := s.expression()
		if v.kind != isList {
			v = opaque(v)
		}
		for _, name := range names {
			s.names[name] = v
		}
		return
	}
	s.i -= min(len(names), 1) // for(i=0;…): an ordinary statement
}
