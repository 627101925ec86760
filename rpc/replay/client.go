package replay

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/sourcegraph/conc"
)

// Client is the editor's end of a conversation. It records everything the
// sidecar sends and checks the invariants as frames arrive.
type Client struct {
	peer  *Peer
	inbox *inbox
	watch *watch
	gate  gate
	wg    conc.WaitGroup
	gone  atomic.Bool // this end closed the conversation

	tracing sync.Mutex
	writing sync.Mutex
	nextID  int // under writing
}

// writeTimeout is how long the sidecar may leave its stdin unread on a busy machine: its reader
// must never wait for anything.
const writeTimeout = time.Minute

// NewClient starts reading what the peer sends. A check, if any, is that of
// Options.
func NewClient(p *Peer, check func(method string, asked jsontext.Value, m *Message) error) *Client {
	c := &Client{peer: p, inbox: newInbox(), watch: newWatch(), nextID: 1_000_000}
	c.watch.check = check
	c.wg.Go(c.read)
	return c
}

func (c *Client) read() {
	r := bufio.NewReaderSize(c.peer.Out, 64<<10)
	for {
		c.gate.wait()
		body, err := c.peer.readMessage(r, c.watch.maxMessage())
		if err == nil {
			var m *Message
			c.trace(false, body)
			if m, err = decodeMessage(body); err == nil {
				c.watch.received(m)
				c.inbox.add(m)
				continue
			}
			err = fmt.Errorf("%w\n%s", err, body)
		}
		if !errors.Is(err, io.EOF) && !c.gone.Load() {
			c.watch.cut(err)
		}
		c.inbox.end(errEnded)
		return
	}
}

// Send writes one message, which must be JSON text.
func (c *Client) Send(body string) error {
	c.watch.sent([]byte(body))
	c.trace(true, []byte(body))
	return c.Write(c.peer.framed([]byte(body)))
}

// trace shows the messages. Both sides may speak at once.
func (c *Client) trace(sent bool, body []byte) {
	if c.peer.Trace == nil {
		return
	}
	c.tracing.Lock()
	defer c.tracing.Unlock()
	c.peer.Trace(sent, body)
}

// Write puts bytes on the sidecar's stdin as they are.
func (c *Client) Write(b []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	if d, ok := c.peer.In.(interface{ SetWriteDeadline(time.Time) error }); ok {
		_ = d.SetWriteDeadline(time.Now().Add(writeTimeout)) // not every pipe has deadlines
	}
	if _, err := c.peer.In.Write(b); err != nil {
		return fmt.Errorf("the sidecar does not read its stdin: %w", err)
	}
	return nil
}

// Notify sends a notification.
func (c *Client) Notify(method string, params any) error {
	body, err := message(map[string]any{"jsonrpc": "2.0", "method": method}, params)
	if err != nil {
		return err
	}
	return c.Send(body)
}

// message adds params, which JSON-RPC wants to be absent rather than null.
func message(m map[string]any, params any) (string, error) {
	if params != nil {
		m["params"] = params
	}
	body, err := json.Marshal(m)
	return string(body), err
}

// Go sends a request without waiting for its response and answers its id.
func (c *Client) Go(method string, params any) (id string, err error) {
	c.writing.Lock()
	c.nextID++
	n := c.nextID
	c.writing.Unlock()
	body, err := message(map[string]any{"jsonrpc": "2.0", "id": n, "method": method}, params)
	if err != nil {
		return "", err
	}
	return strconv.Itoa(n), c.Send(body)
}

// Response waits for the response to the request with this id.
func (c *Client) Response(ctx context.Context, id string) (*Message, error) {
	return c.response(ctx, id, 0)
}

func (c *Client) response(ctx context.Context, id string, from int) (*Message, error) {
	var found *Message
	err := c.inbox.wait(ctx, from, func(m *Message) (bool, error) {
		if m.Response(id) {
			found = m
		}
		return found != nil, nil
	})
	return found, err
}

// Call sends a request and waits for its response.
func (c *Client) Call(ctx context.Context, method string, params any) (*Message, error) {
	id, err := c.Go(method, params)
	if err != nil {
		return nil, err
	}
	return c.Response(ctx, id)
}

// Pause stops reading after the current frame; Resume goes on.
func (c *Client) Pause() { c.gate.set(false) }

// Resume undoes Pause.
func (c *Client) Resume() { c.gate.set(true) }

// Violations are the broken invariants seen so far.
func (c *Client) Violations() []string { return c.watch.violations() }

// Close drops both ends of the conversation and waits for the reader.
func (c *Client) Close() {
	c.vanish()
	c.wg.Wait()
}

// vanish drops both ends, as a client does that dies.
func (c *Client) vanish() {
	c.gone.Store(true)
	c.Resume()
	_ = c.peer.In.Close()  // may be closed already
	_ = c.peer.Out.Close() // likewise
}

// gate is open unless it was shut; its zero value is open.
type gate struct {
	mu   sync.Mutex
	shut chan struct{} // closed when the gate opens; nil while it is open
}

func (g *gate) set(open bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case open && g.shut != nil:
		close(g.shut)
		g.shut = nil
	case !open && g.shut == nil:
		g.shut = make(chan struct{})
	}
}

func (g *gate) wait() {
	g.mu.Lock()
	shut := g.shut
	g.mu.Unlock()
	if shut != nil {
		<-shut
	}
}
