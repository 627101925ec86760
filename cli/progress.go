package cli

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/pillion-sidecar/pillion/cli/terminal"
)

const (
	silence = time.Second            // after which a person wonders
	look    = 250 * time.Millisecond // how often
)

// progress is the line that says on a terminal that a silent command still runs. It is not
// a part of the command's screen: it is there only while the cursor waits at the start of
// a line, and it is gone before anything else is written. A nil progress shows nothing.
type progress struct {
	tty     *os.File
	screens []io.Writer // what the command writes on
	paint   terminal.Painter

	begun, last time.Time // begun: of the command, or of the wait for it; last: of the output
	running     bool
	bytes       int64
	signals     atomic.Int32 // how often it was asked to stop
	shown       string       // "" when there is none
}

// newProgress is nil where the line would disturb: no terminal, one that can't erase, or
// output that goes to another program, which may draw on it.
func newProgress(c Command, now time.Time, screens ...io.Writer) *progress {
	tty, ok := c.Stderr.(*os.File)
	if !ok || c.Quiet || c.JSON || os.Getenv("TERM") == "dumb" || os.Getenv("TERM") == "" {
		return nil
	}
	if _, ok = terminal.Columns(tty); !ok || !keeps(c.Stdout) {
		return nil
	}
	return &progress{tty: tty, paint: c.colours.Painter(tty), screens: screens, begun: now, last: now}
}

// keeps reports whether w is a terminal, a device or a file.
func keeps(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && (info.Mode().IsRegular() || info.Mode()&os.ModeCharDevice != 0)
}

// tick shows the time so far.
func (p *progress) tick(now time.Time) {
	if p == nil || now.Sub(p.last) < silence || !terminal.Foreground(p.tty) {
		return
	}
	for _, s := range p.screens {
		if !terminal.Waits(s) {
			return
		}
	}
	width, _ := terminal.Columns(p.tty)
	if line := p.line(now, width); line != p.shown {
		p.erase()
		if _, err := io.WriteString(p.tty, p.paint.Faint(line)); err == nil {
			p.shown = line
		}
	}
}

// line fits into one row, or erasing would leave a part of it.
func (p *progress) line(now time.Time, width int) string {
	if width <= 0 {
		width = 80
	}
	text := fmt.Sprintf("pillion: not started for %s · %s", clock(now.Sub(p.begun)), wayOut(int(p.signals.Load())))
	if p.running {
		text = fmt.Sprintf("pillion: running for %s · %s so far · %s", clock(now.Sub(p.begun)), size(p.bytes), wayOut(int(p.signals.Load())))
	}
	runes := []rune(text) // each is one column wide
	return string(runes[:min(len(runes), width-1)])
}

func wayOut(signals int) string {
	switch signals {
	case 0:
		return "Ctrl-C stops it"
	case 1:
		return "asked to stop, Ctrl-C kills it"
	}
	return "killed, Ctrl-C gives up on it"
}

// started is called when the command runs.
func (p *progress) started(now time.Time) {
	if p == nil {
		return
	}
	p.erase()
	p.running, p.begun, p.last = true, now, now
}

// output is called before n bytes are written.
func (p *progress) output(now time.Time, n int) {
	if p == nil {
		return
	}
	p.erase()
	p.bytes, p.last = p.bytes+int64(n), now
}

func (p *progress) erase() {
	if p != nil && p.shown != "" {
		_, _ = io.WriteString(p.tty, "\r\x1b[K") // the next writer learns that it is gone
		p.shown = ""
	}
}

// clock is a time that is read while it passes.
func clock(d time.Duration) string {
	s := int(d.Seconds())
	switch {
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d min %02d s", s/60, s%60)
	}
	return fmt.Sprintf("%d h %02d min", s/3600, s/60%60)
}

func size(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d bytes", n)
	case n < 1e6:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	case n < 1e9:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}
