package workspace

import (
	"os"
	"testing"
)

func TestContainsByComponent(t *testing.T) {
	base := tree(t, "ws", "nested/ws")
	s := open(t, base+"/ws", base+"/nested", base+"/nested/ws")
	for path, want := range map[string]bool{
		base + "/ws": true, base + "/ws/": true, base + "/ws/a/b": true, base + "/ws/...": true, base + "/ws/..a": true,
		base + "/ws-evil": false, base + "/wsx/a": false, base: false, "/": false, "": false, "ws": false, ".": false,
		base + "/ws/../x": false, base + "/nested/ws/x": true,
	} {
		if got := s.Contains(path); got != want {
			t.Errorf("Contains(%q) = %v", path, got)
		}
	}
	if open(t).Contains("/") {
		t.Error("an empty set contains something")
	}
}

func TestResolve(t *testing.T) {
	base := tree(t, "ws/src", "out")
	link(t, "../out", base+"/ws/out")
	link(t, base+"/out/new", base+"/ws/dangling")
	link(t, "src/new", base+"/ws/inner")
	link(t, "loop", base+"/ws/loop")
	if err := os.WriteFile(base+"/ws/file", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	s := open(t, base+"/ws")
	cases := []struct {
		path, cwd, want string
		inside          bool
	}{
		{"src", "/ws", "/ws/src", true},
		{"", "/ws", "/ws", true},
		{"new/deep/file", "/ws", "/ws/new/deep/file", true},
		{"..", "/ws/src", "/ws", true},
		{"../..", "/ws/src", "", false},
		{"new/../../ws-evil", "/ws", "/ws-evil", false},
		{"out", "/ws", "/out", false},
		{"out/..", "/ws", "", false}, // the kernel follows the link before ".."
		{"out/../ws/src", "/ws", "/ws/src", true},
		{"dangling", "/ws", "/out/new", false}, // writing creates the target
		{"inner", "/ws", "/ws/src/new", true},
		{"new/../out", "/ws", "/out", false}, // mkdir new comes first
		{"new/../dangling", "/ws", "/out/new", false},
		{"new/a/../../src/../inner", "/ws", "/ws/src/new", true},
		{"loop", "/ws", "/ws/loop", false},
		{"file/x", "/ws", "/ws/file/x", true},
		{"...", "/ws", "/ws/...", true},
		{base + "/ws/src", "/out", "/ws/src", true},
		{base + "/ws-evil", "/ws", "/ws-evil", false},
		{"src/..", "/out", "/out", false},
	}
	for _, c := range cases {
		got, inside := s.Resolve(c.path, base+c.cwd)
		if got != base+c.want || inside != c.inside {
			t.Errorf("Resolve(%q, %q) = %q, %v; want %q, %v", c.path, c.cwd, got, inside, base+c.want, c.inside)
		}
	}
	for _, path := range []string{"/", "/proc/self/root", "/proc/self/root" + "/etc", "a\x00b", "/../.."} {
		if got, inside := s.Resolve(path, base+"/ws"); inside {
			t.Errorf("Resolve(%q) = %q inside", path, got)
		}
	}
}

func TestResolveWithoutAWorkspaceOnDisk(t *testing.T) {
	folders := []string{"/nonexistent/dev/project"}
	for path, want := range map[string]bool{"src/../x": true, "../project2": false, "...": true, "/nonexistent/dev/project/a": true} {
		if got, inside := Resolve(folders, path, folders[0]); inside != want {
			t.Errorf("Resolve(%q) = %q, %v", path, got, inside)
		}
	}
}

func TestFromURI(t *testing.T) {
	for uri, want := range map[string]string{
		"file:///home/dev/my%20project": "/home/dev/my project", "file://localhost/srv": "/srv", "FILE:///a": "/a",
		"file:///a%2Fb": "/a/b", "/plain path%20": "/plain path%20", "file:///caf%C3%A9": "/café",
	} {
		if got, err := fromURI(uri, false); got != want || err != nil {
			t.Errorf("fromURI(%q) = %q, %v", uri, got, err)
		}
	}
	for uri, want := range map[string]string{
		"file:///c%3A/Users/dev": "c:/Users/dev", "file:///C:/x": "C:/x", "file://host/share/x": "//host/share/x", `D:\x`: `D:\x`,
	} {
		if got, err := fromURI(uri, true); got != want || err != nil {
			t.Errorf("fromURI(%q, windows) = %q, %v", uri, got, err)
		}
	}
	for _, uri := range []string{
		"", "relative", "./x", "http://example.com/x", "untitled:Untitled-1", "vscode-remote://ssh/x", "file:relative",
		"file://evil.example/share", "file:///a%00b", "/a\x00b", "file:///x?q", "file:///x#f", "file://", "%zz",
	} {
		if got, err := fromURI(uri, false); err == nil {
			t.Errorf("fromURI(%q) = %q, want an error", uri, got)
		}
	}
}
