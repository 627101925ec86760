package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// sandboxedRun is plainRun through the sandbox, without executor and wire.
func sandboxedRun(t testing.TB, b *boxed, script string) {
	stdin, err := os.Open(os.DevNull)
	check(t, err)
	dir, err := os.Open(b.dir)
	check(t, err)
	outR, outW, err := os.Pipe()
	check(t, err)
	errR, errW, err := os.Pipe()
	check(t, err)
	p, err := b.Start(context.Background(), sandbox.Command{
		Path: "/bin/sh", Argv: []string{"sh", "-c", script}, Env: []string{"PATH=/usr/bin:/bin"},
		Dir: dir, Stdin: stdin, Stdout: outW, Stderr: errW,
	})
	check(t, err)
	_, _ = io.Copy(io.Discard, outR)
	_, _ = io.Copy(io.Discard, errR)
	status, err := p.Wait()
	check(t, err)
	_, err = p.End(false)
	check(t, err)
	_, _ = outR.Close(), errR.Close()
	if status.Code != 0 {
		t.Fatalf("sandboxed %q: %+v", script, status)
	}
}

// boxed is a sandbox of the default policy with its workspace.
type boxed struct {
	*sandbox.Sandbox
	dir  string
	rung string
}

func box(t testing.TB, dir string) *boxed {
	state, err := os.MkdirTemp(scratch, "boxes")
	check(t, err)
	m, err := sandbox.Open(sandbox.Options{StateDir: state})
	check(t, err)
	t.Cleanup(m.Close)
	s, err := m.Sandbox(sandbox.Policy{
		Mode: sandbox.WorkspaceWrite, Network: sandbox.NetworkDeny, Reads: sandbox.ReadsPrivate,
		Require: sandbox.RequireEnforced, Writable: []string{dir}, Readable: []string{dir},
	})
	check(t, err)
	return &boxed{s, dir, m.Tested().Rung}
}

func (b *boxed) true(t testing.TB) func() time.Duration {
	return func() time.Duration { return timed(func() { sandboxedRun(t, b, "true") }) }
}

func plainTrue(t testing.TB) func() time.Duration {
	return func() time.Duration { return timed(func() { plainRun(t, "true") }) }
}

// sandboxRows are the figures of the sandbox alone.
func sandboxRows(t *testing.T, add func(row, int, comparison)) {
	b := box(t, workspace)
	ours, plain := b.true(t), plainTrue(t)
	add(row{name: "sandboxed `sh -c true` / plain, rung " + b.rung, goal: "≤ 1.4"}, *rounds, comparison{ours, plain})
	if b.rung == sandbox.RungFull {
		add(row{name: "the same without user namespaces, rung " + sandbox.RungNoUserns, goal: "≤ 1.1", result: withoutNamespaces(t)}, 0, comparison{})
	}
	if b.rung == sandbox.RungFull && needs.Has(t, "bwrap") {
		add(row{name: "times faster than bubblewrap", goal: "≥ 4.5", share: true}, *rounds,
			comparison{ours, func() time.Duration { return timed(func() { check(t, bwrap().Run()) }) }})
	}
	add(row{name: "share of the plain rate, 8 in flight", goal: "≥ 0.6", share: true}, max(3, *rounds/10), comparison{
		func() time.Duration { return timed(func() { flight(func() { sandboxedRun(t, b, "true") }) }) },
		func() time.Duration { return timed(func() { flight(func() { plainRun(t, "true") }) }) },
	})
	heapRow(t, add, ours)
	filesRow(t, add, b)
	if name := "in a workspace of 300,000 files / in an empty one"; wanted(name) {
		crowded := scratch + "/crowded"
		crowd(t, crowded)
		add(row{name: name, goal: "≤ 1.05"}, *rounds, comparison{box(t, crowded).true(t), ours})
	}
}

