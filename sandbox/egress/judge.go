package egress

import (
	"cmp"
	"context"
	"net"
)

// open connects to t if the list, or the person who is asked, lets peer go
// there. The error is a *Refusal or says why the host can't be reached.
func (p *Proxy) open(ctx context.Context, t target, peer Peer) (net.Conn, error) {
	if r := p.judge(ctx, t, peer); r != nil {
		// This was not a no: the client went while it waited, or the proxy ends, which the
		// question may hear of before ctx does.
		if err := cmp.Or(ctx.Err(), p.ctx.Err()); err != nil {
			return nil, &unreachable{t, err}
		}
		return nil, r
	}
	conn, err := p.dial(ctx, t, peer)
	if err != nil {
		return nil, err
	}
	if !p.track(conn) {
		conn.Close()
		return nil, &unreachable{t, net.ErrClosed}
	}
	return conn, nil
}

// judge decides by what the client wrote. A name that isn't listed is not even looked up:
// the question itself would carry data to the zone's server.
func (p *Proxy) judge(ctx context.Context, t target, peer Peer) *Refusal {
	if text, ok := p.book.denies(t); ok {
		return t.refusal(Denied, "it is denied by "+text)
	}
	if t.addr.IsValid() {
		if r := p.vet(t, t.addr); r != nil && r.asked == "" {
			return r
		} else if r != nil {
			return nil // dial asks about it
		}
	}
	keys := Unasked
	if peer.SSH && p.config.AskKeys != nil {
		keys = p.config.AskKeys(ctx, t.host(), int(t.port), peer)
	}
	if peer.git || peer.passed || keys == Once || p.book.allows(t) || keys == Unasked && p.ask(ctx, t, "", peer) {
		return nil
	}
	r := t.refusal(NotListed, "it is not in the list of allowed hosts")
	r.Grant = t.String()
	return r
}
