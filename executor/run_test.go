package executor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/test/box"
	"github.com/pillion-sidecar/pillion/workspace"
)

func TestBufferedOutputIsInTheResult(t *testing.T) {
	r := newRig(t, nil)
	res, rec := r.must(sh("echo out; echo err >&2"))
	if got := string(res.Output[Stdout].Inline); got != "out\n" {
		t.Errorf("stdout %q", got)
	}
	if got := string(res.Output[Stderr].Inline); got != "err\n" || !res.Output[Stderr].InlineText {
		t.Errorf("stderr %q", got)
	}
	if len(rec.chunks) != 0 || res.Reason != Exited || *res.ExitCode != 0 || !res.Output[Stdout].EOF {
		t.Errorf("chunks %d, result %+v", len(rec.chunks), res)
	}
}

func TestStreamedOutputIsNotRepeated(t *testing.T) {
	r := newRig(t, nil)
	res, rec := r.must(streamed("echo out; echo err >&2"))
	if rec.text(Stdout) != "out\n" || rec.text(Stderr) != "err\n" {
		t.Errorf("streams %q %q", rec.text(Stdout), rec.text(Stderr))
	}
	o := res.Output[Stdout]
	if o.Inline != nil || o.StreamedBytes != 4 || o.TotalBytes != 4 || o.Truncated {
		t.Errorf("account %+v", o)
	}
}

func TestMergeGivesTrueOrder(t *testing.T) {
	r := newRig(t, nil)
	req := streamed("for i in 1 2 3; do echo o$i; echo e$i >&2; done")
	req.Output.Merge = true
	_, rec := r.must(req)
	if got := rec.text(Stdout); got != "o1\ne1\no2\ne2\no3\ne3\n" {
		t.Errorf("merged %q", got)
	}
}

func TestExitStatusIsExact(t *testing.T) {
	r := newRig(t, nil)
	for script, want := range map[string]string{
		"true": "0", "exit 3": "3", "no-such-program-here": "127", "kill -9 $$": "SIGKILL", "kill -SEGV $$": "SIGSEGV",
		"exit 124": "124", "kill -TERM $$": "SIGTERM",
	} {
		res, _ := r.must(sh(script))
		got := res.Signal
		if res.ExitCode != nil {
			got = fmt.Sprint(*res.ExitCode)
		}
		if got != want || res.Reason != Exited {
			t.Errorf("%q: %s, reason %s; want %s", script, got, res.Reason, want)
		}
	}
}

func TestArgvReachesTheProgramLiterally(t *testing.T) {
	r := newRig(t, nil)
	res, _ := r.must(Request{Argv: []string{"printf", "%s|", "a b", "$HOME", "*", ";", "'"}})
	if got := string(res.Output[Stdout].Inline); got != "a b|$HOME|*|;|'|" {
		t.Errorf("got %q", got)
	}
}

func TestAScriptThatLooksLikeAnOptionIsAScript(t *testing.T) {
	r := newRig(t, nil)
	res, _ := r.must(sh("-x 2>/dev/null; echo ran"))
	if got := string(res.Output[Stdout].Inline); got != "ran\n" {
		t.Errorf("got %q, stderr %q", got, res.Output[Stderr].Inline)
	}
}

func TestStdinIsWrittenAndClosed(t *testing.T) {
	r := newRig(t, nil)
	big := strings.Repeat("0123456789abcdef", 1<<14)
	res, _ := r.must(Request{Command: "wc -c", Stdin: []byte(big)})
	if got := strings.TrimSpace(string(res.Output[Stdout].Inline)); got != "262144" {
		t.Errorf("wc says %q", got)
	}
	res, _ = r.must(sh("wc -c"))
	if got := strings.TrimSpace(string(res.Output[Stdout].Inline)); got != "0" {
		t.Errorf("without stdin wc says %q", got)
	}
	r.must(Request{Command: "exit 0", Stdin: []byte(big)}) // never reads: no hang
}

