package replay

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
)

// Peer is a running sidecar.
type Peer struct {
	In      io.WriteCloser  // its stdin
	Out     io.ReadCloser   // its stdout
	Framing jsonrpc.Framing // of both
	PID     int             // 0 when it runs in this process
	Stderr  func() string   // what it has logged so far
	// Wait waits for its end and answers the exit code; it may be called again.
	Wait func(context.Context) (int, error)
	// Kill ends it without any ceremony.
	Kill func()
	// Trace, if any, sees the messages, and what a script sent in their place, whole and
	// in their order.
	Trace func(sent bool, body []byte)
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
	Config    string // of a user who has a policy, else there is none
}

// Start starts a sidecar that keeps its files below the given directories.
type Start func(Dirs, jsonrpc.Framing) (*Peer, error)

// NewDirs makes the directories of one run below root, which must exist.
func NewDirs(root string) (Dirs, error) {
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		return Dirs{}, err
	}
	d := Dirs{root, "ws", "home", "cache", "state", "tmp", filepath.Join(root, "config")}
	for _, dir := range []*string{&d.Workspace, &d.Home, &d.Cache, &d.State, &d.Tmp} {
		*dir = filepath.Join(root, *dir)
		if err := os.Mkdir(*dir, 0o700); err != nil {
			return Dirs{}, err
		}
	}
	return d, nil
}

// policyFile is where the user's policy belongs.
func (d Dirs) policyFile() string { return filepath.Join(d.Config, "pillion", "policy.toml") }
