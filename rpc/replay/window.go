package replay

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// credit is how much output of one exec may be on its way, and is (O10).
type credit struct {
	window      int64 // 0: any amount
	sent, acked int64
}

// defaultWindow is that of a client which acknowledges and names none.
const defaultWindow = 256 << 10

// allowance is the credit that the params of an exec ask for.
func (w *watch) allowance(params jsontext.Value) credit {
	var p struct {
		Output struct {
			Window int64 `json:"window"`
		} `json:"output"`
	}
	_ = json.Unmarshal(params, &p) // a script may send anything
	switch {
	case !w.acks:
		return credit{}
	case p.Output.Window > 0:
		return credit{window: p.Output.Window}
	}
	return credit{window: defaultWindow}
}

// announced notes what the client says it can do.
func (w *watch) announced(params jsontext.Value) {
	var p struct {
		Capabilities struct {
			Exec struct {
				Ack bool `json:"ack"`
			} `json:"exec"`
		} `json:"capabilities"`
	}
	_ = json.Unmarshal(params, &p)
	w.acks = p.Capabilities.Exec.Ack
}

// acknowledged takes an ack before it is sent, so that what the sidecar does with it
// can't come first. It may say less than before, or nonsense; then it counts for
// nothing.
func (w *watch) acknowledged(params jsontext.Value) {
	var p struct {
		ExecID   string `json:"execId"`
		Consumed int64  `json:"consumed"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	if l := w.execs[p.ExecID]; l != nil && p.Consumed <= l.credit.sent {
		l.credit.acked = max(l.credit.acked, p.Consumed)
	}
}

func (c *credit) spend(n int64) error {
	c.sent += n
	if way := c.sent - c.acked; c.window > 0 && way > c.window {
		return fmt.Errorf("O10: %d bytes are on their way, the window is %d", way, c.window)
	}
	return nil
}
