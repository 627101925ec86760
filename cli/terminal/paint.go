package terminal

import (
	"io"
	"os"

	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/rpc/display"
)

// Painter colours text for a terminal; the zero Painter leaves it plain.
type Painter struct{ on bool }

// Colours is what --color says.
type Colours string

// MarshalText is for flags.
func (c Colours) MarshalText() ([]byte, error) { return []byte(c), nil }

// UnmarshalText is for flags.
func (c *Colours) UnmarshalText(b []byte) error {
	*c = Colours(b)
	return nil
}

// Painter is for w.
func (c Colours) Painter(w io.Writer) Painter {
	f, ok := w.(*os.File)
	return Painter{c.wanted(ok && IsTerminal(f), os.Getenv)}
}

// wanted: colours are for a terminal that knows them. A flag says otherwise, or the
// environment (https://no-color.org, https://bixense.com/clicolors): no before yes.
func (c Colours) wanted(terminal bool, getenv func(string) string) bool {
	switch {
	case c == "always" || c == "never":
		return c == "always"
	case getenv("NO_COLOR") != "":
		return false
	case getenv("CLICOLOR_FORCE") != "" && getenv("CLICOLOR_FORCE") != "0":
		return true
	}
	return terminal && getenv("TERM") != "dumb"
}

// Bad is in the colour of what is wrong.
func (p Painter) Bad(s string) string { return p.paint("31", s) }

// Faint is for what matters less.
func (p Painter) Faint(s string) string { return p.paint("2", s) }

// Decision is a decision's word in its colour.
func (p Painter) Decision(d guard.Decision, word string) string {
	return p.Tone(display.Decided(d), word)
}

func (p Painter) paint(code, s string) string {
	if !p.on {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}
