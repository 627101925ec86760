package mounts

import (
	"fmt"
	"path"
	"slices"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// nodeKind is what a path of the host is.
type nodeKind uint8

const (
	nodeAbsent nodeKind = iota // or not to be seen by this user: granting nothing is always safe
	nodeDir
	nodeFile // pipes too
	nodeSocket
	nodeLink
	nodeDevice
)

// node is one path of the host as lstat shows it.
type node struct {
	kind   nodeKind
	text   string // of a link: its text
	target string // where it really is, when links lead there; "" otherwise
}

// Layout is what a mount plan must know of the host besides the policy. look is
// asked about the paths that matter and about no others: a stat in a home on a
// network file system may hang for half a minute.
type Layout struct {
	dir      string   // this sandbox's private directory: home and tmp are in it
	home     string   // where the private home appears inside
	userHome string   // where the user's own secrets are
	tmpDisk  bool     // temporary files on disk, in dir, instead of in memory
	tmpSize  int64    // bytes of temporary files in memory, 0 for scratchSize
	ram      int64    // bytes
	uid      int      // the user everything inside belongs to
	tty      int      // group of terminals where it exists inside, else -1
	hidden   []string // directories of ours that no command may see
	search   []string // the directories of PATH
	closed   []string // below /etc: what other users can't read, for a caller who owns it
	Etc      []string // what they can, nil for one who owns nothing of it
	kernel   []string // mount points of the kernel's own file systems
	views    []policy.View
	ends     []layer // where what is hidden and reached through links really is, found while planning
	look     func(string) node
}

// PrivateHome is where the private home appears. Where only named parts of the
// disk are readable it takes the real one's place, so that tools that ask the
// user database find it; where the whole disk is, the real one stays readable.
func PrivateHome(r policy.Reads, userHome string) string {
	if r == policy.ReadsAll {
		return "/run/pillion/home"
	}
	return userHome
}

// validate refuses what would put the sandbox's own directories under, or give a
// command a view of another process namespace, of other devices, or of every
// socket of the host's services.
func (l Layout) validate(p policy.Policy) error {
	if !path.IsAbs(l.home) || path.Clean(l.home) != l.home || l.home == "/" {
		return fmt.Errorf("the private home can't be at %q: it must be an absolute, clean path below /", l.home)
	}
	for _, d := range slices.Concat(p.Writable, p.Readable, p.Caches, p.Sockets, []string{l.home}) {
		if d == "/run" || policy.Beneath("/proc", d) || policy.Beneath("/dev", d) && !policy.Beneath("/dev/shm", path.Dir(d)) {
			return fmt.Errorf("%s can't be granted: /proc, /dev and /run are the sandbox's own", d)
		}
	}
	return nil
}
