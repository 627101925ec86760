package lang

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// Most programs can be told to run something, by an option, a setting or a file of a
// language of their own, and nobody knows all of them. So text that is handed to a program
// which is not known to take it as text may be code. What is a command in it is judged, and
// only what would be refused as a command counts: as data it has no business there.

// textual are programs whose arguments are text, patterns and messages.
var textual = argv.NamesOf(&languagesText, "textual")

// maxPieces bounds the commands that are looked for in one text.
const maxPieces = 12

// handed judges what a program is given as code that it may run.
func handed(w *shell.Walker, st *shell.State, p effect.Arg, args []effect.Arg, in effect.Stream) {
	if w.Refuses == nil || w.Busy("handed") || readsText(w, p.Text) || !w.Deeper() {
		return
	}
	defer w.Back()
	defer w.During("handed")()
	defer w.Keeping(func(e *effect.Effect) bool { return refused(w, e) })()
	defer w.Supposing()()
	known := run.Judges(w, p.Text)
	for i, a := range args {
		if w.Stopped {
			return
		}
		if message(args, i) {
			continue
		}
		if !known && i < 8 && run.Fatal(args, i) {
			w.Exec(st.Subshell(), args[i:], effect.Stream{})
		}
		pieces(w, st, p.Text, a)
		_, value, _ := strings.Cut(a.Text, "=")
		for _, file := range []string{a.Text, value} {
			if s, ok := w.Pipes[file]; ok {
				pieces(w, st, p.Text, a.Instead("\n"+s.Text, s.From))
			}
		}
	}
	if in.Open && !in.File {
		pieces(w, st, p.Text, effect.Renamed(w.Here(""), "\n"+in.Text))
	}
}

// messages are options whose value is text for people, or a pattern, whatever the program.
var messages = argv.NamesOf(&languagesText, "messages")

func message(args []effect.Arg, i int) bool {
	name, _, _ := strings.Cut(args[i].Text, "=")
	return messages.Has(name) || i > 0 && messages.Has(args[i-1].Text)
}

// readsText reports a program whose arguments are judged by code of their own, mean
// something on another machine, or are text.
func readsText(w *shell.Walker, name string) bool {
	return run.Handled(w, name) || textual.Has(name) || run.Remote(name)
}

// refused keeps the effects that nobody means who writes them as text. A path that is no
// one's home may be one of another machine.
func refused(w *shell.Walker, e *effect.Effect) bool {
	switch e.Kind {
	case effect.Problem:
		return false
	case effect.Exec:
		if e.Unknown || !e.Inside {
			return false
		}
	case effect.Read:
		if !place.Secret(e) {
			return false
		}
	case effect.Delete, effect.Write:
		if !w.Vital(e.Path) && (w.Home == "" || !strings.HasPrefix(e.Path, w.Home)) {
			return false
		}
	}
	return !slices.ContainsFunc(w.Effects, func(o effect.Effect) bool { // a model has found it
		return o.Kind == e.Kind && o.Name == e.Name && o.Path == e.Path && o.Text == e.Text
	}) && w.Refuses(e)
}

// pieces judges the commands in a text: the whole, and what follows a quote, a bracket or
// one of the signs by which settings and languages set a command off.
func pieces(w *shell.Walker, st *shell.State, name string, a effect.Arg) {
	text := a.Text
	if !strings.ContainsAny(text, " \n$/") || !w.Spend(1+len(text)/256) {
		return
	}
	found, quote := 0, byte(0)
	for i := 0; i < len(text) && found < maxPieces; i++ {
		if i > 0 {
			switch c := text[i-1]; {
			case c == '\\':
				continue
			case c == quote:
				quote = 0
			case c == '"' || c == '\'':
				if quote == 0 {
					quote = c
				}
			case strings.IndexByte("`([{=:!|%\n;&>", c) < 0, c == ':' && text[i] == ' ': // "fix: …" is prose
				continue
			}
		}
		start := i + leading(text[i:])
		if word := firstWord(text[start:]); word != "" && starts(w, word) {
			if end := ending(text, start, quoteBefore(text, i)); end > start+len(word) {
				found++
				piece(w, st, name, a, text[start:end])
			}
		}
		if quote != 0 && i > 0 && text[i-1] == quote {
			if path := text[i:ending(text, i, quote)]; inHome(path) && place.SecretPath(path) {
				w.Path(st, effect.Read, a.Tail(AtHome(w, path)))
			}
		}
	}
}

// leading is how much is before a command: blanks, and a request of roff.
func leading(text string) int {
	n := len(text) - len(strings.TrimLeft(text, " \t"))
	if strings.HasPrefix(text[n:], ".") {
		if word, rest, ok := strings.Cut(text[n:], " "); ok && len(word) > 1 && NameByte(word[1]) {
			return len(text) - len(strings.TrimLeft(rest, " "))
		}
	}
	return n
}

// firstWord is a program's name that something follows.
func firstWord(text string) string {
	n := 0
	for n < len(text) && n < 64 && (NameByte(text[n]) || Digit(text[n]) || strings.IndexByte("./-+", text[n]) >= 0) {
		n++
	}
	if n == len(text) || strings.IndexByte(" \t$|<>", text[n]) < 0 {
		return ""
	}
	return text[:n]
}

func starts(w *shell.Walker, word string) bool {
	name := argv.Base(word)
	return !strings.Contains(name, "/") && len(name) > 1 && run.Judges(w, name)
}

func quoteBefore(text string, i int) byte {
	if i > 0 && strings.IndexByte("\"'`", text[i-1]) >= 0 {
		return text[i-1]
	}
	return 0
}

// ending is where a command ends that starts in a text: at its quote, at a bracket that is
// not its own, or with the line.
func ending(text string, start int, quote byte) int {
	depth, within := 0, byte(0)
	for i := start; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case quote != 0 && c == quote:
			return i
		case quote != 0:
		case c == '\n':
			return i
		case within != 0:
			if c == within {
				within = 0
			}
		case c == '"' || c == '\'':
			within = c
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			if depth--; depth < 0 {
				return i
			}
		}
	}
	return len(text)
}

// piece judges one command of a text.
func piece(w *shell.Walker, st *shell.State, name string, a effect.Arg, text string) {
	text = strings.NewReplacer(`\"`, `"`, `\'`, `'`, `\\`, ``).Replace(text)
	text = strings.TrimSuffix(strings.TrimSpace(text), "|")
	w.Code(st.Child(), name+" …", effect.Renamed(a, text), w.Lang, effect.Stream{})
}
