package sandbox

import (
	"errors"
	"slices"
	"syscall"
)

// Exhausted says that the machine had run out of something: descriptors, memory,
// processes, room on a disk. It is nobody's mistake, and the same may work later.
func Exhausted(err error) bool {
	return slices.ContainsFunc([]syscall.Errno{
		syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EAGAIN, syscall.ENOSPC, syscall.EDQUOT,
	}, func(e syscall.Errno) bool { return errors.Is(err, e) })
}

// scarce says that descriptors had run out. What else may run out is also how a
// kernel refuses a feature for good: a namespace too many is ENOSPC.
func scarce(err error) bool { return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) }
