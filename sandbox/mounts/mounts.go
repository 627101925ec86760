package mounts

import (
	"fmt"
	"path"
	"strings"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// A mount plan is the whole file system of a sandbox as an ordered list of
// steps. It is a pure function of the policy and of what the host looks like, so
// every machine's plan can be tested on any machine; BuildRoot does what it says
// and decides nothing.

// mountOp is what one step does at its path.
type mountOp uint8

const (
	opTmpfs    mountOp = iota // a file system in memory of its own
	opRead                    // bind, nothing below can be changed
	opWrite                   // bind, everything below can be changed
	opScratch                 // a directory of the sandbox's one file system for temporary files
	opDevice                  // bind of one device file, its mode and owner can't be changed
	opView                    // a copy-on-write view, if it can be had
	opSocket                  // bind of one socket of the host, the file can't be changed
	opTerminal                // pseudo-terminals of its own
	opProc                    // processes of its own
	opBlank                   // something empty that can be read, over something that is hidden
	opClosed                  // something that can't be opened, over something that is hidden
	opLink                    // symbolic link
	opDir                     // directory to mount on
	opFile                    // file to mount on
	opSeal                    // nothing more is created in the file system mounted here
)

var opNames = [...]string{
	"tmpfs", "read", "write", "scratch", "device", "view", "socket", "terminals", "proc", "blank", "closed", "link", "dir", "file", "seal",
}

func (o mountOp) String() string { return opNames[o] }

// step is one step. Paths are absolute, path is inside, source on the host.
type step struct {
	op     mountOp
	Path   string
	source string // of a bind; the text of a link; the name below the scratch file system
	file   bool   // what is mounted on is not a directory
	mode   uint32
}

// String is the step's line in a golden file and in an error.
func (s step) String() string {
	text := s.op.String() + " " + s.Path
	if s.file && s.op != opDevice && s.op != opSocket {
		text += " file"
	}
	if s.mode != 0 {
		text += fmt.Sprintf(" %04o", s.mode)
	}
	switch {
	case s.op == opLink:
		text += " -> " + s.source
	case s.source != "" && s.source != s.Path:
		text += " < " + s.source
	}
	return text
}

// Plan is what BuildRoot executes.
type Plan struct {
	scratch int64 // bytes that /tmp, /var/tmp and /dev/shm may take together
	tty     int   // group of new terminals, -1 for the user's own
	steps   []step
	views   []policy.View
}

func (p Plan) String() string {
	var b strings.Builder
	for _, s := range p.steps {
		fmt.Fprintln(&b, s)
	}
	return b.String()
}

// scratchSize is the default for temporary files in memory: a quarter of it, so
// that a command that fills /tmp does not take the editor's.
func scratchSize(ram int64) int64 { return min(4<<30, ram/4) }

// Between lists the directories below dir that lead to p, p itself excluded.
func Between(dir, p string) []string {
	var up []string
	for d := path.Dir(p); len(d) > len(dir) && policy.Beneath(dir, d); d = path.Dir(d) {
		up = append([]string{d}, up...)
	}
	return up
}
