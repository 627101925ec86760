package executor

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/executor/spool"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// smallDisk is a file system of that size. A user who may not mount one runs the test once
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
		if g.Reason != spool.GapDisk {
			t.Errorf("%+v", g)
		}
	}
	if p := r.mustRead("big", Stdout, ReadRequest{Offset: o.TotalBytes / 2, Max: 10}); len(p.Gaps) != 1 || p.Gaps[0].Reason != spool.GapDisk {
		t.Errorf("%+v", p)
	}
	if out := rec.text(Stdout); !strings.HasSuffix(out, "199999\n200000\n") || !strings.HasPrefix(out, "1\n2\n") {
		t.Errorf("%.20q", out)
	}
	res, rec = r.must(Request{ID: "none", Command: "head -c 100000 /dev/zero", Output: OutputRequest{Stream: true}})
	if o := res.Output[Stdout]; res.Reason != Exited || o.DroppedBytes < 90000 || rec.gaps[0].Reason != spool.GapDisk {
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
	r.e.spools.KeepFree(1 << 60)
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
		if g.Reason != spool.GapDisk {
			t.Errorf("%+v", g)
		}
	}
	r.expired("old") // what has ended makes room first
	res, _ = r.must(limitedTo(1000, Terminate, "echo up; sleep 600"))
	if res.Reason != OutputLimit {
		t.Errorf("%+v", res)
	}
}
