package wire

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
)

// SetupFD is where a process finds it.
const SetupFD = 4

// File is what a process reads it from. It can't be changed any more.
func (s Setup) File() (*os.File, error) {
	s.Conf.Policy.HomeFiles = nil // they lie in the home before anything starts
	fd, err := files.Unnamed("setup")
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "setup")
	if _, err = f.Write(Encode(s)); err == nil {
		_, err = unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_SEAL|unix.F_SEAL_WRITE|unix.F_SEAL_SHRINK|unix.F_SEAL_GROW)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// ReadSetup reads its own. Other processes have the same file open, so it has no place in
// it that moves.
func ReadSetup() (s Setup, err error) {
	var st unix.Stat_t
	if err := unix.Fstat(SetupFD, &st); err != nil {
		return s, err
	}
	b := make([]byte, st.Size)
	if _, err := unix.Pread(SetupFD, b, 0); err != nil {
		return s, err
	}
	return s, Decode(b, &s)
}
