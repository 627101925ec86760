package sandbox

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// hostTree lists what is below a process of ours as the host numbers it, which
// is what an editor can use. root may have been reaped and given to somebody else
// only after we let go of it.
func hostTree(root int) []proc {
	if root <= 0 {
		return nil
	}
	return treeOf(root)
}

// hostNumbers maps the numbers of a runner's pid namespace to the host's.
func hostNumbers(root int) map[int]int {
	numbers := map[int]int{}
	for _, p := range hostTree(root) {
		if inner := innerPid(p.pid); inner > 0 {
			numbers[inner] = p.pid
		}
	}
	return numbers
}

// innerPid is a process's number in the innermost pid namespace it is in: its
// runner's, for commands can't make any. proc_pid_status(5)
func innerPid(pid int) int {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "NSpid:"); ok {
			f := strings.Fields(rest)
			if len(f) == 0 {
				return 0
			}
			n, _ := strconv.Atoi(f[len(f)-1])
			return n
		}
	}
	return 0
}

// maxCommandLine bounds what is told of a process that writes its own command
// line.
const maxCommandLine = 1024

// commandLine is a process's argv, or its name where it has none.
func commandLine(p proc) string {
	f, err := os.Open("/proc/" + strconv.Itoa(p.pid) + "/cmdline")
	if err != nil {
		return p.name
	}
	defer f.Close()
	b := make([]byte, maxCommandLine)
	n, _ := f.Read(b)
	line := string(bytes.TrimSpace(bytes.ReplaceAll(b[:n], []byte{0}, []byte{' '})))
	if line == "" {
		return p.name
	}
	return strings.ToValidUTF8(line, "\uFFFD")
}
