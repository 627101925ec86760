package sandbox

import (
	"errors"
	"fmt"
	"strconv"

	"golang.org/x/sys/unix"
)

// blame is a runner's own oom_score_adj, open: whom the kernel's memory killer takes.
// Commands come first, before the editor and before the runner, or a command could
// have its runner killed, and with it what watches over the repositories it has made.
// A child is born with its parent's value, so the runner has the highest one while it
// forks, and its own again afterwards. choom(1), proc_pid_oom_score_adj(5)
type blame struct {
	fd  int
	own string
}

var noBlame = blame{fd: -1}

const mostBlame = "1000"

// openBlame opens it for the next program as well: later, nothing below /proc can be
// written. What can't be changed back and forth here could not be then.
func openBlame(dir int, self string) (blame, error) {
	fd, err := unix.Openat(dir, self+"/oom_score_adj", unix.O_RDWR, 0)
	if err != nil {
		return noBlame, fmt.Errorf("oom_score_adj: %w", err)
	}
	b := readBlame(fd)
	if err := errors.Join(b.set(mostBlame), b.set(b.own)); err != nil {
		return b, fmt.Errorf("oom_score_adj: %w", err)
	}
	return b, nil
}

// blameOf is what a runner's first half has left open under a number.
func blameOf(number string) blame {
	fd, err := strconv.Atoi(number)
	if err != nil || fd < 0 {
		return noBlame
	}
	return readBlame(fd)
}

func readBlame(fd int) blame {
	buf := make([]byte, 16)
	n, _ := unix.Pread(fd, buf, 0) // nothing read is nothing that set accepts
	return blame{fd: fd, own: string(buf[:max(n, 0)])}
}

func (b blame) set(value string) error {
	if b.fd < 0 {
		return nil
	}
	_, err := unix.Pwrite(b.fd, []byte(value), 0)
	return err
}
