package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/wire"
)

// The keeper reports a runner and the runner reports itself: on a busy machine the runner
// may be first, and what the keeper said was then taken for the command's end.
func TestARunnerMayBeReadyBeforeItIsToldOf(t *testing.T) {
	for name, order := range map[string][]byte{"told of first": {wire.MsgBorn, wire.MsgReady}, "ready first": {wire.MsgReady, wire.MsgBorn}} {
		ours, theirs, err := wire.Socketpair()
		if err != nil {
			t.Fatal(err)
		}
		conn, err := wire.Adopt(ours)
		if err != nil {
			t.Fatal(err)
		}
		pidfd, err := unix.PidfdOpen(os.Getpid(), 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range order {
			if kind == wire.MsgBorn {
				err = wire.Send(wire.FDLink(theirs), kind, nil, pidfd)
			} else {
				err = wire.Send(wire.FDLink(theirs), kind, wire.Ready{Held: true})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		r := &runnerProc{conn: conn, pidfd: -1}
		if err := r.awaitReady("", Limits{}); err != nil || !r.held || r.host != os.Getpid() {
			t.Errorf("%s: %v, held %v, process %d", name, err, r.held, r.host)
		}
		for _, fd := range []int{pidfd, r.pidfd, theirs} {
			_ = unix.Close(fd)
		}
		_ = conn.Close()
	}
}

// A runner's input may be more than a socket holds: a writer that wrote it before there
// was a runner waited for ever, and nothing could end that.
func TestARunnerIsToldMoreThanItsSocketHolds(t *testing.T) {
	b := newBench(t)
	deep := b.ws
	for range 15 {
		deep = filepath.Join(deep, strings.Repeat("d", 200))
	}
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		b.policy.Readable = append(b.policy.Readable, deep)
	}
	if size := len(wire.Encode(newConf(Options{}, RungFull, b.policy, ""))); size < 256<<10 {
		t.Fatalf("only %d bytes", size)
	}
	if o := b.run("sh", "-c", "echo ran"); o.out != "ran\n" {
		t.Errorf("got %q, %+v", o.out, o.status)
	}
}
