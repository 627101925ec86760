package inside

import (
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/wire"
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

// RunnerInside is its first byte: sandbox-exec has done its part.
const RunnerInside = 1

// ErrUnconfined is what a runner answers that could write what its sandbox denies.
const ErrUnconfined = unix.ENEEDAUTH

// runnerMain returns only when the command could not start.
func runnerMain() int {
	for _, fd := range []int{runnerDir, runnerAnswer, runnerRequest} {
		unix.CloseOnExec(fd)
	}
	answer := os.NewFile(runnerAnswer, "answer")
	if _, err := answer.Write([]byte{RunnerInside}); err != nil {
		return 1
	}
	stage, err := launch()
	errno := unix.EIO
	errors.As(err, &errno)
	if _, err := answer.Write(wire.Encode(wire.Launched{Stage: stage, Errno: int(errno)})); err != nil {
		return 1
	}
	return 127
}

// StageExec is the one stage whose failure is the command's own.
const StageExec = "exec"

func launch() (stage string, err error) {
	b, err := io.ReadAll(os.NewFile(runnerRequest, "request"))
	if err != nil {
		return "request", err
	}
	var l wire.Launch
	if err := wire.Decode(b, &l); err != nil {
		return "request", err
	}
	if l.Denied != "" {
		if fd, err := unix.Open(l.Denied, unix.O_WRONLY|unix.O_CLOEXEC, 0); err == nil {
			return "confinement", errors.Join(ErrUnconfined, unix.Close(fd))
		}
	}
	if err := unix.Fchdir(runnerDir); err != nil {
		return "working directory", err
	}
	if err := limitOwn(l); err != nil {
		return "limits", err
	}
	return StageExec, unix.Exec(l.Path, l.Argv, l.Env)
}

// limitOwn sets what the kernel limits by itself for each process. RLIMIT_NPROC
// counts all that belong to the user, the editor too, so processes are counted by
// looking; RLIMIT_AS and RLIMIT_DATA don't hold on macOS. setrlimit(2)
func limitOwn(l wire.Launch) error {
	if err := lower(unix.RLIMIT_CORE, 0); err != nil {
		return err
	}
	if l.Denied == "" {
		return nil // mode off has no limits
	}
	if err := lower(unix.RLIMIT_FSIZE, l.FileSize); err != nil {
		return err
	}
	if err := lower(unix.RLIMIT_NOFILE, l.OpenFiles); err != nil {
		return err
	}
	if l.CPU <= 0 {
		return nil
	}
	return lower(unix.RLIMIT_CPU, int64((l.CPU+time.Second-1)/time.Second))
}

func lower(resource int, value int64) error {
	var have unix.Rlimit
	if err := unix.Getrlimit(resource, &have); err != nil {
		return err
	}
	most := min(uint64(value), have.Max)
	return unix.Setrlimit(resource, &unix.Rlimit{Cur: most, Max: most})
}
