package egress

import (
	"io"
	"net/netip"
)

// socksRequest reads what is asked for; reply is what to answer to a refusal.
func (c *client) socksRequest() (t target, reply byte, r *Refusal) {
	var fixed [4]byte
	if _, err := io.ReadFull(c.in, fixed[:]); err != nil {
		return t, socksFailure, nil
	}
	switch {
	case fixed[0] != socksVersion || fixed[2] != 0:
		return t, socksFailure, malformed("", "it is no SOCKS5 request")
	case fixed[1] != socksConnect:
		return t, socksNoCommand, malformed("", "it is a SOCKS command other than CONNECT")
	}
	host, known, err := c.socksHost(fixed[3])
	if !known {
		return t, socksNoAddress, malformed("", "its address is of no kind of SOCKS5")
	}
	var port [2]byte
	if err == nil {
		_, err = io.ReadFull(c.in, port[:])
	}
	if err != nil {
		return t, socksFailure, nil
	}
	var why string
	t.port = uint16(port[0])<<8 | uint16(port[1])
	if t.name, t.addr, why = parseHost(host); why == "" && t.port == 0 {
		why = "has port 0"
	}
	if why != "" {
		return t, socksRefused, malformed(host, "it "+why)
	}
	return t, socksOK, nil
}

func (c *client) socksHost(kind byte) (host string, known bool, err error) {
	switch kind {
	case socksName:
		name, err := c.counted()
		return string(name), true, err
	case socksIPv4:
		var a [4]byte
		_, err = io.ReadFull(c.in, a[:])
		return netip.AddrFrom4(a).String(), true, err
	case socksIPv6:
		var a [16]byte
		_, err = io.ReadFull(c.in, a[:])
		return netip.AddrFrom16(a).String(), true, err
	}
	return "", false, nil
}

// counted reads a byte, and as many as it says.
func (c *client) counted() ([]byte, error) {
	n, err := c.in.ReadByte()
	if err != nil {
		return nil, err
	}
	b := make([]byte, n)
	_, err = io.ReadFull(c.in, b)
	return b, err
}
