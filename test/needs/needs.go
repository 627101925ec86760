// Package needs is how a test asks for what a machine with Go and git may lack. Where
// it is missing, the test is skipped and `go test ./...` names it at its end:
//
//	not tested here: cargo (apt-get install cargo)
//
// PILLION_REQUIRE names what must be there (all, or a list with commas): then each
// such line is a failure, and tests that are long by nature run in full.
package needs

import (
	_ "embed"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

//go:embed programs.txt
var programs string

// Program skips the test unless all of these programs are on the PATH.
func Program(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		if !onPath(name) {
			Missing(t, name, "apt-get install "+Package(name))
		}
	}
}

// Has is Program for a part of a test: it reports whether the program is there.
func Has(t testing.TB, name string) bool {
	t.Helper()
	if onPath(name) {
		return true
	}
	missing(t, name, "apt-get install "+Package(name))
	return false
}

// onPath passes over what is below a home: other users of a test have no such program.
func onPath(name string) bool {
	home, _ := os.UserHomeDir()
	return slices.ContainsFunc(filepath.SplitList(os.Getenv("PATH")), func(dir string) bool {
		path, err := exec.LookPath(filepath.Join(dir, name))
		return err == nil && (home == "" || !strings.HasPrefix(path, home+"/"))
	})
}

// Full skips a test that is long by nature, or that asks servers elsewhere, unless
// everything is to be tested.
func Full(t testing.TB) {
	t.Helper()
	if !Everything() {
		t.Skip("runs with PILLION_REQUIRE=all")
	}
}

// Programs are the names in programs.txt.
func Programs() []string { return slices.Sorted(maps.Keys(packages())) }

// Package is the Debian package that has a program. It panics for one that is not in
// programs.txt: .ci/run would not install it.
func Package(program string) string {
	if pkg, ok := packages()[program]; ok {
		return pkg
	}
	panic(program + " has no line in test/needs/programs.txt")
}

var packages = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(programs) {
		if f := strings.Fields(line); len(f) == 2 {
			all[f[0]] = f[1]
		}
	}
	return all
})

// Missing skips the test for want of something, and says how to get it.
func Missing(t testing.TB, what, remedy string) {
	t.Helper()
	missing(t, what, remedy)
	t.Skipf("needs %s (%s)", what, remedy)
}

func missing(t testing.TB, what, remedy string) {
	t.Helper()
	if required(what) {
		t.Fatalf("PILLION_REQUIRE: %s is missing (%s)", what, remedy)
	}
	record(fmt.Sprintf("not tested here: %s (%s)", what, remedy))
}

// Everything reports whether tests that are long by nature run in full. Else they run
// once, in their cheapest form.
func Everything() bool { return required("all") }

func required(what string) bool {
	list := strings.Split(os.Getenv("PILLION_REQUIRE"), ",")
	return slices.Contains(list, "all") || slices.Contains(list, what)
}
