package sandbox

import (
	"bytes"
	"strconv"
	"strings"
	"time"
)

// procStat is what /proc/PID/stat says of a process.
type procStat struct {
	pid, parent int
	name        string
	zombie      bool
	threads     int
	pages       int64         // resident
	cpu         time.Duration // its own and that of children it has waited for
}

// clockTick is USER_HZ, which Linux fixes for every program. proc_pid_stat(5)
const clockTick = 10 * time.Millisecond

// parseStat reads a line of /proc/PID/stat. The name may itself contain blanks and
// parentheses, so the fields are counted from the last one.
func parseStat(pid int, line []byte) (procStat, bool) {
	open, end := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
	if open < 0 || end < open {
		return procStat{}, false
	}
	f := strings.Fields(string(line[end+1:]))
	const state, ppid, utime, threads, rss = 0, 1, 11, 17, 21
	if len(f) <= rss {
		return procStat{}, false
	}
	p := procStat{pid: pid, name: string(line[open+1 : end]), zombie: f[state] == "Z"}
	var bad bool
	number := func(i int) int64 {
		n, err := strconv.ParseInt(f[i], 10, 64)
		bad = bad || err != nil
		return n
	}
	p.parent, p.threads, p.pages = int(number(ppid)), int(number(threads)), number(rss)
	for i := range 4 {
		p.cpu += time.Duration(number(utime+i)) * clockTick
	}
	return p, !bad
}

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
