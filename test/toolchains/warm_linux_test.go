package toolchains

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/test/long"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// The first build in a workspace compiles nothing that the user has built outside, and
// leaves the user's cache as it was.
func TestTheFirstBuildIsWarm(t *testing.T) {
	long.Test(t)
	needs.Full(t) // it compiles what fmt needs
	everyUser(t, func(u *user) {
		dir := u.goProject()
		u.outside(dir, "go", "build", "-o", "/dev/null", "./app")
		out, code := u.inside(dir, "go build -x -o app.out ./app 2>&1 && ./app.out")
		if code != 0 || !strings.Contains(out, "sum 3") {
			u.t.Errorf("code %d\n%s", code, out)
		}
		if strings.Contains(out, "/compile ") {
			u.t.Errorf("something was compiled:\n%s", out)
		}
		// What the user changes and builds meanwhile is found; what a command builds stays.
		lib := filepath.Join(dir, "app/more.go")
		u.write(lib, "package main\n\nvar more = 1\n")
		if out, code := u.inside(dir, "go build -o app.out ./app"); code != 0 {
			u.t.Errorf("code %d\n%s", code, out)
		}
		if out, _ := u.run(dir, []string{"GOPROXY=off"}, "go", "build", "-x", "-o", "/dev/null", "./app"); !strings.Contains(out, "/compile ") {
			u.t.Errorf("what a command has built is in the user's cache:\n%s", out)
		}
	})
}
