package limits

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"github.com/pillion-sidecar/pillion/sandbox/proc"
)

// Where a group of the kernel's own (cgroup v2) is ours to divide, each runner gets
// one: the kernel then holds what we can else only look at. cgroups(7)

// groupParents lists the directories above our own control group, the nearest
// first, by /proc/self/cgroup and /proc/self/mountinfo. Our own has processes in
// it, so the kernel lets it hand nothing on.
func groupParents(self, mountinfo string) []string {
	own, mount := OwnGroup(self), ""
	for line := range strings.Lines(mountinfo) {
		before, after, _ := strings.Cut(line, " - ")
		f := strings.Fields(before)
		if len(f) > 4 && strings.HasPrefix(after, "cgroup2 ") && f[3] == "/" {
			mount = proc.UnescapeMount(f[4])
		}
	}
	if mount == "" || !filepath.IsAbs(own) || strings.HasPrefix(own, "/..") {
		return nil // none, or one above what this namespace shows
	}
	var all []string
	for own = filepath.Clean(own); own != "/"; {
		own = filepath.Dir(own)
		all = append(all, filepath.Join(mount, own))
	}
	return all
}

// OwnGroup reads /proc/self/cgroup; "" is not a group of version 2.
func OwnGroup(self string) string {
	for line := range strings.Lines(self) {
		if path, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::"); ok {
			return path
		}
	}
	return ""
}

// handsOn says whether a group gives its children what we limit, by its
// cgroup.subtree_control. We never change that of a group that is not ours.
func handsOn(control string) bool {
	f := strings.Fields(control)
	return slices.Contains(f, "memory") && slices.Contains(f, "pids")
}

// groupValue is one file of a group, and what is written into it.
type groupValue struct{ file, value string }

// OwnTasks is more than a runner's own threads.
const OwnTasks = 16

// groupValues are the limits of a runner's group when its command has begun with so
// many bytes that were there before. Above the limit and what looking may miss the
// kernel slows the command down, so that the next look ends all of it, and not the
// kernel only its largest process; a quarter above that, the kernel does.
func groupValues(l policy.Limits, before int64) []groupValue {
	limit := min(l.Memory, mostMemory)
	high := before + limit + limit/16
	return []groupValue{
		{"memory.high", strconv.FormatInt(high, 10)},
		{"memory.max", strconv.FormatInt(high+limit/4, 10)},
		{"pids.max", strconv.Itoa(l.Processes + OwnTasks)},
	}
}

// mostMemory is more than any machine has, and far from what an int64 holds.
const mostMemory = 1 << 60

// Unreclaimed sums what of memory.stat the kernel can't take back but by swapping:
// unlike the caches of files, it is what a command has taken.
func Unreclaimed(stat []byte) (total int64) {
	for line := range bytes.Lines(stat) {
		name, n := groupLine(line)
		switch name {
		case "anon", "shmem", "kernel_stack", "pagetables", "sock", "percpu", "slab_unreclaimable":
			total += n
		}
	}
	return total
}

// groupCount is one counter of memory.events or pids.events.
func groupCount(events []byte, counter string) int64 {
	for line := range bytes.Lines(events) {
		if name, n := groupLine(line); name == counter {
			return n
		}
	}
	return 0
}

func groupLine(line []byte) (name string, n int64) {
	name, value, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return "", 0
	}
	return name, n
}

// counter says by how much a number that only grows has grown since it was asked.
type counter struct{ last int64 }

func (c *counter) grown(now int64) int64 {
	by := now - c.last
	c.last = now
	return by
}

// ErrGroup is a group that looked as if it were ours to divide, and is not.
var ErrGroup = errors.New("the control group can't be divided")
