package sandbox

// Errno values of every Linux architecture we build for.
const (
	errEPERM      = 1
	errEACCES     = 13
	errEINVAL     = 22
	errENOSYS     = 38
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
	setownEx       = 15 // F_SETOWN_EX
	setLease       = 1024
	oAccMode       = 3
	oCreat         = 0x40
	oTrunc         = 0x200
	oPath          = 0x200000
	oTmpfile       = 0x400000
	setIDBits      = 0o6000
	pidfdThread    = 0x80 // O_EXCL
	prSetDumpable  = 4
	aboveSmallSet  = ^uint32(0xff)
)

// deniedIoctls type into terminals (CVE-2017-5226), or change inode attributes
// through a descriptor opened only for reading, which Landlock doesn't see.
var deniedIoctls = []uint32{
	0x5412, 0x541C, 0x5423, // TIOCSTI, TIOCLINUX, TIOCSETD
	0x40086602, 0x40046602, // FS_IOC_SETFLAGS, 32-bit form
	0x401c5820,             // FS_IOC_FSSETXATTR
	0x40806685, 0x800c6613, // FS_IOC_ENABLE_VERITY, FS_IOC_SET_ENCRYPTION_POLICY
	// btrfs and bcachefs make and remove whole directories through a descriptor
	// opened for reading, past every path rule: a snapshot could be named .git.
	0x50009401, 0x5000940e, 0x5000940f, // BTRFS_IOC_SNAP_CREATE, SUBVOL_CREATE, SNAP_DESTROY
	0x50009417, 0x50009418, 0x5000943f, // their second versions
	0x4020bc10, 0x4020bc11, // BCHFS_IOC_SUBVOLUME_CREATE, SUBVOLUME_DESTROY
}

// keeper identifies the process that owns the tree and its restricted thread.
// That thread is in the commands' own Landlock domain, so the signal scope does
// not protect it: a command that signals its thread id would end the process
// that has to kill it.
type keeper struct{ pid, tid uint32 }

// filterRules is the seccomp policy. names that an architecture lacks are
// absent from nr.
func filterRules(nr map[string]uint32, c conf, k keeper) []sysRule {
	b := builder{nr: nr}
	b.all(retErrno|errEPERM, deniedCalls)
	b.all(retErrno|errENOSYS, absentCalls)
	b.namespaces()
	if c.namespaced() {
		b.families()
		b.add("semget", retErrno|errEINVAL, hasAny(1, aboveSmallSet)) // nobody's memory in /proc
	} else {
		b.all(retErrno|errEOPNOTSUPP, xattrCalls)
		b.all(retErrno|errEOPNOTSUPP, readXattrCalls)
		b.all(retErrno|errEACCES, sysvCalls)
		b.sockets(c.policy.Network)
	}
	b.signals(k)
	b.metadata()
	if c.policy.Mode == WorkspaceWrite {
		b.mediate()
	}
	if !c.namespaced() { // a pid namespace has no others
		b.peers()
	}
	for _, cmd := range deniedIoctls {
		b.add("ioctl", retErrno|errEPERM, is(1, cmd))
	}
	// ADDR_NO_RANDOMIZE and foreign personalities; querying stays.
	b.add("personality", retErrno|errEPERM, isNot(0, 0), isNot(0, 0xffffffff))
	return b.rules
}

type builder struct {
	nr    map[string]uint32
	rules []sysRule
}

func (b *builder) add(name string, ret uint32, conds ...cond) {
	if nr, ok := b.nr[name]; ok {
		b.rules = append(b.rules, sysRule{nr, conds, ret})
	}
}

func (b *builder) all(ret uint32, names []string) {
	for _, n := range names {
		b.add(n, ret)
	}
}

func (b *builder) namespaces() {
	b.add("clone", retErrno|errEPERM, hasAny(0, namespaceFlags))
	b.add("unshare", retErrno|errEPERM, hasAny(0, namespaceFlags|newTimeFlag))
}

