package terminal

import "golang.org/x/sys/unix"

const getTermios, setTermios, setAndFlush = unix.TCGETS, unix.TCSETS, unix.TCSETSF
