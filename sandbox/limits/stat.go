package limits

import (
	"bytes"
	"strconv"
)

// resident is a process's memory that only swap could take from it; what it shares
// is divided among those who share it. Pages of files are not in it: the kernel
// takes them back when it needs them.
type resident struct{ own, shared int64 }

// parseRollup reads /proc/PID/smaps_rollup, parseStatus /proc/PID/status of a
// process that forbids the better file: what it shares then counts whole.
func parseRollup(text []byte) resident { return parseKiB(text, "Pss_Anon:", "SwapPss:", "Pss_Shmem:") }
func parseStatus(text []byte) resident { return parseKiB(text, "RssAnon:", "VmSwap:", "RssShmem:") }

func parseKiB(text []byte, anonymous, swapped, shared string) (r resident) {
	for line := range bytes.Lines(text) {
		f := bytes.Fields(line)
		if len(f) != 3 {
			continue
		}
		kib, err := strconv.ParseInt(string(f[1]), 10, 64)
		if err != nil {
			continue
		}
		switch string(f[0]) {
		case anonymous, swapped:
			r.own += kib << 10
		case shared:
			r.shared += kib << 10
		}
	}
	return r
}
