package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pillion-sidecar/pillion/cli/terminal"
	"github.com/pillion-sidecar/pillion/rpc/client"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// shower turns what the server sends into what a person sees, or with --json into
// one line for each of the same objects.
type shower struct {
	c              Command
	mu             sync.Mutex // of both writers and progress
	stdout, stderr io.Writer
	progress       *progress
	paint          terminal.Painter
	broken         atomic.Bool // the output goes nowhere
	asking         atomic.Bool // a question is on the screen
	begun          func()      // called once, when the command has started

	started protocol.StartedEvent
	untold  []protocol.DisplayLine // refusals, the first one since then
	since   time.Time
	told    []string // while it ran

	held      []func() // what is shown when the question on the screen is answered
	heldBytes int
	answered  sync.Cond // of mu
}

// maxHeld bounds what is held, in bytes: above it the command waits for the answer.
const maxHeld = 1 << 20

const maxTold = 8

func newShower(c Command) *shower {
	s := &shower{c: c, stdout: terminal.Screened(c.Stdout), stderr: terminal.Screened(c.Stderr), paint: c.colours.Painter(c.Stderr)}
	s.answered.L = &s.mu
	s.c.Stderr = ownText{s, c.Stderr}
	switch {
	case c.model != nil:
		s.stdout = c.model.output(c.Stdout)
		return s
	case c.attached != nil: // whatever it shows is its own, and a screen is more than lines
		s.stdout, s.stderr = c.Stdout, c.Stderr
		return s
	}
	s.progress = newProgress(c, time.Now(), s.stdout, s.stderr)
	return s
}

// ownText is the only way to standard error for what pillion itself says: whatever a command
// has left on the terminal (concealed text, a line without its end), it can be read.
type ownText struct {
	show *shower
	w    io.Writer
}

func (o ownText) Write(p []byte) (int, error) {
	lead := ""
	if s := o.show; s.c.model == nil && !s.broken.Load() {
		s.progress.erase()
		var err error
		if lead, err = terminal.Apart(s.stdout, s.stderr); err != nil {
			s.lost(err)
		}
	}
	if lead == "" || !isTerminalWriter(o.w) {
		return o.w.Write(p)
	}
	n, err := o.w.Write(append([]byte(lead), p...))
	return max(n-len(lead), 0), err
}

