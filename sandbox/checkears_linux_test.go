package sandbox

import (
	"net"
	"strconv"
)

// listen opens what must hear nothing: one port for TCP and UDP on every address
// of both families, abstract sockets, and socket files where agents have theirs.
func (r *room) listen() {
	tcp, udp, err := twins()
	must(r.t, err)
	port := tcp.Addr().(*net.TCPAddr).Port
	name := "pillion-check-" + mark()
	abstract, err := net.Listen("unix", "@"+name)
	must(r.t, err)
	dgram, err := net.ListenPacket("unixgram", "@"+name+".dgram")
	must(r.t, err)
	r.accept(tcp, abstract)
	r.receive(udp, dgram)
	r.sockets()
	r.env = append(r.env, "PORT="+strconv.Itoa(port), "ABSTRACT="+name, "LAN="+lanAddress())
}

// twins are a listener for TCP and one for UDP on the same port, which the kernel
// chooses for TCP alone: for UDP somebody may have it already, so it is asked again.
func twins() (tcp net.Listener, udp net.PacketConn, err error) {
	for range 100 {
		if tcp, err = net.Listen("tcp", ":0"); err != nil {
			return nil, nil, err
		}
		port := strconv.Itoa(tcp.Addr().(*net.TCPAddr).Port)
		if udp, err = net.ListenPacket("udp", ":"+port); err == nil {
			return tcp, udp, nil
		}
		_ = tcp.Close()
	}
	return nil, nil, err
}

// sockets are files, which furnish has removed.
func (r *room) sockets() {
	for _, path := range []string{r.out + "/docker.sock", realHome() + "/.gnupg/S.gpg-agent"} {
		l, err := net.Listen("unix", path)
		must(r.t, err)
		r.accept(l)
	}
	for _, path := range []string{r.ws + "/host.sock", r.out + "/granted.sock"} { // a port that is heard here is harmless
		l, err := net.Listen("unix", path)
		must(r.t, err)
		r.owner.Cleanup(func() { _ = l.Close() })
	}
}

func lanAddress() string {
	addrs, _ := net.InterfaceAddrs()
	for _, a := range addrs {
		if ip, ok := a.(*net.IPNet); ok && !ip.IP.IsLoopback() && ip.IP.To4() != nil {
			return ip.IP.String()
		}
	}
	return "127.0.0.2" // a machine without a network still has this one
}

func (r *room) accept(ls ...net.Listener) {
	for _, l := range ls {
		r.owned(l.Close, func() bool {
			c, err := l.Accept()
			if err == nil {
				r.heard.Add(1)
				_ = c.Close()
			}
			return err == nil
		})
	}
}

func (r *room) receive(cs ...net.PacketConn) {
	for _, c := range cs {
		r.owned(c.Close, func() bool {
			_, _, err := c.ReadFrom(make([]byte, 16))
			if err == nil {
				r.heard.Add(1)
			}
			return err == nil
		})
	}
}

// owned repeats what blocks until it is closed with the test.
func (r *room) owned(end func() error, again func() bool) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for again() {
		}
	}()
	r.owner.Cleanup(func() { _ = end(); <-done })
}
