package egress

import (
	"bytes"
	"io"
	"net"
	"net/netip"
	"testing"
)

const greeting = "\x05\x01\x00"

// socksAsk is a CONNECT to a name.
func socksAsk(host string, port uint16) string {
	return "\x05\x01\x00\x03" + string([]byte{byte(len(host))}) + host + string([]byte{byte(port >> 8), byte(port)})
}

func socksAskAddr(addr string, port uint16) string {
	a := netip.MustParseAddr(addr)
	kind := "\x04"
	if a.Is4() {
		kind = "\x01"
	}
	return "\x05\x01\x00" + kind + string(a.AsSlice()) + string([]byte{byte(port >> 8), byte(port)})
}

// socks greets, asks and answers the reply's code.
func (w *world) socks(ask string) (net.Conn, byte) {
	w.t.Helper()
	conn := w.connect()
	io.WriteString(conn, greeting+ask)
	got := make([]byte, 12)
	if n, err := io.ReadFull(conn, got); err != nil || !bytes.HasPrefix(got, []byte("\x05\x00\x05")) {
		w.t.Errorf("%q: %q %v", ask, got[:n], err)
	}
	return conn, got[3]
}

func TestSOCKSReachesWhatIsListed(t *testing.T) {
	w := newWorld(t, allowing("ok.org", public+":22", "2606:4700::1111"))
	w.name("ok.org", public)
	server := echo(t)
	for _, at := range []string{public + ":443", public + ":22", "[2606:4700::1111]:443"} {
		w.host(at, server)
	}
	for what, ask := range map[string]string{
		"name":                   socksAsk("OK.org", 443),
		"IPv4":                   socksAskAddr(public, 22),
		"IPv6":                   socksAskAddr("2606:4700::1111", 443),
		"address sent as a name": socksAsk(public, 22),
	} {
		if conn, reply := w.socks(ask); reply != socksOK || !echoes(conn, "hello") {
			t.Errorf("%s: reply %d", what, reply)
		}
	}
}

func TestSOCKSRefuses(t *testing.T) {
	w := newWorld(t, Config{Rules: Rules{Allow: []string{"ok.org", "inside.org", "*.allowed.com"}, Deny: []string{"bad.org"}}})
	w.name("inside.org", "127.0.0.1")
	for trick, c := range map[string]struct {
		ask   string
		reply byte
		rule  string
	}{
		"not listed":                   {socksAsk("evil.com", 443), 2, NotListed},
		"another port":                 {socksAsk("ok.org", 22), 2, NotListed},
		"denied":                       {socksAsk("bad.org", 443), 2, Denied},
		"name that leads inside":       {socksAsk("inside.org", 443), 2, Address},
		"address that isn't listed":    {socksAskAddr(public, 443), 2, NotListed},
		"loopback":                     {socksAskAddr("127.0.0.1", 80), 2, Address},
		"loopback in IPv6":             {socksAskAddr("::1", 80), 2, Address},
		"IPv4-mapped":                  {socksAskAddr("::ffff:127.0.0.1", 80), 2, Address},
		"metadata":                     {socksAskAddr("169.254.169.254", 80), 2, Address},
		"NAT64":                        {socksAskAddr("64:ff9b::7f00:1", 80), 2, Address},
		"unspecified":                  {socksAskAddr("0.0.0.0", 80), 2, Address},
		"NUL before an allowed suffix": {socksAsk("evil.com\x00.allowed.com", 443), 2, Malformed},
		"CR LF":                        {socksAsk("evil.com\r\n.allowed.com", 443), 2, Malformed},
		"zone":                         {socksAsk("fe80::1%lo", 443), 2, Malformed},
		"trailing dot":                 {socksAsk("ok.org.", 443), 2, Malformed},
		"letters beyond ASCII":         {socksAsk("\u043ek.org", 443), 2, Malformed},
		"decimal address":              {socksAsk("2130706433", 80), 2, Malformed},
		"short address":                {socksAsk("127.1", 80), 2, Malformed},
		"name with a port":             {socksAsk("ok.org:443", 443), 2, Malformed},
		"empty name":                   {socksAsk("", 443), 2, Malformed},
		"port 0":                       {socksAsk("ok.org", 0), 2, Malformed},
		"BIND":                         {"\x05\x02\x00\x01\x7f\x00\x00\x01\x00\x50", 7, Malformed},
		"UDP ASSOCIATE":                {"\x05\x03\x00\x01\x7f\x00\x00\x01\x00\x50", 7, Malformed},
		"unknown kind of address":      {"\x05\x01\x00\x02\x7f\x00\x00\x01\x00\x50", 8, Malformed},
		"reserved byte":                {"\x05\x01\x01\x01\x7f\x00\x00\x01\x00\x50", 1, Malformed},
		"SOCKS4 after the greeting":    {"\x04\x01\x00\x01\x7f\x00\x00\x01\x00\x50", 1, Malformed},
	} {
		_, reply := w.socks(c.ask)
		if r := w.took()[0]; reply != c.reply || r.Rule != c.rule {
			t.Errorf("%s: reply %d, %+v", trick, reply, r)
		}
	}
	if got := w.dials(); len(got) != 0 {
		t.Errorf("dialled %q", got)
	}
}

func TestSOCKSUserNameIsThePeer(t *testing.T) {
	w := newWorld(t, Config{})
	for what, c := range map[string]struct{ user, token string }{
		"token":             {"t0ken", "t0ken"},
		"empty":             {"", ""},
		"control character": {"a\x1b[31m", ""},
		"too long":          {string(bytes.Repeat([]byte("a"), 200)), ""},
	} {
		conn := w.connect()
		io.WriteString(conn, "\x05\x02\x00\x02\x01"+string([]byte{byte(len(c.user))})+c.user+"\x01x"+socksAsk("evil.com", 443))
		got, _ := io.ReadAll(conn)
		if !bytes.HasPrefix(got, []byte("\x05\x02\x01\x00\x05\x02")) {
			t.Errorf("%s: %q", what, got)
		}
		if r := w.took()[0]; r.Peer.Token != c.token {
			t.Errorf("%s: %+v", what, r)
		}
	}
}

func TestSOCKSGreetingThatCannotBeAnswered(t *testing.T) {
	w := newWorld(t, Config{})
	for what, c := range map[string]struct{ say, reply string }{
		"no method":        {"\x05\x00", "\x05\xff"},
		"GSSAPI only":      {"\x05\x01\x01", "\x05\xff"},
		"log-in version 2": {"\x05\x01\x02\x02\x01a\x01b", "\x05\x02"},
	} {
		if got := w.say(c.say); got != c.reply {
			t.Errorf("%s: %q", what, got)
		}
		if r := w.took()[0]; r.Rule != Malformed {
			t.Errorf("%s: %+v", what, r)
		}
	}
}

func TestSOCKSSaysWhyAHostCannotBeReached(t *testing.T) {
	w := newWorld(t, allowing("nowhere.org", "127.0.0.1:*"))
	l := listen(t)
	closed := netip.MustParseAddrPort(l.Addr().String())
	l.Close()
	if _, reply := w.socks(socksAsk("nowhere.org", 443)); reply != socksUnreachable {
		t.Errorf("no such name: %d", reply)
	}
	if _, reply := w.socks(socksAskAddr("127.0.0.1", closed.Port())); reply != socksNoListener {
		t.Errorf("nobody listens: %d", reply)
	}
}
