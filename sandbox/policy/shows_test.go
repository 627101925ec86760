package policy

import (
	"runtime"
	"testing"
)

func TestWhatThePlanShows(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("paths of UNIX")
	}
	p := Policy{
		Mode: WorkspaceWrite, Reads: ReadsPrivate, Readable: []string{"/home/u/go/pkg/mod", "/home/u/.aws/config"}, Writable: []string{"/home/u/p"},
		HomeFiles: []HomeFile{{Path: ".gitconfig", Text: "x"}, {Path: ".nvm", Link: "/home/u/.ssh"}},
	}
	for path, want := range map[string]string{
		"/home/u/go/pkg/mod/x@v1/y.go": "granted", "/home/u/p/a": "granted", "/home/u/.aws/config": "granted", "/home/u/.aws/credentials": "",
		"/home/u/notes": "", "/home/u/.ssh/id_rsa": "", "/usr/share/doc/x": "system", "/etc/hosts": "system", "/etc/shadow": "",
		"/etc/ssh/ssh_host_rsa_key": "", "/dev/null": "devices", "/proc/self/environ": "", "/home/u/go/pkg/mode": "", "relative": "",
		"/home/u/.gitconfig": "home", "/home/u/.nvm": "", "/home/u/.config/git/ignore": "",
	} {
		if got := p.Shows("/home/u", path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	p.Reads = ReadsAll
	if got := p.Shows("/home/u", "/home/u/notes"); got != "all" {
		t.Errorf("reads all: %q", got)
	}
	if got := p.Shows("/home/u", "/home/u/.ssh/id_rsa"); got != "" {
		t.Errorf("reads all shows a key: %q", got)
	}
	if p.Mode = Off; p.Shows("/home/u", "/etc/hosts") != "" {
		t.Error("an answer where nothing is confined")
	}
}
