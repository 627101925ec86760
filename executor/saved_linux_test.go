package executor

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/executor/caches"
	"github.com/pillion-sidecar/pillion/executor/spool"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// savingRig is a rig whose commands can save outputs. Nothing of them is left when
// its session has ended.
func savingRig(t *testing.T, change func(*Config)) *rig {
	t.Helper()
	dir := ""
	r := newRig(t, func(c *Config) {
		dir = filepath.Join(filepath.Dir(c.SpoolDir), "state", "outputs")
		c.OutputDir, c.Limits.MaxSaved = dir, 8
		if change != nil {
			change(c)
		}
		dir = c.OutputDir
	})
	t.Cleanup(func() {
		r.e.Stop(Gone, 0)
		if left, _ := filepath.Glob(filepath.Join(r.e.outputs.dir + "*")); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	})
	return r
}

func saving(name, script string) Request {
	return Request{Command: script, Output: OutputRequest{SaveAs: name}}
}

// files are the names, permissions and contents of what commands are given.
func (r *rig) files() map[string]string {
	r.t.Helper()
	all := map[string]string{}
	entries, _ := os.ReadDir(r.e.outputs.dir)
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(r.e.outputs.dir, e.Name()))
		info, ierr := e.Info()
		if err := errors.Join(err, ierr); err != nil {
			r.t.Error(err)
			continue
		}
		all[e.Name()] = fmt.Sprintf("%s %s", info.Mode(), text)
	}
	return all
}

func (r *rig) readSaved(name string, stream Stream, q ReadRequest) (Piece, error) {
	r.t.Helper()
	rd, err := r.e.SavedReader(name, stream)
	if err != nil {
		return Piece{}, err
	}
	defer rd.Close()
	if q.Max == 0 {
		q.Max = 1 << 20
	}
	return rd.Read(r.t.Context(), q)
}

func (r *rig) savedText(name string, stream Stream) string {
	r.t.Helper()
	p, err := r.readSaved(name, stream, ReadRequest{})
	if err != nil || !p.EOF || p.Offset != 0 {
		r.t.Errorf("%s of %s: %+v %v", stream, name, p, err)
	}
	return string(p.Bytes)
}

func TestASavedOutputOutlivesItsRetention(t *testing.T) {
	r := savingRig(t, nil) // nothing is retained
	req := saving("build", "echo out; echo err >&2")
	req.ID = "a"
	res, _ := r.must(req)
	if s := res.Saved; s == nil || s.Name != "build" || s.ID != "a" || !s.Whole() || s.Bytes() != 8 || !res.Expires.IsZero() {
		t.Fatalf("%+v", s)
	}
	r.expired("a")
	if out, errs := r.savedText("build", Stdout), r.savedText("build", Stderr); out != "out\n" || errs != "err\n" {
		t.Errorf("%q %q", out, errs)
	}
	if p, err := r.readSaved("build", Stdout, ReadRequest{Offset: -2}); err != nil || string(p.Bytes) != "t\n" || p.Running {
		t.Errorf("%+v %v", p, err)
	}
	if l := r.e.Saved(); len(l) != 1 || l[0].Name != "build" || l[0].Command != req.Command || time.Since(l[0].At) > time.Minute {
		t.Errorf("%+v", l)
	}
	if n := r.e.Stats().SpoolBytes; n != 8 {
		t.Errorf("%d bytes count", n)
	}
}

func TestASavedOutputIsFreedByItsRelease(t *testing.T) {
	r := savingRig(t, nil)
	r.must(saving("build", "echo out"))
	rd, err := r.e.SavedReader("build", Stdout)
	if err != nil {
		t.Fatal(err)
	}
	if !r.e.ReleaseSaved("build") || r.e.ReleaseSaved("build") || r.e.ReleaseSaved("never") {
		t.Error("released once, and only what there is")
	}
	var unknown *UnknownNameError
	if _, err := r.readSaved("build", Stdout, ReadRequest{}); !errors.As(err, &unknown) || unknown.Name != "build" {
		t.Errorf("%v", err)
	}
	if p, err := rd.Read(t.Context(), ReadRequest{Max: 10}); err != nil || string(p.Bytes) != "out\n" {
		t.Errorf("a read from before: %+v %v", p, err)
	}
	rd.Close()
	if n := r.e.Stats().SpoolBytes; n != 0 || len(r.files()) != 0 || len(r.e.Saved()) != 0 {
		t.Errorf("%d bytes, files %v, listed %v", n, r.files(), r.e.Saved())
	}
	r.must(saving("build", "echo again"))
}

