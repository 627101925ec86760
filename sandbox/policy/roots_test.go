package policy

import (
	"slices"
	"testing"
)

// With the host's directory in the place of a sandbox's own, a socket there is not the
// sandbox's.
func TestWhatIsGrantedIsNotTheSandboxsOwn(t *testing.T) {
	for _, p := range []Policy{{Readable: []string{"/tmp"}}, {Mode: WorkspaceWrite, Writable: []string{"/tmp"}}} {
		c := Conf{Rung: RungFull, Policy: p, Home: "/home/u", Tmp: "/tmp"}
		if _, private := c.Roots(); slices.Contains(private, "/tmp") || slices.Contains(c.Inner(), "/tmp") || !slices.Contains(private, "/var/tmp") {
			t.Errorf("%v: %v, %v", p, private, c.Inner())
		}
	}
}
