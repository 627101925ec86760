package cli

import (
	"fmt"
	"io"
	"os"

	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/rpc/display"
)

// painter colours text for a terminal; the zero painter leaves it plain.
type painter struct{ on bool }

// colours is what --color says.
type colours string

// MarshalText is for flags.
func (c colours) MarshalText() ([]byte, error) { return []byte(c), nil }

// UnmarshalText is for flags.
func (c *colours) UnmarshalText(b []byte) error {
	switch *c = colours(b); *c {
	case "auto", "always", "never":
		return nil
	}
	return fmt.Errorf("want auto, always or never")
}

func (p *program) painter(w io.Writer) painter { return p.colours.painter(w) }

// painter is for w.
func (c colours) painter(w io.Writer) painter {
	f, ok := w.(*os.File)
	return painter{c.wanted(ok && isTerminal(f), os.Getenv)}
}

// wanted: colours are for a terminal that knows them. A flag says otherwise, or the
// environment (https://no-color.org, https://bixense.com/clicolors): no before yes.
func (c colours) wanted(terminal bool, getenv func(string) string) bool {
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

func (p painter) bad(s string) string   { return p.paint("31", s) }
func (p painter) faint(s string) string { return p.paint("2", s) }

// decision is a decision's word in its colour.
func (p painter) decision(d guard.Decision, word string) string {
	return p.tone(display.Decided(d), word)
}

func (p painter) paint(code, s string) string {
	if !p.on {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}
