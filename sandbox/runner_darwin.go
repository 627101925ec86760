package sandbox

import (
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// A runner is this program inside the sandbox that sandbox-exec has made. It enters
// the directory by its descriptor, which no rename can redirect, limits itself,
// becomes the command and is no more: the kernel's answer to exec is the only honest
// one to whether a program can start here.

// Descriptors of a runner besides the command's own.
const (
	runnerDir = 3 + iota
	runnerAnswer
	runnerRequest
)

// runnerInside is its first byte: sandbox-exec has done its part.
const runnerInside = 1

// errUnconfined is what a runner answers that could write what its sandbox denies.
const errUnconfined = unix.ENEEDAUTH

// launchOrder is what a runner is told. It comes in a file without a name: an
// environment in argv could be read by everybody, and the system takes DYLD_
// variables out of the one that sandbox-exec is given.
type launchOrder struct {
	path      string
	argv, env []string
	denied    string // a file that may not be written, "" where nothing is confined
	fileSize  int64
	openFiles int64
	cpu       time.Duration
}

func (l launchOrder) encode() []byte {
	return new(payload).putString(l.path).putStrings(l.argv).putStrings(l.env).putString(l.denied).
		putInt(l.fileSize).putInt(l.openFiles).putInt(int64(l.cpu)).b
}

func decodeOrder(b []byte) (launchOrder, error) {
	p := &payload{b: b}
	l := launchOrder{path: p.string(), argv: p.strings(), env: p.strings(), denied: p.string(), fileSize: p.int(), openFiles: p.int(), cpu: time.Duration(p.int())}
	return l, p.err
}

// runnerMain returns only when the command could not start.
func runnerMain() int {
	for _, fd := range []int{runnerDir, runnerAnswer, runnerRequest} {
		unix.CloseOnExec(fd)
	}
	answer := os.NewFile(runnerAnswer, "answer")
	if _, err := answer.Write([]byte{runnerInside}); err != nil {
		return 1
	}
	stage, err := launch()
	errno := unix.EIO
	errors.As(err, &errno)
	if _, err := answer.Write(new(payload).putString(stage).putInt(int64(errno)).b); err != nil {
		return 1
	}
	return 127
}

// stageExec is the one stage whose failure is the command's own.
const stageExec = "exec"

func launch() (stage string, err error) {
	b, err := io.ReadAll(os.NewFile(runnerRequest, "request"))
	if err != nil {
		return "request", err
	}
	l, err := decodeOrder(b)
	if err != nil {
		return "request", err
	}
	if l.denied != "" {
		if fd, err := unix.Open(l.denied, unix.O_WRONLY|unix.O_CLOEXEC, 0); err == nil {
			return "confinement", errors.Join(errUnconfined, unix.Close(fd))
		}
	}
	if err := unix.Fchdir(runnerDir); err != nil {
		return "working directory", err
	}
	if err := limitSelf(l); err != nil {
		return "limits", err
	}
	return stageExec, unix.Exec(l.path, l.argv, l.env)
}

// limitSelf sets what the kernel limits by itself for each process. RLIMIT_NPROC
// counts all that belong to the user, the editor too, so processes are counted by
// looking; RLIMIT_AS and RLIMIT_DATA don't hold on macOS. setrlimit(2)
func limitSelf(l launchOrder) error {
	if err := lower(unix.RLIMIT_CORE, 0); err != nil {
		return err
	}
	if l.denied == "" {
		return nil // mode off has no limits
	}
	if err := lower(unix.RLIMIT_FSIZE, l.fileSize); err != nil {
		return err
	}
	if err := lower(unix.RLIMIT_NOFILE, l.openFiles); err != nil {
		return err
	}
	if l.cpu <= 0 {
		return nil
	}
	return lower(unix.RLIMIT_CPU, int64((l.cpu+time.Second-1)/time.Second))
}

func lower(resource int, value int64) error {
	var have unix.Rlimit
	if err := unix.Getrlimit(resource, &have); err != nil {
		return err
	}
	most := min(uint64(value), have.Max)
	return unix.Setrlimit(resource, &unix.Rlimit{Cur: most, Max: most})
}

// openMax is the most descriptors that macOS gives a process, whatever it asks for:
// of an ordinary user it takes no higher limit.
func openMax() int64 {
	n, err := unix.SysctlUint32("kern.maxfilesperproc")
	if err != nil {
		return 10240 // OPEN_MAX
	}
	return int64(n)
}
