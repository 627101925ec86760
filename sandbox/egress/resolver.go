package egress

import (
	"context"
	"net"
	"net/netip"
)

// Resolver looks names up. *net.Resolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// resolver asks the machine's name servers, or the one at server. net.Resolver
// returns when its context ends and leaves its goroutines to wait for an answer
// that may never come: a client that comes and goes could pile them up. Without
// their socket they end at once.
func (p *Proxy) resolver(server string) Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		if server != "" {
			address = server
		}
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		// A look-up that several wait for outlives each of them, and must not
		// outlive the proxy.
		stop := context.AfterFunc(p.ctx, func() { conn.Close() })
		context.AfterFunc(ctx, func() { stop(); conn.Close() })
		return conn, nil
	}}
}
