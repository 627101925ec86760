package limits

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// OOMScore is a runner's own oom_score_adj, open: whom the kernel's memory killer takes.
// Commands come first, before the editor and before the runner, or a command could
// have its runner killed, and with it what watches over the repositories it has made.
// A child is born with its parent's value, so the runner has the highest one while it
// forks, and its own again afterwards. choom(1), proc_pid_oom_score_adj(5)
type OOMScore struct {
	FD  int
	Own string
}

// NoOOMScore is a Blame that changes nothing.
var NoOOMScore = OOMScore{FD: -1}

// MostOOMScore makes a process the first that the kernel ends for memory.
const MostOOMScore = "1000"

// openOOMScore opens it for the next program as well: later, nothing below /proc can be
// written. A score that can't be changed back and forth here could not be then.
func openOOMScore(dir int, self string) (OOMScore, error) {
	fd, err := unix.Openat(dir, self+"/oom_score_adj", unix.O_RDWR, 0)
	if err != nil {
		return NoOOMScore, fmt.Errorf("oom_score_adj: %w", err)
	}
	b := readOOMScore(fd)
	if err := errors.Join(b.Set(MostOOMScore), b.Set(b.Own)); err != nil {
		return b, fmt.Errorf("oom_score_adj: %w", err)
	}
	return b, nil
}

// OOMScoreOf is what a runner's first half has left open.
func OOMScoreOf(fd int) OOMScore {
	if fd < 0 {
		return NoOOMScore
	}
	return readOOMScore(fd)
}

func readOOMScore(fd int) OOMScore {
	buf := make([]byte, 16)
	n, _ := unix.Pread(fd, buf, 0) // nothing read is nothing that set accepts
	return OOMScore{FD: fd, Own: string(buf[:max(n, 0)])}
}

// Set changes the value of the process whose file it is.
func (b OOMScore) Set(value string) error {
	if b.FD < 0 {
		return nil
	}
	_, err := unix.Pwrite(b.FD, []byte(value), 0)
	return err
}
