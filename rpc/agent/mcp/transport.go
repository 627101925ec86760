package mcp

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pillion-sidecar/pillion/rpc/convert"
	frames "github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// noData is what Windows says of a pipe without a reader: ERROR_NO_DATA, "The pipe is
// being closed". No other system has an error of this number.
const noData = syscall.Errno(232)

// transport is one message a line on two streams. The library's own ends the session at
// the first line that is not a message, and with it every command; here such a line is
// answered and the next one counts.
type transport struct {
	in    io.Closer
	lines *frames.Lines
	gone  func() // the input has ended
	once  sync.Once
	left  atomic.Bool // the host has gone, before anything else went wrong

	mu   sync.Mutex // of out
	out  io.WriteCloser
	late *time.Timer // closes out: a write into a full pipe ends in no other way
}

func newTransport(in io.ReadCloser, out io.WriteCloser, gone func()) *transport {
	return &transport{in: in, lines: frames.NewLines(in, protocol.MaxMessageBytes, convert.RefuseMessage), out: out, gone: gone}
}

// Connect is a mcp.Transport's.
func (t *transport) Connect(context.Context) (mcp.Connection, error) { return t, nil }

// SessionID is a mcp.Connection's; there is one session.
func (t *transport) SessionID() string { return "" }

// Read returns the next message.
func (t *transport) Read(context.Context) (jsonrpc.Message, error) {
	for {
		body, refusal, err := t.lines.Next()
		if err != nil {
			t.end(true)
			return nil, io.EOF // however it ended, the client has gone
		}
		if refusal == nil {
			msg, err := jsonrpc.DecodeMessage(body)
			if err == nil {
				return msg, nil
			}
			continue // an answer to nothing; a request has been checked already
		}
		if err := t.line(refusal); err != nil {
			return nil, err
		}
	}
}

// Write sends a message.
func (t *transport) Write(_ context.Context, msg jsonrpc.Message) error {
	body, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return err
	}
	return t.line(body)
}

func (t *transport) line(body []byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, err := t.out.Write(append(body, '\n'))
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, noData) || errors.Is(err, io.ErrClosedPipe) {
		t.end(true) // of its two ends, it has closed the one that it reads first
	}
	return err
}

// Close ends the input, so that Read ends, too.
func (t *transport) Close() error {
	t.end(false)
	return t.in.Close()
}

// end lets what is under way end: commands at once, the last answers soon.
func (t *transport) end(byHost bool) {
	t.once.Do(func() {
		t.left.Store(byHost)
		t.late = time.AfterFunc(flushTime, func() { _ = t.out.Close() })
		t.gone()
	})
}

// finish waits for nothing and closes the output.
func (t *transport) finish() {
	t.end(false)
	t.late.Stop()
	_ = t.out.Close()
}
