package sandbox

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// A keeper stands outside of one sandbox and waits for the sidecar's end, SIGKILL
// included: its input closes. Then it ends what is left of the commands, removes the
// sandbox's directory and is no more. What the sidecar does at an ordinary end is the
// same: it closes that input and waits.
type keeperProc struct {
	pid   int
	input *os.File
}

// startKeeper starts one that holds the directory's lock together with us.
func startKeeper(exe, dir string, confined bool, lock *os.File) (*keeperProc, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		_ = w.Close()
		return nil, err
	}
	defer null.Close()
	kind := keepsTree
	if confined {
		kind = keepsMarked
	}
	pid, err := syscall.ForkExec(exe, []string{keeperName, dir, kind}, &syscall.ProcAttr{
		Dir: "/", Env: []string{}, Files: []uintptr{r.Fd(), null.Fd(), null.Fd(), lock.Fd()},
		Sys: &syscall.SysProcAttr{Setsid: true}, // Ctrl-C in a terminal is not for it
	})
	if err != nil {
		_ = w.Close()
		return nil, err
	}
	return &keeperProc{pid: pid, input: w}, nil
}

// What a keeper goes by.
const (
	keepsTree   = "tree"
	keepsMarked = "marked"
)

// enrol tells it of a command's first process. An error is that it is gone.
func (k *keeperProc) enrol(pid int, start int64) error {
	_, err := fmt.Fprintf(k.input, "%d %d\n", pid, start)
	return err
}

// strike tells it that nothing of that command is left.
func (k *keeperProc) strike(pid int) { _, _ = fmt.Fprintf(k.input, "%d 0\n", pid) }

// close lets it do its work and waits for that.
func (k *keeperProc) close() {
	_ = k.input.Close()
	t := time.AfterFunc(endTimeout+time.Second, func() { _ = syscall.Kill(k.pid, syscall.SIGKILL) })
	defer t.Stop()
	for {
		if _, err := syscall.Wait4(k.pid, nil, 0, nil); err != syscall.EINTR {
			return
		}
	}
}

// keeperMain is the keeper itself.
func keeperMain(args []string) int {
	if len(args) != 2 {
		return 2
	}
	dir := args[0]
	roots := map[int]int64{}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var pid int
		var start int64
		if _, err := fmt.Sscanf(in.Text(), "%d %d", &pid, &start); err != nil {
			continue
		}
		if roots[pid] = start; start == 0 {
			delete(roots, pid)
		}
	}
	for pid, start := range roots {
		_ = (&tree{family: newFamily(pid, start)}).end(endTimeout) // what it misses is confined, or mode off
	}
	if args[1] == keepsMarked {
		endMarked(dir)
	}
	removeTree(dir)
	return 0
}

// endMarked ends every process of the sandbox whose directory that is.
func endMarked(dir string) {
	if real, err := kernelPath(dir); err == nil {
		dir = real
	}
	m := marks{own: filepath.Join(dir, boxMark), none: filepath.Join(dir, noMark)}
	if _, err := os.Lstat(m.none); err != nil {
		return // it never began, or is gone
	}
	_ = (&tree{marks: &m, family: markedFamily()}).end(endTimeout)
}

// Files by which the processes of a sandbox are told from others; see marks.
const (
	boxMark = "box"
	noMark  = "none"
	marksIn = "marks" // one for each command
)

// removeGroup is called before a directory of a killed predecessor is removed: its
// keeper may have been killed with it.
func removeGroup(dir string) {
	if !strings.HasPrefix(filepath.Base(dir), newPrefix) {
		endMarked(dir)
	}
}
