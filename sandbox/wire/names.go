package wire

import (
	"runtime"
	"slices"
	"time"
)

// What a child process of ours finds in argv[0].
const (
	Keeper  = "pillion-keeper"  // outside: owns a sandbox's directory and namespaces
	Holder  = "pillion-holder"  // PID 1 of a sandbox's namespaces
	Confine = "pillion-confine" // a runner before it gave up its rights
	Runner  = "pillion-runner"  // parent of one command at a time
	Canary  = "pillion-canary"
	Daemon  = "pillion-canary-daemon"
	Orphan  = "pillion-canary-orphan" // starts a daemon and leaves it without parents
)

// Name is which of them a process with these arguments is, "" for none.
func Name(args []string) string {
	switch {
	case len(args) == 0:
		return ""
	case runtime.GOOS == "darwin" && len(args) > 1 && args[1] == Runner:
		return Runner // sandbox-exec puts the program's own path before it
	case slices.Contains([]string{Keeper, Holder, Confine, Runner, Canary, Daemon, Orphan}, args[0]):
		return args[0]
	}
	return ""
}

// EndTimeout bounds how long the end of killed processes is waited for: one may be stuck
// in the kernel.
const EndTimeout = 10 * time.Second

// EgressPort is where, on 127.0.0.1 inside, the listener of a sandbox with a proxy is on
// Linux. It is below 1024, and no command has the capability to bind such a port: on no
// address of the sandbox's own loopback ([::1], 127.0.0.2) can one pretend to other
// commands that it were the proxy. The sandbox's processes hold the port on 127.0.0.1 as
// long as they live, whether or not anybody listens.
const EgressPort = 880

// NamesPort is where, on 127.0.0.1 inside, the sidecar answers resolvers of a denied
// network. It is theirs where /etc/resolv.conf is missing. resolv.conf(5)
const NamesPort = 53
