package limits

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// GroupMeter is a runner's view of its own control group: what the kernel counts
// there, and how far it may go.
type GroupMeter struct {
	files  []*os.File // in the order of groupWritten and groupRead
	limits policy.Limits
	base   int64 // what was there before the command, -1 at first
	killed counter
	denied counter
	buf    [8 << 10]byte
}

// The files of a group, in the order of GroupMeter; GroupFiles is how many.
const (
	fileHigh = iota
	fileMax
	fileStat
	fileSwap
	fileEvents
	filePids
	GroupFiles
)

// NewGroupMeter reads a group by those files.
func NewGroupMeter(files []*os.File, l policy.Limits) *GroupMeter {
	g := &GroupMeter{files: files, limits: l, base: -1}
	g.OutOfMemory()
	g.Refusals()
	return g
}

// begin makes room for a command on top of what lies there already: files in memory
// that another has left are not its own.
func (g *GroupMeter) begin() {
	now := g.total()
	if g.base >= 0 && max(now-g.base, g.base-now) < sameBase {
		return
	}
	g.base = now
	for i, v := range groupValues(g.limits, g.base)[:len(groupWritten)] {
		_, _ = unix.Pwrite(int(g.files[i].Fd()), []byte(v.value), 0) // the older limit is narrower
	}
}

// sameBase is what the runner's own memory may change by, in bytes.
const sameBase = 1 << 20

// used is what the command has taken, in bytes.
func (g *GroupMeter) used() int64 { return max(g.total()-g.base, 0) }

func (g *GroupMeter) total() int64 {
	swapped, _ := strconv.ParseInt(strings.TrimSpace(string(g.read(fileSwap))), 10, 64) // empty: no swap
	return Unreclaimed(g.read(fileStat)) + swapped
}

// OutOfMemory says that the kernel has ended a process for want of memory since it
// was asked the last time, refusals how many forks it has refused.
func (g *GroupMeter) OutOfMemory() bool {
	return g.killed.grown(groupCount(g.read(fileEvents), "oom_kill")) > 0
}

// Refusals is how many forks were refused since it was asked last.
func (g *GroupMeter) Refusals() int64 {
	return g.denied.grown(groupCount(g.read(filePids), "max"))
}

func (g *GroupMeter) read(file int) []byte {
	n, err := unix.Pread(int(g.files[file].Fd()), g.buf[:], 0)
	if err != nil {
		return nil
	}
	return g.buf[:n]
}
