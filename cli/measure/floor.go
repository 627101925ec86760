package measure

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// Plain starts a shell line, reads two pipes to their ends and waits: the least that it
// takes to run a command. It returns how many bytes were written to the first.
func Plain(ctx context.Context, line string) (int64, error) {
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", line)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	n, _ := io.Copy(io.Discard, stdout) // what is missing has its number in the report
	_, _ = io.Copy(io.Discard, stderr)
	if err := cmd.Wait(); err != nil {
		return n, fmt.Errorf("sh -c %q: %w", line, err)
	}
	return n, nil
}

// plain is Plain of what must write size bytes.
func plain(line string, size int64) func(context.Context) error {
	return func(ctx context.Context) error {
		n, err := Plain(ctx, line)
		if err == nil && n != size {
			err = fmt.Errorf("sh -c %q wrote %d bytes, not %d", line, n, size)
		}
		return err
	}
}

// PingPong is a message to a small program and back, over two pipes.
type PingPong struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	line []byte
}

// NewPingPong starts that program, cat.
func NewPingPong(ctx context.Context) (*PingPong, error) {
	p := &PingPong{cmd: exec.CommandContext(ctx, "cat")}
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

// Turn sends a message and reads it back.
func (p *PingPong) Turn() error {
	if _, err := p.in.Write(p.line); err != nil {
		return err
	}
	back, err := p.out.ReadSlice('\n')
	if err == nil && !bytes.Equal(back, p.line) {
		err = fmt.Errorf("cat answered %q", back)
	}
	return err
}

// Close ends that program.
func (p *PingPong) Close() {
	_ = p.in.Close()
	_ = p.cmd.Wait() // it has nothing to say
}
