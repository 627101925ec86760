package proc

import (
	"bytes"
	"strconv"
	"strings"
	"time"
)

// Process is one process as /proc showed it.
type Process struct {
	PID, Parent int
	Session     int
	Name        string
	Zombie      bool
	Busy        bool // it computes, or waits for a disk
	Threads     int
	Pages       int64         // resident
	CPU         time.Duration // its own and that of children it has waited for
	TTY         uint64        // of its controlling terminal, 0 for none
}

// clockTick is USER_HZ, which Linux fixes for every program. proc_pid_stat(5)
const clockTick = 10 * time.Millisecond

// ParseStat reads a line of /proc/PID/stat. The name may itself contain blanks and
// parentheses, so the fields are counted from the last one.
func ParseStat(pid int, line []byte) (Process, bool) {
	open, end := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
	if open < 0 || end < open {
		return Process{}, false
	}
	f := strings.Fields(string(line[end+1:]))
	const state, ppid, session, tty, utime, threads, rss = 0, 1, 3, 4, 11, 17, 21
	if len(f) <= rss {
		return Process{}, false
	}
	var bad bool
	number := func(i int) int64 {
		n, err := strconv.ParseInt(f[i], 10, 64)
		bad = bad || err != nil
		return n
	}
	p := Process{
		PID: pid, Parent: int(number(ppid)), Session: int(number(session)), Name: string(line[open+1 : end]), Zombie: f[state] == "Z", Busy: f[state] == "R" || f[state] == "D",
		Threads: int(number(threads)), Pages: number(rss), TTY: dev(uint32(number(tty))),
	}
	for i := range 4 {
		p.CPU += time.Duration(number(utime+i)) * clockTick
	}
	return p, !bad
}

// dev is makedev(3) of the 32 bits in which tty_nr has major and minor. proc_pid_stat(5)
func dev(nr uint32) uint64 {
	major, minor := uint64(nr>>8&0xfff), uint64(nr&0xff|nr>>12&0xfff00)
	return minor&0xff | major<<8 | minor&^0xff<<12
}

// Field is one line of a file such as /proc/PID/status or fdinfo, without its name.
func Field(text, name string) string {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}
