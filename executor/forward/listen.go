package forward

import (
	"fmt"
	"hash/fnv"
	"net"
)

// Host ports are looked for in Ports from FirstPort on, below those that the system gives
// to connections.
const (
	FirstPort = 20_000
	Ports     = 10_000
	maxTaken  = 100
)

// listen takes a port of 127.0.0.1, never of another address.
func listen(folder string, port uint16, host int) (in *net.TCPListener, err error) {
	if host != 0 {
		return loopback(host)
	}
	sum := fnv.New32a()
	_, _ = fmt.Fprintf(sum, "%s:%d", folder, port)
	for i := range maxTaken {
		host = FirstPort + (int(sum.Sum32()%Ports)+i)%Ports
		if in, err = loopback(host); err == nil {
			return in, nil
		}
	}
	return nil, err
}

func loopback(port int) (*net.TCPListener, error) {
	return net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port})
}
