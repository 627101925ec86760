package seccomp

import (
	"encoding/binary"
	"testing"

	"golang.org/x/net/bpf"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// The filter runs here in x/net/bpf's machine, which loads words big-endian; the
// kernel loads them natively. So the test lays out struct seccomp_data with each
// 32-bit word big-endian, low half of an argument first.
type made struct {
	nr, arch uint32
	args     [6]uint64
}

func (c made) bytes() []byte {
	b := make([]byte, 64)
	binary.BigEndian.PutUint32(b[offNr:], c.nr)
	binary.BigEndian.PutUint32(b[offArch:], c.arch)
	for i, a := range c.args {
		binary.BigEndian.PutUint32(b[offArgs+8*i:], uint32(a))
		binary.BigEndian.PutUint32(b[offArgs+8*i+4:], uint32(a>>32))
	}
	return b
}

const testArch = 0xC000003E

// testNumbers are one architecture's, with two calls that nobody asks about.
func testNumbers() map[string]uint32 {
	nr := numbers("amd64")
	nr["read"], nr["getppid"] = 0, 110
	return nr
}

func verdict(t *testing.T, mode policy.Mode, net policy.Network, name string, c made) uint32 {
	t.Helper()
	nr := testNumbers()
	raw, err := Assemble(testArch, Newest(nr), Rules(nr, policy.Conf{Rung: policy.RungNoUserns, Policy: policy.Policy{Mode: mode, Network: net}}, Runner{PID: 4000, TID: 4001}))
	if err != nil {
		t.Fatal(err)
	}
	if len(raw) > 4096 {
		t.Fatalf("%d instructions; the kernel takes 4096", len(raw))
	}
	prog := make([]bpf.Instruction, len(raw))
	for i, r := range raw {
		prog[i] = r.Disassemble()
	}
	vm, err := bpf.NewVM(prog)
	if err != nil {
		t.Fatal(err)
	}
	if c.arch == 0 {
		c.arch = testArch
	}
	if name != "" {
		n, ok := nr[name]
		if !ok {
			t.Fatalf("no number for %s", name)
		}
		c.nr = n
	}
	out, err := vm.Run(c.bytes())
	if err != nil {
		t.Fatal(err)
	}
	return uint32(out)
}

func TestFilterVerdicts(t *testing.T) {
	const eperm, eacces, enosys = RetErrno | ErrEPERM, RetErrno | errEACCES, RetErrno | ErrENOSYS
	a := func(args ...uint64) made {
		var c made
		copy(c.args[:], args)
		return c
	}
	for _, row := range []struct {
		why  string
		net  policy.Network
		name string
		c    made
		want uint32
	}{
		{"ordinary call", policy.NetworkDeny, "read", a(), retAllow},
		{"i386 through int 0x80", policy.NetworkDeny, "", made{nr: 20, arch: 0x40000003}, retKill},
		{"a call that is not known yet", policy.NetworkDeny, "", made{nr: Newest(testNumbers()) + 1}, enosys},
		{"one that nobody names", policy.NetworkDeny, "", made{nr: Newest(testNumbers()) - 1}, retAllow},
		{"x32 number", policy.NetworkDeny, "", made{nr: X32Bit | 39}, enosys},
		{"ptrace", policy.NetworkDeny, "ptrace", a(), eperm},
		{"clone of a thread", policy.NetworkDeny, "clone", a(0x3d0f00), retAllow},
		{"clone of a user namespace", policy.NetworkDeny, "clone", a(0x10000000 | 17), eperm},
		{"unshare of files", policy.NetworkDeny, "unshare", a(0x400), retAllow},
		{"unshare of time", policy.NetworkDeny, "unshare", a(0x80), eperm},
		{"clone3 falls back", policy.NetworkDeny, "clone3", a(), enosys},
		{"inet, denied", policy.NetworkDeny, "socket", a(2, 1), eacces},
		{"inet, allowed", policy.NetworkAllow, "socket", a(2, 1), retAllow},
		{"unix, never", policy.NetworkAllow, "socket", a(1, 1), eacces},
		{"route netlink, allowed", policy.NetworkAllow, "socket", a(16, 3, 0), retAllow},
		{"uevent netlink, never", policy.NetworkAllow, "socket", a(16, 3, 15), eacces},
		{"vsock, never", policy.NetworkAllow, "socket", a(40, 1), eacces},
		{"stream pair", policy.NetworkDeny, "socketpair", a(1, 1|0x80000), retAllow},
		{"seqpacket pair", policy.NetworkDeny, "socketpair", a(1, 5), retAllow},
		{"datagram pair", policy.NetworkDeny, "socketpair", a(1, 2), eacces},
		{"raw pair is a datagram pair", policy.NetworkDeny, "socketpair", a(1, 3), eacces},
		{"kill by name of a process", policy.NetworkDeny, "kill", a(77, 9), retAllow},
		{"kill of the runner's thread", policy.NetworkDeny, "kill", a(4001, 9), eperm},
		{"the same with high bits", policy.NetworkDeny, "kill", a(1<<32|4001, 9), eperm},
		{"tgkill into the runner", policy.NetworkDeny, "tgkill", a(4000, 4002, 9), eperm},
		{"tgkill with a wildcard group", policy.NetworkDeny, "tgkill", a(uint64(0xffffffff), 4001, 9), eperm},
		{"SIGIO to the runner", policy.NetworkDeny, "fcntl", a(3, setown, 4000), eperm},
		{"SIGIO to its thread", policy.NetworkDeny, "fcntl", a(3, setown, 4001), eperm},
		{"SIGIO to oneself", policy.NetworkDeny, "fcntl", a(3, setown, 77), retAllow},
		{"an owner behind a pointer", policy.NetworkDeny, "ioctl", a(3, 0x8901), eperm},
		{"pidfd of a thread", policy.NetworkDeny, "pidfd_open", a(77, PidfdThread), eperm},
		{"pidfd of a process", policy.NetworkDeny, "pidfd_open", a(77, 0), retAllow},
		{"chmod", policy.NetworkDeny, "chmod", a(1, 0o755), retNotify},
		{"own priority", policy.NetworkDeny, "setpriority", a(0, 0, 5), retAllow},
		{"another's priority", policy.NetworkDeny, "setpriority", a(0, 77, 5), retNotify},
		{"everybody's priority", policy.NetworkDeny, "setpriority", a(2, 0, 5), eperm},
		{"own limits", policy.NetworkDeny, "prlimit64", a(0, 7, 1), retAllow},
		{"another's limits", policy.NetworkDeny, "prlimit64", a(77, 7, 1), retNotify},
		{"new set-id file", policy.NetworkDeny, "openat", a(0, 0, 0x41, 0o4755), eperm},
		{"opening without creating ignores the mode", policy.NetworkDeny, "openat", a(0, 0, 0, 0o4755), retAllow},
		{"new plain file", policy.NetworkDeny, "openat", a(0, 0, 0x41, 0o755), retAllow},
		{"TIOCSTI", policy.NetworkDeny, "ioctl", a(0, 0x5412), eperm},
		{"TIOCSTI behind high bits", policy.NetworkDeny, "ioctl", a(0, 1<<40|0x5412), eperm},
		{"TIOCGWINSZ", policy.NetworkDeny, "ioctl", a(0, 0x5413), retAllow},
		{"personality query", policy.NetworkDeny, "personality", a(0xffffffff), retAllow},
		{"no address randomisation", policy.NetworkDeny, "personality", a(0x40000), eperm},
	} {
		if got := verdict(t, policy.ReadOnly, row.net, row.name, row.c); got != row.want {
			t.Errorf("%s: %#x, want %#x", row.why, got, row.want)
		}
	}
}

// Only a writable workspace has protected paths, and only what changes something
// costs a turn of the broker.
func TestMediatedCallsOfAWritableWorkspace(t *testing.T) {
	a := func(args ...uint64) made {
		var c made
		copy(c.args[:], args)
		return c
	}
	for _, row := range []struct {
		why, name string
		c         made
		want      uint32
	}{
		{"plain read", "openat", a(0, 0, 0x80000), retAllow},
		{"directory read", "open", a(0, 0x90000), retAllow},
		{"write", "openat", a(0, 0, 1), retNotify},
		{"read and write", "open", a(0, 2), retNotify},
		{"neither, for ioctls", "open", a(0, 3), retNotify},
		{"create for reading", "openat", a(0, 0, oCreat), retNotify},
		{"truncate for reading", "open", a(0, oTrunc), retNotify},
		{"unnamed", "openat", a(0, 0, oTmpfile|0x10000|2), retNotify},
		{"no file at all", "openat", a(0, 0, oPath|oCreat|2), retAllow},
		{"set-id comes first", "openat", a(0, 0, oCreat|1, 0o4755), RetErrno | ErrEPERM},
		{"openat2", "openat2", a(), RetErrno | ErrENOSYS},
		{"rename", "renameat2", a(), retNotify},
		{"umask", "umask", a(0o22), retNotify},
		{"unreadable process", "prctl", a(prSetDumpable, 0), RetErrno},
		{"another prctl", "prctl", a(15), retAllow},
	} {
		if got := verdict(t, policy.WorkspaceWrite, policy.NetworkDeny, row.name, row.c); got != row.want {
			t.Errorf("%s: %#x, want %#x", row.why, got, row.want)
		}
		if got := verdict(t, policy.ReadOnly, policy.NetworkDeny, row.name, row.c); got == retNotify {
			t.Errorf("%s: mediated in read-only mode", row.why)
		}
	}
}
