package client

import (
	"context"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// Event is a value of a partialResultToken; which members count is in Type.
type Event struct {
	Type   string  `json:"type"` // "started", "output", "gap", "violation"
	Stream string  `json:"stream"`
	Offset int64   `json:"offset"`
	Length int64   `json:"length"`
	Text   *string `json:"text"`
	Data   []byte  `json:"data"`
	From   int64   `json:"from"`
	To     int64   `json:"to"`
	Reason string  `json:"reason"`

	Raw   jsontext.Value `json:"-"` // all of it
	Token string         `json:"-"` // of the command, where it is a text
}

// Bytes are those of an output event.
func (e Event) Bytes() []byte {
	if e.Text != nil {
		return []byte(*e.Text)
	}
	return e.Data
}

// read takes messages until there are no more. Then the questions end, too.
func (c *Client) read() {
	for {
		body, err := c.wire.Read()
		if err != nil {
			break
		}
		var m message
		if json.Unmarshal(body, &m) != nil || !c.took(m) {
			c.stray(body)
		}
	}
	c.mu.Lock()
	for _, withdraw := range c.asked {
		withdraw()
	}
	c.mu.Unlock()
	close(c.ended)
}

func (c *Client) stray(body []byte) {
	if c.o.Stray != nil {
		c.o.Stray(body)
	}
}

// told passes on what can be read.
func told[T any](params []byte, to func(T)) bool {
	var p T
	if json.Unmarshal(params, &p) != nil {
		return false
	}
	to(p)
	return true
}

// took reports whether the message was expected.
func (c *Client) took(m message) bool {
	switch {
	case m.Method == "":
		return c.answered(m)
	case m.Method == "$/progress":
		return c.progress(m.Params)
	case m.Method == "exec/waiting" && c.o.Waiting != nil:
		return told(m.Params, c.o.Waiting)
	case m.Method == "exec/port" && c.o.Port != nil:
		return told(m.Params, c.o.Port)
	case m.Method == "$/cancelRequest":
		return c.withdrawn(m.Params)
	case m.ID == nil:
		return false
	case m.Method == "exec/requestApproval" && c.o.Approve != nil:
		c.ask(m)
		return true
	}
	c.answer(m.ID, nil, &fault{jsonrpc.MethodNotFound, "not served"})
	return true
}

func (c *Client) answered(m message) bool {
	id, err := strconv.ParseInt(string(m.ID), 10, 64)
	c.mu.Lock()
	defer c.mu.Unlock()
	answer := c.waiting[id]
	if err != nil || answer == nil {
		return false
	}
	delete(c.waiting, id)
	answer <- m
	return true
}

func (c *Client) progress(params []byte) bool {
	var p struct {
		Token any            `json:"token"`
		Value jsontext.Value `json:"value"`
	}
	if json.Unmarshal(params, &p) != nil || c.o.Event == nil {
		return false
	}
	e := Event{}
	if json.Unmarshal(p.Value, &e) != nil {
		return false
	}
	e.Raw = p.Value
	e.Token, _ = p.Token.(string)
	c.o.Event(e)
	return true
}

// ask puts a question of the server to Approve, beside what else is read.
func (c *Client) ask(m message) {
	var p protocol.ApprovalParams
	if json.Unmarshal(m.Params, &p) != nil {
		c.answer(m.ID, nil, &fault{jsonrpc.InvalidParams, "not the params of exec/requestApproval"})
		return
	}
	ctx, withdraw := context.WithCancel(context.Background())
	id := m.ID.Clone()
	c.mu.Lock()
	c.asked[string(id)] = withdraw
	c.mu.Unlock()
	c.scope.Go(func() {
		defer withdraw()
		answer := c.o.Approve(ctx, p)
		c.mu.Lock()
		delete(c.asked, string(id))
		c.mu.Unlock()
		c.answer(id, answer, nil)
	})
}

func (c *Client) withdrawn(params []byte) bool {
	var p struct {
		ID jsontext.Value `json:"id"`
	}
	_ = json.Unmarshal(params, &p)
	c.mu.Lock()
	defer c.mu.Unlock()
	withdraw := c.asked[string(p.ID)]
	if withdraw == nil {
		return false
	}
	withdraw()
	return true
}

// fault is the error of an answer of ours.
type fault struct {
	Code    jsonrpc.Code `json:"code"`
	Message string       `json:"message"`
}

func (c *Client) answer(id jsontext.Value, result any, failed *fault) {
	_ = c.send(struct { // who does not read it is gone
		JSONRPC string         `json:"jsonrpc"`
		ID      jsontext.Value `json:"id"`
		Result  any            `json:"result,omitzero"`
		Error   *fault         `json:"error,omitzero"`
	}{"2.0", id, result, failed})
}
