package convert

import (
	"strconv"
	"syscall"
)

func errnoName(e syscall.Errno) string { return "WIN32_" + strconv.Itoa(int(e)) }
