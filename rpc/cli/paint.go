package cli

import (
	"io"
	"os"
)

// painter colours text for a terminal; the zero painter leaves it plain.
type painter struct{ on bool }

// painterOf is for w: colours are for a terminal that knows them and a person who
// hasn't said no (https://no-color.org).
func painterOf(w io.Writer) painter {
	f, ok := w.(*os.File)
	return painter{ok && isTerminal(f) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

func (p painter) bad(s string) string   { return p.paint("31", s) }
func (p painter) faint(s string) string { return p.paint("2", s) }

// decision is a decision's word in its colour.
func (p painter) decision(d, word string) string {
	switch d {
	case "allow":
		return p.paint("1;32", word)
	case "ask":
		return p.paint("1;33", word)
	}
	return p.paint("1;31", word)
}

func (p painter) paint(code, s string) string {
	if !p.on {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}
