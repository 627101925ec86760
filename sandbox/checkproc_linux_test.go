package sandbox

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/proc"
)

const hostPids = "there is no pid namespace, /proc is the host's"

// $VICTIM is a process of the host with the same user and a secret in its
// environment; that it lives is checked after every row.
var processChecks = []check{
	{n: 36, name: "environment and memory of a host process", want: denied, bites: true, scripts: []string{
		"cat /proc/$VICTIM/environ | grep -q VICTIM_SECRET", "exec 3< /proc/$VICTIM/mem",
		"cat /proc/$VICTIM/maps | grep -q .", "readlink /proc/$VICTIM/exe", "readlink /proc/$VICTIM/cwd",
		"readlink /proc/$VICTIM/fd/1", "cat /proc/$VICTIM/auxv | grep -q .", ": >> /proc/$VICTIM/oom_score_adj",
	}},
	{
		n: 36, name: "ids, command lines and numbers of open files of host processes", want: denied.but(RungNoUserns, open, hostPids), bites: true,
		scripts: []string{"test -e /proc/$VICTIM", "grep -q sleep /proc/$VICTIM/cmdline"},
	},
	{n: 37, name: "signals to a host process", want: denied, scripts: []string{
		"kill -9 $VICTIM", "kill -0 $VICTIM", "kill -9 $HOSTPID", "$SELF sc any tgkill $VICTIM $VICTIM 9",
		"$SELF sc any tkill $VICTIM 9", "$SELF pidfdkill $VICTIM",
	}},
	{n: 37, name: "signals to the process that keeps the tree", want: denied, scripts: []string{
		"kill -9 $PPID", "kill -TERM $PPID", "$SELF sc EPERM tgkill $PPID $PPID 9",
	}},
	{n: 37, name: "signals to its threads", want: denied.but(RungNoLandlock, private, "they are sent, and the kernel drops them"), scripts: []string{
		"for t in $(ls /proc/$PPID/task); do kill -0 $t 2> /dev/null && exit; done; false", "exec $SELF signalkeeper",
	}},
	{n: 37, name: "kill of every process", want: everywhere(private, "it reaches the command's own tree only"), scripts: []string{
		"sleep 5 & kill -9 -1; true", "kill -TERM -1; true",
	}},
	{n: 38, name: "tracing a host process", want: denied, scripts: []string{
		"$SELF sc EPERM ptrace 0x4206 $VICTIM 0 0", "$SELF sc EPERM ptrace 16 $VICTIM 0 0",
		"$SELF sc EPERM process_vm_readv $VICTIM 0 0 0 0 0", "$SELF sc EPERM process_vm_writev $VICTIM 0 0 0 0 0",
		"$SELF sc EPERM pidfd_getfd 0 0 0", "$SELF sc EPERM kcmp $VICTIM $VICTIM 0 0 0",
		"$SELF sc EPERM process_madvise 0 0 0 0 0", "$SELF sc EPERM move_pages $VICTIM 0 0 0 0 0",
	}},
	{n: 38, name: "limits, priority and processors of a host process", want: denied, scripts: []string{
		"$SELF sc any prlimit64 $VICTIM 0 0 $POINTER", "$SELF sc any setpriority 0 $VICTIM 19",
		"$SELF sc any sched_setaffinity $VICTIM 8 $POINTER",
	}},
	{n: 38, name: "priority of every process of the user", want: denied, scripts: []string{"$SELF sc EPERM setpriority 2 0 19"}},
	{n: 38, name: "limits and priority of the process that keeps the tree", want: denied, scripts: []string{
		"prlimit --pid 1 --fsize=0:0", "prlimit --pid $PPID --nofile=64", "renice -n 19 -p 1", "renice -n 19 -p $PPID",
	}},
	{n: 39, name: "memory of the process that keeps the tree", want: denied, scripts: []string{
		"exec 3< /proc/1/mem", ": >> /proc/1/mem", "exec 3< /proc/$PPID/mem", ": >> /proc/$PPID/mem",
		"cat /proc/$PPID/environ | grep -q .", "readlink /proc/$PPID/fd/3", "readlink /proc/$PPID/root",
	}},
	{n: 40, name: "daemons that outlive the command", want: denied, really: survivor, scripts: []string{
		"(setsid sleep 98711.$MARK &)", "nohup sleep 98711.$MARK > /dev/null 2>&1 &", "setsid setsid sh -c '(sleep 98711.$MARK &) &'",
		"trap '' TERM HUP INT; sleep 98711.$MARK &",
	}},
	{n: 41, name: "SysV and POSIX objects that outlive the command", really: ipcLeft, want: denied, scripts: []string{
		"ipcmk -M 64123", "ipcmk -S 77", "ipcmk -Q -p 0631", "$SELF mqueue",
	}},
	{n: 50, name: "programs with set-id bits", want: denied, scripts: []string{"$SUID changed", "$SELF sc EPERM,EINVAL setuid $OTHER", "$SELF sc EPERM,EINVAL setgid $OTHER"}},
}

// survivor says that a process with the mark of check 40 still lives.
func survivor(*room, outcome) bool { return len(alive("98711."+mark())) > 0 }

// ipcLeft says that an object of check 41 is on the host: its size, its number of
// semaphores, its mode or its name identifies it.
func ipcLeft(*room, outcome) bool { return ipcObjects() != "" }

func ipcObjects() string {
	var found []string
	for file, mark := range map[string]string{"shm": " 64123 ", "sem": " 77 ", "msg": " 631 "} {
		b, _ := os.ReadFile("/proc/sysvipc/" + file)
		if strings.Contains(string(b), mark) {
			found = append(found, file)
		}
	}
	if _, err := os.Stat("/dev/mqueue/pillion-check"); err == nil {
		found = append(found, "mqueue")
	}
	return strings.Join(found, " ")
}

// processAlive is false for a zombie too: it was killed.
func processAlive(pid int) bool {
	p, ok := proc.Read(pid)
	return ok && !p.Zombie && unix.Kill(pid, 0) == nil
}
