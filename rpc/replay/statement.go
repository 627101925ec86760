package replay

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

type kind int

const (
	kindSend   kind = iota // →
	kindExpect             // ← and ←=
	kindBytes              // ←~
	kindGroup              // ← { … }
	kindNever              // ✗
	kindVerb               // !
)

// statement is one step of a script.
type statement struct {
	kind     kind
	line     int // of its first line in the file
	lines    int // how many lines of the file it takes
	text     string
	frame    frame         // kindSend, kindExpect, kindNever
	stream   streamWant    // kindBytes
	group    []statement   // kindGroup
	within   time.Duration // kindNever
	verb     string        // kindVerb
	verbArgs []string
}

// streamWant is what a ←~ waits for.
type streamWant struct{ token, stream, text string }

// frame is a message as a script writes it; Body is JSON text in which names
// and placeholders are still unexpanded.
type frame struct {
	id      string // what follows "#", "" for a notification
	method  string
	isError bool
	code    string // of an error
	message string // of an error, "" is any
	body    string // params, result or the error's data
	exact   bool
}

var marks = []struct {
	mark string
	kind kind
}{
	{"→", kindSend},
	{"-->", kindSend},
	{"←", kindExpect},
	{"<--", kindExpect},
	{"✗", kindNever},
	{"!", kindVerb},
}

// lineError is a syntax error with its place in the file.
type lineError struct {
	line int
	err  error
}

func (e *lineError) Error() string { return fmt.Sprintf("%d: %v", e.line, e.err) }

func atLine(err error, line int) error {
	if e := (*lineError)(nil); errors.As(err, &e) {
		return e
	}
	return &lineError{line, err}
}

// parseScript splits text into statements; first is the number of its first line.
func parseScript(text string, first int) ([]statement, error) {
	var out []statement
	var open *statement // the group being filled
	for _, l := range joinLines(text, first) {
		if l.text == "}" && open != nil {
			open.lines = l.line + l.lines - open.line
			out, open = append(out, *open), nil
			continue
		}
		st, err := parseStatement(l)
		if err != nil {
			return nil, atLine(err, l.line)
		}
		switch {
		case st.kind == kindGroup && open != nil:
			return nil, atLine(errors.New("a group inside a group"), l.line)
		case st.kind == kindGroup:
			open = &st
		case open != nil && st.kind != kindExpect:
			return nil, atLine(errors.New("a group holds expectations only"), l.line)
		case open != nil:
			open.group = append(open.group, st)
		default:
			out = append(out, st)
		}
	}
	if open != nil {
		return nil, atLine(errors.New("group is not closed"), open.line)
	}
	return out, nil
}

// joinLines drops comments and blanks and glues continuation lines on.
func joinLines(text string, first int) []statement {
	var out []statement
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		trimmed := strings.TrimSpace(line)
		indented := line != strings.TrimLeft(line, " \t")
		switch {
		case trimmed == "" || !indented && strings.HasPrefix(line, "#"):
		case indented && len(out) > 0 && !startsStatement(trimmed):
			last := &out[len(out)-1]
			last.text += "\n" + trimmed
			last.lines = first + i + 1 - last.line
		default:
			out = append(out, statement{line: first + i, lines: 1, text: trimmed})
		}
	}
	return out
}

func startsStatement(s string) bool {
	for _, m := range marks {
		if strings.HasPrefix(s, m.mark) {
			return true
		}
	}
	return false
}

func parseStatement(st statement) (statement, error) {
	for _, m := range marks {
		rest, ok := strings.CutPrefix(st.text, m.mark)
		if !ok {
			continue
		}
		st.kind = m.kind
		switch {
		case m.kind == kindVerb:
			return st, st.parseVerb(strings.TrimSpace(rest))
		case m.kind == kindNever:
			return st, st.parseNever(strings.TrimSpace(rest))
		case m.kind == kindExpect && strings.HasPrefix(rest, "~"):
			st.kind = kindBytes
			return st, st.parseBytes(strings.TrimSpace(rest[1:]))
		case m.kind == kindExpect && strings.TrimSpace(rest) == "{":
			st.kind = kindGroup
			return st, nil
		case m.kind == kindExpect && strings.HasPrefix(rest, "="):
			st.frame.exact = true
			rest = rest[1:]
		}
		return st, st.frame.parse(strings.TrimSpace(rest))
	}
	return st, errors.New("expected one of →, ←, ✗ and ! in front")
}

func (st *statement) parseNever(rest string) error {
	i := strings.LastIndexAny(rest, " \n")
	if i < 0 {
		return errors.New("✗ needs a pattern and a duration")
	}
	d, err := time.ParseDuration(rest[i+1:])
	if err != nil {
		return err
	}
	st.within = d
	return st.frame.parse(strings.TrimSpace(rest[:i]))
}

func (st *statement) parseBytes(rest string) error {
	m := forms().bytes.FindStringSubmatch(rest)
	if m == nil {
		return errors.New(`expected ←~ token stream "text"`)
	}
	text, err := strconv.Unquote(m[3])
	st.stream = streamWant{m[1], m[2], text}
	return err
}

func (st *statement) parseVerb(rest string) error {
	words, err := splitWords(rest)
	if err != nil || len(words) == 0 {
		return fmt.Errorf("! needs a verb: %v", err)
	}
	st.verb, st.verbArgs = words[0], words[1:]
	v, ok := verbOf(st.verb)
	if !ok {
		return fmt.Errorf("unknown verb %q", st.verb)
	}
	if n := len(st.verbArgs); n < v.min || v.max >= 0 && n > v.max {
		return fmt.Errorf("%s takes %s", st.verb, v.usage)
	}
	return nil
}

// splitWords cuts at spaces, keeping Go-quoted strings (and "x"*3) whole.
func splitWords(s string) ([]string, error) {
	var out []string
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		w := forms().word.FindString(s)
		if isQuoted(w) {
			if _, err := unquoteBytes(w); err != nil {
				return nil, fmt.Errorf("%s: %w", w, err)
			}
		}
		out, s = append(out, w), s[len(w):]
	}
	return out, nil
}

func isQuoted(w string) bool { return w[0] == '"' || w[0] == '`' }

// maxRepeated bounds what "x"*n stands for: more than the sidecar ever reads.
const maxRepeated = 64 << 20

// unquoteBytes is the value of "x" or "x"*3, in either kind of Go quotes.
func unquoteBytes(w string) ([]byte, error) {
	i := strings.LastIndexAny(w, "\"`") + 1
	text, err := strconv.Unquote(w[:i])
	if err != nil {
		return nil, err
	}
	n := uint64(1)
	if count, ok := strings.CutPrefix(w[i:], "*"); ok {
		if n, err = strconv.ParseUint(count, 10, 31); err != nil {
			return nil, err
		}
	}
	if n*uint64(len(text)) > maxRepeated {
		return nil, fmt.Errorf("more than %d bytes", maxRepeated)
	}
	return bytes.Repeat([]byte(text), int(n)), nil
}
