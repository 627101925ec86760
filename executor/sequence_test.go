package executor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/test/long"
)

func inTurn(commands ...string) Request { return Request{Commands: commands} }

// reasons are the steps in short: "0", "SIGTERM", and the reason where it is
// another one than that it exited.
func reasons(res *Result) string {
	var out []string
	for _, s := range res.Steps {
		end := s.Signal
		if s.ExitCode != nil {
			end = fmt.Sprint(*s.ExitCode)
		}
		if s.Reason != Exited {
			end = strings.TrimSpace(end + " " + string(s.Reason))
		}
		out = append(out, end)
	}
	return strings.Join(out, ", ")
}

func (res *Result) exit() string {
	if res.ExitCode == nil {
		return res.Signal
	}
	return fmt.Sprint(*res.ExitCode)
}

func TestSequenceRunsInOrderIntoOneOutput(t *testing.T) {
	r := newRig(t, nil)
	for _, stream := range []bool{true, false} {
		req := inTurn("echo one; echo first >&2", "true", "echo zwei; echo é >&2")
		req.Output.Stream = stream
		res, rec := r.must(req)
		if stream && (rec.text(Stdout) != "one\nzwei\n" || rec.text(Stderr) != "first\né\n") || !stream && string(res.Output[Stdout].Inline) != "one\nzwei\n" {
			t.Errorf("%q %q", rec.text(Stdout), rec.text(Stderr))
		}
		want := []map[Stream]Range{
			{Stdout: {0, 4}, Stderr: {0, 6}}, {Stdout: {4, 4}, Stderr: {6, 6}}, {Stdout: {4, 9}, Stderr: {6, 9}},
		}
		for i, s := range res.Steps {
			if d := cmp.Diff(want[i], s.Output); d != "" || s.Command != req.Commands[i] || s.Error != "" || s.Duration <= 0 || s.Duration > res.Duration {
				t.Errorf("step %d: %+v %s", i, s, d)
			}
		}
		if reasons(res) != "0, 0, 0" || res.exit() != "0" || res.Reason != Exited || !res.Output[Stdout].EOF || !res.Output[Stderr].EOF {
			t.Errorf("%s: %+v", reasons(res), res)
		}
	}
}

func TestSequenceStopsAtTheFirstFailure(t *testing.T) {
	r := newRig(t, nil)
	for end, bad := range map[string]string{"3": "exit 3", "127": "no-such-program", "SIGKILL": "kill -9 $$"} {
		res, _ := r.must(inTurn("true", bad, "touch ran", "touch ran"))
		if want := "0, " + end + ", skipped, skipped"; reasons(res) != want || res.exit() != end || res.Reason != Exited || r.has("ran") {
			t.Errorf("%q: %s, exit %s, want %s", bad, reasons(res), res.exit(), want)
		}
		if s := res.Steps[3]; s.Output != nil || s.Duration != 0 || s.Command != "touch ran" {
			t.Errorf("a step that did not run: %+v", s)
		}
	}
}

// The exit is that of the last command then, as after ";" in a shell.
func TestSequenceIgnoresErrorsIfAskedTo(t *testing.T) {
	r := newRig(t, nil)
	req := inTurn("exit 3", "kill -9 $$", "echo x", "exit 4")
	req.IgnoreErrors = true
	res, _ := r.must(req)
	if reasons(res) != "3, SIGKILL, 0, 4" || res.exit() != "4" || string(res.Output[Stdout].Inline) != "x\n" {
		t.Errorf("%s, exit %s", reasons(res), res.exit())
	}
	req = inTurn("exit 3", "true")
	req.IgnoreErrors = true
	if res, _ = r.must(req); res.exit() != "0" || reasons(res) != "3, 0" {
		t.Errorf("%s, exit %s", reasons(res), res.exit())
	}
}

func TestSequenceGivesEachCommandAShellOfItsOwn(t *testing.T) {
	r := newRig(t, nil)
	res, _ := r.must(inTurn("cd /; x=1; export x; umask 777; set -f; exec 2>&1", "pwd; echo \"<$x>\"; umask", "echo $TMPDIR > $TMPDIR/f", "cat $TMPDIR/f"))
	out := strings.Fields(string(res.Output[Stdout].Inline))
	if len(out) != 4 || out[0] != r.ws || out[1] != "<>" || out[2] == "0777" || out[3] == "" {
		t.Errorf("%q, %s", out, reasons(res))
	}
}

