package executor

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/test/needs"
)

// fullDisk is a file whose disk is always full. full(4)
func fullDisk(t *testing.T) *os.File {
	t.Helper()
	f, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFullDiskIsAFullSpoolAndSaysSo(t *testing.T) {
	for _, onFull := range []string{DropMiddle, Block, Terminate} {
		b := &budget{limit: 1000}
		s := &spool{dir: t.TempDir(), max: 500, tail: 100, onFull: onFull, budget: b, file: fullDisk(t)}
		if got := s.append([]byte("hello")); got || s.reason() != gapDisk || s.err() != nil {
			t.Errorf("%s: whole %v, %s, %v", onFull, got, s.reason(), s.err())
		}
		s.append([]byte("world"))
		if n, next, err := s.read(make([]byte, 10), 0); n != 0 || next != 10 || err != nil {
			t.Errorf("%s: %d bytes up to %d, %v", onFull, n, next, err)
		}
		if onFull == Block && s.room(100) != 0 {
			t.Error("room on a full disk")
		}
		if b.used() != 0 {
			t.Errorf("%s: %d bytes reserved for nothing", onFull, b.used())
		}
		s.close()
	}
}

// smallDisk is a file system of that size. Who may not mount one runs the test once
// more in a user namespace of its own, where everybody may, and gets "".
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	err := unix.Mount("small", dir, "tmpfs", 0, "size="+size)
	if err == nil {
		t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
		return dir
	}
	if os.Getenv("PILLION_TEST_MOUNTS") != "" {
		t.Fatal(err)
	}
	cmd := exec.Command("/proc/self/exe", "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), "PILLION_TEST_MOUNTS=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}},
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return ""
}

// The disk may become full while a spool grows, and have room again.
func TestDiskThatFillsUpKeepsTheNewestBytesInWhatThereIs(t *testing.T) {
	needs.Namespaces(t)
	dir := smallDisk(t, "256k")
	if dir == "" {
		return // it ran where it can have one
	}
	r := newRig(t, func(c *Config) { keeping(c); c.SpoolDir = dir })
	r.echo("first")
	res, rec := r.must(Request{ID: "big", Command: "seq 1 200000", Output: OutputRequest{Stream: true}})
	o, want := res.Output[Stdout], exactSeq(200000)
	if res.Reason != Exited || *res.ExitCode != 0 || o.TotalBytes != int64(len(want)) || o.StreamedBytes+o.DroppedBytes != o.TotalBytes {
		t.Errorf("%+v", o)
	}
	for _, g := range rec.gaps { // none where the client kept up
		if g.Reason != gapDisk {
			t.Errorf("%+v", g)
		}
	}
	if p := r.mustRead("big", Stdout, ReadRequest{Offset: o.TotalBytes / 2, Max: 10}); len(p.Gaps) != 1 || p.Gaps[0].Reason != gapDisk {
		t.Errorf("%+v", p)
	}
	if out := rec.text(Stdout); !strings.HasSuffix(out, "199999\n200000\n") || !strings.HasPrefix(out, "1\n2\n") {
		t.Errorf("%.20q", out)
	}
	res, rec = r.must(Request{ID: "none", Command: "head -c 100000 /dev/zero", Output: OutputRequest{Stream: true}})
	if o := res.Output[Stdout]; res.Reason != Exited || o.DroppedBytes < 90000 || rec.gaps[0].Reason != gapDisk {
		t.Errorf("%+v %+v", o, rec.gaps)
	}
	if got := r.readAll("first", Stdout, ReadRequest{}); string(got) != "first\n" {
		t.Errorf("another command lost %q", got)
	}
	r.e.Release("big")
	r.echo("last")
	if got := r.readAll("last", Stdout, ReadRequest{}); string(got) != "last\n" {
		t.Errorf("%q", got)
	}
}

// nearlyFull makes the engine's disk one that is below its floor.
func (r *rig) nearlyFull() {
	r.e.spools.mu.Lock()
	defer r.e.spools.mu.Unlock()
	r.e.spools.disk.floor, r.e.spools.disk.clear = 1<<60, 0
}

func TestFreeSpaceFloorIsAFullSpool(t *testing.T) {
	r := newRig(t, keeping)
	r.echo("old")
	_, rec, got := r.soon(streamed("echo up; while [ ! -e go ]; do sleep 0.01; done; echo more"))
	r.nearlyFull()
	if err := os.WriteFile(r.ws+"/go", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	res := <-got
	o := res.Output[Stdout]
	if res.Reason != Exited || o.TotalBytes != 8 || o.DroppedBytes == 0 || len(rec.gaps) == 0 {
		t.Errorf("%+v", o)
	}
	for _, g := range rec.gaps {
		if g.Reason != gapDisk {
			t.Errorf("%+v", g)
		}
	}
	r.expired("old") // what has ended makes room first
	res, _ = r.must(limitedTo(1000, Terminate, "echo up; sleep 30"))
	if res.Reason != OutputLimit {
		t.Errorf("%+v", res)
	}
}

func TestFreeSpaceFloorLeavesHalfOfANearlyFullDisk(t *testing.T) {
	free := freeSpace(t.TempDir())
	if free <= 0 || freeSpace("/nonexistent") <= free {
		t.Errorf("%d bytes free", free)
	}
	b := newBudget(t.TempDir())
	c := Config{Limits: Limits{SpoolTotalBytes: 100}}
	for _, tt := range []struct{ want, first, floor int64 }{{0, 1000, 0}, {400, 1000, 400}, {900, 1000, 500}} {
		b.disk.first, c.Policy.Limits.FreeDisk = tt.first, tt.want
		if b.setLimits(c); b.disk.floor != tt.floor {
			t.Errorf("%+v: %d", tt, b.disk.floor)
		}
	}
}

// A flood is not asked after at every chunk, and not forgotten for long.
func TestFreeSpaceIsLookedAtEveryMegabyte(t *testing.T) {
	d := disk{dir: t.TempDir(), floor: 1}
	if got := d.take(1000); got != 1000 || d.clear != lookEvery-1000 {
		t.Errorf("%d, then %d", got, d.clear)
	}
	d.floor = 1 << 60
	if got := d.take(1000); got != 1000 {
		t.Errorf("%d of what was seen", got)
	}
	if got := d.take(lookEvery); got != 0 || d.clear != 0 {
		t.Errorf("%d, then %d", got, d.clear)
	}
}
