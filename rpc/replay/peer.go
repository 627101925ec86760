package replay

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"github.com/pillion-sidecar/pillion/rpc"
)

// Peer is a running sidecar.
type Peer struct {
	In      io.WriteCloser // its stdin
	Out     io.ReadCloser  // its stdout
	Framing rpc.Framing    // of both
	PID     int            // 0 when it runs in this process
	Stderr  func() string  // what it has logged so far
	// Wait waits for its end and answers the exit code; it may be called again.
	Wait func(context.Context) (int, error)
	// Kill ends it without any ceremony.
	Kill func()
}

// Dirs are the directories of one run; all lie below Root, whose path is in the
// environment or working directory of everything the sidecar starts. That is
// how leftovers are found in /proc.
type Dirs struct {
	Root      string
	Workspace string
	Home      string
	Cache     string
	State     string
	Tmp       string
}

// Start starts a sidecar that keeps its files below the given directories.
type Start func(Dirs, rpc.Framing) (*Peer, error)

// NewDirs makes the directories of one run below root, which must exist.
func NewDirs(root string) (Dirs, error) {
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		return Dirs{}, err
	}
	d := Dirs{root, "ws", "home", "cache", "state", "tmp"}
	for _, dir := range []*string{&d.Workspace, &d.Home, &d.Cache, &d.State, &d.Tmp} {
		*dir = filepath.Join(root, *dir)
		if err := os.Mkdir(*dir, 0o700); err != nil {
			return Dirs{}, err
		}
	}
	return d, nil
}
