package lang

import (
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

// expression follows operands and operators up to a comma, a closing sign or the
// end of the statement.
func (s *script) expression() value {
	if s.depth++; s.depth > maxLangDepth {
		s.w.Stop(effect.ProblemBudget)
	}
	defer func() { s.depth-- }()
	v := s.operand()
	for s.i < len(s.toks) && !s.w.Stopped {
		t := s.peek()
		switch {
		case t.Kind == TokEnd:
			if !s.continues(t) {
				return v
			}
			s.i++
		case t.Kind == TokSign && strings.Contains(",)]}", t.Text):
			return v
		case t.Kind == TokSign && (t.Text == ":" || t.Text == "=>") && s.l.named != 0 && t.Text[0] == s.l.named:
			return v
		case t.Kind == TokSign && t.Text == ":" && s.l == &Python: // a header ends
			return v
		case t.Kind == TokName && (t.Text == "as" || t.Text == "do" || t.Text == "then"):
			return v
		case t.Kind == TokString && v.kind == isText: // adjacent literals
			v = join(v, s.operand())
		default:
			v = s.binary(v, t)
		}
	}
	return v
}

// continues reports a line's end inside brackets, where it ends nothing, and one
// before a leading dot.
func (s *script) continues(t Token) bool {
	next := s.ahead(1)
	return t.Text == "\n" && next.Kind == TokSign && (next.Text == "." || next.Text == "?.")
}

func (s *script) binary(v value, t Token) value {
	s.i++
	switch {
	case t.Kind == TokSign && s.l.joins == t.Text:
		return join(v, s.operand())
	case t.Kind == TokSign && t.Text == "%" && v.kind == isText:
		right := s.operand()
		if right.kind == isList {
			return format(v, right.list, "%s")
		}
		return format(v, []value{right}, "%s")
	case t.Kind == TokSign && t.Text == "/" && v.kind == isText: // pathlib
		return textValue(strings.TrimSuffix(v.string(), "/") + "/" + s.operand().string()).stain(v)
	case t.Kind == TokSign && (t.Text == "=" || t.Text == "<-"):
		return s.operand()
	case t.Kind == TokSign && (t.Text == "||" || t.Text == "//") || t.Kind == TokName && t.Text == "or":
		right := s.operand()
		if v.kind != isUnknown {
			return v
		}
		return opaque(v, right)
	case t.Kind == TokName && !OperatorWord(t.Text), t.Kind == tokNumber, t.Kind == TokString, t.Kind == tokCommand,
		t.Kind == tokWords, t.Kind == tokCode, t.Kind == TokSign && strings.Contains("([{", t.Text):
		s.i--
		return opaque(v, s.operand())
	case t.Kind == TokName:
		s.keyword(t.Text)
		return opaque(v)
	}
	return opaque(v, s.operand())
}

func (s *script) keyword(word string) {
	if word == "while" || word == "until" || word == "for" {
		s.loops++
	}
}

// operand is a name, a literal or a bracket, with all that hangs on it.
func (s *script) operand() value {
	for s.i < len(s.toks) && !s.w.Stopped {
		t := s.peek()
		switch t.Kind {
		case TokString:
			s.i++
			return s.postfix(s.interpolate(t))
		case tokCommand:
			s.i++
			return s.postfix(s.shell("`…`", s.interpolate(t)))
		case tokCode:
			s.i++
			s.run(t.Text)
			return value{}
		case tokWords:
			s.i++
			return s.postfix(wordList(t.Text))
		case tokNumber:
			s.i++
			return s.postfix(value{kind: isNumber, text: t.Text})
		case TokName:
			s.i++
			if OperatorWord(t.Text) && !s.sign(".") {
				s.keyword(t.Text)
				continue
			}
			return s.postfix(s.resolve(t.Text))
		case TokSign:
			if v, ok := s.signed(t); ok {
				return v
			}
		default:
			s.i++
			if t.Text != "\n" {
				return value{}
			}
		}
	}
	return value{}
}

// signed is an operand that begins with a sign; false steps over a prefix.
func (s *script) signed(t Token) (value, bool) {
	switch t.Text {
	case "(":
		s.i++
		args := s.arguments(")")
		if len(args.list) == 1 && len(args.named) == 0 {
			return s.postfix(args.list[0]), true
		}
		return s.postfix(listValue(args.list)), true
	case "[":
		s.i++
		return s.postfix(listValue(s.arguments("]").list)), true
	case "{":
		s.i++
		return s.postfix(s.object()), true
	case ")", "]", "}", ",":
		return value{}, true
	case "-":
		s.i++
		if n := s.peek(); n.Kind == tokNumber {
			s.i++
			return value{kind: isNumber, text: "-" + n.Text}, true
		}
	default:
		s.i++
	}
	return value{}, false
}

// object is {…}: members, or statements.
func (s *script) object() value {
	v := value{fields: map[string]value{}}
	for s.i < len(s.toks) && !s.w.Stopped {
		if s.accept("}") {
			return v
		}
		before := s.i
		key, next := s.peek(), s.ahead(1)
		if next.Kind == TokSign && (next.Text == ":" || next.Text == "=>") &&
			(key.Kind == TokName || key.Kind == TokString) {
			name := key.Text
			if key.Kind == TokString {
				name = s.interpolate(key).string()
			}
			s.i += 2
			v.fields[name] = s.expression()
		} else {
			v = v.stain(s.statement())
		}
		if !s.accept(",") && s.peek().Kind == TokEnd || s.i == before {
			s.i++
		}
	}
	return v
}

// arguments are expressions up to the closing sign, which it takes.
func (s *script) arguments(shut string) arguments {
	var a arguments
	for s.i < len(s.toks) && !s.w.Stopped {
		if s.accept(shut) {
			break
		}
		before := s.i
		switch {
		case s.accept(",") || s.peek().Kind == TokEnd && s.i < len(s.toks):
			if s.i == before {
				s.i++
			}
			continue
		case s.namedArgument():
			name := s.peek().Text
			s.i += 2
			if a.named == nil {
				a.named = map[string]value{}
			}
			a.named[name] = s.expression()
		default:
			a.list = append(a.list, s.expression())
		}
		if s.i == before {
			s.i++
		}
	}
	return a
}

func (s *script) namedArgument() bool {
	next := s.ahead(1)
	return s.l.named != 0 && s.peek().Kind == TokName && next.Kind == TokSign && next.Text == string(s.l.named)
}

func wordList(text string) value {
	var list []value
	for _, w := range strings.Fields(text) {
		list = append(list, textValue(w))
	}
	return listValue(list)
}

// interpolate puts a string together and judges the code in it.
func (s *script) interpolate(t Token) value {
	if len(t.Parts) == 1 && t.Parts[0].code == "" {
		return textValue(t.Parts[0].Text)
	}
	v := textValue("")
	for _, p := range t.Parts {
		if p.code != "" {
			v = join(v, s.run(p.code))
		} else {
			v = join(v, textValue(p.Text))
		}
	}
	return v
}
