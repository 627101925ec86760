package guard

import "strings"

// expression follows operands and operators up to a comma, a closing sign or the
// end of the statement.
func (s *script) expression() value {
	if s.depth++; s.depth > maxLangDepth {
		s.w.stop(problemBudget)
	}
	defer func() { s.depth-- }()
	v := s.operand()
	for s.i < len(s.toks) && !s.w.stopped {
		t := s.peek()
		switch {
		case t.kind == tokEnd:
			if !s.continues(t) {
				return v
			}
			s.i++
		case t.kind == tokSign && strings.Contains(",)]}", t.text):
			return v
		case t.kind == tokSign && (t.text == ":" || t.text == "=>") && s.l.named != 0 && t.text[0] == s.l.named:
			return v
		case t.kind == tokSign && t.text == ":" && s.l == &python: // a header ends
			return v
		case t.kind == tokName && t.text == "as", t.kind == tokName && (t.text == "do" || t.text == "then"):
			return v
		case t.kind == tokString && v.kind == isText && t.kind != tokName: // adjacent literals
			v = join(v, s.operand())
		default:
			v = s.binary(v, t)
		}
	}
	return v
}

// continues reports a line's end inside brackets, where it ends nothing, and one
// before a leading dot.
func (s *script) continues(t token) bool {
	return t.text == "\n" && s.i+1 < len(s.toks) && s.toks[s.i+1].kind == tokSign && (s.toks[s.i+1].text == "." || s.toks[s.i+1].text == "?.")
}

func (s *script) binary(v value, t token) value {
	s.i++
	switch {
	case t.kind == tokSign && s.l.joins == t.text:
		return join(v, s.operand())
	case t.kind == tokSign && t.text == "%" && v.kind == isText:
		right := s.operand()
		if right.kind == isList {
			return format(v, right.list, "%s")
		}
		return format(v, []value{right}, "%s")
	case t.kind == tokSign && t.text == "/" && v.kind == isText: // pathlib
		return textValue(strings.TrimSuffix(v.string(), "/") + "/" + s.operand().string()).stain(v)
	case t.kind == tokSign && (t.text == "=" || t.text == "<-"):
		return s.operand()
	case t.kind == tokSign && (t.text == "||" || t.text == "//") || t.kind == tokName && t.text == "or":
		right := s.operand()
		if v.kind != isUnknown {
			return v
		}
		return opaque(v, right)
	case t.kind == tokName && !operatorWord(t.text), t.kind == tokNumber, t.kind == tokString, t.kind == tokCommand, t.kind == tokWords, t.kind == tokCode, t.kind == tokSign && strings.Contains("([{", t.text):
		s.i--
		return opaque(v, s.operand())
	case t.kind == tokName:
		s.keyword(t.text)
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
	for s.i < len(s.toks) && !s.w.stopped {
		t := s.peek()
		switch t.kind {
		case tokString:
			s.i++
			return s.postfix(s.interpolate(t))
		case tokCommand:
			s.i++
			return s.postfix(s.command(s.interpolate(t)))
		case tokCode:
			s.i++
			s.run(t.text)
			return value{}
		case tokWords:
			s.i++
			return s.postfix(wordList(t.text))
		case tokNumber:
			s.i++
			return s.postfix(value{kind: isNumber, text: t.text})
		case tokName:
			s.i++
			if operatorWord(t.text) && !s.sign(".") {
				s.keyword(t.text)
				continue
			}
			return s.postfix(s.resolve(t.text))
		case tokSign:
			if v, ok := s.signed(t); ok {
				return v
			}
		default:
			s.i++
			if t.text != "\n" {
				return value{}
			}
		}
	}
	return value{}
}

// signed is an operand that begins with a sign; false steps over a prefix.
func (s *script) signed(t token) (value, bool) {
	switch t.text {
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
		if n := s.peek(); n.kind == tokNumber {
			s.i++
			return value{kind: isNumber, text: "-" + n.text}, true
		}
	case "=", "==", ":", "=>":
		s.i++
	default:
		s.i++
	}
	return value{}, false
}

// object is {…}: members, or statements.
func (s *script) object() value {
	v := value{fields: map[string]value{}}
	for s.i < len(s.toks) && !s.w.stopped {
		if s.accept("}") {
			return v
		}
		before := s.i
		key := s.peek()
		if next := s.i + 1; next < len(s.toks) && s.toks[next].kind == tokSign && (s.toks[next].text == ":" || s.toks[next].text == "=>") && (key.kind == tokName || key.kind == tokString) {
			name := key.text
			if key.kind == tokString {
				name = s.interpolate(key).string()
			}
			s.i += 2
			v.fields[name] = s.expression()
		} else {
			v = v.stain(s.statement())
		}
		if !s.accept(",") && s.peek().kind == tokEnd || s.i == before {
			s.i++
		}
	}
	return v
}

// arguments are expressions up to the closing sign, which it takes.
func (s *script) arguments(shut string) arguments {
	var a arguments
	for s.i < len(s.toks) && !s.w.stopped {
		if s.accept(shut) {
			break
		}
		before := s.i
		switch {
		case s.accept(",") || s.peek().kind == tokEnd && s.i < len(s.toks):
			if s.i == before {
				s.i++
			}
			continue
		case s.namedArgument():
			name := s.peek().text
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
	next := s.i + 1
	return next < len(s.toks) && s.peek().kind == tokName && s.toks[next].kind == tokSign && s.l.named != 0 && s.toks[next].text == string(s.l.named)
}

func wordList(text string) value {
	var list []value
	for _, w := range strings.Fields(text) {
		list = append(list, textValue(w))
	}
	return listValue(list)
}

// interpolate puts a string together and judges the code in it.
func (s *script) interpolate(t token) value {
	if len(t.parts) == 1 && t.parts[0].code == "" {
		return textValue(t.parts[0].text)
	}
	v := textValue("")
	for _, p := range t.parts {
		if p.code != "" {
			v = join(v, s.run(p.code))
		} else {
			v = join(v, textValue(p.text))
		}
	}
	return v
}
