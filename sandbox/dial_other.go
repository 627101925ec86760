//go:build !linux

package sandbox

import (
	"context"
	"errors"
	"net"
	"net/netip"
)

func (*box) apart() bool { return false }

func (*box) dial(context.Context, netip.AddrPort) (net.Conn, error) {
	return nil, errors.ErrUnsupported
}
