package proc

import (
	"testing"
	"time"
)

func TestStatLineIsReadBehindAnyName(t *testing.T) {
	const rest = " S 7 1 1 34817 -1 4194304 1 1 0 0 100 20 3 4 20 0 5 0 99 4096 250 18446744073709551615 1"
	for _, name := range []string{"sh", "a b", ") S 1 (", "", "(((", "x) R 9"} {
		p, ok := ParseStat(42, []byte("42 ("+name+")"+rest))
		want := Process{PID: 42, Parent: 7, Session: 1, Name: name, Threads: 5, Pages: 250, CPU: 1270 * time.Millisecond, TTY: 0x8801}
		if !ok || p != want {
			t.Errorf("%q: %+v, %v", name, p, ok)
		}
	}
	for _, line := range []string{"", "42", "42 (x", "42 x)", "42 (x) S 1", ")("} {
		if p, ok := ParseStat(42, []byte(line)); ok {
			t.Errorf("%q: %+v", line, p)
		}
	}
}

func TestFieldsOfStatus(t *testing.T) {
	const status = "Name:\tsh\nUmask:\t0022\nTgid:\t7\nNSpid:\t7\t1\n"
	for name, want := range map[string]string{"Umask:": "0022", "NSpid:": "7\t1", "Pid:": "", "Tgid:": "7"} {
		if got := Field(status, name); got != want {
			t.Errorf("%s %q, want %q", name, got, want)
		}
	}
}
