package bench

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/cli/measure"
)

// tap is a command that repeats what is put into a named pipe: the time from
// there to the client is what output needs on its way.
type tap struct {
	in   *os.File
	name string
}

func newTap(t testing.TB, name string) *tap {
	path := filepath.Join(workspace, name)
	check(t, exec.Command("mkfifo", path).Run())
	in, err := os.OpenFile(path, os.O_RDWR, 0) // both ways: opening does not wait
	check(t, err)
	t.Cleanup(func() { _ = in.Close() })
	return &tap{in, path}
}

var drop = []byte("a drop of output\n")

// through is the time of one drop until read has it.
func (p *tap) through(t testing.TB, read func()) time.Duration {
	return timed(func() {
		_, err := p.in.Write(drop)
		check(t, err)
		read()
	})
}

// firstByte compares the output of a command of ours with that of a plain one. Flushing
// would wait for more after a drop, so each comes after that time.
func firstByte(t *testing.T, e *editor) comparison {
	ours, floor := newTap(t, "ours"), newTap(t, "plain")
	cmd := exec.Command("cat", floor.name)
	pipe, err := cmd.StdoutPipe()
	check(t, err)
	check(t, cmd.Start())
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	out := bufio.NewReader(pipe)

	e.send(`{"jsonrpc":"2.0","id":"tap","method":"exec","params":{"execId":"tap","argv":["cat",` + measure.Quote(ours.name) + `],"partialResultToken":"tap","timeoutMs":600000}}`)
	e.until([]byte(`"type":"started"`))
	return comparison{
		func() time.Duration {
			time.Sleep(40 * time.Millisecond)
			return ours.through(t, func() { e.until([]byte(`"a drop of output`)) })
		},
		func() time.Duration {
			time.Sleep(40 * time.Millisecond)
			return floor.through(t, func() { _, err := io.ReadFull(out, make([]byte, len(drop))); check(t, err) })
		},
	}
}

// firstOutput is the time from a request to the first output of its command at the
// client; without us, from the start of a plain command to what it writes first.
func firstOutput(t *testing.T, e *editor) comparison {
	return comparison{
		func() time.Duration {
			took := timed(func() {
				e.send(`{"jsonrpc":"2.0","id":"first","method":"exec","params":{"command":"echo a drop of output","partialResultToken":"first"}}`)
				e.until([]byte(`"a drop of output`))
			})
			e.until([]byte(`"id":"first"`))
			return took
		},
		func() time.Duration {
			cmd := exec.Command("/bin/sh", "-c", "echo a drop of output")
			begin := time.Now()
			pipe, err := cmd.StdoutPipe()
			check(t, err)
			_, err = cmd.StderrPipe() // as a caller needs it
			check(t, err)
			check(t, cmd.Start())
			_, err = io.ReadFull(pipe, make([]byte, len(drop)))
			took := time.Since(begin)
			check(t, err)
			check(t, cmd.Wait())
			return took
		},
	}
}

// until reads up to a frame that has the text.
func (e *editor) until(text []byte) {
	for !bytes.Contains(e.read(), text) {
	}
}
