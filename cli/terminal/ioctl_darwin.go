package terminal

import "golang.org/x/sys/unix"

const getTermios, setTermios, setAndFlush = unix.TIOCGETA, unix.TIOCSETA, unix.TIOCSETAF
