package seccomp

import "github.com/pillion-sidecar/pillion/sandbox/policy"

// Errno values of every Linux architecture we build for.
const (
	ErrEPERM      = 1
	errEACCES     = 13
	errEINVAL     = 22
	ErrENOSYS     = 38
	errEOPNOTSUPP = 95
)

// Values of the kernel ABI the filter compares with.
const (
	namespaceFlags = 0x7E020000 // CLONE_NEWNS … CLONE_NEWNET
	newTimeFlag    = 0x80       // CLONE_NEWTIME, unshare(2) only
	afUnix         = 1
	afInet         = 2
	afInet6        = 10
	afNetlink      = 16
	sockTypeMask   = 0xf
	sockStream     = 1
	sockSeqpacket  = 5
	prioUser       = 2
	ioprioWhoUser  = 3
	setown         = 8  // F_SETOWN
	setownEx       = 15 // F_SETOWN_EX
	setLease       = 1024
	oAccMode       = 3
	oCreat         = 0x40
	oTrunc         = 0x200
	oPath          = 0x200000
	oTmpfile       = 0x400000
	setIDBits      = 0o6000
	PidfdThread    = 0x80 // O_EXCL
	prSetDumpable  = 4
	aboveSmallSet  = ^uint32(0xff)
)

// deniedIoctls type into terminals (CVE-2017-5226), or change inode attributes
// through a descriptor opened only for reading, which Landlock doesn't see.
var deniedIoctls = []uint32{
	0x5412, 0x541C, 0x5423, // TIOCSTI, TIOCLINUX, TIOCSETD
	0x40086602, 0x40046602, // FS_IOC_SETFLAGS, 32-bit form
	0x401c5820,     // FS_IOC_FSSETXATTR
	0x8901, 0x8902, // FIOSETOWN, SIOCSPGRP: whose signals a socket's are, in memory
	0x40806685, 0x800c6613, // FS_IOC_ENABLE_VERITY, FS_IOC_SET_ENCRYPTION_POLICY
	// btrfs and bcachefs make and remove whole directories through a descriptor
	// opened for reading, past every path rule: a snapshot could be named .git.
	0x50009401, 0x5000940e, 0x5000940f, // BTRFS_IOC_SNAP_CREATE, SUBVOL_CREATE, SNAP_DESTROY
	0x50009417, 0x50009418, 0x5000943f, // their second versions
	0x4020bc10, 0x4020bc11, // BCHFS_IOC_SUBVOLUME_CREATE, SUBVOLUME_DESTROY
}

// Runner identifies the process that owns the tree and its restricted thread.
// That thread is in the commands' own Landlock domain, so the signal scope does
// not protect it: a command that signals its thread id would end the process
// that has to kill it.
type Runner struct{ PID, TID uint32 }

// Rules is the seccomp policy. names that an architecture lacks are
// absent from nr.
func Rules(nr map[string]uint32, c policy.Conf, k Runner) []Rule {
	b := Builder{Nr: nr}
	b.All(RetErrno|ErrEPERM, in(denied))
	b.All(RetErrno|ErrENOSYS, in(absent))
	b.Namespaces()
	if c.Namespaced() {
		b.families()
		b.All(retNotify, in(address))
		b.add("semget", RetErrno|errEINVAL, hasAny(1, aboveSmallSet)) // memory in /proc
	} else {
		b.All(RetErrno|errEOPNOTSUPP, in(attribute))
		b.All(RetErrno|errEACCES, in(sysv))
		b.sockets(c.Policy.Network)
	}
	b.signals(k)
	b.metadata()
	if c.Policy.Mode == policy.WorkspaceWrite {
		b.mediate()
	}
	b.peers()
	if !c.Namespaced() { // a pid namespace has no others
		b.add("inotify_add_watch", retNotify)
	}
	for _, cmd := range deniedIoctls {
		b.add("ioctl", RetErrno|ErrEPERM, Is(1, cmd))
	}
	// ADDR_NO_RANDOMIZE and foreign personalities; querying stays.
	b.add("personality", RetErrno|ErrEPERM, isNot(0, 0), isNot(0, 0xffffffff))
	return b.Rules
}

// Builder adds rules by the names of calls, those that an architecture has.
type Builder struct {
	Nr    map[string]uint32
	Rules []Rule
}

func (b *Builder) add(name string, ret uint32, conds ...Cond) {
	if nr, ok := b.Nr[name]; ok {
		b.Rules = append(b.Rules, Rule{nr, conds, ret})
	}
}

// All answers every call of names alike.
func (b *Builder) All(ret uint32, names []string) {
	for _, n := range names {
		b.add(n, ret)
	}
}

// Namespaces refuses what makes one.
func (b *Builder) Namespaces() {
	b.add("clone", RetErrno|ErrEPERM, hasAny(0, namespaceFlags))
	b.add("unshare", RetErrno|ErrEPERM, hasAny(0, namespaceFlags|newTimeFlag))
}

