package executor

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"
)

func (r *rig) onTerminal(command string, input string) *Result {
	r.t.Helper()
	run, err := r.e.Admit(Request{Command: command, Terminal: &Terminal{Rows: 24, Cols: 80}, Stdin: []byte(input)}, r.f, 1)
	if err != nil {
		r.t.Fatal(err)
	}
	res, err := run.Do(&record{})
	if err != nil {
		r.t.Fatal(err)
	}
	return res
}

// A program in the sandbox must not type for the user into a terminal (TIOCSTI), or what
// it has printed becomes the next command of its user.
func TestNothingTypesIntoATerminal(t *testing.T) {
	r := newRig(t, nil)
	res := r.onTerminal(`perl -e 'my $c = "x"; print ioctl(STDIN, 0x5412, $c) ? "typed" : "refused"'`, "")
	if out := string(res.Output[Pty].Inline); !strings.Contains(out, "refused") {
		t.Errorf("%q", out)
	}
}

func TestATerminalIsByteExactAndEnds(t *testing.T) {
	r := newRig(t, nil)
	res := r.onTerminal("stty raw; head -c 300000 /dev/zero | tr '\\0' x; sleep 0.1", "")
	o := res.Output[Pty]
	if o.TotalBytes < 300_000 || o.TotalBytes > 300_010 || !o.EOF || len(res.Output) != 1 {
		t.Errorf("%d bytes, %v, %d streams", o.TotalBytes, o.EOF, len(res.Output))
	}
}

// The session's leader is gone: what it left has no terminal to come back to.
func TestATerminalEndsWithItsCommand(t *testing.T) {
	r := newRig(t, nil)
	began := time.Now()
	res := r.onTerminal("(trap '' HUP; : > ready; sleep 98931) & until [ -e ready ]; do sleep 0.02; done; echo started", "")
	if len(res.Background) == 0 || time.Since(began) > atOnce || !strings.Contains(string(res.Output[Pty].Inline), "started") {
		t.Errorf("%+v after %v", res.Background, time.Since(began))
	}
}

func TestTerminalsLeaveNoDescriptor(t *testing.T) {
	r := newRig(t, nil)
	r.onTerminal("true", "") // what is made once
	count := func() int { list, _ := os.ReadDir("/proc/self/fd"); return len(list) }
	before := count()
	for range 20 {
		r.onTerminal("cat", "x\n\x04")
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if count() <= before {
			return
		}
	}
	t.Errorf("%d descriptors, then %d", before, count())
}

func TestAQueuedTerminalStartsInItsLastSize(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Limits.MaxConcurrent = 1 })
	first, err := r.e.Admit(Request{ID: "first", Command: "read x", StdinOpen: true}, r.f, 1)
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan error, 1)
	go func() { _, err := first.Do(&record{}); over <- err }()
	second, err := r.e.Admit(Request{ID: "second", Command: "stty size", Terminal: &Terminal{Rows: 1, Cols: 1}}, r.f, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.e.Resize("second", 33, 99); err != nil {
		t.Fatal(err)
	}
	w := &Write{Data: []byte("go\n"), Offset: -1}
	if err := r.e.Write("first", w); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := <-over; err != nil {
		t.Fatal(err)
	}
	res, err := second.Do(&record{})
	if err != nil || string(res.Output[Pty].Inline) != "33 99\r\n" {
		t.Errorf("%+v, %v", res, err)
	}
}
