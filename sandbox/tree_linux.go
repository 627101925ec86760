package sandbox

import (
	"bytes"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// proc is one descendant as /proc showed it.
type proc struct {
	pid, parent int
	name        string
	zombie      bool
}

// descendants lists everything below the calling process. Being the subreaper,
// it is the ancestor of every daemon a command left, however often it forked
// and whatever session it made.
func descendants() []proc { return treeOf(os.Getpid()) }

// treeOf lists the processes under root.
func treeOf(root int) []proc {
	var all []proc
	queue := []int{root}
	for len(queue) > 0 {
		parent := queue[0]
		queue = queue[1:]
		for _, pid := range children(parent) {
			p, ok := readProc(pid)
			if !ok || p.parent != parent {
				continue // gone, or the number belongs to somebody else by now
			}
			all = append(all, p)
			queue = append(queue, pid)
		}
	}
	return all
}

// children reads /proc/PID/task/*/children. proc(5)
func children(pid int) []int {
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

// readProc parses /proc/PID/stat; the name may itself contain blanks and
// parentheses, so the fields are counted from the last one.
func readProc(pid int) (proc, bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return proc{}, false
	}
	s := string(b)
	open, end := strings.IndexByte(s, '('), strings.LastIndexByte(s, ')')
	if open < 0 || end < open {
		return proc{}, false
	}
	f := strings.Fields(s[end+1:])
	if len(f) < 2 {
		return proc{}, false
	}
	parent, err := strconv.Atoi(f[1])
	return proc{pid: pid, parent: parent, name: s[open+1 : end], zombie: f[0] == "Z"}, err == nil
}

// signalTree sends sig to every descendant. A direct child can't be recycled
// before we reap it; a deeper one can, so it is pinned by a pidfd and its parent
// read again before the signal.
func signalTree(sig unix.Signal) {
	self := os.Getpid()
	for _, p := range descendants() {
		if p.parent == self {
			_ = unix.Kill(p.pid, sig)
			continue
		}
		fd, err := unix.PidfdOpen(p.pid, 0)
		if err != nil {
			continue
		}
		if again, ok := readProc(p.pid); ok && again.parent == p.parent || ok && again.parent == self {
			_ = unix.PidfdSendSignal(fd, sig, nil, 0)
		}
		_ = unix.Close(fd)
	}
}

// inTree reports whether a process or thread id belongs to a descendant.
func inTree(id int) bool {
	self := os.Getpid()
	for depth := 0; id > 1 && depth < 1<<16; depth++ {
		p, ok := readProc(id)
		if !ok {
			return false
		}
		if p.parent == self {
			return true
		}
		id = p.parent
	}
	return false
}
