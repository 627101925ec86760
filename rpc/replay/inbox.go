package replay

import (
	"context"
	"errors"
	"sync"
)

// errEnded is what a wait ends with when the sidecar will send no more.
var errEnded = errors.New("the sidecar has closed its output")

// inbox keeps everything the sidecar sent, in order.
type inbox struct {
	mu      sync.Mutex
	all     []*Message
	changed chan struct{} // closed and replaced at every change
	ended   error         // why the reading stopped
}

func newInbox() *inbox { return &inbox{changed: make(chan struct{})} }

func (b *inbox) add(m *Message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	m.Index = len(b.all)
	b.all = append(b.all, m)
	b.wake()
}

func (b *inbox) end(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = err
	b.wake()
}

func (b *inbox) wake() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// snapshot is what has arrived from position from on.
func (b *inbox) snapshot(from int) (msgs []*Message, changed <-chan struct{}, ended error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all[min(from, len(b.all)):], b.changed, b.ended
}

// wait shows every message from position from on, old or new, to look, until it
// says that it is done or fails.
func (b *inbox) wait(ctx context.Context, from int, look func(*Message) (bool, error)) error {
	for {
		msgs, changed, ended := b.snapshot(from)
		for _, m := range msgs {
			if done, err := look(m); done || err != nil {
				return err
			}
		}
		from += len(msgs)
		if ended != nil {
			return ended
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (b *inbox) len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.all)
}
