package prompt

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/proc"
)

// Supported says whether the kernel shows it.
const Supported = true

// Input is where a command's input comes from.
type Input struct {
	terminal bool
	dev, ino uint64
}

// Of knows an input by the command's end of it.
func Of(theirs *os.File, terminal bool) (Input, error) {
	var st unix.Stat_t
	err := unix.Fstat(int(theirs.Fd()), &st)
	return Input{terminal, uint64(st.Dev), st.Ino}, err //nolint:unconvert // uint32 on other machines
}

// Kind is how the input is read now, by our end of it; taken says that the command has
// taken all there was.
func (in Input) Kind(ours *os.File) (kind Kind, taken bool) {
	raw, err := ours.SyscallConn()
	if err != nil {
		return Line, false
	}
	err = raw.Control(func(fd uintptr) { kind, taken = in.kind(int(fd)) })
	return kind, taken && err == nil
}

func (in Input) kind(fd int) (kind Kind, taken bool) {
	if !in.terminal {
		n, err := unix.IoctlGetInt(fd, unix.TIOCINQ)
		return Line, err == nil && n == 0
	}
	modes, err := unix.IoctlGetTermios(fd, unix.TCGETS) // those of the command's end. ioctl_tty(2)
	switch {
	case err == nil && modes.Lflag&unix.ICANON == 0:
		return Key, true
	case err == nil && modes.Lflag&unix.ECHO == 0:
		return Hidden, true
	}
	return Line, err == nil
}

// Blocked is a process that waits. Two that are equal, some time apart, say that the
// command has not moved meanwhile.
type Blocked struct {
	PID     int // on the host
	Process string
	thread  int
	call    string // with its arguments, as in /proc/PID/syscall
	cpu     time.Duration
}

// mostProcesses of a command that is looked through. One with more computes.
const mostProcesses = 256

// Look finds the process below root, or root, that waits for the input. ok is false where
// none does, and where any of them computes.
func (in Input) Look(root int) (b Blocked, ok bool) {
	first, there := proc.Read(root)
	all := append(proc.Below(root, mostProcesses), first)
	if !there || len(all) > mostProcesses {
		return b, false
	}
	for _, p := range all {
		if p.Busy {
			return b, false
		}
		b.cpu += p.CPU
	}
	for _, p := range all {
		if p.Zombie {
			continue
		}
		found, computes := in.within(p, root)
		if computes {
			return b, false
		}
		if b.PID == 0 && found.PID != 0 {
			found.cpu = b.cpu
			b = found
		}
	}
	return b, b.PID != 0
}

// within finds the thread of a process that waits, where every other one rests: else the
// process goes on without input.
func (in Input) within(p proc.Process, root int) (b Blocked, computes bool) {
	goesOn := false
	for _, thread := range threads(p) {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/syscall", p.PID, thread))
		c, known := parseCall(string(text))
		switch {
		case strings.HasPrefix(string(text), "running"):
			return Blocked{}, true
		case err != nil || !known: // it has ended, or is the kernel's own
		case b.PID == 0 && in.waits(p, c, root):
			b = Blocked{PID: p.PID, Process: p.Name, thread: thread, call: string(text)}
		case !c.rests(p.PID):
			goesOn = true
		}
	}
	if goesOn {
		return Blocked{}, false
	}
	return b, false
}

func threads(p proc.Process) []int {
	if p.Threads == 1 {
		return []int{p.PID}
	}
	list, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", p.PID))
	var ids []int
	for _, e := range list {
		if id, err := strconv.Atoi(e.Name()); err == nil {
			ids = append(ids, id)
		}
	}
	return ids
}
