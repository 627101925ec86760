package mounts

import (
	"slices"
	"testing"
)

func TestKernelMountsAreFoundWhereNobodyLooksForThem(t *testing.T) {
	got := kernelMounts(`22 27 0:21 / /proc rw,relatime - proc proc rw
23 27 0:22 / /sys rw,relatime - sysfs sysfs rw
31 23 0:28 / /sys/fs/cgroup rw,relatime shared:9 - cgroup2 cgroup2 rw
32 23 0:29 / /sys/kernel/debug rw,relatime - debugfs debugfs rw
33 24 0:24 / /dev/pts rw,relatime - devpts devpts rw
34 27 0:21 / /srv/my\040chroot/proc rw shared:1 master:2 - proc proc rw
35 27 0:22 / /srv/back\134slash ro - sysfs sysfs ro
36 27 0:22 / /srv/back\134slash ro - sysfs sysfs ro
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw
not a line
`)
	want := []string{`/srv/back\slash`, "/srv/my chroot/proc", "/sys/kernel/debug"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestMappedReadsTheKernelsMap(t *testing.T) {
	for in, want := range map[string]bool{
		"         0          0 4294967295\n": true, "1000 1000 1\n": false, "5 100000 1\n": true, "0 0 5\n": false,
		"1000 1000 1\n0 1 65536\n": true, "": false, "x y z\n": false,
	} {
		if got := mapped(in, 5); got != want {
			t.Errorf("%q: %v", in, got)
		}
	}
}
