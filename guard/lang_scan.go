package guard

import (
	"slices"
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

// operatorWord reports words that stand between operands or before one.
func operatorWord(w string) bool { return slices.Contains(operatorWords, w) }

var operatorWords = []string{
	"and", "or", "not", "in", "is", "if", "elif", "else", "unless", "while", "until", "for", "foreach", "return", "yield", "await", "async", "new", "typeof", "delete", "del", "raise", "throw", "try", "except", "finally", "catch", "do", "then", "begin", "rescue", "ensure", "end", "eq", "ne", "lt", "gt", "cmp", "instanceof", "of", "as", "lambda", "echo", "when", "case", "void", "pass", "break", "continue", "last", "next",
}
