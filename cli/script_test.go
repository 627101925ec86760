package cli_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/test/long"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// module is the root of the repository.
const module = ".."

// bin holds the programs the scripts run.
var bin string

func TestMain(m *testing.M) {
	if code, ok := sandbox.Child(); ok {
		os.Exit(code)
	}
	os.Exit(run(m))
}

// run builds the real programs: flags, start-up and the sandbox's helper
// processes are part of what is tested.
func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "pillion-cli-*")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	bin = dir
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", dir, ".", "./rpc/agent/mcp/pillion-mcp")
	build.Dir = module
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		return 1
	}
	long.AtOnce(2)
	return needs.M{M: m}.Run()
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:   filepath.Join(module, "testdata", "cli"),
		Setup: setup,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code": code, "appears": appears, "frames": frames, "remedied": remedied, "listens": listens,
		},
		RequireUniqueNames: true,
		Condition: func(name string) (bool, error) {
			switch name {
			case "namespaces":
				return needs.HasNamespaces(), nil
			case "elsewhere": // a sandbox has a /tmp of its own: what is missing there is no refusal
				home, err := os.UserHomeDir()
				return err == nil && !strings.HasPrefix(home, "/tmp/") && !strings.HasPrefix(home, "/var/tmp/"), nil
			case "hosts": // a minimal root has none, and then no name is given in the sandbox
				_, err := os.Stat("/etc/hosts")
				return err == nil, nil
			case "full": // what is long by nature
				return needs.Everything(), nil
			}
			return false, fmt.Errorf("no condition %s", name)
		},
	})
}

// setup gives every script a home of its own. Of the tester's it has only the
// module cache, which holds what this module itself depends on.
func setup(e *testscript.Env) error {
	home := filepath.Join(e.WorkDir, "home")
	modules, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		return err
	}
	e.Setenv("GOMODCACHE", strings.TrimSpace(string(modules)))
	here, err := filepath.Abs(module)
	if err != nil {
		return err
	}
	e.Setenv("HOME", home)
	e.Setenv("MODULE", here)
	e.Setenv("BIN", bin)
	e.Setenv("GOOS", runtime.GOOS)
	e.Setenv("GOARCH", runtime.GOARCH)
	e.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	return os.MkdirAll(home, 0o755)
}

// code N COMMAND… runs a command that must exit with N.
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N command [args…]")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit code %d, want %s\n%s%s", got, args[0], ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}

// appears FILE waits for a file, so that no script depends on a sleep.
func appears(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: appears file")
	}
	path := ts.MkAbs(args[0])
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			return
		}
	}
	ts.Fatalf("%s did not appear", path)
}

// frames OUT IN writes each line of IN as one frame. $WORK stands for the
// script's directory.
func frames(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: frames out in")
	}
	var out bytes.Buffer
	for line := range strings.Lines(ts.ReadFile(args[1])) {
		body := strings.ReplaceAll(strings.TrimSpace(line), "$WORK", ts.Getenv("WORK"))
		fmt.Fprintf(&out, "Content-Length: %d\r\n\r\n%s", len(body), body)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), out.Bytes(), 0o644))
}