// heapRow is what a sidecar that has grown pays. Go copies the page tables of a
// process that starts a namespace by itself.
func heapRow(t *testing.T, add func(row, int, comparison), ours func() time.Duration) {
	var ballast []byte
	sized := func(size int) func() time.Duration {
		return func() time.Duration {
			if len(ballast) != size {
				ballast = bytes.Repeat([]byte{1}, size)
				debug.FreeOSMemory() // now, not beside the sample
				ours()               // what allocating drove out of the caches comes back
			}
			return ours()
		}
	}
	add(row{name: "with 256 MiB of heap / without", goal: "≤ 1.1"}, *rounds, comparison{sized(256 << 20), sized(0)})
	_ = ballast
}

// filesRow is what the broker costs where it costs most: three calls a file, and
// next to nothing in them.
func filesRow(t *testing.T, add func(row, int, comparison), b *boxed) {
	const script = "cd '%s' && mkdir many && tar -x -C many -f small.tar && rm -r many"
	plainRun(t, fmt.Sprintf("cd '%s' && mkdir many && cd many && for i in $(seq 1000); do echo $i > $i; done && tar -c -f ../small.tar . && cd .. && rm -r many", b.dir))
	run := fmt.Sprintf(script, b.dir)
	add(row{name: "`tar -x` and `rm -r` of 1,000 tiny files / plain", goal: "≤ 4"}, max(3, *rounds/10), comparison{
		func() time.Duration { return timed(func() { sandboxedRun(t, b, run) }) },
		func() time.Duration { return timed(func() { plainRun(t, run) }) },
	})
	check(t, os.Remove(b.dir+"/small.tar"))
}

// flight runs f 64 times, 8 at once.
func flight(f func()) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 8 {
				f()
			}
		})
	}
	wg.Wait()
}

// bwrap is bubblewrap with a comparable profile.
func bwrap() *exec.Cmd {
	return exec.Command("bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--ro-bind", "/", "/", "--dev", "/dev",
		"--proc", "/proc", "--tmpfs", "/tmp", "--bind", workspace, workspace, "--chdir", workspace, "--", "sh", "-c", "true")
}

// crowd fills a directory with many small files, where figures count.
func crowd(t testing.TB, dir string) {
	dirs := 3
	if *rounds >= 20 {
		dirs = 300
	}
	for i := range dirs {
		sub := fmt.Sprintf("%s/d%d", dir, i)
		check(t, os.MkdirAll(sub, 0o755))
		for j := range 1000 {
			check(t, os.WriteFile(fmt.Sprintf("%s/f%d", sub, j), nil, 0o644))
		}
	}
}

// withoutNamespaces measures in a process for which the kernel makes no user
// namespace, as in Docker and on Ubuntu 24.04.
func withoutNamespaces(t testing.TB) result {
	self, err := os.Executable()
	check(t, err)
	cmd := exec.Command("unshare", "--user", "--map-root-user", "sh", "-c",
		`echo 0 >/proc/sys/user/max_user_namespaces && exec env PILLION_BENCH_RUNG=no-userns "$@"`, "sh",
		self, "-test.run=^TestWithoutNamespaces$", "-test.v", "-rounds", fmt.Sprint(*rounds))
	out, err := cmd.CombinedOutput()
	_, line, ok := strings.Cut(string(out), resultMark)
	if err != nil || !ok {
		t.Fatalf("%v\n%s", err, out)
	}
	var r struct{ Median, P99 float64 }
	check(t, json.NewDecoder(strings.NewReader(line)).Decode(&r))
	return result{median: r.Median, p99: r.P99}
}

const resultMark = "result: "

// TestWithoutNamespaces prints the ratio of whatever rung it is started on.
func TestWithoutNamespaces(t *testing.T) {
	b := box(t, workspace)
	r := comparison{b.true(t), plainTrue(t)}.measure(*rounds)
	fmt.Printf("%s{\"Median\":%f,\"P99\":%f}\n", resultMark, r.median, r.p99)
	if os.Getenv("PILLION_BENCH_RUNG") != "" && os.Getenv("PILLION_BENCH_RUNG") != b.rung {
		t.Errorf("measured on the rung %s", b.rung)
	}
}
