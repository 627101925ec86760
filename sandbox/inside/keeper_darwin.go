package inside

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pillion-sidecar/pillion/sandbox/files"
	"github.com/pillion-sidecar/pillion/sandbox/proc"
	"github.com/pillion-sidecar/pillion/sandbox/wire"
)

// What a keeper goes by.
const (
	KeepsTree   = "tree"
	KeepsMarked = "marked"
)

// keeperMain is the keeper itself.
func keeperMain(args []string) int {
	if len(args) != 2 {
		return 2
	}
	dir := args[0]
	roots := map[int]int64{}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var pid int
		var start int64
		if _, err := fmt.Sscanf(in.Text(), "%d %d", &pid, &start); err != nil {
			continue
		}
		if roots[pid] = start; start == 0 {
			delete(roots, pid)
		}
	}
	for pid, start := range roots {
		_ = (&proc.Tree{Family: proc.NewFamily(pid, start)}).End(wire.EndTimeout) // what it misses is confined, or mode off
	}
	if args[1] == KeepsMarked {
		endMarked(dir)
	}
	files.RemoveTree(dir)
	return 0
}

// endMarked ends every process of the sandbox whose directory that is.
func endMarked(dir string) {
	if real, err := files.KernelPath(dir); err == nil {
		dir = real
	}
	m := proc.Marks{Own: filepath.Join(dir, BoxMark), None: filepath.Join(dir, NoMark)}
	if _, err := os.Lstat(m.None); err != nil {
		return // it never began, or is gone
	}
	_ = (&proc.Tree{Marks: &m, Family: proc.MarkedFamily()}).End(wire.EndTimeout)
}

// Files by which the processes of a sandbox are recognised; see marks.
const (
	BoxMark = "box"
	NoMark  = "none"
	MarksIn = "marks" // one for each command
)

// dropGroup is called before a directory of a killed predecessor is removed: its
// keeper may have been killed with it.
func dropGroup(dir string) {
	if !strings.HasPrefix(filepath.Base(dir), NewPrefix) {
		endMarked(dir)
	}
}
