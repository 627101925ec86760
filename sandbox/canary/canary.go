package canary

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/pillion-sidecar/pillion/sandbox/assess"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"github.com/pillion-sidecar/pillion/sandbox/wire"
)

// Bait is what the self-test lays out. Every piece of it could be had or changed by an
// ordinary program of the user.
type Bait struct {
	File     string // outside and only readable in the sandbox
	Secret   string // outside and not even readable there
	Inside   string // a directory of the workspace
	TCP, UDP int    // listening ports of 127.0.0.1
	PID      int    // the sidecar
	Path     string // listening socket file
	Abstract string // listening abstract socket
	Shm      int    // SysV shared memory of the user
	Low      string // a directory outside that carries a low label
	Object   string // name of a pipe, a section and an event of ours
}

// Args start a canary for it.
func (b Bait) Args() []string { return []string{wire.Canary, hex.EncodeToString(wire.Encode(b))} }

// Lay opens the targets below dir; closing what it returns removes them.
func Lay(dir string) (b Bait, open []io.Closer, err error) {
	b = Bait{
		File: filepath.Join(dir, "readable", "outside"), Secret: filepath.Join(dir, "secret"),
		Inside: filepath.Join(dir, "workspace"), PID: os.Getpid(),
	}
	for _, d := range []string{filepath.Dir(b.File), b.Inside} {
		if err := os.Mkdir(d, 0o700); err != nil {
			return b, open, err
		}
	}
	for _, f := range []string{b.File, b.Secret} {
		if err := os.WriteFile(f, []byte("bait"), 0o600); err != nil {
			return b, open, err
		}
	}
	tcp, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return b, open, err
	}
	open = append(open, tcp)
	b.TCP = tcp.Addr().(*net.TCPAddr).Port
	ears, err := b.layUDP()
	if err != nil {
		return b, open, err
	}
	open = append(open, ears...)
	more, err := b.layMore(dir)
	return b, append(open, more...), err
}

// attempt is one forbidden thing.
type attempt struct {
	name string
	try  func(Bait) error
}

// try is the canary. Without a bait it is only asked to run.
func try(args []string) int {
	if len(args) == 1 {
		return 0
	}
	b, err := parse(args)
	if err != nil {
		return 2
	}
	for _, a := range attempts {
		fmt.Println(a.name, int64(a.errno(b)))
	}
	leaveBehind(b)
	return 0
}

func parse(args []string) (b Bait, err error) {
	if len(args) != 2 {
		return b, errors.New("a canary has one argument")
	}
	text, err := hex.DecodeString(args[1])
	if err != nil {
		return b, err
	}
	return b, wire.Decode(text, &b)
}

// Attempt makes one of them, for the bait that Args are of; ok says that there was such a
// one.
func Attempt(name string, args []string) (errno syscall.Errno, ok bool) {
	b, err := parse(args)
	i := slices.IndexFunc(attempts, func(a attempt) bool { return a.name == name })
	if i < 0 || err != nil {
		return 0, false
	}
	return attempts[i].errno(b), true
}

// Attempts are the names of all.
func Attempts() (names []string) {
	for _, a := range attempts {
		names = append(names, a.name)
	}
	return names
}

func (a attempt) errno(b Bait) (errno syscall.Errno) {
	if err := a.try(b); err != nil && !errors.As(err, &errno) {
		return provesNothing
	}
	return errno
}

// daemonLife is how long a process stays that a canary leaves.
const daemonLife = time.Minute

// Run is the process of that name; ok says that it is one of a canary's.
func Run(name string, args []string) (code int, ok bool) {
	switch name {
	case wire.Canary:
		return try(args), true
	case wire.Orphan:
		return orphan(), true
	case wire.Daemon:
		time.Sleep(daemonLife)
		return 0, true
	}
	return 0, false
}

// Alone is appended to what a canary said when all of it had ended.
const Alone = "left 1\n"

// isPID ends the name of a process that was left, before its number.
const isPID = ".pid"

// read turns what a canary said into facts; proves says that an answer means a refusal.
// A daemon was refused if it was left, and gone when its canary had ended: what it would
// have kept open shows that, or ended, by its number.
func read(
	out string, f assess.Facts, mode policy.Mode, proves func(name string, errno syscall.Errno) bool, ended func(pid int) bool,
) (assess.Facts, error) {
	f.Refused = map[string]bool{}
	left := false
	sc := bufio.NewScanner(strings.NewReader(out))
	for sc.Scan() {
		name, value, _ := strings.Cut(strings.TrimSpace(sc.Text()), " ")
		n, err := strconv.ParseUint(value, 10, 32)
		if err != nil {
			return f, fmt.Errorf("the self-test's canary said %q", sc.Text())
		}
		whose, pid := strings.CutSuffix(name, isPID)
		switch {
		case pid:
			f.Refused[whose] = n > 0 && ended(int(n))
		case name == "daemon":
			left = n == 0
		case name == "left":
			f.Refused["daemon"] = left
		default:
			f.Refused[name] = proves(name, syscall.Errno(n))
		}
	}
	return f.InWorkspace(mode)
}