func TestSequenceHasOneProcessAtATime(t *testing.T) {
	r := newRig(t, nil)
	res, rec := r.must(func() Request {
		req := inTurn("sleep 98761 & echo a", "echo b; pgrep -f 'sleep 9876[1]' | wc -l", "(sleep 0.1; echo late) & echo c")
		req.Output.Stream = true
		return req
	}())
	if rec.text(Stdout) != "a\nb\n0\nc\nlate\n" && rec.text(Stdout) != "a\nb\n0\nc\n" {
		t.Errorf("%q", rec.text(Stdout))
	}
	if len(res.Background) == 0 || res.Background[0].Fate != FateKilled || len(aliveWith("98761")) > 0 {
		t.Errorf("%+v, alive %v", res.Background, aliveWith("98761"))
	}
	if res.Steps[0].Output[Stdout] != (Range{0, 2}) || res.Output[Stdout].EOF {
		t.Errorf("%+v, eof %v", res.Steps[0], res.Output[Stdout].EOF)
	}
}

// What a command of a sequence leaves on purpose is there for the next ones, and
// writes to none of their outputs.
func TestSequenceLeavesWhatItIsToldTo(t *testing.T) {
	t.Parallel()
	long.Test(t)
	r := newRig(t, nil)
	req := inTurn("echo up; (while sleep 0.05; do echo noise; done; : 98762) &", "sleep 0.3; echo done")
	req.Sandbox.Name, req.OnBackground = "dev", Leave
	res, _ := r.must(req)
	if len(res.Background) == 0 || res.Background[0].Fate != FateLeft {
		t.Errorf("%+v", res.Background)
	}
	at := res.Steps[1].Output[Stdout]
	if out := string(res.Output[Stdout].Inline); out[at.From:at.To] != "done\n" || !strings.HasPrefix(out, "up\n") {
		t.Errorf("%q, %+v", out, res.Steps)
	}
}

func TestSequenceDeniedAsAWholeStartsNothing(t *testing.T) {
	r := newRig(t, nil)
	_, _, err := r.run(inTurn("touch ran", "rm -rf /"))
	var denied *DeniedError
	if !errors.As(err, &denied) || denied.Verdict.Findings[0].Source != (guard.Source{Field: "commands", Index: 1}) || r.has("ran") {
		t.Errorf("%v, ran %v", err, r.has("ran"))
	}
}

