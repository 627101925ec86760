package bench

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/test/needs"

	"github.com/pillion-sidecar/pillion/cli/measure"
	"github.com/pillion-sidecar/pillion/test/long"
)

var (
	rounds = flag.Int("rounds", usual(), "samples of each side of a comparison")
	only   = flag.String("rows", "", "measure only rows whose name matches this expression")
	into   = flag.String("o", "", "also write the table into this Markdown file")

	pillion   string // the program under test
	scratch   string // its private directories
	workspace string
)

// usual are enough rounds to see that every row can be measured.
func usual() int {
	if needs.Everything() {
		return 3
	}
	return 1
}

func TestMain(m *testing.M) {
	if code, ok := sandbox.Child(); ok {
		os.Exit(code)
	}
	flag.Parse()
	os.Exit(prepare(m))
}

// prepare works below the user's home: /tmp may be memory, which is not where commands and
// their output are, and a hidden directory of the home is no workspace.
func prepare(m *testing.M) int {
	home, err := os.UserHomeDir()
	if err == nil {
		scratch, err = os.MkdirTemp(home, "pillion-bench-*")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(scratch)
	pillion, workspace = filepath.Join(scratch, "bin", "pillion"), filepath.Join(scratch, "ws")
	if err := os.Mkdir(workspace, 0o755); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return needs.M{M: m}.Run()
}

// row is one figure with its goal.
type row struct {
	name  string
	goal  string
	share bool // the larger the better: floor over ours
	result
}

func wanted(name string) bool { return regexp.MustCompile(*only).MatchString(name) }

func TestTable(t *testing.T) {
	long.Test(t)
	build(t, pillion, "../..")
	var rows []row
	add := func(r row, n int, c comparison) {
		if !wanted(r.name) {
			return
		}
		if c.ours != nil {
			r.result = c.measure(n)
		}
		if r.share {
			r.median, r.p99 = 1/r.median, 1/r.p99
		}
		rows = append(rows, r)
	}
	plain := func() time.Duration { return timed(func() { plainRun(t, "true") }) }

	sandboxRows(t, add)

	e := spawn(t)
	e.initialize("{}")
	add(row{name: "exec request → result over stdio / plain", goal: "≤ 2.4"}, *rounds,
		comparison{func() time.Duration { return timed(func() { e.run(`{"command":"true"}`) }) }, plain})

	ping := newPingPong(t)
	add(row{name: "empty round trip / pipe ping-pong with `cat`", goal: "≤ 2.5"}, *rounds, comparison{
		func() time.Duration { return timed(func() { e.call("exec/list", "{}") }) },
		func() time.Duration { return timed(func() { ping.turn(t) }) },
	})
	add(row{name: "the same, 50 one after the other", goal: "≤ 2.5"}, *rounds, comparison{
		func() time.Duration { return timed(func() { repeat(50, func() { e.call("exec/list", "{}") }) }) },
		func() time.Duration { return timed(func() { repeat(50, func() { ping.turn(t) }) }) },
	})
	add(row{name: "the same, 1,000 one after the other", goal: "≤ 2.5"}, *rounds, comparison{
		func() time.Duration { return timed(func() { repeat(1000, func() { e.call("exec/list", "{}") }) }) },
		func() time.Duration { return timed(func() { repeat(1000, func() { ping.turn(t) }) }) },
	})

	const size = 8 << 20 // the default streaming budget: all of it arrives
	files := floods(t, size)
	for _, f := range []struct{ name, label, goal string }{
		{"text", "a log", "≥ 0.5"}, {"yes", "`yes`", "≥ 0.1"}, {"noise", "not UTF-8", "≥ 0.2"},
	} {
		file := files[f.name]
		add(row{name: "output share of `cat | cat`, " + f.label, goal: f.goal, share: true}, max(3, *rounds/10), comparison{
			func() time.Duration { return timed(func() { stream(t, e, file, size) }) },
			func() time.Duration { return timed(func() { relay(t, file, size) }) },
		})
	}
	relays := jsonRelay(t)
	add(row{name: "times faster than frames of encoding/json, a log", goal: "≥ 2.5", share: true}, max(3, *rounds/10), comparison{
		func() time.Duration { return timed(func() { stream(t, e, files["text"], size) }) },
		func() time.Duration { return timed(func() { relayJSON(t, relays, files["text"], size) }) },
	})
	add(row{name: "exec request → first output at the client / of a plain command through a pipe", goal: "≤ 2"}, *rounds, firstOutput(t, e))
	add(row{name: "a drop of output on its way to the client / through a pipe", goal: "≤ 2"}, *rounds, firstByte(t, e))
	e.call("exec/cancel", `{"execId":"tap"}`)
	e.end()

	small := hello(t)
	add(row{name: "start → initialize answered / Go hello world", goal: "≤ 2.2"}, *rounds, comparison{
		func() time.Duration { return started(t) },
		func() time.Duration { return timed(func() { check(t, exec.Command(small).Run()) }) },
	})
	report(t, rows)
}

func timed(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

// started is the time to the answer; ending the session doesn't count.
func started(t testing.TB) time.Duration {
	start := time.Now()
	e := spawn(t)
	e.initialize("{}")
	took := time.Since(start)
	e.end()
	return took
}

func repeat(n int, f func()) {
	for range n {
		f()
	}
}

// stream sends the file as output. What is kept of it is let go of, as by a client
// that has got it all: else each flood would add to what the disk is busy with.
func stream(t testing.TB, e *editor, file string, size int) {
	answer := e.run(`{"execId":"flood","argv":["cat",` + measure.Quote(file) + `],"partialResultToken":"p"}`)
	e.call("exec/release", `{"execId":"flood"}`)
	if !bytes.Contains(answer, fmt.Appendf(nil, `"streamedBytes":%d`, size)) {
		t.Fatalf("not everything arrived: %.800s", answer)
	}
}

func relay(t testing.TB, file string, size int) {
	if n := plainRun(t, "cat '"+file+"' | cat"); n != int64(size) {
		t.Fatalf("the relay lost %d bytes", int64(size)-n)
	}
}

// report prints the table, and writes it where asked.
func report(t *testing.T, rows []row) {
	var b strings.Builder
	fmt.Fprintf(&b, "| figure | median | at p99 | goal |\n|---|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %.2f | %.2f | %s |\n", r.name, r.median, r.p99, r.goal)
	}
	t.Logf("\n%s", b.String())
	if *into == "" {
		return
	}
	writeSection(t, *into, "bench", fmt.Sprintf("%s, %s, %d samples a side.", machine(), runtime.Version(), *rounds), b.String())
}

// machine is where and when something was measured.
func machine() string {
	kernel, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	return fmt.Sprintf("Measured on %s: %s/%s, %d cores, kernel %s", time.Now().UTC().Format(time.DateOnly),
		runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), strings.TrimSpace(string(kernel)))
}

// writeSection puts text between two comments of a page.
func writeSection(t testing.TB, page, name string, text ...string) {
	old, err := os.ReadFile(page)
	check(t, err)
	before, rest, ok := strings.Cut(string(old), "<!-- made by make "+name+" -->\n")
	_, after, ends := strings.Cut(rest, "<!-- end of "+name+" -->\n")
	if !ok || !ends {
		t.Fatalf("%s has no comments around what make %s writes", page, name)
	}
	check(t, os.WriteFile(page, []byte(before+"<!-- made by make "+name+" -->\n\n"+strings.Join(text, "\n\n")+
		"\n<!-- end of "+name+" -->\n"+after), 0o644))
}
