package sandbox

import "golang.org/x/sys/unix"

// replaceConfig does what git does at the end of every change of its settings,
// renaming config.lock to config, when the change is harmless. The new file is
// the broker's own: the caller may still have the lock open, and write to it
// after it was read.
func (a *ask) replaceConfig(from, to place) bool {
	if to.name != "config" || from.name != "config.lock" || a.zoneOf(to.full()).rule != dotGit+"/config" || !sameFile(from.dir, to.dir) {
		return false
	}
	var st unix.Stat_t
	if unix.Fstatat(to.dir, to.name, &st, unix.AT_SYMLINK_NOFOLLOW) != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		return false
	}
	before, err := readSmall(to.dir, to.name)
	if err != nil {
		return false
	}
	after, err := readSmall(from.dir, from.name)
	if err != nil || harmlessEdit(before, after) != nil {
		return false
	}
	return replaceFile(to.dir, to.name, after, st.Mode) == nil && unix.Unlinkat(from.dir, from.name, 0) == nil
}
