package ratio

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// plain starts a shell line, reads two pipes to their ends and waits: nobody who runs
// a command can do without. It must write size bytes.
func plain(line string, size int64) func(context.Context) error {
	return func(ctx context.Context) error {
		cmd := exec.CommandContext(ctx, "/bin/sh", "-c", line)
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			return err
		}
		stderr, err := cmd.StderrPipe()
		if err != nil {
			return err
		}
		if err := cmd.Start(); err != nil {
			return err
		}
		n, _ := io.Copy(io.Discard, stdout) // what is missing is told below
		_, _ = io.Copy(io.Discard, stderr)
		if err := cmd.Wait(); err != nil {
			return fmt.Errorf("sh -c %q: %w", line, err)
		}
		if n != size {
			return fmt.Errorf("sh -c %q wrote %d bytes, not %d", line, n, size)
		}
		return nil
	}
}

// pingPong is a message to a small program and back, over two pipes.
type pingPong struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	line []byte
}

func newPingPong(ctx context.Context) (*pingPong, error) {
	p := &pingPong{cmd: exec.CommandContext(ctx, "cat")}
	p.line = []byte(strings.Repeat("x", 80) + "\n") // about a small request
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	return p, p.cmd.Start()
}

func (p *pingPong) turn(context.Context) error {
	if _, err := p.in.Write(p.line); err != nil {
		return err
	}
	back, err := p.out.ReadSlice('\n')
	if err == nil && !bytes.Equal(back, p.line) {
		err = fmt.Errorf("cat answered %q", back)
	}
	return err
}

func (p *pingPong) close() {
	_ = p.in.Close()
	_ = p.cmd.Wait() // it has nothing to say
}
