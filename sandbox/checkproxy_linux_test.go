package sandbox

import (
	"fmt"
	"net"
	"slices"

	"golang.org/x/sys/unix"
)

const noProxy = "a policy with a proxy is refused before anything starts: there is no network namespace to put it in"

var proxied = denied.but(RungNoUserns, deny, noProxy)

// What a network with one way out leaves closed, and that the way out is nobody
// else's. Nobody serves it here: that is the proxy's own room.
var proxyChecks = []check{
	{n: 27, name: "TCP past the proxy", with: "network", want: proxied, bites: true, scripts: []string{
		"timeout 2 bash -c 'echo x > /dev/tcp/127.0.0.1/$PORT'",
		"timeout 2 bash -c 'echo x > /dev/tcp/::1/$PORT'",
		"timeout 2 bash -c 'echo x > /dev/tcp/$LAN/$PORT'",
	}},
	{n: 27, name: "the metadata service past the proxy", with: "network", want: proxied, scripts: []string{
		"timeout 2 bash -c 'echo x > /dev/tcp/169.254.169.254/80'", "timeout 2 bash -c 'echo x > /dev/udp/169.254.169.254/53'",
	}},
	{n: 27, name: "listening in the proxy's place", with: "network", want: proxied, scripts: []string{
		"$SELF listen 127.0.0.1 880", "$SELF listen 0.0.0.0 880", "$SELF listen :: 880", "$SELF listen ::ffff:127.0.0.1 880",
		"$SELF listen 127.0.0.1 880 reuseaddr reuseport", "$SELF listen 0.0.0.0 880 reuseaddr reuseport",
		"$SELF listen :: 880 reuseaddr reuseport", "$SELF listen :: 880 v6only", "$SELF listen ::1 880", "$SELF listen 127.0.0.2 880",
	}},
	{n: 27, name: "other ports of the host beside one that the policy names", with: "ports", want: proxied, scripts: []string{
		"timeout 2 bash -c 'echo x > /dev/tcp/host.pillion/$PORT'", "timeout 2 bash -c 'echo x > /dev/tcp/127.0.80.1/$PORT'",
		"timeout 2 bash -c 'echo x > /dev/tcp/::ffff:127.0.80.1/$PORT'", "timeout 2 bash -c 'echo x > /dev/tcp/127.0.0.1/$PORT'",
		"timeout 2 bash -c 'echo x > /dev/tcp/::1/$PORT'", "timeout 2 bash -c 'echo x > /dev/tcp/$LAN/$PORT'",
		"timeout 2 bash -c 'echo x > /dev/tcp/127.0.0.1/5'", "timeout 2 bash -c 'echo x > /dev/tcp/127.0.80.2/5'",
	}},
	{n: 27, name: "listening in the place of the host's port", with: "ports", want: proxied, scripts: []string{
		"$SELF listen 127.0.80.1 5", "$SELF listen 0.0.0.0 5", "$SELF listen :: 5", "$SELF listen ::ffff:127.0.80.1 5",
		"$SELF listen 127.0.80.1 5 reuseaddr reuseport", "$SELF listen 0.0.0.0 5 reuseaddr reuseport",
		"echo '127.0.0.1 host.pillion' >> /etc/hosts", "rm /etc/hosts", "umount /etc/hosts",
	}},
	{n: 28, name: "UDP past the proxy", with: "network", bites: true, scripts: []string{
		"bash -c 'echo x > /dev/udp/127.0.0.1/$PORT'", "bash -c 'echo x > /dev/udp/::1/$PORT'",
	}, want: everywhere(private, ownLoopback).but(RungNoUserns, deny, noProxy)},
	{n: 29, name: "abstract socket of the host beside the proxy", with: "network", want: proxied, bites: true, scripts: []string{
		"$SELF connect @$ABSTRACT", "$SELF sendto @$ABSTRACT.dgram",
	}},
	{n: 31, name: "raw and packet sockets beside the proxy", with: "network", want: proxied, scripts: []string{
		"$SELF sc EPERM socket 2 3 1", "$SELF sc EACCES socket 17 3 0", "$SELF sc EACCES socket 16 3 15",
	}},
	{n: 33, name: "names without asking the proxy", with: "network", want: proxied, scripts: []string{"timeout 5 getent hosts example.com"}},
	{
		n: 33, name: "routes and interfaces beside the proxy", with: "network", want: proxied,
		scripts: []string{"grep -v -e '|' -e ' lo:' /proc/net/dev", "test $(wc -l < /proc/net/route) -gt 1"},
	},
	{
		n: 64, name: "own TCP server beside the proxy", with: "network", scripts: []string{tcpServer}, needs: []string{"python3"},
		want: mustWork.but(RungNoUserns, missing, noProxy),
	},
}

// grantedPort is the host's, at which nobody listens.
const grantedPort = 5

// takePort listens, with what makes the kernel more generous.
func takePort(addr string, port int, options []string) error {
	ip := net.ParseIP(addr)
	family, to := unix.AF_INET6, unix.Sockaddr(&unix.SockaddrInet6{Port: port, Addr: [16]byte(ip.To16())})
	if ip.To4() != nil && addr[0] != ':' {
		family, to = unix.AF_INET, &unix.SockaddrInet4{Port: port, Addr: [4]byte(ip.To4())}
	}
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	for _, o := range []struct {
		name          string
		level, option int
	}{
		{"reuseaddr", unix.SOL_SOCKET, unix.SO_REUSEADDR},
		{"reuseport", unix.SOL_SOCKET, unix.SO_REUSEPORT},
		{"v6only", unix.IPPROTO_IPV6, unix.IPV6_V6ONLY},
	} {
		if !slices.Contains(options, o.name) {
			continue
		}
		if err := unix.SetsockoptInt(fd, o.level, o.option, 1); err != nil {
			return fmt.Errorf("%s: %w", o.name, err)
		}
	}
	if err := unix.Bind(fd, to); err != nil {
		return err
	}
	return unix.Listen(fd, 1)
}
