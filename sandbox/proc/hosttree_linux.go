package proc

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// Tree lists what is below a process of ours as the host numbers it, which is what an
// editor can use. root may have been reaped and given to another process only after we let
// go of it.
func Tree(root int) []Process {
	if root <= 0 {
		return nil
	}
	return Below(root, MaxBelow)
}

// Numbers maps the numbers of a runner's pid namespace to the host's.
func Numbers(root int) map[int]int {
	numbers := map[int]int{}
	for _, p := range Tree(root) {
		if inner := innerPid(p.PID); inner > 0 {
			numbers[inner] = p.PID
		}
	}
	return numbers
}

// innerPid is a process's number in the innermost pid namespace it is in: its
// runner's, for commands can't make any. proc_pid_status(5)
func innerPid(pid int) int {
	numbers := strings.Fields(Field(text(pid, "status"), "NSpid:"))
	if len(numbers) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(numbers[len(numbers)-1])
	return n
}

// PIDOf is the process id of a pidfd in our own namespace, which is what an
// editor can use; 0 once it has been reaped. pidfd_open(2), proc_pid_fdinfo(5)
func PIDOf(pidfd int) int {
	pid, _ := strconv.Atoi(Field(Descriptor(pidfd), "Pid:"))
	return max(pid, 0)
}

// Descriptor is what the kernel says of a descriptor of ours. proc_pid_fdinfo(5)
func Descriptor(fd int) string {
	b, _ := os.ReadFile("/proc/self/fdinfo/" + strconv.Itoa(fd))
	return string(b)
}

// maxCommandLine bounds what is reported of a process that writes its own command line.
const maxCommandLine = 1024

// CommandLine is a process's argv, or its name.
func CommandLine(p Process) string {
	f, err := os.Open("/proc/" + strconv.Itoa(p.PID) + "/cmdline")
	if err != nil {
		return p.Name
	}
	defer f.Close()
	b := make([]byte, maxCommandLine)
	n, _ := f.Read(b)
	line := string(bytes.TrimSpace(bytes.ReplaceAll(b[:n], []byte{0}, []byte{' '})))
	if line == "" {
		return p.Name
	}
	return strings.ToValidUTF8(line, "\uFFFD")
}
