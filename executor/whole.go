package executor

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/pillion-sidecar/pillion/executor/render"
	"github.com/pillion-sidecar/pillion/executor/spool"
)

// whole reads all that a spool kept of a range, and says in the text what it did
// not keep.
type whole struct {
	spool   *spool.Spool
	off, to int64
	note    io.Reader
}

func (r *whole) Read(p []byte) (int, error) {
	if r.note != nil {
		if n, err := r.note.Read(p); err == nil {
			return n, nil
		}
		r.note = nil
	}
	n, next, err := r.spool.Read(p[:min(int64(len(p)), r.to-r.off)], r.off)
	next = min(next, r.to)
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
	if !s.Wanted() {
		return ""
	}
	text := s.Render(l.ending(r), l.sections(s))
	if r.Saved == nil {
		return text
	}
	return strings.TrimSuffix(text, "\n") + "\n" + r.Saved.note()
}

// ending is how the last command ended.
func (l *life) ending(r *Result) render.Ending {
	last := l.steps[len(l.steps)-1]
	e := last.ending()
	e.Command, e.TimedOut, e.Limit = l.req.Command, r.TimedOut, l.timeout()
	switch {
	case l.req.Argv != nil:
		e.Command = strings.Join(l.req.Argv, " ")
	case l.req.Commands != nil:
		e.Command, e.Sequence = l.req.Commands[last.index], true
	}
	return e
}

func (s *step) ending() render.Ending {
	code, posix := s.code()
	e := render.Ending{Posix: posix}
	if code != nil {
		e.Code = *code
	}
	if s.status.Signal != 0 {
		e.Signal, e.Name = int(s.status.Signal), s.status.Signal.String()
	}
	return e
}

// sections are the outputs, of a sequence under each command's text. How the last one
// ended is at the end of the whole.
func (l *life) sections(form Summary) []render.Section {
	var list []render.Section
	for i, s := range l.steps {
		sec := render.Section{Out: strings.NewReader(""), Err: strings.NewReader("")}
		for _, st := range l.streams {
			at := s.output[st.name]
			r := &whole{spool: st.spool, off: at.From, to: at.To}
			if st.name == Stderr {
				sec.Err = r
			} else {
				sec.Out = r
			}
		}
		if l.req.Commands != nil {
			sec.Title = "$ " + l.req.Commands[i] + "\n"
			if i < len(l.steps)-1 {
				sec.Last = form.Exit(s.ending())
			} else if s.proc == nil {
				sec.Last = "Not started: " + s.lost.Error()
			}
		}
		list = append(list, sec)
	}
	for i := len(l.steps); i < len(l.req.Commands); i++ {
		list = append(list, render.Section{Title: "$ " + l.req.Commands[i] + "\n", Last: "(not run)"})
	}
	return list
}