func TestEnvironmentIsCoreByDefault(t *testing.T) {
	t.Setenv("GITHUB_TOKEN", "ghp_secret")
	t.Setenv("LD_PRELOAD_X", "y")
	r := newRig(t, nil)
	value := "set"
	// In a script, because the guard asks before it prints every variable.
	if err := os.WriteFile(filepath.Join(r.ws, "dump.sh"), []byte("env\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	res, _ := r.must(Request{Command: "sh dump.sh", Env: map[string]*string{"ADDED": &value, "LANG": nil, "PAGER": nil}})
	env := string(res.Output[Stdout].Inline)
	for _, bad := range []string{"GITHUB_TOKEN", "LD_PRELOAD_X", "LANG=", "\nPAGER="} {
		if strings.Contains("\n"+env, bad) {
			t.Errorf("%s reached the command", bad)
		}
	}
	for _, want := range []string{"ADDED=set", "TERM=dumb", "NO_COLOR=1", "PWD=" + r.ws, "PATH="} {
		if !strings.Contains(env, want) {
			t.Errorf("environment lacks %s:\n%s", want, env)
		}
	}
}

func TestHomeAndTmpArePrivate(t *testing.T) {
	r := newRig(t, nil)
	script := `printenv HOME TMPDIR; f=$(mktemp) && test -w "$f" && touch "$HOME/pillion-private" "$TMPDIR/pillion-private"`
	if err := os.WriteFile(filepath.Join(r.ws, "private.sh"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	res, _ := r.must(sh("sh private.sh"))
	if *res.ExitCode != 0 {
		t.Fatalf("code %d, err %q", *res.ExitCode, res.Output[Stderr].Inline)
	}
	for _, dir := range strings.Fields(string(res.Output[Stdout].Inline)) {
		if own := strings.HasPrefix(dir, box.StateDir+"/"); own {
			if st, err := os.Stat(dir); err != nil || st.Mode().Perm() != 0o700 {
				t.Errorf("%s: %v %v", dir, st, err)
			}
		} else if _, err := os.Stat(filepath.Join(dir, "pillion-private")); err == nil {
			t.Errorf("what a command left in %s is on the host", dir)
		}
	}
}

func TestCwdOutsideTheWorkspaceIsRefused(t *testing.T) {
	r := newRig(t, nil)
	if err := os.Symlink("/etc", filepath.Join(r.ws, "link")); err != nil {
		t.Fatal(err)
	}
	for _, cwd := range []string{"..", "/etc", "link", "a/../..", "/proc/self/root/etc"} {
		_, _, err := r.run(Request{Command: "pwd", Cwd: cwd})
		var outside *workspace.OutsideError
		if err == nil || cwd != "/proc/self/root/etc" && !errors.As(err, &outside) {
			t.Errorf("cwd %q: %v", cwd, err)
		}
	}
}

func TestGrantsAreNeededForEveryLoosening(t *testing.T) {
	r := newRig(t, nil)
	for path, req := range map[string]Request{
		"/sandbox/mode":    {Command: "true", Sandbox: SandboxRequest{Mode: sandbox.Off}},
		"/sandbox/network": {Command: "true", Sandbox: SandboxRequest{Network: sandbox.NetworkAllow}},
		"/sandbox/reads":   {Command: "true", Sandbox: SandboxRequest{Reads: sandbox.ReadsAll}},
		"/timeoutMs":       {Command: "true", Timeout: -1},
		"/envInherit":      {Command: "true", EnvInherit: "all"},
		"/shell":           {Command: "true", Shell: "fish"},
		"/argv":            {Command: "true", Argv: []string{"true"}},
		"/command":         {},
		"/argv/0":          {Argv: []string{""}},
	} {
		_, _, err := r.run(req)
		var p *ParamError
		if !errors.As(err, &p) || p.Path != path {
			t.Errorf("%s: %v", path, err)
		}
	}
	_, _, err := r.run(Request{Command: "true", Sandbox: SandboxRequest{Writable: []string{"/etc"}}})
	var outside *workspace.OutsideError
	if !errors.As(err, &outside) {
		t.Errorf("writable /etc: %v", err)
	}
}

// Links that lead nowhere and invalid paths are the request's fault. They were taken for
// bugs of ours, each with an incident.
func TestCwdThatCannotBeResolvedIsRefused(t *testing.T) {
	r := newRig(t, nil)
	if err := os.Symlink("loop", filepath.Join(r.ws, "loop")); err != nil {
		t.Fatal(err)
	}
	for _, cwd := range []string{"loop", "loop/x", strings.Repeat("x", 300), strings.Repeat("x/", 5000)} {
		_, _, err := r.run(Request{Command: "true", Cwd: cwd})
		var bad *ParamError
		if !errors.As(err, &bad) || bad.Path != "/cwd" {
			t.Errorf("%.10s (%d bytes): %v", cwd, len(cwd), err)
		}
	}
}

func TestWritableNarrows(t *testing.T) {
	r := newRig(t, nil)
	if err := os.Mkdir(filepath.Join(r.ws, "build"), 0o755); err != nil {
		t.Fatal(err)
	}
	req := sh("echo a > build/a; echo b > b; ls; ls build")
	req.Sandbox.Writable = []string{"build"}
	res, _ := r.must(req)
	if got := string(res.Output[Stdout].Inline); got != "build\na\n" {
		t.Errorf("got %q", got)
	}
}

func TestWritableHasABound(t *testing.T) {
	r := newRig(t, nil)
	req := sh("echo x > f")
	req.Sandbox.Writable = slices.Repeat([]string{"."}, maxWritable)
	if res, _ := r.must(req); *res.ExitCode != 0 {
		t.Errorf("code %d", *res.ExitCode)
	}
	req.Sandbox.Writable = append(req.Sandbox.Writable, ".")
	var bad *ParamError
	if _, _, err := r.run(req); !errors.As(err, &bad) || bad.Path != "/sandbox/writable" {
		t.Errorf("one more: %v", err)
	}
}

func TestReadOnlyModeWritesNothing(t *testing.T) {
	r := newRig(t, nil)
	req := sh("echo x > f")
	req.Sandbox.Mode = sandbox.ReadOnly
	res, _ := r.must(req)
	if _, err := os.Stat(filepath.Join(r.ws, "f")); *res.ExitCode == 0 || err == nil {
		t.Errorf("code %d, stat %v", *res.ExitCode, err)
	}
}

func TestMissingProgramIsASpawnError(t *testing.T) {
	r := newRig(t, nil)
	for _, argv := range [][]string{{"no-such-program-here"}, {"./missing"}} {
		_, _, err := r.run(Request{Argv: argv})
		var spawn *sandbox.SpawnError
		if !errors.As(err, &spawn) || spawn.Errno.Error() != "no such file or directory" {
			t.Errorf("%q: %v", argv, err)
		}
	}
	r.must(sh("true")) // the runner survived
}

func TestDuplicateExecIDIsRefusedWhileLive(t *testing.T) {
	r := newRig(t, nil)
	run, err := r.admit(Request{ID: "a", Command: "sleep 600"})
	if err != nil {
		t.Fatal(err)
	}
	var dup *DuplicateError
	if _, err := r.admit(Request{ID: "a", Command: "true"}); !errors.As(err, &dup) {
		t.Errorf("second: %v", err)
	}
	run.Cancel(Cancelled, false)
	if _, err := run.Do(&record{t: t}); err == nil {
		t.Error("cancelled before it started, yet it ran")
	}
	if _, _, err := r.run(Request{ID: "a", Command: "true"}); err != nil {
		t.Errorf("the id is not free again: %v", err)
	}
}

func TestQueueIsFIFOAndBounded(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Limits.MaxConcurrent, c.Limits.MaxQueued = 1, 2 })
	first, err := r.admit(sh("until [ -e go ]; do sleep 0.01; done; echo 1 >> order"))
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 3)
	go func() { _, err := first.Do(&record{t: t}); done <- err }()
	for r.e.Stats().Running == 0 {
		time.Sleep(time.Millisecond)
	}
	for i := 2; i <= 3; i++ {
		run, err := r.admit(sh(fmt.Sprintf("echo %d >> order", i)))
		if err != nil {
			t.Fatal(err)
		}
		go func() { _, err := run.Do(&record{t: t}); done <- err }()
		for r.e.Stats().Queued != i-1 {
			time.Sleep(time.Millisecond)
		}
	}
	var busy *BusyError
	if _, err := r.admit(sh("true")); !errors.As(err, &busy) || busy.Queued != 2 {
		t.Errorf("fourth: %v", err)
	}
	r.touch("go")
	for range 3 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if b, _ := os.ReadFile(filepath.Join(r.ws, "order")); string(b) != "1\n2\n3\n" {
		t.Errorf("order %q", b)
	}
}
