package replay

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/test/long"
	"github.com/pillion-sidecar/pillion/test/needs"
)

var (
	buildDir  string // for the sidecars built by the tests
	goEnviron []string
)

func TestMain(m *testing.M) {
	if code, ok := sandbox.Child(); ok {
		os.Exit(code)
	}
	if layers := os.Getenv(lacksVariable); layers != "" {
		os.Exit(lack(layers))
	}
	// Scenarios mostly wait; three of them on each processor still leave it idle.
	long.AtOnce(3)
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	dir, err := needs.TempDir("pillion-replay")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	buildDir, goEnviron = dir, os.Environ()
	// What a sidecar in this process must not see or pass on.
	for name, value := range map[string]string{
		"HOME": dir, "XDG_CACHE_HOME": dir, "XDG_STATE_HOME": dir, "REPLAY_INHERITED": "leaked",
	} {
		if err := os.Setenv(name, value); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	code := needs.M{M: m}.Run()
	if err := needs.Leaks(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// plainBuild is a flag that doesn't change the compiled code, which go test's cache has.
const plainBuild = "-buildvcs=false"

// sidecar builds the program once per way of building it.
var builds sync.Map // of flag to func() (string, error)

func sidecar(t *testing.T, flag string) string {
	t.Helper()
	build, _ := builds.LoadOrStore(flag, sync.OnceValues(func() (string, error) {
		out := filepath.Join(buildDir, "pillion"+flag)
		cmd := exec.Command("go", "build", "-ldflags=-s -w", flag, "-o", out, ".")
		cmd.Dir, cmd.Env = filepath.Join("..", ".."), goEnviron
		if flag == "-race" { // which needs it
			cmd.Env = append(slices.Clone(goEnviron), "CGO_ENABLED=1")
		}
		if text, err := cmd.CombinedOutput(); err != nil {
			return "", errors.New(string(text))
		}
		return out, nil
	}))
	path, err := build.(func() (string, error))()
	if err != nil {
		t.Fatal(err)
	}
	return path
}
