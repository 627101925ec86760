package shell

import (
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// assigned is a word as the value of a variable: there, "~" expands after a colon, too
// (PATH=a:~/bin). Package expand only knows the one in front.
func (w *Walker) assigned(st *State, word *syntax.Word) *syntax.Word {
	if word == nil || !hasTilde(word) {
		return word
	}
	return &syntax.Word{Parts: w.tildes(st, word.Parts, true)}
}

// likeAssigned is an argument that looks like an assignment. Bash, when it isn't
// called sh, expands the "~" in it: "dd of=~/.bashrc" writes to the home.
func (w *Walker) likeAssigned(st *State, word *syntax.Word) *syntax.Word {
	if !hasTilde(word) {
		return word
	}
	word = tight(word) // the parser makes two of "a[0]=~"
	first, ok := word.Parts[0].(*syntax.Lit)
	if !ok {
		return word
	}
	name := first.Value[:strings.IndexByte(first.Value, '=')+1]
	if !assigns(name) {
		return word
	}
	rest := append([]syntax.WordPart{&syntax.Lit{Value: first.Value[len(name):]}}, word.Parts[1:]...)
	return &syntax.Word{Parts: append([]syntax.WordPart{&syntax.Lit{Value: name}}, w.tildes(st, rest, true)...)}
}

// beforeColon is a word that begins with ~:, or with ~user:. Bash takes all up to the first
// slash for a home and what follows it as it is written; others take the tilde for text.
func (w *Walker) beforeColon(st *State, word *syntax.Word) *syntax.Word {
	if len(word.Parts) == 0 || !litHas(word.Parts[0], ":") && !litHas(word.Parts[0], "=~") {
		return word
	}
	text := word.Parts[0].(*syntax.Lit).Value
	prefix, _, slash := strings.Cut(text, "/")
	user, _, colon := strings.Cut(prefix, ":")
	switch {
	case !strings.HasPrefix(text, "~") || !colon && !strings.Contains(prefix, "=~"):
		return word
	case !colon || strings.Contains(prefix, `\`) || strings.Contains(user, "=") || !slash && len(word.Parts) > 1:
		return &syntax.Word{Parts: []syntax.WordPart{frozenPart}}
	case w.Lang != syntax.LangBash:
		return &syntax.Word{Parts: append([]syntax.WordPart{&syntax.Lit{Value: `\` + text}}, word.Parts[1:]...)}
	}
	home := &syntax.SglQuoted{Value: w.homeFor(st, user[1:])}
	return &syntax.Word{Parts: append([]syntax.WordPart{home, &syntax.Lit{Value: text[len(user):]}}, word.Parts[1:]...)}
}

// assigns reports x= and x+= and x[i]=.
func assigns(name string) bool {
	name = strings.TrimSuffix(strings.TrimSuffix(name, "="), "+")
	if i := strings.IndexByte(name, '['); i > 0 && strings.HasSuffix(name, "]") {
		name = name[:i]
	}
	return syntax.ValidName(name)
}

func hasTilde(word *syntax.Word) bool {
	return slices.ContainsFunc(word.Parts, func(part syntax.WordPart) bool { return litHas(part, "~") })
}

// tildes replaces each "~" after a colon, and with front the first one, by the home it
// stands for.
func (w *Walker) tildes(st *State, parts []syntax.WordPart, front bool) []syntax.WordPart {
	var out []syntax.WordPart
	for i, part := range parts {
		p, ok := part.(*syntax.Lit)
		if !ok {
			out = append(out, part)
			continue
		}
		text, done := p.Value, 0
		if strings.Contains(text, "~=~") { // two homes to bash, in an argument
			out = append(out, frozenPart)
			continue
		}
		for at := tildeAt(text, 0, front && i == 0); at >= 0; at = tildeAt(text, done, false) {
			end := len(text)
			if n := strings.IndexAny(text[at:], "/:"); n >= 0 {
				end = at + n
			} else if i+1 < len(parts) {
				break // x=~$u is not a home, whatever $u holds
			}
			out = append(out, &syntax.Lit{Value: text[done:at]}, &syntax.SglQuoted{Value: w.homeFor(st, text[at+1:end])})
			done = end
		}
		out = append(out, &syntax.Lit{Value: text[done:]})
	}
	return out
}

// tildeAt is the next tilde that stands for a home, or -1.
func tildeAt(text string, from int, front bool) int {
	if front && strings.HasPrefix(text, "~") {
		return 0
	}
	if n := strings.Index(text[from:], ":~"); n >= 0 {
		return from + n + 1
	}
	return -1
}

func (w *Walker) homeFor(st *State, user string) string {
	if user == "" {
		return w.Get(st, "HOME")
	}
	return homeOf(user)
}

// withoutEscapes puts what follows a backslash in quotes, because package expand keeps the
// backslash where a word is not split: "x=r\m; $x -rf /".
func withoutEscapes(word *syntax.Word) *syntax.Word {
	var parts []syntax.WordPart
	for _, part := range word.Parts {
		p, ok := part.(*syntax.Lit)
		if !ok {
			parts = append(parts, part)
			continue
		}
		text := p.Value
		for at := strings.IndexByte(text, '\\'); at >= 0 && at+1 < len(text); at = strings.IndexByte(text, '\\') {
			_, size := utf8.DecodeRuneInString(text[at+1:])
			parts = append(parts, &syntax.Lit{Value: text[:at]}, &syntax.SglQuoted{Value: text[at+1 : at+1+size]})
			text = text[at+1+size:]
		}
		parts = append(parts, &syntax.Lit{Value: text})
	}
	return &syntax.Word{Parts: parts}
}

// hasEscapes reports a backslash outside of quotes.
func hasEscapes(word *syntax.Word) bool {
	return word != nil && slices.ContainsFunc(word.Parts, func(part syntax.WordPart) bool { return litHas(part, `\`) })
}

// litHas reports text outside of quotes.
func litHas(part syntax.WordPart, text string) bool {
	p, ok := part.(*syntax.Lit)
	return ok && strings.Contains(p.Value, text)
}

// joinLines takes the ends of lines out that a backslash hides and the parser left in:
// after one that is hidden itself.
func joinLines(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		if i++; text[i] != '\n' {
			b.WriteString(text[i-1 : i+1])
		}
	}
	return b.String()
}
