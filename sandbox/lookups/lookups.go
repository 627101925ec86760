// Package lookups answers the resolvers of a network in which no name is found, and says
// which names they were asked for: a command that tries again for minutes is reported at
// the first one.
package lookups

import (
	"net"
	"strings"
	"sync"

	"github.com/sourcegraph/conc"
	"golang.org/x/net/dns/dnsmessage"
)

// Desk is the answering side of one sandbox. Its zero value is ready.
type Desk struct {
	mu    sync.Mutex
	told  map[*listener]struct{}
	conn  net.PacketConn // nil while nothing asks
	serve conc.WaitGroup
}

type listener struct{ told func(name string, alone bool) }

// Hear calls told, which must not wait, with each name that is asked for, until stop;
// alone says that they go nowhere else.
func (d *Desk) Hear(told func(name string, alone bool)) (stop func()) {
	l := &listener{told}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.told == nil {
		d.told = map[*listener]struct{}{}
	}
	d.told[l] = struct{}{}
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.told, l)
	}
}

// Replace answers at conn from now on, and no longer where it did; nil for nowhere.
func (d *Desk) Replace(conn net.PacketConn) {
	d.mu.Lock()
	old := d.conn
	d.conn = conn
	d.mu.Unlock()
	if old != nil {
		_ = old.Close()
	}
	d.serve.Wait()
	if conn != nil {
		d.serve.Go(func() { d.answer(conn) })
	}
}

// maxQuestion is what a resolver sends in one datagram without asking first. RFC 1035
const maxQuestion = 512

func (d *Desk) answer(conn net.PacketConn) {
	buf := make([]byte, maxQuestion)
	for {
		n, from, err := conn.ReadFrom(buf)
		if err != nil {
			return
		}
		if reply, name, ok := refuse(buf[:n]); ok {
			d.tell(name) // first: the command may end with the answer
			_, _ = conn.WriteTo(reply, from)
		}
	}
}

func (d *Desk) tell(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for l := range d.told {
		l.told(name, len(d.told) == 1)
	}
}

// refuse is the answer to a question: that this server can't say. "No such name" would be
// a lie, which programs keep.
func refuse(question []byte) (reply []byte, name string, ok bool) {
	var p dnsmessage.Parser
	h, err := p.Start(question)
	if err != nil || h.Response {
		return nil, "", false
	}
	q, err := p.Question()
	if err != nil {
		return nil, "", false
	}
	h = dnsmessage.Header{ID: h.ID, Response: true, OpCode: h.OpCode, RecursionDesired: h.RecursionDesired, RecursionAvailable: true, RCode: dnsmessage.RCodeServerFailure}
	reply, err = (&dnsmessage.Message{Header: h, Questions: []dnsmessage.Question{q}}).Pack()
	return reply, strings.ToLower(strings.TrimSuffix(q.Name.String(), ".")), err == nil
}
