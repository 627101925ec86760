package guard

import (
	"slices"
	"strings"
)

// maxLangDepth bounds brackets in brackets and code in strings.
const maxLangDepth = 80

// script walks a program in another language. It is no parser: it follows names,
// strings, lists and calls, and takes everything else as unknown. What it looks
// for are calls that run programs, touch files or run computed code.
type script struct {
	w     *walker
	st    *state
	l     *language
	at    arg
	in    stream
	argv  []value
	names map[string]value
	toks  []token
	i     int
	depth int

	defined map[string]int  // functions of the program, and how often they are called
	runs    map[string]bool // those that run their argument

	loops, forks int
	net, socket  bool
	shellStarted bool
	waits        bool
}

// foreign judges a program in another language by what it does.
func (w *walker) foreign(st *state, l *language, construct string, code arg, argv []arg, in stream, prints bool) {
	defer w.enter(construct, code.text, code.span)()
	if w.nested++; w.nested > maxNested {
		w.stop(problemDepth)
	}
	defer func() { w.nested-- }()
	if !w.spend(1) || w.remoteCode(l, construct, code) {
		return
	}
	if l == &python {
		w.imported(st, code.text)
	}
	s := &script{w: w, st: st.clone(), l: l, at: code, in: in, names: map[string]value{}, defined: map[string]int{}, runs: map[string]bool{}}
	s.at.exact = false
	for _, a := range argv {
		s.argv = append(s.argv, textValue(a.text))
	}
	if l == &tcl {
		s.tcl(code.text)
	}
	last := s.run(code.text)
	if prints {
		s.printed(last)
	}
	s.conclude()
}

// run scans a text of the program and answers its last value.
func (s *script) run(text string) value {
	if s.depth++; s.depth > maxLangDepth || !s.w.spend(1+len(text)/16) {
		s.w.stop(problemBudget)
		s.depth--
		return value{}
	}
	toks, i := s.toks, s.i
	s.toks, s.i = tokens(s.l, text), 0
	out := s.block("")
	s.toks, s.i = toks, i
	s.depth--
	return out
}

func (s *script) peek() token {
	if s.i < len(s.toks) {
		return s.toks[s.i]
	}
	return token{kind: tokEnd}
}

func (s *script) sign(text string) bool {
	t := s.peek()
	return t.kind == tokSign && t.text == text
}

func (s *script) word(text string) bool {
	t := s.peek()
	return t.kind == tokName && t.text == text
}

func (s *script) accept(text string) bool {
	if s.sign(text) {
		s.i++
		return true
	}
	return false
}

// block is statements up to a closing sign, which it takes.
func (s *script) block(shut string) value {
	var last value
	for s.i < len(s.toks) && !s.w.stopped {
		t := s.peek()
		if t.kind == tokSign && t.text == shut {
			s.i++
			return last
		}
		before := s.i
		if t.kind == tokEnd {
			s.i++
			continue
		}
		last = s.statement()
		if s.i == before {
			s.i++
		}
	}
	return last
}

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

// operatorWord reports words that stand between operands or before one.
func operatorWord(w string) bool { return slices.Contains(operatorWords, w) }

var operatorWords = []string{
	"and", "or", "not", "in", "is", "if", "elif", "else", "unless", "while", "until", "for", "foreach", "return", "yield", "await", "async", "new", "typeof", "delete", "del", "raise", "throw", "try", "except", "finally", "catch", "do", "then", "begin", "rescue", "ensure", "end", "eq", "ne", "lt", "gt", "cmp", "instanceof", "of", "as", "lambda", "echo", "when", "case", "void", "pass", "break", "continue", "last", "next",
}
