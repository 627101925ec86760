package cli

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pillion-sidecar/pillion/rpc"
)

// shower turns what the server sends into what a person sees, or with --json into
// one line for each of the same objects.
type shower struct {
	c              Command
	mu             sync.Mutex // of both writers and progress
	stdout, stderr io.Writer
	progress       *progress
	broken         atomic.Bool // the output goes nowhere
}

func newShower(c Command) *shower {
	s := &shower{c: c, stdout: screened(c.Stdout), stderr: screened(c.Stderr)}
	s.progress = newProgress(c, time.Now(), s.stdout, s.stderr)
	return s
}

func (s *shower) event(e event) {
	if s.broken.Load() {
		return // every further write would be another SIGPIPE
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	switch {
	case s.c.JSON:
		err = s.object(e.raw)
	case e.Type == "gap":
		s.progress.output(time.Now(), 0)
		s.settle()
		err = s.say("%d bytes of %s are missing here (%s)", e.To-e.From, e.Stream, e.Reason)
	case e.Type == "started":
		s.progress.started(time.Now())
	case e.Type == "output":
		err = s.output(e)
	}
	if err != nil {
		s.lost(err)
	}
}

// lost is called with what a write failed with. A reader who has gone knows that; a
// disk that is full has to be told of.
func (s *shower) lost(err error) {
	if !s.broken.Swap(true) && !errors.Is(err, syscall.EPIPE) {
		_ = s.say("the output can't be written: %v", err)
	}
}

func (s *shower) output(e event) error {
	w := s.stdout
	if e.Stream == "stderr" {
		w = s.stderr
	}
	data := e.Data
	if e.Text != nil {
		data = []byte(*e.Text)
	}
	s.progress.output(time.Now(), len(data))
	_, err := w.Write(data)
	return err
}

// object is a line of --json.
func (s *shower) object(raw []byte) error {
	_, err := s.c.Stdout.Write(append(rpc.Inert(raw), '\n'))
	return err
}

// watch keeps the line of progress until done.
func (s *shower) watch(done <-chan struct{}) {
	if s.progress == nil {
		return
	}
	ticks := time.NewTicker(look)
	defer ticks.Stop()
	for {
		select {
		case now := <-ticks.C:
			if s.mu.TryLock() { // else output is being written, perhaps to a terminal that is held
				s.progress.tick(now)
				s.mu.Unlock()
			}
		case <-done:
			return
		}
	}
}

// interrupted is called when somebody wants the command to end. It waits for nothing:
// output may be stuck, and that is why.
func (s *shower) interrupted() {
	if s.progress != nil {
		s.progress.signals.Add(1)
	}
}

// settle comes before what pillion itself says.
func (s *shower) settle() {
	s.progress.erase()
	if s.broken.Load() {
		return
	}
	if err := errors.Join(settle(s.stdout), settle(s.stderr)); err != nil {
		s.lost(err)
	}
}

func (s *shower) say(format string, args ...any) error {
	_, err := fmt.Fprintf(s.c.Stderr, "pillion: "+format+"\n", args...)
	return err
}

// failed reports that nothing was started.
func (s *shower) failed(err error) int {
	f := explainCommand(err, asked{command: s.c.Params.Command, argv: s.c.Params.Argv}, s.c.colours.painter(s.c.Stderr))
	if s.c.JSON {
		_ = s.object(f.json()) // the exit code says it, too
		return f.code
	}
	for _, line := range f.lines {
		if line != "" { // every line has the name in front, so none is needed between them
			_ = s.say("%s", line)
		}
	}
	return f.code
}

func (s *shower) finished(raw jsontext.Value) int {
	var r rpc.ExecResult
	if err := json.Unmarshal(raw, &r); err != nil {
		return s.failed(fmt.Errorf("the result can't be read: %w", err))
	}
	switch {
	case s.c.JSON && !s.broken.Load():
		if err := s.object(append([]byte(`{"type":"result",`), raw[1:]...)); err != nil {
			s.lost(err)
		}
	case !s.c.JSON && !s.c.Quiet:
		for _, line := range refused(r.Violations) {
			_ = s.say("%s", line)
		}
		_ = s.say("%s", summary(r))
	}
	if s.broken.Load() {
		return 128 + int(syscall.SIGPIPE)
	}
	return exitCode(r)
}
