package executor

import (
	"cmp"
	"fmt"
	"io"
	"strings"
)

// whole reads all that a spool kept, and says in the text what it did not keep.
type whole struct {
	spool *spool
	off   int64
	note  io.Reader
}

func (r *whole) Read(p []byte) (int, error) {
	if r.note != nil {
		if n, err := r.note.Read(p); err == nil {
			return n, nil
		}
		r.note = nil
	}
	n, next, err := r.spool.read(p, r.off)
	if err != nil || n == 0 && next == r.off {
		return 0, io.EOF
	}
	if n == 0 {
		r.note = strings.NewReader(fmt.Sprintf("\n... (%d bytes were not kept)\n", next-r.off))
	}
	r.off = next
	return n, nil
}

// summary is the text of the command's output that was asked for.
func (l *life) summary(r *Result) string {
	s, profile := l.req.Output.Summary, l.engine.conf.Summary
	if s.Form == "" || s.Form == profile.Form {
		s.Form = profile.Form
		s.MaxChars, s.Keep = cmp.Or(s.MaxChars, profile.MaxChars), cmp.Or(s.Keep, profile.Keep)
	}
	if !s.wanted() {
		return ""
	}
	out := map[Stream]io.Reader{Stdout: strings.NewReader(""), Stderr: strings.NewReader("")}
	for _, s := range l.streams {
		out[s.name] = &whole{spool: s.spool}
	}
	e := ending{command: l.req.Command, timedOut: r.TimedOut, limit: l.timeout(), posix: r.Signal}
	if e.command == "" {
		e.command = strings.Join(l.req.Argv, " ")
	}
	if r.ExitCode != nil {
		e.code = *r.ExitCode
	}
	if l.status.Signal != 0 {
		e.signal, e.name = int(l.status.Signal), l.status.Signal.String()
	}
	if screen := out[Pty]; screen != nil {
		out[Stdout] = screen
	}
	text := s.render(e, out[Stdout], out[Stderr])
	if r.Saved == nil {
		return text
	}
	return strings.TrimSuffix(text, "\n") + "\n" + r.Saved.note()
}
