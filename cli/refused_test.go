package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// said is what exec says of refusals.
func said(list []protocol.Violation) (lines []string) {
	for _, l := range display.Violations(list, protocol.EffectiveSandbox{}, granted) {
		lines = append(lines, l.Text)
	}
	return lines
}

func TestRefusalsAreOneReadableLineEach(t *testing.T) {
	for want, v := range map[string]protocol.Violation{
		`refused: tee: openat /srv/x/f (outside); to allow it: --writable /srv/x`: {
			Op: "openat", Path: "/srv/x/f", Rule: "outside", Grant: `sandbox.writable "/srv/x"`, Process: "tee", Count: 1, Attribution: "reported",
		},
		`refused: openat /srv/a b/f (outside), 12 times; to allow it: --writable '/srv/a b'`: {
			Op: "openat", Path: "/srv/a b/f", Rule: "outside", Grant: `sandbox.writable "/srv/a b"`, Count: 12, Attribution: "reported",
		},
		`probably refused: cat: read /home/you/.ssh/id_rsa (secret); to allow it: --readable /home/you/.ssh/id_rsa`: {
			Op: "read", Path: "/home/you/.ssh/id_rsa", Rule: "secret", Grant: `policy.readable "/home/you/.ssh/id_rsa"`, Process: "cat", Count: 1, Attribution: "inferred",
		},
		`probably refused: curl: resolve example.org (network); to allow it: --host example.org`: {
			Op: "resolve", Address: "example.org", Rule: "network", Grant: `policy.network.allow "example.org"`, Process: "curl", Count: 1, Attribution: "inferred",
		},
		`probably refused: java: connect (network); to allow it: --network allow`: {
			Op: "connect", Rule: "network", Grant: `sandbox.network "allow"`, Process: "java", Count: 1, Attribution: "inferred",
		},
		`refused: example.org:443 (not listed); to allow it: --host example.org:443`: {
			Op: "connect", Address: "example.org:443", Rule: "not listed", Grant: `policy.network.allow "example.org:443"`, Count: 1, Attribution: "reported",
		},
		`refused: openat /ws/.git/config (.git/config)`: {
			Op: "openat", Path: "/ws/.git/config", Rule: ".git/config", Count: 1, Attribution: "reported",
		},
		`refused: mkdir /etc/x (outside); your own permissions don't allow it either`: {
			Op: "mkdir", Path: "/etc/x", Rule: "outside", Never: "your own permissions don't allow it either", Count: 1, Attribution: "reported",
		},
		// A command names its files and itself as it likes.
		`refused: \u001b[2J: openat /srv/\u202ex\n/f (outside); to allow it: sandbox.writable "/srv/\u202ex\n"`: {
			Op: "openat", Path: "/srv/\u202ex\n/f", Rule: "outside", Grant: `sandbox.writable "/srv/\u202ex\n"`, Process: "\x1b[2J", Count: 1, Attribution: "reported",
		},
		`refused: openat /srv/it's/f (outside); to allow it: --writable '/srv/it'\''s'`: {
			Op: "openat", Path: "/srv/it's/f", Rule: "outside", Grant: `sandbox.writable "/srv/it's"`, Count: 1, Attribution: "reported",
		},
		`refused: openat /srv/x;rm -rf ~/f (outside); to allow it: --writable '/srv/x;rm -rf ~'`: {
			Op: "openat", Path: "/srv/x;rm -rf ~/f", Rule: "outside", Grant: `sandbox.writable "/srv/x;rm -rf ~"`, Count: 1, Attribution: "reported",
		},
	} {
		if d := cmp.Diff([]string{want}, said([]protocol.Violation{v})); d != "" {
			t.Error(d)
		}
	}
}

func TestManyRefusalsAreCounted(t *testing.T) {
	var list []protocol.Violation
	for i := range 11 {
		list = append(list, protocol.Violation{Op: "openat", Path: fmt.Sprint("/srv/", i), Rule: "outside", Count: 1, Attribution: "reported"})
	}
	lines := said(list)
	if last := lines[len(lines)-1]; len(lines) != 9 || last != "refused: 3 more" {
		t.Errorf("%s", strings.Join(lines, "\n"))
	}
}
