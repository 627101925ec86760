package guard

import "strings"

func (s *script) statement() value {
	t := s.peek()
	if t.kind == tokName {
		switch t.text {
		case "import", "from":
			if s.l == &python {
				s.pythonImport()
				return value{}
			}
			if s.l == &javascript && t.text == "import" && s.scriptImport() {
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
	if s.word("as") && s.i+1 < len(s.toks) && s.toks[s.i+1].kind == tokName {
		s.names[s.toks[s.i+1].text] = v
		s.i += 2
	}
	for s.accept(",") {
		v = s.expression()
	}
	return v
}

// assigned is the name at the left of an assignment that begins here.
func (s *script) assigned() (string, bool) {
	if s.i+1 >= len(s.toks) || s.peek().kind != tokName {
		return "", false
	}
	op := s.toks[s.i+1]
	if op.kind == tokSign && (op.text == "=" || op.text == "+=" || op.text == ".=" || op.text == ":=" || op.text == "<-") {
		return s.peek().text, true
	}
	return "", false
}

func (s *script) assign(name string) value {
	op := s.toks[s.i+1].text
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
	if len(s.names) < maxSteps {
		s.names[name] = v
	}
	return v
}

// destructures is JavaScript's const {execSync: x} = require('child_process').
func (s *script) destructures() bool {
	shut := s.i + 1
	for shut < len(s.toks) && !(s.toks[shut].kind == tokSign && strings.Contains("}{()", s.toks[shut].text)) {
		shut++
	}
	if shut+1 >= len(s.toks) || s.toks[shut].text != "}" || s.toks[shut+1].text != "=" {
		return false
	}
	names := s.toks[s.i+1 : shut]
	s.i = shut + 2
	of := s.expression()
	for i := 0; i < len(names); i++ {
		if names[i].kind != tokName {
			continue
		}
		local := names[i].text
		if i+2 < len(names) && names[i+1].text == ":" && names[i+2].kind == tokName {
			local = names[i+2].text
		}
		s.names[local] = of.member(names[i].text)
		if local != names[i].text {
			i += 2
		}
	}
	return true
}

// definition steps over a function's name, and makes its parameters unknown.
func (s *script) definition() {
	name := s.peek().text
	for s.i < len(s.toks) && (s.peek().kind == tokName || s.sign(".") || s.sign("*")) {
		s.i++
	}
	if len(s.defined) < maxList {
		s.defined[name] = 0
	}
	if !s.sign("(") {
		return
	}
	for s.i++; s.i < len(s.toks) && !s.accept(")"); s.i++ {
		if t := s.peek(); t.kind == tokName {
			s.names[t.text] = value{param: name}
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
			s.names[s.toks[s.i+1].text] = v
			s.i += 2
		}
		return
	}
	for s.word("my") || s.word("const") || s.word("let") || s.word("var") {
		s.i++
	}
	if open && s.peek().kind == tokEnd {
		s.loops++ // for(;;)
	}
	var names []string
	for s.peek().kind == tokName && !s.word("in") && !s.word("of") {
		names = append(names, s.peek().text)
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
