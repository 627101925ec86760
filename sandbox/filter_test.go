package sandbox

import (
	"encoding/binary"
	"testing"

	"golang.org/x/net/bpf"
)

// The filter runs here in x/net/bpf's machine, which loads words big-endian; the
// kernel loads them natively. So the test lays out struct seccomp_data with each
// 32-bit word big-endian, low half of an argument first.
type call struct {
	nr, arch uint32
	args     [6]uint64
}

func (c call) bytes() []byte {
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

// testNumbers stand for any architecture's table.
func testNumbers() map[string]uint32 {
	nr := map[string]uint32{}
	add := func(names ...string) {
		for _, n := range names {
			if _, ok := nr[n]; !ok {
				nr[n] = uint32(len(nr) + 100)
			}
		}
	}
	add("read", "getppid", "open", "openat", "creat", "mknod", "mknodat", "ioctl", "personality", "clone", "unshare",
		"socket", "socketpair", "kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_open", "fcntl")
	add(deniedCalls...)
	add(absentCalls...)
	add(xattrCalls...)
	add(sysvCalls...)
	add(metadataCalls...)
	add(mediatedCalls...)
	add("openat2", "prctl")
	for _, c := range peerCalls {
		add(c.name)
	}
	return nr
}

func verdict(t *testing.T, mode Mode, net Network, name string, c call) uint32 {
	t.Helper()
	nr := testNumbers()
	raw, err := assemble(testArch, newestOf(nr), filterRules(nr, conf{rung: RungNoUserns, policy: Policy{Mode: mode, Network: net}}, keeper{pid: 4000, tid: 4001}))
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
	const eperm, eacces, enosys = retErrno | errEPERM, retErrno | errEACCES, retErrno | errENOSYS
	a := func(args ...uint64) call {
		var c call
		copy(c.args[:], args)
		return c
	}
	for _, row := range []struct {
		why  string
		net  Network
		name string
		c    call
		want uint32
	}{
		{"ordinary call", NetworkDeny, "read", a(), retAllow},
		{"i386 through int 0x80", NetworkDeny, "", call{nr: 20, arch: 0x40000003}, retKill},
		{"a call that is not known yet", NetworkDeny, "", call{nr: newestOf(testNumbers()) + 1}, enosys},
		{"the newest that is", NetworkDeny, "", call{nr: newestOf(testNumbers())}, retAllow},
		{"x32 number", NetworkDeny, "", call{nr: x32Bit | 39}, enosys},
		{"ptrace", NetworkDeny, "ptrace", a(), eperm},
		{"clone of a thread", NetworkDeny, "clone", a(0x3d0f00), retAllow},
		{"clone of a user namespace", NetworkDeny, "clone", a(0x10000000 | 17), eperm},
		{"unshare of files", NetworkDeny, "unshare", a(0x400), retAllow},
		{"unshare of time", NetworkDeny, "unshare", a(0x80), eperm},
		{"clone3 falls back", NetworkDeny, "clone3", a(), enosys},
		{"inet, denied", NetworkDeny, "socket", a(2, 1), eacces},
		{"inet, allowed", NetworkAllow, "socket", a(2, 1), retAllow},
		{"unix, never", NetworkAllow, "socket", a(1, 1), eacces},
		{"route netlink, allowed", NetworkAllow, "socket", a(16, 3, 0), retAllow},
		{"uevent netlink, never", NetworkAllow, "socket", a(16, 3, 15), eacces},
		{"vsock, never", NetworkAllow, "socket", a(40, 1), eacces},
		{"stream pair", NetworkDeny, "socketpair", a(1, 1|0x80000), retAllow},
		{"seqpacket pair", NetworkDeny, "socketpair", a(1, 5), retAllow},
		{"datagram pair", NetworkDeny, "socketpair", a(1, 2), eacces},
		{"raw pair is a datagram pair", NetworkDeny, "socketpair", a(1, 3), eacces},
		{"kill by name of a process", NetworkDeny, "kill", a(77, 9), retAllow},
		{"kill of the keeper's thread", NetworkDeny, "kill", a(4001, 9), eperm},
		{"the same with high bits", NetworkDeny, "kill", a(1<<32|4001, 9), eperm},
		{"tgkill into the keeper", NetworkDeny, "tgkill", a(4000, 4002, 9), eperm},
		{"tgkill with a wildcard group", NetworkDeny, "tgkill", a(uint64(0xffffffff), 4001, 9), eperm},
		{"pidfd of a thread", NetworkDeny, "pidfd_open", a(77, pidfdThread), eperm},
		{"pidfd of a process", NetworkDeny, "pidfd_open", a(77, 0), retAllow},
		{"chmod", NetworkDeny, "chmod", a(1, 0o755), retNotify},
		{"own priority", NetworkDeny, "setpriority", a(0, 0, 5), retAllow},
		{"another's priority", NetworkDeny, "setpriority", a(0, 77, 5), retNotify},
		{"everybody's priority", NetworkDeny, "setpriority", a(2, 0, 5), eperm},
		{"own limits", NetworkDeny, "prlimit64", a(0, 7, 1), retAllow},
		{"another's limits", NetworkDeny, "prlimit64", a(77, 7, 1), retNotify},
		{"new set-id file", NetworkDeny, "openat", a(0, 0, 0x41, 0o4755), eperm},
		{"opening without creating ignores the mode", NetworkDeny, "openat", a(0, 0, 0, 0o4755), retAllow},
		{"new plain file", NetworkDeny, "openat", a(0, 0, 0x41, 0o755), retAllow},
		{"TIOCSTI", NetworkDeny, "ioctl", a(0, 0x5412), eperm},
		{"TIOCSTI behind high bits", NetworkDeny, "ioctl", a(0, 1<<40|0x5412), eperm},
		{"TIOCGWINSZ", NetworkDeny, "ioctl", a(0, 0x5413), retAllow},
		{"personality query", NetworkDeny, "personality", a(0xffffffff), retAllow},
		{"no address randomisation", NetworkDeny, "personality", a(0x40000), eperm},
	} {
		if got := verdict(t, ReadOnly, row.net, row.name, row.c); got != row.want {
			t.Errorf("%s: %#x, want %#x", row.why, got, row.want)
		}
	}
}

// Only a writable workspace has protected paths, and only what changes something
// costs a turn of the broker.
func TestMediatedCallsOfAWritableWorkspace(t *testing.T) {
	a := func(args ...uint64) call {
		var c call
		copy(c.args[:], args)
		return c
	}
	for _, row := range []struct {
		why, name string
		c         call
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
		{"set-id comes first", "openat", a(0, 0, oCreat|1, 0o4755), retErrno | errEPERM},
		{"openat2", "openat2", a(), retErrno | errENOSYS},
		{"rename", "renameat2", a(), retNotify},
		{"umask", "umask", a(0o22), retNotify},
		{"unreadable process", "prctl", a(prSetDumpable, 0), retErrno},
		{"another prctl", "prctl", a(15), retAllow},
	} {
		if got := verdict(t, WorkspaceWrite, NetworkDeny, row.name, row.c); got != row.want {
			t.Errorf("%s: %#x, want %#x", row.why, got, row.want)
		}
		if got := verdict(t, ReadOnly, NetworkDeny, row.name, row.c); got == retNotify {
			t.Errorf("%s: mediated in read-only mode", row.why)
		}
	}
}
