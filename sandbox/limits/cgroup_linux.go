package limits

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// A box's group is a directory beside the sidecar's own; each of its runners has one
// below, and whatever a runner starts is born into it. The sidecar makes them and
// moves runners in, from the host: a sandbox sees these files read-only.

// GroupPrefix begins the name of every group of ours.
const GroupPrefix = "pillion-"

// groupNote is the file in a sandbox's private directory that names its group, so that it
// can be removed after the sidecar was killed.
const groupNote = "cgroup"

// FindGroup is the nearest group in which we may make others that the kernel limits, or "".
func FindGroup() string {
	self, err1 := os.ReadFile("/proc/self/cgroup")
	mounts, err2 := os.ReadFile("/proc/self/mountinfo")
	if errors.Join(err1, err2) != nil {
		return ""
	}
	for _, dir := range groupParents(string(self), string(mounts)) {
		control, err := os.ReadFile(filepath.Join(dir, "cgroup.subtree_control"))
		if err != nil || !handsOn(string(control)) {
			continue
		}
		if unix.Access(dir, unix.W_OK) == nil && unix.Access(filepath.Join(dir, "cgroup.procs"), unix.W_OK) == nil {
			return dir
		}
	}
	return ""
}

// MakeGroup makes the group of the sandbox with this private directory.
func MakeGroup(parent, private string) (string, error) {
	group := filepath.Join(parent, GroupPrefix+filepath.Base(private))
	// The note first: should we be killed now, the next start finds what we made.
	err := os.WriteFile(filepath.Join(private, groupNote), []byte(group), 0o600)
	if err == nil {
		err = os.Mkdir(group, 0o755)
	}
	if err == nil {
		err = WriteAt(unix.AT_FDCWD, group+"/cgroup.subtree_control", "+memory +pids")
	}
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrGroup, err)
	}
	return group, nil
}

// Leaf is the group of one runner, or "".
type Leaf string

// NewLeaf makes one with a box's limits and moves the runner in.
func NewLeaf(group string, runner int, l policy.Limits) (Leaf, error) {
	g := Leaf(filepath.Join(group, strconv.Itoa(runner)))
	err := os.Mkdir(string(g), 0o755)
	for _, v := range append(groupValues(l, 0), groupValue{"cgroup.procs", strconv.Itoa(runner)}) {
		if err == nil {
			err = WriteAt(unix.AT_FDCWD, string(g)+"/"+v.file, v.value)
		}
	}
	if err != nil {
		return g, fmt.Errorf("%w: %w", ErrGroup, err)
	}
	return g, nil
}

// The files of its own group that a runner gets, opened: it could open none.
var (
	groupWritten = []string{"memory.high", "memory.max"}
	groupRead    = []string{"memory.stat", "memory.swap.current", "memory.events", "pids.events"}
)

// Open opens them. Without swap in the kernel there is no such file, and nothing in
// it either.
func (g Leaf) Open() (files []*os.File, err error) {
	for i, name := range append(append([]string{}, groupWritten...), groupRead...) {
		mode := os.O_RDONLY
		if i < len(groupWritten) {
			mode = os.O_WRONLY
		}
		f, err := os.OpenFile(filepath.Join(string(g), name), mode, 0)
		if errors.Is(err, os.ErrNotExist) && name == "memory.swap.current" {
			f, err = os.Open(os.DevNull)
		}
		if err != nil {
			return files, fmt.Errorf("%w: %w", ErrGroup, err)
		}
		files = append(files, f)
	}
	return files, nil
}

// Kill ends everything in it at once, however fast it forks. Linux 5.14
func (g Leaf) Kill() {
	if g != "" {
		_ = WriteAt(unix.AT_FDCWD, string(g)+"/cgroup.kill", "1")
	}
}

// Remove removes an empty one. A process leaves its group a moment after its parent
// hears of its end.
func (g Leaf) Remove() {
	for wait := time.Millisecond; g != "" && wait < time.Second; wait *= 2 {
		if err := unix.Rmdir(string(g)); !errors.Is(err, unix.EBUSY) {
			return
		}
		time.Sleep(wait)
	}
}

// RemoveGroup removes a sandbox's group, whose runners are all gone, and ends what
// they may have lost.
func RemoveGroup(private string) {
	b, err := os.ReadFile(filepath.Join(private, groupNote))
	group := string(b)
	if err != nil || filepath.Base(group) != GroupPrefix+filepath.Base(private) || !strings.HasPrefix(group, "/sys/fs/cgroup/") {
		return
	}
	for _, name := range Names(group) {
		if _, err := strconv.Atoi(name); err == nil {
			g := Leaf(filepath.Join(group, name))
			g.Kill()
			g.Remove()
		}
	}
	Leaf(group).Remove()
}
