package windows

import (
	"cmp"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// The two Windows shells are read by text rules, not by a grammar: words, quotes, escapes,
// variables, pipes and blocks are understood, control flow is not. Every command anywhere
// in the text is judged as if it ran.

// windowsShell is how one of them writes things down.
type windowsShell struct {
	name     string
	escape   byte
	quotes   string // ' and " or only "
	breaks   string // characters between commands
	blanks   string // characters between words
	variable func(text string) (name string, size int)
}

// windowsCommand is the words of one command.
type windowsCommand struct {
	words  []effect.Arg
	quoted []bool // the word was in quotes: never an option or a variable's name
	piped  bool   // it reads what the command before it printed
	called bool   // & or . before it
	looked bool   // and a bracket: what it answers is what runs
	target string // the variable that takes what it prints
	secret string // a variable in it that holds a credential
	method bool   // a method's arguments follow, as in [IO.File]::Delete(…)
	opens  bool   // a bracket follows, whose value is a word of it
}

// windowsScanner cuts a text into commands.
type windowsScanner struct {
	w      *shell.Walker
	sh     *windowsShell
	vars   map[string]string
	text   string
	i      int
	word   strings.Builder
	from   []string // what the variables in the word are called after
	start  int
	inWord bool
	quote  bool
	at     windowsCommand
	out    []windowsCommand
}

func windowsCommands(w *shell.Walker, sh *windowsShell, vars map[string]string, text string) []windowsCommand {
	s := windowsScanner{w: w, sh: sh, vars: vars, text: text}
	for s.i < len(s.text) && w.Spend(0) {
		s.step()
	}
	s.endCommand(false)
	return s.out
}

func (s *windowsScanner) step() {
	c := s.text[s.i]
	switch {
	case c == s.sh.escape:
		s.escaped()
	case strings.IndexByte(s.sh.quotes, c) >= 0:
		s.quotation(c)
	case c == '#' && s.sh.name == "powershell" && !s.inWord:
		s.comment()
	case strings.HasPrefix(s.text[s.i:], "<#") && s.sh.name == "powershell":
		s.i = min(len(s.text), s.i+2+orLength(strings.Index(s.text[s.i+2:], "#>"), s.text[s.i:])+2)
	case c == '@' && s.sh.name == "powershell" && !s.inWord && s.i+1 < len(s.text) &&
		strings.IndexByte("({'\"", s.text[s.i+1]) >= 0:
		s.array()
	case c == '@' && s.sh.name == "powershell" && !s.inWord && s.splat():
	case strings.IndexByte(s.sh.blanks, c) >= 0 && !s.passed(c):
		s.endWord()
		s.i++
	case c == '>' || c == '<':
		s.redirect()
	case strings.IndexByte(s.sh.breaks, c) >= 0:
		s.separator(c)
	default:
		if strings.HasPrefix(s.text[s.i:], "$(") && s.sh.name == "powershell" {
			s.add(effect.Unknown, s.i)
			s.i++
			return
		}
		if name, size := s.sh.variable(s.text[s.i:]); size > 0 {
			if s.assigns(name, s.i+size) {
				return
			}
			s.mention(name)
			s.add(s.value(name), s.i)
			s.i += size
			return
		}
		s.add(s.text[s.i:s.i+1], s.i)
		s.i++
	}
}

// passed reports a character that only cmd's own commands take for a blank: ssh -o
// ProxyCommand=x gets it.
func (s *windowsScanner) passed(c byte) bool {
	if s.sh.name != "cmd" || c == ' ' || c == '\t' || !s.inWord || len(s.at.words) == 0 {
		return false
	}
	name := strings.ToLower(strings.TrimLeft(s.at.words[0].Text, "@"))
	return names("cmd")[name] == "" && !effect.Among(name, "set if for call start echo do else cd chdir pushd doskey")
}

// assigns reports $name = … and goes on to the value.
func (s *windowsScanner) assigns(name string, i int) bool {
	if s.sh.name != "powershell" || s.inWord || len(s.at.words) > 0 {
		return false
	}
	rest := strings.TrimLeft(s.text[i:], " ")
	if !strings.HasPrefix(rest, "=") && !strings.HasPrefix(rest, "+=") {
		return false
	}
	s.at.target = strings.ToLower(name)
	s.i = len(s.text) - len(rest) + strings.IndexByte(rest, '=') + 1
	return true
}

func orLength(i int, text string) int {
	if i < 0 {
		return len(text)
	}
	return i
}

func (s *windowsScanner) add(text string, at int) {
	if !s.inWord {
		s.inWord, s.start = true, at
	}
	s.word.WriteString(text)
}

// redirect reads > and <; they are words of their own.
func (s *windowsScanner) redirect() {
	sign := s.text[s.i : s.i+1]
	if text := s.word.String(); s.inWord && strings.Trim(text, "123456*") == "" {
		s.word.Reset()
		s.inWord = false
	}
	s.endWord()
	for s.i < len(s.text) && (s.text[s.i] == '>' || s.text[s.i] == '<') {
		s.i++
	}
	if s.i+1 < len(s.text) && s.text[s.i] == '&' { // 2>&1
		s.i += 2
		return
	}
	s.add(sign, s.i-1)
	s.endWord()
}

func (s *windowsScanner) separator(c byte) {
	method := c == '(' && s.inWord && strings.Contains(s.word.String(), "]::")
	s.endWord()
	double := s.i+1 < len(s.text) && s.text[s.i+1] == c
	s.i++
	if double && (c == '|' || c == '&') {
		s.i++
	}
	if c == '&' && !double && s.sh.name == "powershell" && len(s.at.words) == 0 {
		s.at.called = true
		return
	}
	if c == '(' && s.calls() {
		s.at.words, s.at.quoted, s.at.called, s.at.looked = nil, nil, true, true
		return
	}
	s.at.method, s.at.opens = method, c == '(' && s.sh.name == "powershell"
	s.endCommand(c == '|' && !double)
}

// calls reports that what comes next is the name of a command: after & and ".".
func (s *windowsScanner) calls() bool {
	at := &s.at
	return s.sh.name == "powershell" &&
		(at.called && len(at.words) == 0 || len(at.words) == 1 && at.words[0].Text == "." && !at.quoted[0])
}

func (s *windowsScanner) endWord() {
	if !s.inWord {
		return
	}
	s.w.Spend(1)
	a := effect.Arg{Text: s.word.String(), Index: s.w.At.Index, Span: s.w.Within(s.start, s.i), From: s.from}
	s.at.words, s.at.quoted = append(s.at.words, a), append(s.at.quoted, s.quote)
	s.word.Reset()
	s.inWord, s.quote, s.from = false, false, nil
}

func (s *windowsScanner) endCommand(pipe bool) {
	s.endWord()
	if s.at.target != "" {
		value := effect.Unknown
		if len(s.at.words) == 1 && s.at.quoted[0] && len(s.at.words[0].Text) <= effect.MaxValue {
			value = s.at.words[0].Text
		}
		s.vars[s.at.target] = value
	}
	if len(s.at.words) > 0 {
		s.out = append(s.out, s.at)
		s.at = windowsCommand{}
	}
	s.at.piped = pipe
}

// mention remembers what the name of a variable says, and that it is a secret one.
func (s *windowsScanner) mention(name string) {
	if _, given := s.vars[strings.ToLower(name)]; !given {
		_, bare, _ := strings.Cut(":"+name, ":")
		s.from = effect.Mixed(s.from, shell.NamedFor(bare[strings.LastIndexByte(bare, ':')+1:])...)
	}
	if env, ok := strings.CutPrefix(strings.ToLower(name), "env:"); ok && place.SecretVariable(env) {
		s.at.secret = name
	}
}

func (s *windowsScanner) value(name string) string {
	name = strings.ToLower(name)
	if v, ok := s.vars[name]; ok {
		return v
	}
	name = strings.TrimPrefix(name, "env:")
	if name == "homepath" && place.Drive(s.w.Home) {
		return s.w.Home[2:]
	}
	text, ok := names("value")[name]
	if !ok {
		return effect.Unknown
	}
	if below, ok := strings.CutPrefix(text, "~"); ok {
		return cmp.Or(s.w.Home, effect.Unknown) + below
	}
	return strings.ReplaceAll(text, "␣", " ")
}
