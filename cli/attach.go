package cli

import (
	"context"
	"os"

	"github.com/sourcegraph/conc"

	"github.com/pillion-sidecar/pillion/cli/terminal"
	"github.com/pillion-sidecar/pillion/rpc/client"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// attached connects a command to the standard input of this process: as a terminal
// where it is one, else as a stream without an end of ours. Whole agents, language
// servers and shells run so.
type attached struct {
	in  *os.File
	tty bool
}

// attach asks for it. There is no time limit: the program's own caller ends it.
func (c *Command) attach(in *os.File) {
	c.attached = &attached{in: in}
	p := &c.Params
	p.TimeoutMs, c.Init.Policy.AllowNoTimeout = protocol.Nullable[int64]{Set: true, Null: true}, true
	if rows, cols, ok := terminal.Size(in); ok && isTerminalWriter(c.Stdout) {
		c.attached.tty = true
		p.Pty = &protocol.PtyParams{Rows: rows, Cols: cols, Term: os.Getenv("TERM")}
		return
	}
	p.Stdin = &protocol.StdinParams{Open: true}
}

func isTerminalWriter(w any) bool {
	f, ok := w.(*os.File)
	return ok && terminal.IsTerminal(f)
}

// feed passes input and changes of the terminal's size on until done.
func (c Command) feed(ctx context.Context, session *client.Client, done <-chan struct{}) {
	a := c.attached
	if a == nil {
		return
	}
	if a.tty {
		defer terminal.Raw(a.in)()
		var sizes conc.WaitGroup
		defer sizes.Wait()
		sizes.Go(func() {
			terminal.EachResize(done, func() {
				if rows, cols, ok := terminal.Size(a.in); ok {
					_ = session.Call(ctx, "exec/resize", protocol.ResizeParams{ExecID: c.id(), Size: protocol.TerminalSize{Rows: rows, Cols: cols}}, nil)
				}
			})
		})
	}
	buf := make([]byte, 32<<10)
	for {
		n, err := terminal.ReadUntil(a.in, buf, done)
		p := protocol.WriteParams{ExecID: c.id(), Data: buf[:n], Close: err != nil}
		if n > 0 || err != nil {
			var r protocol.WriteResult
			if failed := session.Call(ctx, "exec/write", p, &r); failed != nil || r.Status == "finished" || r.Status == "closed" {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
