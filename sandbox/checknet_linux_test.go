package sandbox

const (
	noNet       = "there is no network namespace to keep a socket in, so the family is refused"
	noSocket    = "a policy with a socket is refused before anything starts: there is no mount namespace to show it in, and no right of Landlock for it"
	ownLoopback = "it reached the sandbox's own loopback, where nobody listens"
)

// The host listens on every address for each of these; that it heard nothing is
// checked for every row.
var networkChecks = []check{
	{n: 27, name: "TCP to the host's addresses", want: denied, bites: true, scripts: []string{
		"timeout 2 bash -c 'echo x > /dev/tcp/127.0.0.1/$PORT'",
		"timeout 2 bash -c 'echo x > /dev/tcp/::1/$PORT'",
		"timeout 2 bash -c 'echo x > /dev/tcp/$LAN/$PORT'",
	}},
	{n: 28, name: "UDP to the host's loopback", bites: true, scripts: []string{
		"bash -c 'echo x > /dev/udp/127.0.0.1/$PORT'", "bash -c 'echo x > /dev/udp/::1/$PORT'",
	}, want: everywhere(private, ownLoopback).but(RungNoUserns, deny, noNet)},
	{n: 29, name: "abstract socket of the host", want: denied, bites: true, scripts: []string{
		"$SELF connect @$ABSTRACT", "$SELF sendto @$ABSTRACT.dgram",
	}},
	{n: 30, name: "agents' and daemons' socket files", want: denied, bites: true, scripts: []string{
		"$SELF connect $HIDDEN/docker.sock", "$SELF connect $REALHOME/.gnupg/S.gpg-agent",
		"$SELF connect /proc/self/root$HIDDEN/docker.sock", "$SELF connect /proc/$VICTIM/root$HIDDEN/docker.sock",
	}},
	{n: 30, name: "a host's socket file in the workspace", bites: true, scripts: []string{"$SELF connect host.sock"}, want: denied},
	{
		n: 30, name: "a host's socket that the policy names", with: "sockets", scripts: []string{"$SELF connect $HIDDEN/granted.sock"},
		want: mustWork.but(RungNoUserns, missing, noSocket),
	},
	{n: 30, name: "other sockets beside one that the policy names", with: "sockets", bites: true, scripts: []string{
		"$SELF connect $HIDDEN/docker.sock", "$SELF connect $REALHOME/.gnupg/S.gpg-agent", "$SELF connect @$ABSTRACT",
		"$SELF connect /proc/self/root$HIDDEN/docker.sock", "$SELF sendto @$ABSTRACT.dgram", "cat $HIDDEN/keep",
	}, want: denied.but(RungNoUserns, deny, noSocket)},
	{n: 30, name: "changing a socket that the policy names", with: "sockets", bites: true, scripts: []string{
		"chmod 777 $HIDDEN/granted.sock", "touch -d @1 $HIDDEN/granted.sock", "ln -sfT docker.sock $HIDDEN/granted.sock",
		"mv $HIDDEN/granted.sock $HIDDEN/moved", "rm $HIDDEN/granted.sock",
	}, want: denied.but(RungNoUserns, deny, noSocket)},
	{n: 31, name: "socket families no filter can confine", want: denied, scripts: []string{
		"$SELF sc EACCES socket 40 1 0", "$SELF sc EACCES socket 17 3 0", "$SELF sc EACCES socket 38 5 0",
		"$SELF sc EACCES socket 16 3 15", "$SELF sc EACCES socket 31 3 1", "$SELF sc EACCES socket 15 3 2",
	}},
	{n: 31, name: "INET6 and datagram sockets", want: everywhere(private, "they live in the sandbox's own network").
		but(RungNoUserns, deny, noNet), scripts: []string{"$SELF sc EACCES socket 10 1 0", "$SELF sc EACCES socketpair 1 2 0 $POINTER"}},
	{n: 33, name: "names of the internet", want: denied, scripts: []string{"timeout 5 getent hosts example.com"}},
	{
		n: 33, name: "the host's interfaces", want: denied.but(RungNoUserns, open,
			"/proc/net is the host's: interfaces and their counters can be read"),
		scripts: []string{"grep -v -e '|' -e ' lo:' /proc/net/dev"},
	},
}

var socketChecks = []check{
	{n: 32, name: "io_uring", want: denied, scripts: []string{
		"$SELF sc ENOSYS io_uring_setup 4 $POINTER", "$SELF sc ENOSYS io_uring_enter 0 0 0 0 0 0",
		"$SELF sc ENOSYS io_uring_register 0 0 0 0",
	}},
	{n: 53, name: "typing into the terminal", want: denied, scripts: []string{
		": < /dev/tty", "$SELF sc EPERM ioctl 0 0x5412 $POINTER", "$SELF sc EPERM ioctl 0 0x541C $POINTER",
		"$SELF sc EPERM ioctl 0 0x100005412 $POINTER", "$SELF sc EPERM ioctl 0 0x5423 $POINTER",
	}},
	{n: 58, name: "secrets of the sidecar's environment", want: denied, scripts: []string{
		"env | grep -iE 'token|secret|key|LD_PRELOAD|NODE_OPTIONS|BASH_ENV|GIT_'",
	}},
	{
		n: 59, name: "control sequences arrive as bytes", want: mustWork, scripts: []string{`printf '\033]52;c;cGlsbGlvbg==\007'`},
		really: func(_ *room, o outcome) bool { return o.out == "\x1b]52;c;cGlsbGlvbg==\a" },
	},
}
