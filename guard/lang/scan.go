package lang

import (
	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// maxLangDepth bounds brackets in brackets and code in strings.
const maxLangDepth = 80

// script walks a program in another language. It is no parser: it follows names, strings,
// lists and calls, and takes everything else as unknown. It looks for calls that run
// programs, touch files or run computed code.
type script struct {
	w     *shell.Walker
	st    *shell.State
	l     *Language
	at    effect.Arg
	in    effect.Stream
	argv  []value
	names map[string]value
	toks  []Token
	i     int
	depth int

	defined map[string]int  // functions of the program, and how often they are called
	runs    map[string]bool // those that run their argument

	loops, forks int
	net, socket  bool
	shellStarted bool
	waits        bool
}

// Foreign judges a program in another language by what it does.
func Foreign(w *shell.Walker, st *shell.State, l *Language, construct string, code effect.Arg, argv []effect.Arg,
	in effect.Stream, prints bool,
) {
	defer w.Enter(construct, code.Text, code.Span)()
	defer w.Nest()()
	if !w.Spend(1) || remoteCode(w, l, construct, code) {
		return
	}
	run.Marked(w, "code-text", code.Text)
	if l == &Python {
		imported(w, st, code.Text)
	}
	s := &script{
		w: w, st: st.Clone(), l: l, at: code, in: in, names: map[string]value{}, defined: map[string]int{},
		runs: map[string]bool{},
	}
	s.at.Exact = false
	for _, a := range argv {
		s.argv = append(s.argv, textValue(a.Text))
	}
	if l == &tcl {
		s.tcl(code.Text)
	}
	last := s.run(code.Text)
	if prints {
		s.printed(last)
	}
	s.conclude()
}

// run scans a text of the program and answers its last value.
func (s *script) run(text string) value {
	if s.depth++; s.depth > maxLangDepth || !s.w.Spend(1+len(text)/16) {
		s.w.Stop(effect.ProblemBudget)
		s.depth--
		return value{}
	}
	toks, i := s.toks, s.i
	s.toks, s.i = Tokens(s.l, text), 0
	secrets(s.w, s.st, s.at, s.toks)
	out := s.block("")
	s.toks, s.i = toks, i
	s.depth--
	return out
}

func (s *script) peek() Token { return s.ahead(0) }

// ahead is a token further on, an end behind the last.
func (s *script) ahead(n int) Token {
	if s.i+n < len(s.toks) {
		return s.toks[s.i+n]
	}
	return Token{Kind: TokEnd}
}

func (s *script) sign(text string) bool {
	t := s.peek()
	return t.Kind == TokSign && t.Text == text
}

func (s *script) word(text string) bool {
	t := s.peek()
	return t.Kind == TokName && t.Text == text
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
	for s.i < len(s.toks) && !s.w.Stopped {
		t := s.peek()
		if t.Kind == TokSign && t.Text == shut {
			s.i++
			return last
		}
		before := s.i
		if t.Kind == TokEnd {
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

// OperatorWord reports words that come between operands or before one.
func OperatorWord(w string) bool { return operatorWords.Has(w) }

var operatorWords = argv.NamesOf(&languagesText, "operators")
