package sandbox

import (
	"bufio"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// canaryAlone is appended to what the canary said when nothing of it was left.
const canaryAlone = "left 1\n"

// refusals are the errors by which the mechanisms say no. Any other error means
// that the attempt proved nothing.
var refusals = []syscall.Errno{unix.EPERM, unix.EACCES, unix.ENOSYS, unix.EOPNOTSUPP, unix.EROFS}

// absences are the errors by which a namespace says that what was asked for is
// not in it.
var absences = map[string]syscall.Errno{
	"read": unix.ENOENT, "environ": unix.ENOENT, "unixPath": unix.ENOENT,
	"tcp": unix.ECONNREFUSED, "udp": unix.ECONNREFUSED, "abstract": unix.ECONNREFUSED,
	"signal": unix.ESRCH, "signalThread": unix.ESRCH, "prlimit": unix.ESRCH, "ptrace": unix.ESRCH,
	"shm": unix.EINVAL,
}

// refused says whether an attempt's errno proves that it can't be done on a rung.
func refused(rung, attempt string, errno syscall.Errno) bool {
	return slices.Contains(refusals, errno) || rung != RungNoUserns && errno != 0 && absences[attempt] == errno
}

func readCanary(out, rung string, mode Mode) (facts, error) {
	f := facts{rung: rung, refused: map[string]bool{}}
	tried := false // the canary did leave a daemon
	sc := bufio.NewScanner(strings.NewReader(out))
	for sc.Scan() {
		name, value, _ := strings.Cut(sc.Text(), " ")
		n, err := strconv.Atoi(value)
		if err != nil {
			return f, fmt.Errorf("the self-test's canary said %q", sc.Text())
		}
		errno := syscall.Errno(n)
		switch name {
		case "left": // the daemon: End must have ended it
			f.refused["daemon"] = tried
		case "daemon":
			tried = errno == 0
		default:
			f.refused[name] = refused(rung, name, errno)
		}
	}
	return f.inWorkspace(mode)
}
