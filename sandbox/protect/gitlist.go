package protect

import "strings"

// ListConfig reads settings as git does, for what they point to: every way to write one
// that git takes, up to where it would give up. git-config(1)
func ListConfig(text string) (all []setting) {
	r := configReader{text: strings.TrimPrefix(text, "\ufeff")}
	for !r.bad {
		switch c := r.next(); {
		case c == 0:
			return all
		case c == '#' || c == ';':
			r.line()
		case c == '[':
			r.header()
		case isLetter(c):
			s := r.in
			s.Key, s.Value = r.entry(c)
			if !r.bad {
				all = append(all, s)
			}
		case !isBlank(c):
			return all
		}
	}
	return all
}

type configReader struct {
	text string
	in   setting // where it is: section and subsection
	bad  bool
}

// next is the next byte, 0 at the end. A carriage return before the end of a line doesn't count.
func (r *configReader) next() byte {
	if r.text == "" {
		return 0
	}
	c := r.text[0]
	r.text = r.text[1:]
	if c == '\r' && strings.HasPrefix(r.text, "\n") {
		return r.next()
	}
	return c
}

func (r *configReader) line() { _, r.text, _ = strings.Cut(r.text, "\n") }

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

func isBlank(c byte) bool { return strings.IndexByte(" \t\n\r\v\f", c) >= 0 }

func isWordByte(c byte) bool { return isLetter(c) || '0' <= c && c <= '9' || c == '-' }

// header is what follows [ up to ].
func (r *configReader) header() {
	var name strings.Builder
	for {
		switch c := r.next(); {
		case c == ']':
			r.in = setting{Section: strings.ToLower(name.String())}
			if section, sub, old := strings.Cut(r.in.Section, "."); old {
				r.in = setting{Section: section, sub: sub}
			}
			return
		case isBlank(c) && c != '\n':
			r.in = setting{Section: strings.ToLower(name.String())}
			r.subsection()
			return
		case isWordByte(c) || c == '.':
			name.WriteByte(c)
		default:
			r.bad = true
			return
		}
	}
}

func (r *configReader) subsection() {
	c := r.next()
	for isBlank(c) && c != '\n' {
		c = r.next()
	}
	var sub strings.Builder
	for r.bad = c != '"'; !r.bad; {
		switch c = r.next(); c {
		case 0, '\n':
			r.bad = true
		case '"':
			r.in.sub, r.bad = sub.String(), r.next() != ']'
			return
		case '\\':
			if c = r.next(); c == 0 || c == '\n' {
				r.bad = true
			}
			sub.WriteByte(c)
		default:
			sub.WriteByte(c)
		}
	}
}

// entry is a name that begins with a letter, and its value; without one it is true.
func (r *configReader) entry(first byte) (key, value string) {
	name := []byte{first}
	c := r.next()
	for ; isWordByte(c); c = r.next() {
		name = append(name, c)
	}
	for c == ' ' || c == '\t' {
		c = r.next()
	}
	key = strings.ToLower(string(name))
	switch c {
	case 0, '\n':
		return key, "true"
	case '=':
		return key, r.value()
	}
	r.bad = true
	return key, ""
}

func (r *configReader) value() string {
	var v strings.Builder
	quoted, kept := false, 0 // of a value, blanks at its end outside of quotes are dropped
	for {
		c := r.next()
		switch {
		case c == 0 || c == '\n':
			r.bad = quoted
			return v.String()[:kept]
		case !quoted && (c == '#' || c == ';'):
			r.line()
			return v.String()[:kept]
		case !quoted && isBlank(c):
			if v.Len() > 0 {
				v.WriteByte(c)
			}
			continue
		case c == '"':
			quoted = !quoted
		case c == '\\':
			if c = r.next(); c == '\n' {
				continue
			}
			i := strings.IndexByte(`tbn\"`, c)
			if c == 0 || i < 0 {
				r.bad = true
				return ""
			}
			v.WriteByte("\t\b\n\\\""[i])
		default:
			v.WriteByte(c)
		}
		kept = v.Len()
	}
}
