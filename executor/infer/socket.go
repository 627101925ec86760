package infer

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/pillion-sidecar/pillion/sandbox"
)

// A socket outside of the sandbox isn't shown, or can't be connected to, and each
// client has words of its own for that.
var (
	socketPath = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`/[^\s"'‘’:()]*(\.sock|\.socket|/\.s\.PGSQL\.[0-9]+)\b`)
	})
	noSocket = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)no such file|permission denied|not permitted|(can't|cannot|couldn't|could not|failed to|unable to) (connect|open)`)
	})
)

// socket is what a line says of a socket that could not be reached.
func (s Scene) socket(line string) (sandbox.Violation, bool) {
	path := socketPath().FindString(line)
	if path == "" || !noSocket().MatchString(line) {
		return sandbox.Violation{}, false
	}
	path = filepath.Clean(path)
	if s.Belted {
		path = privately(path)
	} else if rest, old := strings.CutPrefix(path, "/var/run/"); old {
		path = "/run/" + rest // a link nearly everywhere, and sockets are granted by where they are
	}
	v := sandbox.Violation{Op: "connect", Path: path, Rule: "socket", Count: 1, Process: speaker(line), Attribution: sandbox.AttributionInferred}
	switch {
	case s.own(path) || s.Policy.Covers(path, true) || slices.Contains(s.Policy.Sockets, path):
		return v, false // nobody listens
	default:
		if grant := sandbox.SocketGrant(path); s.Mounts || s.Belted || strings.HasPrefix(grant, "none: ") {
			v.Grant = grant
		}
	}
	return v, true
}
