package windows

import (
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program/run"
)

func (s *windowsScanner) escaped() {
	s.i++
	if s.i < len(s.text) {
		c, again := s.text[s.i]|0x20, s.inWord && strings.Contains(s.text[s.start:s.i-1], "^")
		if s.sh.name == "cmd" && len(s.at.words) == 0 && c >= 'a' && c <= 'z' && !again { // d^el hides a name
			s.w.Emit(effect.Effect{Kind: effect.Hidden, Name: "cmd", Text: "^", Span: s.w.Within(s.i-1, s.i+1)})
		}
		if s.text[s.i] != '\n' { // at the end of a line it only joins
			s.add(s.text[s.i:s.i+1], s.i-1)
		}
		s.i++
	}
}

// quotation reads a quoted part of a word. PowerShell doubles a quote to write
// one, and fills in variables only between double quotes.
func (s *windowsScanner) quotation(q byte) {
	if !s.inWord {
		s.inWord, s.start, s.quote = true, s.i, true
	}
	s.i++
	for s.i < len(s.text) {
		c := s.text[s.i]
		switch {
		case c == q && s.i+1 < len(s.text) && s.text[s.i+1] == q && s.sh.name == "powershell":
			s.word.WriteByte(q)
			s.i += 2
			continue
		case c == q:
			s.i++
			return
		case c == s.sh.escape && q == '"' && s.sh.name == "powershell" && s.i+1 < len(s.text):
			s.word.WriteByte(s.text[s.i+1])
			s.i += 2
			continue
		}
		if q == '"' {
			if strings.HasPrefix(s.text[s.i:], "$(") {
				s.nested()
				continue
			}
			if name, size := s.sh.variable(s.text[s.i:]); size > 0 {
				s.mention(name)
				s.word.WriteString(s.value(name))
				s.i += size
				continue
			}
		}
		s.word.WriteByte(c)
		s.i++
	}
}

// nested is $(…) in a string: its commands run, its text is not known.
func (s *windowsScanner) nested() {
	depth, start := 0, s.i+2
	for ; s.i < len(s.text); s.i++ {
		if s.text[s.i] == '(' {
			depth++
		} else if s.text[s.i] == ')' {
			if depth--; depth == 0 {
				break
			}
		}
	}
	inner := s.text[min(start, len(s.text)):min(s.i, len(s.text))]
	s.i = min(s.i+1, len(s.text))
	s.word.WriteString(effect.Unknown)
	if s.w.Deeper() {
		s.out = append(s.out, windowsCommands(s.w, s.sh, s.vars, inner)...)
		s.w.Back()
	}
}

func (s *windowsScanner) comment() {
	for s.i < len(s.text) && s.text[s.i] != '\n' {
		s.i++
	}
}

// array is @( and @{, which only group, or a here-string @' … '@.
func (s *windowsScanner) array() {
	q := s.text[s.i+1]
	if q == '{' && s.at.target != "" {
		s.vars["@"+s.at.target], _ = run.Closing(s.text, s.i+1)
	}
	if q != '\'' && q != '"' {
		s.i++
		return
	}
	end := strings.Index(s.text[s.i+2:], "\n"+string(q)+"@")
	size := orLength(end, s.text[s.i+2:])
	s.quote = true
	s.add(s.text[s.i+2:s.i+2+size], s.i)
	s.i = min(len(s.text), s.i+2+size+3)
}

// splat is @name, the members of a table as parameters: $p = @{Path=$HOME}; del @p.
func (s *windowsScanner) splat() bool {
	name, size := powerShellVariable("$" + s.text[s.i+1:])
	name = "@" + strings.ToLower(name)
	table := s.vars[name]
	members := strings.FieldsFunc(table, func(r rune) bool { return r == ';' || r == '\n' })
	for i, member := range members {
		key, value, _ := strings.Cut(member, "=")
		members[i] = "-" + strings.TrimSpace(key) + ":" + strings.TrimSpace(value)
	}
	s.vars[name] = "" // it may name itself
	for _, c := range windowsCommands(s.w, s.sh, s.vars, strings.Join(members, " ")) {
		for _, a := range c.words {
			a.Span = s.w.Within(s.i, s.i+size)
			s.at.words, s.at.quoted = append(s.at.words, a), append(s.at.quoted, false)
		}
	}
	if s.vars[name] = table; len(members) > 0 {
		s.i += size
	}
	return len(members) > 0
}