// sockets refuses every family the kernel can't confine here. Landlock sees
// neither UDP nor a connect to a socket file (docker.sock, the session bus), and
// a datagram socketpair can still send to any path, so those are refused too.
func (b *builder) sockets(net Network) {
	if net == NetworkAllow {
		b.add("socket", retAllow, is(0, afInet))
		b.add("socket", retAllow, is(0, afInet6))
		b.add("socket", retAllow, is(0, afNetlink), is(2, 0)) // NETLINK_ROUTE: getaddrinfo
	}
	b.add("socket", retErrno|errEACCES)
	b.add("socketpair", retAllow, is(0, afUnix), masked(1, sockTypeMask, sockStream))
	b.add("socketpair", retAllow, is(0, afUnix), masked(1, sockTypeMask, sockSeqpacket))
	b.add("socketpair", retErrno|errEACCES)
}

// families leaves the sockets that a network namespace and a private /run
// confine, and no other: VSOCK reaches the hypervisor past every namespace.
func (b *builder) families() {
	for _, name := range []string{"socket", "socketpair"} {
		b.add(name, retAllow, is(0, afUnix))
		b.add(name, retAllow, is(0, afInet))
		b.add(name, retAllow, is(0, afInet6))
		b.add(name, retAllow, is(0, afNetlink), is(2, 0)) // NETLINK_ROUTE: getaddrinfo, ip
		b.add(name, retErrno|errEACCES)
	}
}

// signals guards the keeper's restricted thread; the Landlock scope guards
// everything else outside.
func (b *builder) signals(k keeper) {
	for _, name := range []string{"kill", "tkill", "rt_sigqueueinfo"} {
		b.add(name, retErrno|errEPERM, is(0, k.tid))
		b.add(name, retErrno|errEPERM, is(0, k.pid))
	}
	for _, name := range []string{"tgkill", "rt_tgsigqueueinfo"} {
		b.add(name, retErrno|errEPERM, is(0, k.pid))
		b.add(name, retErrno|errEPERM, is(1, k.tid))
	}
	b.add("pidfd_open", retErrno|errEPERM, hasAny(1, pidfdThread))
	b.add("pidfd_open", retErrno|errEPERM, is(0, k.tid))
	b.add("fcntl", retErrno|errEPERM, is(1, setownEx)) // SIGIO to a chosen thread
	b.add("fcntl", retErrno|errEPERM, is(1, setLease)) // who writes elsewhere would wait for us
}

// metadata sends the calls Landlock has no right for to the broker, and refuses
// set-id bits where a mode makes a new file.
func (b *builder) metadata() {
	b.all(retNotify, metadataCalls)
	b.add("open", retErrno|errEPERM, hasAny(1, oCreat|oTmpfile), hasAny(2, setIDBits))
	b.add("openat", retErrno|errEPERM, hasAny(2, oCreat|oTmpfile), hasAny(3, setIDBits))
	b.add("creat", retErrno|errEPERM, hasAny(1, setIDBits))
	b.add("mknod", retErrno|errEPERM, hasAny(1, setIDBits))
	b.add("mknodat", retErrno|errEPERM, hasAny(2, setIDBits))
}

// mediate sends every call that makes, changes or removes something by name to
// the broker, because protected paths are protected by name. Opening for reading
// stays in the kernel. A process that can't be read can't be served, so making
// itself unreadable (gpg-agent does) is answered and not done: nobody in the
// sandbox can attach to it anyway.
func (b *builder) mediate() {
	const writes = oAccMode | oCreat | oTrunc | oTmpfile
	for name, flags := range map[string]uint32{"open": 1, "openat": 2} {
		b.add(name, retAllow, hasAny(flags, oPath)) // the kernel then ignores the others
		b.add(name, retNotify, hasAny(flags, writes))
	}
	b.all(retNotify, mediatedCalls)
	b.all(retNotify, changedXattrCalls)
	b.all(retErrno|errENOSYS, newXattrCalls)
	b.add("openat2", retErrno|errENOSYS) // flags behind a pointer; callers fall back
	b.add("prctl", retErrno, is(0, prSetDumpable))
}

// peers sends calls that act on another process by number to the broker, which
// lets them through only inside the command's own tree: prlimit(2) on the
// editor's pid with RLIMIT_CPU 0 would kill it, and no LSM hook of ours sees it.
func (b *builder) peers() {
	b.add("setpriority", retErrno|errEPERM, is(0, prioUser))
	b.add("ioprio_set", retErrno|errEPERM, is(0, ioprioWhoUser))
	for _, c := range peerCalls {
		b.add(c.name, retNotify, isNot(c.arg, 0))
	}
}