// sockets refuses every family the kernel can't confine here. Landlock sees
// neither UDP nor a connect to a socket file (docker.sock, the session bus), and
// a datagram socketpair can still send to any path, so those are refused too.
func (b *Builder) sockets(net policy.Network) {
	if net == policy.NetworkAllow {
		b.add("socket", retAllow, Is(0, afInet))
		b.add("socket", retAllow, Is(0, afInet6))
		b.add("socket", retAllow, Is(0, afNetlink), Is(2, 0)) // NETLINK_ROUTE: getaddrinfo
	}
	b.add("socket", RetErrno|errEACCES)
	b.add("socketpair", retAllow, Is(0, afUnix), masked(1, sockTypeMask, sockStream))
	b.add("socketpair", retAllow, Is(0, afUnix), masked(1, sockTypeMask, sockSeqpacket))
	b.add("socketpair", RetErrno|errEACCES)
}

// families leaves the sockets that a network namespace and a private /run
// confine, and no other: VSOCK reaches the hypervisor past every namespace.
func (b *Builder) families() {
	for _, name := range []string{"socket", "socketpair"} {
		b.add(name, retAllow, Is(0, afUnix))
		b.add(name, retAllow, Is(0, afInet))
		b.add(name, retAllow, Is(0, afInet6))
		b.add(name, retAllow, Is(0, afNetlink), Is(2, 0)) // NETLINK_ROUTE: getaddrinfo, ip
		b.add(name, RetErrno|errEACCES)
	}
}

// signals guards the runner's restricted thread; the Landlock scope guards
// everything else outside.
func (b *Builder) signals(k Runner) {
	for _, name := range []string{"kill", "tkill", "rt_sigqueueinfo"} {
		b.add(name, RetErrno|ErrEPERM, Is(0, k.TID))
		b.add(name, RetErrno|ErrEPERM, Is(0, k.PID))
	}
	for _, name := range []string{"tgkill", "rt_tgsigqueueinfo"} {
		b.add(name, RetErrno|ErrEPERM, Is(0, k.PID))
		b.add(name, RetErrno|ErrEPERM, Is(1, k.TID))
	}
	b.add("pidfd_open", RetErrno|ErrEPERM, hasAny(1, PidfdThread))
	b.add("pidfd_open", RetErrno|ErrEPERM, Is(0, k.TID))
	// A descriptor's owner gets any signal that F_SETSIG names, as by kill(2).
	b.add("fcntl", RetErrno|ErrEPERM, Is(1, setownEx))
	b.add("fcntl", RetErrno|ErrEPERM, Is(1, setown), Is(2, k.PID))
	b.add("fcntl", RetErrno|ErrEPERM, Is(1, setown), Is(2, k.TID))
	b.add("fcntl", RetErrno|ErrEPERM, Is(1, setLease)) // who writes elsewhere would wait for us
}

// metadata sends the calls Landlock has no right for to the broker, and refuses
// set-id bits where a mode makes a new file.
func (b *Builder) metadata() {
	b.All(retNotify, in(metadata))
	b.add("open", RetErrno|ErrEPERM, hasAny(1, oCreat|oTmpfile), hasAny(2, setIDBits))
	b.add("openat", RetErrno|ErrEPERM, hasAny(2, oCreat|oTmpfile), hasAny(3, setIDBits))
	b.add("creat", RetErrno|ErrEPERM, hasAny(1, setIDBits))
	b.add("mknod", RetErrno|ErrEPERM, hasAny(1, setIDBits))
	b.add("mknodat", RetErrno|ErrEPERM, hasAny(2, setIDBits))
}

// mediate sends every call that makes, changes or removes something by name to the broker,
// because protected paths are protected by name. Opening for reading stays in the kernel.
// A process that can't be read can't be served, so making itself unreadable (gpg-agent
// does) is answered and not done: processes of the sandbox can't attach to it anyway.
func (b *Builder) mediate() {
	const writes = oAccMode | oCreat | oTrunc | oTmpfile
	for name, flags := range map[string]uint32{"open": 1, "openat": 2} {
		b.add(name, retAllow, hasAny(flags, oPath)) // the kernel then ignores the others
		b.add(name, retNotify, hasAny(flags, writes))
	}
	b.All(retNotify, in(mediated))
	b.All(retNotify, in(setAttribute))
	b.All(RetErrno|ErrENOSYS, in(newAttribute))
	b.add("openat2", RetErrno|ErrENOSYS) // flags in memory; callers fall back
	b.add("prctl", RetErrno, Is(0, prSetDumpable))
}

// peers sends calls that act on another process by number to the broker, which
// lets them through only inside the command's own tree: prlimit(2) on the
// editor's pid with RLIMIT_CPU 0 would kill it, and no LSM hook of ours sees it. In a pid
// namespace there is still its first process, ours: with RLIMIT_FSIZE 0 on that one, what
// sets refs aside after the command could write nothing, and the commands after it neither.
func (b *Builder) peers() {
	b.add("setpriority", RetErrno|ErrEPERM, Is(0, prioUser))
	b.add("ioprio_set", RetErrno|ErrEPERM, Is(0, ioprioWhoUser))
	for _, name := range in(peer) {
		b.add(name, retNotify, isNot(0, 0))
	}
	for _, name := range in(peer2) {
		b.add(name, retNotify, isNot(1, 0))
	}
}