// The command's id and the name are two things, each with an end of its own.
func TestANameAndAnExecIDAreReleasedByThemselves(t *testing.T) {
	r := savingRig(t, keeping)
	for _, first := range []string{"name", "id"} {
		req := saving("build", "echo out")
		req.ID = "a"
		r.must(req)
		if first == "name" {
			r.e.ReleaseSaved("build")
			if got := r.readAll("a", Stdout, ReadRequest{}); string(got) != "out\n" {
				t.Errorf("%q", got)
			}
			r.e.Release("a")
			continue
		}
		r.e.Release("a")
		r.unknown("a")
		if got := r.savedText("build", Stdout); got != "out\n" {
			t.Errorf("%q", got)
		}
	}
}

func TestASavedOutputIsAFileForTheNextCommand(t *testing.T) {
	r := savingRig(t, func(c *Config) { c.Grants.Off = true })
	if res, _ := r.must(sh(`ls "$PILLION_OUTPUTS"`)); *res.ExitCode != 0 || len(res.Output[Stdout].Inline) != 0 {
		t.Errorf("before anything is saved: %+v", res)
	}
	r.must(saving("build", "echo out; echo err >&2"))
	r.must(Request{Command: "echo one; echo two >&2", Output: OutputRequest{SaveAs: "merged", Merge: true}})
	r.must(Request{Command: "echo typed", Output: OutputRequest{SaveAs: "screen"}, Terminal: &Terminal{Rows: 24, Cols: 80}})
	r.must(saving("nothing", "true"))
	const only = "-r-------- "
	want := map[string]string{
		"build": only + "out\n", "build.stderr": only + "err\n", "merged": only + "one\ntwo\n", "screen": only + "typed\r\n",
		"nothing": only, "nothing.stderr": only,
	}
	if got := r.files(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q, want %q", got, want)
	}
	for _, mode := range []sandbox.Mode{sandbox.ReadOnly, sandbox.WorkspaceWrite, sandbox.Off} {
		req := sh(`cat "$PILLION_OUTPUTS/build" "$PILLION_OUTPUTS"/build.stderr && ls "$PILLION_OUTPUTS" | wc -l`)
		req.Sandbox.Mode = mode
		if res, _ := r.must(req); string(res.Output[Stdout].Inline) != "out\nerr\n6\n" {
			t.Errorf("%s: %q %q", mode, res.Output[Stdout].Inline, res.Output[Stderr].Inline)
		}
	}
}

// A command must not find half an output.
func TestASavedOutputIsNoFileBeforeItIsWhole(t *testing.T) {
	r := savingRig(t, nil)
	run, _, got := r.soon(Request{ID: "a", Command: "echo one; while [ ! -e go ]; do sleep 0.01; done; echo two", Output: OutputRequest{SaveAs: "build", Stream: true}})
	if res, _ := r.must(sh(`ls -A "$PILLION_OUTPUTS"`)); len(res.Output[Stdout].Inline) != 0 || len(r.e.Saved()) != 0 {
		t.Errorf("%q", res.Output[Stdout].Inline)
	}
	if p, err := r.readSaved("build", Stdout, ReadRequest{}); err != nil || string(p.Bytes) != "one\n" || !p.Running {
		t.Errorf("a client can read it: %+v %v", p, err)
	}
	if l := r.e.List(false); len(l) != 1 || l[0].SaveAs != "build" || r.e.ReleaseSaved("build") {
		t.Errorf("%+v", l)
	}
	r.must(sh("touch go"))
	if res := <-got; res.Reason != Exited || !res.Saved.Whole() || run.ID() != "a" {
		t.Errorf("%+v", res)
	}
	if got := r.files()["build"]; got != "-r-------- one\ntwo\n" {
		t.Errorf("%q", got)
	}
}

