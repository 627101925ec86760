package config

import (
	"errors"
	"strings"
)

// gitSetting is one setting of a git configuration file. Section and name are in
// lower case, a subsection is as written.
type gitSetting struct{ section, subsection, name, value string }

func (s gitSetting) key() string {
	if s.subsection != "" {
		return s.section + "." + s.subsection + "." + s.name
	}
	return s.section + "." + s.name
}

var errGitFile = errors.New("not a git configuration file")

// parseGit reads a git configuration file as git does (git-config(1), "Syntax"),
// but for includes: they are settings like others here. git itself is not asked,
// because it obeys the repository that it is run in.
func parseGit(text string) (all []gitSetting, err error) {
	p := &gitParser{text: strings.ReplaceAll(strings.TrimPrefix(text, "\uFEFF"), "\r\n", "\n")}
	var section, subsection string
	for {
		switch c := p.skip(); {
		case c == 0:
			return all, nil
		case c == '[':
			if section, subsection, err = p.header(); err != nil {
				return nil, err
			}
		case section != "" && isLetter(c):
			s := gitSetting{section: section, subsection: subsection, name: p.word()}
			if s.value, err = p.value(); err != nil {
				return nil, err
			}
			all = append(all, s)
		default:
			return nil, errGitFile
		}
	}
}

type gitParser struct {
	text string
	at   int
}

func (p *gitParser) next() byte {
	if p.at >= len(p.text) {
		return 0
	}
	p.at++
	return p.text[p.at-1]
}

func (p *gitParser) peek() byte {
	if p.at >= len(p.text) {
		return 0
	}
	return p.text[p.at]
}

// skip passes blanks and comments, and answers what follows.
func (p *gitParser) skip() byte {
	for {
		switch p.peek() {
		case ' ', '\t', '\n', '\r', '\v', '\f':
			p.at++
		case '#', ';':
			p.line()
		default:
			return p.peek()
		}
	}
}

func (p *gitParser) line() {
	for c := p.next(); c != 0 && c != '\n'; c = p.next() {
	}
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func (p *gitParser) word() string {
	from := p.at
	for c := p.peek(); isLetter(c) || '0' <= c && c <= '9' || c == '-'; c = p.peek() {
		p.at++
	}
	return strings.ToLower(p.text[from:p.at])
}

// header is [section], [section.subsection] or [section "subsection"].
func (p *gitParser) header() (section, subsection string, err error) {
	p.at++
	from := p.at
	for c := p.peek(); isLetter(c) || '0' <= c && c <= '9' || c == '-' || c == '.'; c = p.peek() {
		p.at++
	}
	section = strings.ToLower(p.text[from:p.at])
	c := p.next()
	for c == ' ' || c == '\t' {
		c = p.next()
	}
	if c == '"' {
		var b strings.Builder
		for c = p.next(); c != '"'; c = p.next() {
			if c == '\\' {
				c = p.next()
			}
			if c == 0 || c == '\n' {
				return "", "", errGitFile
			}
			b.WriteByte(c)
		}
		subsection, c = b.String(), p.next()
	} else {
		section, subsection, _ = strings.Cut(section, ".")
	}
	if c != ']' || section == "" {
		return "", "", errGitFile
	}
	return section, subsection, nil
}

// value is what follows a name: nothing, which is true, or = and the text, with
// quotes taken off and inner blanks kept.
func (p *gitParser) value() (string, error) {
	for p.peek() == ' ' || p.peek() == '\t' {
		p.at++
	}
	switch c := p.next(); c {
	case 0, '\n':
		return "true", nil
	case '#', ';':
		p.line()
		return "true", nil
	case '=':
	default:
		return "", errGitFile
	}
	var b strings.Builder
	quoted, keep := false, 0 // blanks after keep are dropped at the end
	for {
		c := p.next()
		switch {
		case c == 0 || c == '\n':
			if quoted {
				return "", errGitFile
			}
			return b.String()[:keep], nil
		case !quoted && (c == ' ' || c == '\t'):
			if b.Len() > 0 {
				b.WriteByte(c)
			}
			continue
		case !quoted && (c == '#' || c == ';'):
			p.line()
			return b.String()[:keep], nil
		case c == '"':
			quoted = !quoted
		case c == '\\':
			if err := p.escape(&b); err != nil {
				return "", err
			}
		default:
			b.WriteByte(c)
		}
		keep = b.Len()
	}
}

func (p *gitParser) escape(b *strings.Builder) error {
	c := p.next()
	if c == '\n' {
		return nil
	}
	i := strings.IndexByte(`"\ntb`, c)
	if c == 0 || i < 0 {
		return errGitFile
	}
	b.WriteByte("\"\\\n\t\b"[i])
	return nil
}
