package sandbox

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// What can't be read can't be watched either, and the rest can, on every rung.
func TestWhatCannotBeReadIsNotWatched(t *testing.T) {
	onEveryRung(t, func(t *testing.T, _ string) {
		b := newBench(t)
		b.host("mkdir ws.d; echo x > ws.d/f; ln -s ws.d link")
		if o := b.helper("helper-watch", b.out, realHome(), "/root"); o.status.Code != 0 {
			t.Errorf("%+v", o)
		}
	})
}

// watchHelper watches the workspace, and must not get to watch any of these directories
// unless it can list them.
func watchHelper(hidden []string) int {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	for _, dir := range hidden {
		if _, err := os.ReadDir(dir); err == nil {
			continue // the sandbox's own, at the host's path
		}
		if _, err := unix.InotifyAddWatch(fd, dir, unix.IN_ALL_EVENTS); err == nil {
			fmt.Println("watched", dir)
			return 1
		}
	}
	wd, err := unix.InotifyAddWatch(fd, "ws.d", unix.IN_CREATE)
	again, err2 := unix.InotifyAddWatch(fd, "link/f", unix.IN_MODIFY)
	_, gone := unix.InotifyAddWatch(fd, "none", unix.IN_MODIFY)
	_, bad := unix.InotifyAddWatch(0, "ws.d", unix.IN_MODIFY)
	_, link := unix.InotifyAddWatch(fd, "link", unix.IN_MODIFY|unix.IN_ONLYDIR|unix.IN_DONT_FOLLOW)
	if err = errors.Join(err, err2, want(gone, unix.ENOENT, bad, unix.EINVAL), os.WriteFile("ws.d/new", nil, 0o600)); err != nil || wd == again || link == nil {
		fmt.Println(err, wd, again, link)
		return 1
	}
	var buf [4096]byte
	if n, err := unix.Read(fd, buf[:]); err != nil || n < unix.SizeofInotifyEvent || int(buf[0]) != wd {
		fmt.Println(n, err, buf[:16], wd)
		return 1
	}
	return 0
}
