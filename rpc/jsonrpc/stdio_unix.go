//go:build unix

package jsonrpc

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

func privateStdio() (in, out *os.File, err error) {
	if in, err = private(0, "stdin"); err != nil {
		return nil, nil, err
	}
	if out, err = private(1, "stdout"); err != nil {
		return nil, nil, err
	}
	null, err := unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("/dev/null: %w", err)
	}
	defer unix.Close(null)
	// Not dup3's CLOEXEC: heirs of 0 and 1 may have these.
	if err := dup2(null, 0); err != nil {
		return nil, nil, err
	}
	return in, out, dup2(2, 1)
}

// private is a descriptor that no child inherits. Non-blocking lets Close end a
// read or write that is under way. Only pipes and sockets are made so: a
// terminal's or a file's description is shared with other programs, and a flag
// on it would be theirs too.
func private(fd int, name string) (*os.File, error) {
	dup, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var st unix.Stat_t
	if err := unix.Fstat(dup, &st); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if kind := st.Mode & unix.S_IFMT; kind == unix.S_IFIFO || kind == unix.S_IFSOCK {
		if err := unix.SetNonblock(dup, true); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return os.NewFile(uintptr(dup), name), nil
}
