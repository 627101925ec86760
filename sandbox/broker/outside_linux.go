package broker

import (
	"path"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"github.com/pillion-sidecar/pillion/sandbox/protect"
)

// beyond refuses a change outside of the roots.
func (b *Broker) beyond(file string) *refusal {
	if b.isOutput(file) {
		return &refusal{file, "outputs", "none: saved outputs can only be read", unix.EROFS}
	}
	return &refusal{file, "outside", b.grantFor(file), unix.EACCES}
}

// explain says what a mount of ours refused. Where there are mounts the broker makes every
// call outside of the roots, too: the kernel knows better whether there is anything to be
// refused, and the result of the broker's own call is certain.
func (a *request) explain(err error) {
	if err != unix.EROFS || a.tried == "" || !a.b.outsideReadOnly {
		return
	}
	if in, _, ok := a.b.within(a.tried); ok && !in.inner {
		return // a file system of the host that is read-only for everybody
	}
	r := a.b.beyond(a.tried)
	if r.errno = unix.EROFS; r.rule == "outside" && r.grant != "" && !permitted(a.tried) {
		r.grant = "none: your own permissions don't allow it either"
	}
	_ = a.deny(r)
}

// permitted says that the user could make the change, were it not for the sandbox:
// the kernel looks at permissions first, and at the mount then. access(2)
func permitted(file string) bool {
	var st unix.Stat_t
	if unix.Lstat(file, &st) != nil {
		file = path.Dir(file)
	}
	if err := unix.Faccessat(unix.AT_FDCWD, file, unix.W_OK, unix.AT_EACCESS); err != unix.EACCES {
		return true
	}
	// The owner may change its mode first.
	return unix.Lstat(file, &st) == nil && int(st.Uid) == unix.Geteuid() && st.Uid != overflowID
}

// overflowID stands for every user that is not mapped. user_namespaces(7)
const overflowID = 65534

// ungranted are directories that no policy can make writable.
var ungranted = []string{"/proc", "/sys", "/dev", "/run"}

// grantFor names the smallest setting that would allow a change, but none that would
// give everything away.
func (b *Broker) grantFor(file string) string {
	dir := path.Dir(file)
	holds := func(d string) bool { return policy.Beneath(d, file) }
	switch {
	case slices.ContainsFunc(b.readOnly, holds):
		return `sandbox.mode "workspace-write"`
	case dir == "/" || b.user != "" && policy.Beneath(dir, b.user) || slices.ContainsFunc(ungranted, holds):
		return ""
	case protect.Obeyed(file): // a hook of another project: no click makes it a command's
		return "none: your own tools obey what is there"
	}
	return "sandbox.writable " + strconv.Quote(dir)
}
