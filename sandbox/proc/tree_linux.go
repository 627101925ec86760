package proc

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Descendants lists everything below the calling process. Being the subreaper,
// it is the ancestor of every daemon a command left, however often it forked
// and whatever session it made.
func Descendants() []Process { return Below(os.Getpid(), MaxBelow) }

// MaxBelow bounds what is listed: a fork bomb can grow faster than it is looked through.
const MaxBelow = 16_384

// Below lists the processes under root, but for those above a number.
func Below(root, most int) []Process {
	var all []Process
	queue := []int{root}
	for len(queue) > 0 {
		parent := queue[0]
		queue = queue[1:]
		for _, pid := range Children(parent) {
			if len(all) == most {
				return all
			}
			p, ok := Read(pid)
			if !ok || p.Parent != parent {
				continue // gone, or the number belongs to another process by now
			}
			all = append(all, p)
			queue = append(queue, pid)
		}
	}
	return all
}

// Children reads /proc/PID/task/*/children. proc(5)
func Children(pid int) []int {
	dir := "/proc/" + strconv.Itoa(pid) + "/task"
	tasks, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []int
	for _, t := range tasks {
		b, err := os.ReadFile(dir + "/" + t.Name() + "/children")
		if err != nil {
			continue
		}
		for _, f := range bytes.Fields(b) {
			if n, err := strconv.Atoi(string(f)); err == nil {
				out = append(out, n)
			}
		}
	}
	return out
}

// Read looks one up.
func Read(pid int) (Process, bool) { return ParseStat(pid, []byte(text(pid, "stat"))) }

// text is a file of a process, "" where it has none or is gone.
func text(pid int, name string) string {
	b, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/" + name)
	return string(b)
}

// SignalTree sends sig to every descendant. A direct child can't be recycled
// before we reap it; a deeper one can, so it is pinned by a pidfd and its parent
// read again before the signal.
func SignalTree(sig unix.Signal) {
	self := os.Getpid()
	for _, p := range Descendants() {
		if p.Parent == self {
			_ = unix.Kill(p.PID, sig)
			continue
		}
		fd, err := unix.PidfdOpen(p.PID, 0)
		if err != nil {
			continue
		}
		if again, ok := Read(p.PID); ok && again.Parent == p.Parent || ok && again.Parent == self {
			_ = unix.PidfdSendSignal(fd, sig, nil, 0)
		}
		_ = unix.Close(fd)
	}
}

// InTree reports whether a process or thread id belongs to a descendant.
func InTree(id int) bool {
	self := os.Getpid()
	for depth := 0; id > 1 && depth < 1<<16; depth++ {
		p, ok := Read(id)
		if !ok {
			return false
		}
		if p.Parent == self {
			return true
		}
		id = p.Parent
	}
	return false
}
