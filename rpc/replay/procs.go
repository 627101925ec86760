package replay

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// alive reports whether a process runs; a zombie does not.
func alive(pid int) bool {
	if stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat")); err == nil {
		return state(stat) != 'Z' && state(stat) != 'X'
	}
	if _, err := os.Stat("/proc/self/stat"); err == nil {
		return false
	}
	p, err := os.FindProcess(pid)
	return err == nil && p.Signal(syscall.Signal(0)) == nil
}

// state is the process state of a /proc/PID/stat line; the name before it may
// hold spaces and parentheses.
func state(stat []byte) byte {
	i := bytes.LastIndexByte(stat, ')')
	if i < 0 || i+2 >= len(stat) {
		return 'X'
	}
	return stat[i+2]
}

// mentioning finds the living processes that have root in their environment,
// command line or working directory. Where there is no /proc it finds none.
func mentioning(root string) []string {
	var out []string
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		pid, _ := strconv.Atoi(filepath.Base(dir))
		if pid == os.Getpid() || !alive(pid) || !mentions(dir, root) {
			continue
		}
		cmdline, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		out = append(out, strconv.Itoa(pid)+" "+strings.TrimSpace(strings.ReplaceAll(string(cmdline), "\x00", " ")))
	}
	return out
}

func mentions(dir, root string) bool {
	for _, name := range []string{"environ", "cmdline"} {
		// A process may end, or be another user's, while we look.
		if b, err := os.ReadFile(filepath.Join(dir, name)); err == nil && bytes.Contains(b, []byte(root)) {
			return true
		}
	}
	cwd, err := os.Readlink(filepath.Join(dir, "cwd"))
	return err == nil && (cwd == root || strings.HasPrefix(cwd, root+string(filepath.Separator)))
}