func TestSequenceRunsCanonicalText(t *testing.T) {
	r := newRig(t, nil)
	run, err := r.admit(inTurn("echo a", "echo $((1))"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := run.prepare()
	if err != nil {
		t.Fatal(err)
	}
	if a, b := p.launches[0].argv[2], p.launches[1].argv[2]; a != "'echo' 'a'" || b != "echo $((1))" || p.verdict.Commands[0].RunAs != "canonical" || p.verdict.Commands[1].RunAs != "written" {
		t.Errorf("%q %q %+v", a, b, p.verdict)
	}
	p.close()
	r.e.forget(run)
	run.cancel(cause(Gone))
}

// A command that was harmless when all were judged, and is not any more.
func TestSequenceIsJudgedAgainBeforeEachCommand(t *testing.T) {
	r := newRig(t, nil)
	if err := os.WriteFile(filepath.Join(r.ws, "setup.sh"), []byte("ln -s /usr/bin/env env\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	req := inTurn("sh setup.sh", "touch env", "touch ran")
	req.IgnoreErrors = true
	res, _ := r.must(req)
	if reasons(res) != "0, notStarted, skipped" || res.Reason != NotStarted || res.ExitCode != nil || !strings.Contains(res.Steps[1].Error, "denied") || r.has("ran") {
		t.Errorf("%s, %+v", reasons(res), res)
	}
}

// The directory stays the one that was judged, even if another is at its path.
func TestSequenceKeepsItsDirectory(t *testing.T) {
	r := newRig(t, nil)
	if err := os.Mkdir(filepath.Join(r.ws, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.ws, "swap.sh"), []byte("mv sub old; ln -s .. sub\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	req := inTurn("cd .. && sh swap.sh", "touch ran")
	req.Cwd = "sub"
	res, _ := r.must(req)
	if _, err := os.Lstat(filepath.Join(r.ws, "..", "ran")); err == nil || r.has("ran") {
		t.Error("it ran in another directory")
	}
	if s := res.Steps[1]; s.Reason == NotStarted && s.Error == "" || s.Reason == Exited && !r.has("old/ran") {
		t.Errorf("%+v", s)
	}
	t.Logf("%s: %q", reasons(res), res.Steps[1].Error)
}

func TestSequenceOfTooManyOrNone(t *testing.T) {
	r := newRig(t, nil)
	rows := 24
	for want, req := range map[string]Request{
		"/commands":     inTurn(make([]string, MaxCommands+1)...),
		"/commands ":    {Commands: []string{}},
		"/commands/1":   inTurn("true", "", "true"),
		"/commands  ":   {Commands: []string{"true"}, Command: "true"},
		"/commands   ":  {Commands: []string{"true"}, Argv: []string{"true"}},
		"/commands    ": inTurn(strings.Repeat("x", 40000), strings.Repeat("x", 40000)),
		"/ignoreErrors": {Command: "true", IgnoreErrors: true},
		"/stdin":        {Commands: []string{"true"}, Stdin: []byte{}},
		"/stdin ":       {Commands: []string{"true"}, StdinOpen: true},
		"/pty":          {Commands: []string{"true"}, Terminal: &Terminal{Rows: rows, Cols: 80}},
	} {
		var bad *ParamError
		if _, err := r.admit(req); !errors.As(err, &bad) || bad.Path != strings.TrimSpace(want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	most := make([]string, MaxCommands)
	for i := range most {
		most[i] = fmt.Sprintf("echo %d", i)
	}
	if res, _ := r.must(inTurn(most...)); len(res.Steps) != MaxCommands || res.Output[Stdout].TotalBytes != 10*2+(MaxCommands-10)*3 {
		t.Errorf("%+v", res.Output[Stdout])
	}
}

// A first command that can't be started is an error, and leaves nothing open.
func TestSequenceThatCannotStartLeavesNothingOpen(t *testing.T) {
	r := newRig(t, nil)
	r.must(inTurn("true", "true"))
	open := func() (n int) {
		fds, _ := filepath.Glob("/proc/self/fd/*")
		for _, fd := range fds {
			if to, err := os.Readlink(fd); err == nil && (to == r.ws || strings.HasPrefix(to, "pipe:")) {
				n++
			}
		}
		return n
	}
	before := open()
	for range 5 {
		req := inTurn("true", "true")
		req.Env = map[string]*string{"A": new("\x00")}
		var spawn *sandbox.SpawnError
		if _, _, err := r.run(req); !errors.As(err, &spawn) {
			t.Errorf("%v", err)
		}
	}
	if after := open(); after != before {
		t.Errorf("%d open before, %d after", before, after)
	}
	if killed, err := r.e.Reset("default", false); err != nil || killed != 0 {
		t.Errorf("the sandbox is still held: %v", err)
	}
}

// Each command's refusals are read from its own errors.
func TestSequenceTellsWhatWasRefusedToEach(t *testing.T) {
	r := newRig(t, nil)
	req := inTurn("cat $PWD-outside-a/x; false", "cat $PWD-outside-b/x; false")
	for _, dir := range []string{"a", "b"} {
		if err := os.WriteFile(filepath.Join(r.ws, dir+".sh"), []byte("echo \"cat: /srv/"+dir+"/x: Permission denied\" >&2; exit 1\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	req.Commands = []string{"sh a.sh", "sh b.sh"}
	req.IgnoreErrors = true
	res, _ := r.must(req)
	var paths []string
	for _, v := range res.Violations {
		paths = append(paths, v.Path)
	}
	if d := cmp.Diff([]string{"/srv/a/x", "/srv/b/x"}, paths); d != "" || res.Violated != 2 {
		t.Errorf("%s %d", d, res.Violated)
	}
}
