package infer

import (
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox"
)

// aMacScene is one in a sandbox of macOS, which refuses by EPERM.
func aMacScene() Scene {
	s := aScene()
	s.Home, s.Belted = "/Users/you", true
	return s
}

// One line of each kind of program of macOS, and what it tells.
func TestRefusalsOfAMacAreReadOffErrorLines(t *testing.T) {
	for line, want := range map[string]sandbox.Violation{
		"cat: /Users/you/notes: Operation not permitted":                                  {Op: "read", Path: "/Users/you/notes", Rule: "outside", Grant: `policy.readable "/Users/you/notes"`, Errno: "EPERM", Process: "cat"},
		"touch: /srv/a/x: Operation not permitted":                                        {Op: "write", Path: "/srv/a/x", Rule: "outside", Grant: `sandbox.writable "/srv/a"`, Errno: "EPERM", Process: "touch"},
		"rm: /toolchain/x: Operation not permitted":                                       {Op: "write", Path: "/toolchain/x", Rule: "outside", Grant: `sandbox.writable "/toolchain"`, Errno: "EPERM", Process: "rm"},
		"/bin/sh: /toolchain/x: Operation not permitted":                                  {Op: "write", Path: "/toolchain/x", Rule: "outside", Grant: `sandbox.writable "/toolchain"`, Errno: "EPERM", Process: "sh"},
		"mkdir: /srv/d: Operation not permitted":                                          {Op: "write", Path: "/srv/d", Rule: "outside", Grant: `sandbox.writable "/srv"`, Errno: "EPERM", Process: "mkdir"},
		"PermissionError: [Errno 1] Operation not permitted: '/Users/you/notes'":          {Op: "read", Path: "/Users/you/notes", Rule: "outside", Grant: `policy.readable "/Users/you/notes"`, Errno: "EPERM"},
		"curl: (6) Could not resolve host: example.org":                                   {Op: "resolve", Path: "example.org", Rule: "network", Grant: `policy.network.allow "example.org"`, Process: "curl"},
		"dial tcp 192.0.2.1:443: connect: operation not permitted":                        {Op: "connect", Rule: "network", Grant: `sandbox.network "allow"`, Errno: "EPERM"},
		"socket.gaierror: [Errno 8] nodename nor servname provided, or not known":         {Op: "connect", Rule: "network", Grant: `sandbox.network "allow"`},
		"dial unix /var/run/x/agent.sock: connect: operation not permitted":               {Op: "connect", Path: "/private/var/run/x/agent.sock", Rule: "socket", Grant: `policy.network.sockets "/private/var/run/x/agent.sock"`},
		"Cannot connect to the Docker daemon at unix:///var/run/docker.sock: not running": {Op: "connect", Path: "/private/var/run/docker.sock", Rule: "socket", Grant: "none: a program that reaches a container engine is root on this machine"},
	} {
		want.Attribution, want.Count = sandbox.AttributionInferred, 1
		got := aMacScene().Read(line)
		if len(got) != 1 {
			t.Errorf("%s: %+v", line, got)
			continue
		}
		if got[0] != want {
			t.Errorf("%s\n got %+v\nwant %+v", line, got[0], want)
		}
	}
	for _, line := range []string{
		"touch: x: Operation not permitted", // in the workspace it is the file's own flags
		"kill: 1: Operation not permitted",
		"connect to me: Permission denied",
	} {
		if got := aMacScene().Read(line); len(got) != 0 {
			t.Errorf("%s: %+v", line, got)
		}
	}
}
