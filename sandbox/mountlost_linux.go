package sandbox

import "golang.org/x/sys/unix"

// lost lists what the plan hides and what is seen again. The kernel takes a mount
// away, in every namespace, when somebody on the host renames another file over
// the one it is on, as an editor's save, `npm login` and passwd do. A caller who
// finds any must end the sandbox and build another. It needs no capability and
// may be asked from inside before every command: some microseconds a path.
func (p mountPlan) lost() []string {
	var seen []string
	for _, s := range p.steps {
		if s.op != opBlank && s.op != opClosed {
			continue
		}
		var st unix.Statx_t
		err := unix.Statx(unix.AT_FDCWD, s.path, unix.AT_SYMLINK_NOFOLLOW|unix.AT_NO_AUTOMOUNT, unix.STATX_TYPE, &st)
		if err == nil && st.Attributes&unix.STATX_ATTR_MOUNT_ROOT == 0 {
			seen = append(seen, s.path)
		}
	}
	return seen
}