func (s *shower) event(e client.Event) {
	if e.Type == "started" && s.begun != nil {
		s.begun()
		s.begun = nil
	}
	if s.broken.Load() {
		return // every further write would be another SIGPIPE
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.later(len(e.Raw), func() { s.put(e) })
}

// later keeps what is to be shown while a question is on the screen, of so many bytes: a
// command could clear that away, and print another one in its place.
func (s *shower) later(size int, show func()) {
	for s.asking.Load() && s.heldBytes > maxHeld {
		s.answered.Wait()
	}
	if !s.asking.Load() {
		show()
		return
	}
	s.held, s.heldBytes = append(s.held, show), s.heldBytes+size
}

// release shows what was held; the caller holds mu.
func (s *shower) release() {
	for _, show := range s.held {
		show()
	}
	s.held, s.heldBytes = nil, 0
	s.answered.Broadcast()
}

func (s *shower) put(e client.Event) {
	var err error
	switch {
	case s.c.JSON:
		err = s.object(e.Raw)
	case e.Type == "gap":
		s.progress.output(time.Now(), 0)
		err = s.say("%d bytes of %s are missing here (%s)", e.To-e.From, e.Stream, e.Reason)
	case e.Type == "started":
		s.progress.started(time.Now())
		_ = json.Unmarshal(e.Raw, &s.started) // it only words a hint
	case e.Type == "violation":
		s.refused(e.Raw)
	case e.Type == "output":
		err = s.output(e)
	}
	if err != nil {
		s.lost(err)
	}
}

// lost is called with what a write failed with. A reader that has gone knows that; a full
// disk has to be reported.
func (s *shower) lost(err error) {
	if !s.broken.Swap(true) && !errors.Is(err, syscall.EPIPE) {
		_ = s.say("the output can't be written: %v", err)
	}
}

func (s *shower) output(e client.Event) error {
	w := s.stdout
	if e.Stream == "stderr" {
		w = s.stderr
	}
	data := e.Bytes()
	s.progress.output(time.Now(), len(data))
	_, err := w.Write(data)
	return err
}

// refused is what the sandbox has refused to a command that may be about to end: then it
// is shown once, below the output.
func (s *shower) refused(raw []byte) {
	var e protocol.ViolationEvent
	if s.c.model != nil || s.c.attached != nil || s.c.Quiet || len(s.told)+len(s.untold) >= maxTold || json.Unmarshal(raw, &e) != nil {
		return
	}
	if len(s.untold) == 0 {
		s.since = time.Now()
	}
	s.untold = append(s.untold, display.Violations([]protocol.Violation{e.Violation}, s.started.Sandbox, granted)...)
}

// goesOn shows it while the command runs on: it may try again for long.
func (s *shower) goesOn(now time.Time) {
	if len(s.untold) == 0 || now.Sub(s.since) < silence {
		return
	}
	s.lines(s.untold)
	for _, l := range s.untold {
		s.told = append(s.told, l.Text)
	}
	s.untold = nil
}

// object is a line of --json.
func (s *shower) object(raw []byte) error {
	_, err := s.c.Stdout.Write(append(display.EscapeControls(raw), '\n'))
	return err
}

// quiet takes the line of progress and the output away while a question is on the screen.
func (s *shower) quiet(on bool) {
	s.asking.Store(on)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.progress.erase()
	if !on {
		s.release()
	}
}

// watch keeps the line of progress, and shows refusals, until done.
func (s *shower) watch(done <-chan struct{}) {
	ticks := time.NewTicker(look)
	defer ticks.Stop()
	for {
		select {
		case now := <-ticks.C:
			if s.mu.TryLock() { // else output is being written, perhaps to a terminal that is held
				if !s.asking.Load() {
					s.goesOn(now)
					s.progress.tick(now)
				}
				s.mu.Unlock()
			}
		case <-done:
			return
		}
	}
}

// interrupted is called when the person wants the command to end. It waits for nothing:
// output may be stuck, and that is why.
func (s *shower) interrupted() {
	if s.progress != nil {
		s.progress.signals.Add(1)
	}
}

// settle comes at the end of the output.
func (s *shower) settle() {
	if s.c.model != nil {
		if err := s.c.model.close(); err != nil && !s.broken.Load() {
			s.lost(err)
		}
		return
	}
	s.progress.erase()
	if s.broken.Load() {
		return
	}
	if err := errors.Join(terminal.Settle(s.stdout), terminal.Settle(s.stderr)); err != nil {
		s.lost(err)
	}
}

func (s *shower) say(format string, args ...any) error {
	_, err := fmt.Fprintf(s.c.Stderr, "pillion: "+format+"\n", args...)
	return err
}

// lines says what a person reads, with the command that does what a line offers.
func (s *shower) lines(list []protocol.DisplayLine) {
	for _, l := range list {
		text := l.Text
		if l.Action == protocol.ActionUndo {
			text += "; pillion undo takes it back"
		}
		_ = s.say("%s", text)
	}
}

// failed reports that nothing was started.
func (s *shower) failed(err error) int {
	if s.c.model != nil {
		return s.c.model.failed(s.c, err)
	}
	f := explainCommand(err, display.AskedBy(&s.c.Params), s.paint)
	if s.c.JSON {
		_ = s.object(f.json()) // the exit code says it, too
		return f.code
	}
	if s.c.ask != nil && s.c.ask.said { // the findings are on the screen
		f.lines = f.lines[:1]
	}
	for _, line := range f.lines {
		if line != "" { // every line has the name in front, so none is needed between them
			_ = s.say("%s", line)
		}
	}
	if v, ok := verdictOf(err); ok && !s.c.sh {
		if flags := openedBy(v); flags != "" {
			_ = s.say("to allow it: %s", flags)
		}
	}
	return f.code
}

func (s *shower) finished(raw jsontext.Value) int {
	s.quiet(false)
	var r protocol.ExecResult
	if err := json.Unmarshal(raw, &r); err != nil {
		return s.failed(fmt.Errorf("the result can't be read: %w", err))
	}
	switch {
	case s.c.JSON && !s.broken.Load():
		if err := s.object(append([]byte(`{"type":"result",`), raw[1:]...)); err != nil {
			s.lost(err)
		}
	case s.c.model != nil:
		s.c.model.finished(s.c, r)
	case s.c.sh || !s.c.JSON && !s.c.Quiet:
		s.lines(slices.DeleteFunc(s.c.below(r), func(l protocol.DisplayLine) bool {
			return s.c.sh && l.Tone != protocol.ToneWarn || slices.Contains(s.told, l.Text)
		}))
		s.told, s.untold = nil, nil // what runs next is refused anew
	}
	if s.broken.Load() {
		return 128 + int(syscall.SIGPIPE)
	}
	return exitCode(r)
}