func TestNamesOfSavedOutputs(t *testing.T) {
	r := savingRig(t, nil)
	for name, valid := range map[string]bool{
		"build": true, "a": true, "A.b_c-9": true, "_x": true, "9": true, "x.stderr.txt": true, strings.Repeat("n", 64): true,
		"..": false, ".": false, ".hidden": false, "-rf": false, "a/b": false, "../x": false, "/etc/passwd": false, "a b": false, "é": false,
		"a\nb": false, "a\x00": false, "build.stderr": false, ".stderr": false, "*": false, `a\b`: false, strings.Repeat("n", 65): false,
	} {
		if validSaved(name) != valid {
			t.Errorf("%q is valid: %v", name, !valid)
		}
		var bad *ParamError
		if _, err := r.admit(saving(name, "true")); !valid && (!errors.As(err, &bad) || bad.Path != "/output/saveAs") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestAnOutputThatMayHaveHolesIsNotSaved(t *testing.T) {
	r := savingRig(t, nil)
	req := saving("build", "true")
	req.Output.OnSpoolFull = DropMiddle
	var bad *ParamError
	if _, err := r.admit(req); !errors.As(err, &bad) || bad.Path != "/output/onSpoolFull" {
		t.Errorf("%v", err)
	}
	req.Output.OnSpoolFull, req.Output.SpoolTailBytes = "", 1
	if _, err := r.admit(req); !errors.As(err, &bad) || bad.Path != "/output/spoolTailBytes" {
		t.Errorf("%v", err)
	}
	none := newRig(t, nil)
	if _, err := none.admit(saving("build", "true")); !errors.As(err, &bad) || bad.Path != "/output/saveAs" {
		t.Errorf("without a directory: %v", err)
	}
}

func TestANameThatIsTakenIsRefused(t *testing.T) {
	r := savingRig(t, nil)
	taken := func(state State) {
		t.Helper()
		var e *NameTakenError
		if _, err := r.admit(saving("build", "echo other")); !errors.As(err, &e) || e.Name != "build" || e.ID != "a" || e.State != state {
			t.Errorf("%v", err)
		}
	}
	req := saving("build", "echo out; while [ ! -e go ]; do sleep 0.01; done")
	req.ID, req.Output.Stream = "a", true
	run, err := r.admit(req)
	if err != nil {
		t.Fatal(err)
	}
	taken(StateQueued)
	run.Cancel(Cancelled, false)
	if _, err := run.Do(&record{t: t}); err == nil {
		t.Fatal("it ran")
	}
	_, _, got := r.soon(req) // the first one never started: the name is free
	taken(StateRunning)
	r.must(sh("touch go"))
	<-got
	taken(StateFinished)
	if got := r.savedText("build", Stdout); got != "out\n" {
		t.Errorf("%q", got)
	}
}

func TestOneSavedOutputTooManyIsRefused(t *testing.T) {
	r := savingRig(t, func(c *Config) { c.Limits.MaxSaved = 3 })
	var busy *BusyError
	none := savingRig(t, func(c *Config) { c.Limits.MaxSaved = 1 })
	first, err := none.admit(saving("one", "true"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := none.admit(saving("two", "true")); !errors.As(err, &busy) || len(busy.Saved) != 0 || !strings.Contains(err.Error(), "retry") {
		t.Errorf("%v", err)
	}
	first.Cancel(Cancelled, false)
	_, _ = first.Do(&record{t: t})
	r.must(saving("two", "echo 2"))
	r.must(saving("one", "echo 1"))
	run, err := r.admit(saving("waits", "true"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.admit(saving("four", "true")); !errors.As(err, &busy) || !slices.Equal(busy.Saved, []string{"one", "two"}) || !strings.Contains(err.Error(), "one, two") {
		t.Errorf("%v", err)
	}
	r.must(sh("true")) // others are not concerned
	run.Cancel(Cancelled, false)
	_, _ = run.Do(&record{t: t})
	r.must(saving("four", "true"))
	if _, err := r.admit(saving("five", "true")); !errors.As(err, &busy) {
		t.Errorf("%v", err)
	}
	r.e.ReleaseSaved("one")
	r.must(saving("five", "true"))
}

// A command without room for its output would only seem to run.
func TestSavedOutputsThatLeaveNoRoomAreNamed(t *testing.T) {
	r := savingRig(t, func(c *Config) { keeping(c); c.Limits.SpoolTotalBytes = 300_000 })
	r.must(Request{ID: "kept", Command: "head -c 100000 /dev/zero"}) // makes room, and so doesn't refuse
	r.must(saving("big", "head -c 230000 /dev/zero"))
	r.must(saving("small", "head -c 5000 /dev/zero"))
	for _, req := range []Request{sh("true"), saving("more", "true")} {
		var busy *BusyError
		if _, err := r.admit(req); !errors.As(err, &busy) || !slices.Equal(busy.Saved, []string{"big", "small"}) || !strings.Contains(err.Error(), "release") {
			t.Errorf("%v", err)
		}
	}
	r.e.ReleaseSaved("small")
	r.must(saving("more", "true"))
}

func TestAFullSpoolEndsTheCommandWhoseOutputIsSaved(t *testing.T) {
	r := savingRig(t, func(c *Config) { c.Limits.SpoolMaxBytes, c.Limits.SpoolTailBytes = 10_000, 1000 })
	req := saving("flood", "echo begin; yes")
	req.Output.Summary = Summary{Form: SummaryPlain, MaxChars: 20}
	res, _ := r.must(req)
	s := res.Saved
	if res.Reason != OutputLimit || s == nil || s.Whole() || s.Streams[Stdout].Kept != 10_000 || s.Streams[Stdout].Total < 10_000 {
		t.Fatalf("%s %+v", res.Reason, s)
	}
	text := r.files()["flood"]
	if want := "-r-------- begin\n" + strings.Repeat("y\n", 4997); text != want {
		t.Errorf("%d bytes, want %d", len(text), len(want))
	}
	if !strings.Contains(res.Summary, "Saved: $PILLION_OUTPUTS/flood (the first 10000 of ") {
		t.Errorf("%s", res.Summary)
	}
	p, err := r.readSaved("flood", Stdout, ReadRequest{Offset: 10_000})
	if err != nil || len(p.Gaps) != 1 || p.Gaps[0].From != 10_000 || !p.EOF {
		t.Errorf("%+v %v", p, err)
	}
}

// A command that waits for room loses nothing by it.
func TestASavedOutputMayWaitForItsEnd(t *testing.T) {
	r := savingRig(t, nil)
	req := saving("flood", "echo begin; yes")
	req.Output.OnSpoolFull, req.Output.SpoolMaxBytes = Block, 10_000
	res := r.late(req, func(res *Result) bool { return res.Saved.Bytes() >= 10_000 || !r.e.ReleaseSaved("flood") })
	if res.Reason != TimedOut || !res.Saved.Whole() || res.Saved.Bytes() < 10_000 {
		t.Errorf("%s %+v", res.Reason, res.Saved)
	}
	if text := r.files()["flood"]; int64(len(text)) != res.Saved.Bytes()+int64(len("-r-------- ")) || !strings.HasPrefix(text, "-r-------- begin\ny\ny\n") {
		t.Errorf("%d bytes, want %d", len(text), res.Saved.Bytes())
	}
}

// Whether the command or the look at its output was faster is no matter.
func TestTooMuchOutputIsNamedAlsoOfACommandThatHadEnded(t *testing.T) {
	r := savingRig(t, func(c *Config) { c.Limits.SpoolMaxBytes, c.Limits.SpoolTailBytes = 100, 10 })
	res, _ := r.must(saving("a", "head -c 101 /dev/zero"))
	if res.Reason != OutputLimit || res.Saved.Whole() || res.Saved.Bytes() != 100 {
		t.Errorf("%s %+v", res.Reason, res.Saved)
	}
	res, _ = r.must(saving("b", "head -c 100 /dev/zero"))
	if res.Reason != Exited || !res.Saved.Whole() || res.Saved.Bytes() != 100 {
		t.Errorf("%s %+v", res.Reason, res.Saved)
	}
}

func TestASummaryTellsWhereTheOutputIs(t *testing.T) {
	r := savingRig(t, nil)
	for name, want := range map[string]string{
		"echo a":                       "a\nSaved: $PILLION_OUTPUTS/n0 (2 bytes)",
		"printf a; echo b >&2; exit 3": "a\nb\nExit code: 3\nSaved: $PILLION_OUTPUTS/n1 (1 bytes), $PILLION_OUTPUTS/n1.stderr (2 bytes)",
		"true":                         "(no output)\nSaved: $PILLION_OUTPUTS/n2 (0 bytes)",
	} {
		req := saving(want[strings.Index(want, "/n")+1:][:2], name)
		req.Output.Summary.Form = SummaryPlain
		if res, _ := r.must(req); res.Summary != want {
			t.Errorf("%q: %q, want %q", name, res.Summary, want)
		}
	}
}

// What is saved stays when there is no room; what is only retained goes.
func TestSavedOutputsAreNeverEvicted(t *testing.T) {
	r := savingRig(t, func(c *Config) { keeping(c); c.Limits.SpoolTotalBytes = 400_000 })
	r.must(Request{ID: "kept", Command: "head -c 100000 /dev/zero"})
	req := saving("big", "head -c 200000 /dev/zero")
	req.ID = "a"
	r.must(req)
	res, _ := r.must(saving("more", "head -c 300000 /dev/zero"))
	if res.Reason != OutputLimit || res.Saved.Bytes() != 200_000 || res.Saved.Whole() {
		t.Errorf("%s %+v", res.Reason, res.Saved)
	}
	r.expired("kept")
	if got := r.savedText("big", Stdout); len(got) != 200_000 || r.e.Stats().SpoolBytes != 400_000 {
		t.Errorf("%d bytes, %+v", len(got), r.e.Stats())
	}
	r.e.ReleaseSaved("more")
	if res, _ := r.must(saving("again", "head -c 150000 /dev/zero")); !res.Saved.Whole() {
		t.Errorf("%+v", res.Saved)
	}
}

// However a command ends, what it wrote may be what explains it.
func TestTheOutputOfACommandThatWasEndedIsSaved(t *testing.T) {
	r := savingRig(t, nil)
	res := r.late(saving("slow", "echo begun; sleep 600"), func(res *Result) bool { return begun(res) || !r.e.ReleaseSaved("slow") })
	if res.Reason != TimedOut || !res.Saved.Whole() || r.savedText("slow", Stdout) != "begun\n" {
		t.Errorf("%s %+v", res.Reason, res.Saved)
	}
}

func TestSavedOutputsEndWithTheSession(t *testing.T) {
	r := savingRig(t, nil)
	r.must(saving("build", "echo out"))
	_, _, got := r.soon(Request{ID: "a", Command: "echo up; sleep 600", Output: OutputRequest{SaveAs: "late", Stream: true}})
	dir := r.e.outputs.dir
	r.e.Stop(Shutdown, 0)
	if res := <-got; res.Saved != nil {
		t.Errorf("%+v", res.Saved)
	}
	if exists(dir) || exists(dir+caches.LockSuffix) || len(r.e.Saved()) != 0 || r.e.Stats().SpoolBytes != 0 {
		t.Errorf("left: %v %v, %+v", exists(dir), exists(dir+caches.LockSuffix), r.e.Stats())
	}
	if _, err := r.readSaved("build", Stdout, ReadRequest{}); err == nil {
		t.Error("it can be read")
	}
}

// A reader keeps the words of the output it was given, whatever a command does.
func TestACommandChangesNoSavedOutput(t *testing.T) {
	r := savingRig(t, nil)
	r.must(saving("build", "echo out"))
	res, _ := r.must(sh(`echo forged > "$PILLION_OUTPUTS/build"`))
	if *res.ExitCode == 0 || len(res.Violations) != 1 || res.Violations[0].Rule != "outputs" || strings.Contains(res.Violations[0].Grant, "writable") {
		t.Errorf("%+v", res.Violations)
	}
	if got := r.savedText("build", Stdout); got != "out\n" || r.files()["build"] != "-r-------- out\n" {
		t.Errorf("%q %q", got, r.files())
	}
}

// They lie beside ours.
func TestAnotherSessionsOutputsAreNotToBeSeen(t *testing.T) {
	one := savingRig(t, nil)
	one.must(saving("secret", "echo of one"))
	two := savingRig(t, func(c *Config) { c.OutputDir = one.e.conf.OutputDir })
	two.must(saving("own", "echo of two"))
	if filepath.Dir(one.e.outputs.dir) != filepath.Dir(two.e.outputs.dir) || one.e.outputs.dir == two.e.outputs.dir {
		t.Fatal("they don't lie beside each other")
	}
	script := fmt.Sprintf(`ls "$PILLION_OUTPUTS"; ls %[1]s; cat %[2]s/secret; cat "$PILLION_OUTPUTS"/../%[3]s/secret`,
		filepath.Dir(one.e.outputs.dir), one.e.outputs.dir, filepath.Base(one.e.outputs.dir))
	if err := os.WriteFile(filepath.Join(two.ws, "look.sh"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	if res, _ := two.must(sh("sh look.sh")); string(res.Output[Stdout].Inline) != "own\nown.stderr\n" {
		t.Errorf("%s", res.Output[Stdout].Inline)
	}
}

func TestWhatAKilledSessionSavedIsRemovedByTheNext(t *testing.T) {
	base := filepath.Join(t.TempDir(), "outputs")
	for _, s := range []string{"killed", "lives", "half.gone"} {
		if err := errors.Join(os.MkdirAll(filepath.Join(base, s), 0o700), os.WriteFile(filepath.Join(base, s, "build"), []byte("x"), 0o400)); err != nil {
			t.Fatal(err)
		}
	}
	held, err := caches.ShareLock(filepath.Join(base, "lives.lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	for _, lock := range []string{"killed.lock", "never-made.lock"} {
		if err := os.WriteFile(filepath.Join(base, lock), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := savingRig(t, func(c *Config) { c.OutputDir = base })
	r.must(sh("true"))
	r.e.outputs.work.Wait()
	left, _ := filepath.Glob(filepath.Join(base, "*"))
	left = slices.DeleteFunc(left, func(p string) bool { return strings.HasPrefix(p, r.e.outputs.dir) })
	if want := []string{filepath.Join(base, "lives"), filepath.Join(base, "lives.lock")}; !slices.Equal(left, want) {
		t.Errorf("%v, want %v", left, want)
	}
}

// Were outputs kept where a link leads, commands could write there.
func TestALinkInTheWayOfSavedOutputsIsRefused(t *testing.T) {
	victim := t.TempDir()
	r := savingRig(t, func(c *Config) {
		err := errors.Join(os.MkdirAll(filepath.Dir(c.OutputDir), 0o700), os.Symlink(victim, c.OutputDir))
		if err != nil {
			t.Fatal(err)
		}
	})
	var setup *sandbox.SetupError
	if _, _, err := r.run(sh("true")); !errors.As(err, &setup) || !strings.Contains(err.Error(), "not a link") {
		t.Errorf("%v", err)
	}
	if left, _ := os.ReadDir(victim); len(left) > 0 {
		t.Errorf("made behind the link: %v", left)
	}
}

// Where a file without a name can't be given one, it is copied.
func TestOutputIsPublishedOnFileSystemsWithoutUnnamedFiles(t *testing.T) {
	r := savingRig(t, nil)
	r.must(sh("true"))
	f, err := os.CreateTemp(t.TempDir(), "spool-")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(f.Name()); err != nil {
		t.Fatal(err)
	}
	text := bytes.Repeat([]byte("text\n"), 100_000)
	if _, err := f.Write(append(text, "never written, for all we know"...)); err != nil {
		t.Fatal(err)
	}
	s := &spool.Spool{Dir: t.TempDir(), Max: 1 << 30, Budget: &spool.Budget{Limit: 1 << 30}}
	defer s.Close()
	s.Append(text)
	err = s.Swap(func(own *os.File) (*os.File, error) { return f, own.Close() })
	if err != nil {
		t.Fatal(err)
	}
	size := s.Size() // Swap holds its lock
	if err := s.Swap(func(f *os.File) (*os.File, error) { return r.e.outputs.publish(f, size, "copied") }); err != nil {
		t.Fatal(err)
	}
	if got := r.files(); len(got) != 1 || got["copied"] != "-r-------- "+string(text) {
		t.Errorf("%d files, %d bytes", len(got), len(got["copied"]))
	}
	b := make([]byte, 10)
	if n, _, err := s.Read(b, s.Size()-5); err != nil || string(b[:n]) != "text\n" {
		t.Errorf("%q %v", b[:n], err)
	}
	if _, err := f.Stat(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("the first file is still open: %v", err)
	}
}

// An output that can be no file is still the client's.
func TestASavedOutputWithoutAFileIsStillSaved(t *testing.T) {
	r := savingRig(t, nil)
	r.must(sh("true"))
	_, _, got := r.soon(Request{ID: "a", Command: "echo up; while [ ! -e go ]; do sleep 0.01; done", Output: OutputRequest{SaveAs: "build", Stream: true}})
	if err := errors.Join(os.Mkdir(filepath.Join(r.e.outputs.dir, "build"), 0o700), os.WriteFile(filepath.Join(r.e.outputs.dir, "build", "x"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	r.must(sh("touch go"))
	res := <-got
	if s := res.Saved.Streams[Stdout]; s.File != "" || s.Kept != 3 || r.savedText("build", Stdout) != "up\n" {
		t.Errorf("%+v", res.Saved)
	}
}
