package executor

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The driver is this test binary, run inside the sandbox by the engine under
// test. It gives shells text to run, many in one run, and writes down what
// happened: thus nothing that a test makes up can leave the sandbox.

const driverArg = "drive-shells"

// trial is one text for one shell.
type trial struct {
	Shell []string // with its options, without -c
	Text  string
	Seed  string // directory whose copy is the cwd; "" starts in an empty one
	Path  string
	Limit time.Duration
}

// outcome is the result.
type outcome struct {
	Ran      [][]string // argvs the stubs on PATH were given
	Stdout   string
	Stderr   string
	Exit     string
	TimedOut bool
	Tree     map[string]string // of the cwd afterwards, nil where it is the seed's
}

// stubSeparator ends every word that a stub writes down; no shell text has it.
const stubSeparator = "\x1e"

func driver() (code int, ok bool) {
	if code, ok := clientMain(); ok {
		return code, true
	}
	if len(os.Args) != 3 || os.Args[1] != driverArg {
		return 0, false
	}
	if err := drive(os.Args[2]); err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		return 1, true
	}
	return 0, true
}

// drive runs the trials of dir/batch.json one after another into dir/outcomes.json.
func drive(dir string) error {
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 8 << 20, Max: 8 << 20}); err != nil {
		return err
	}
	data, err := os.ReadFile(filepath.Join(dir, "batch.json"))
	if err != nil {
		return err
	}
	var trials []trial
	if err := json.Unmarshal(data, &trials); err != nil {
		return err
	}
	var done []outcome
	var f field
	for _, t := range trials {
		o, err := f.run(t, dir)
		if err != nil {
			return err
		}
		done = append(done, o)
	}
	data, err = json.Marshal(done)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "outcomes.json"), data, 0o600)
}

// field is the directory that trials run in. Copying takes most of the time, so
// what a trial left as it was is not made anew.
type field struct {
	seed string
	tree map[string]string // of the seed, as it lies there
}

// lay makes cwd a copy of the seed.
func (f *field) lay(cwd, seed string) error {
	if f.tree != nil && f.seed == seed {
		return nil
	}
	f.tree = nil
	if err := errors.Join(os.RemoveAll(cwd), os.Mkdir(cwd, 0o755)); err != nil || seed == "" {
		return err
	}
	err := os.CopyFS(cwd, os.DirFS(seed))
	if err == nil {
		f.seed = seed
		f.tree, err = survey(cwd)
	}
	return err
}

// changes is what there is in cwd now, nil if that is the seed.
func (f *field) changes(cwd string) (map[string]string, error) {
	tree, err := survey(cwd)
	if maps.Equal(tree, f.tree) {
		tree = nil
	} else {
		f.tree = nil
	}
	return tree, err
}

func (f *field) run(t trial, dir string) (o outcome, err error) {
	cwd, record := filepath.Join(dir, "project"), filepath.Join(dir, "record")
	if err := errors.Join(f.lay(cwd, t.Seed), os.RemoveAll(record), os.MkdirAll(filepath.Join(dir, "home"), 0o700)); err != nil {
		return o, err
	}
	args := append(t.Shell[:len(t.Shell):len(t.Shell)], "-c", t.Text)
	cmd := exec.Command("/bin/"+args[0], args[1:]...)
	var stdout, stderr capped
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = cwd, &stdout, &stderr, 200*time.Millisecond
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Env = []string{
		"PATH=" + t.Path, "HOME=" + filepath.Join(dir, "home"), "TMPDIR=" + os.Getenv("TMPDIR"), "LANG=C.UTF-8", "TERM=dumb", "NO_COLOR=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0",
		"npm_config_offline=true", "npm_config_fetch_retries=0", "npm_config_logs_max=0", "npm_config_update_notifier=false",
		"GIT_AUTHOR_DATE=2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z",
	}
	if err := cmd.Start(); err != nil {
		return o, err
	}
	group := -cmd.Process.Pid
	late := time.AfterFunc(t.Limit, func() { _ = syscall.Kill(group, syscall.SIGKILL) })
	_ = cmd.Wait()
	o.TimedOut = !late.Stop()
	_ = syscall.Kill(group, syscall.SIGKILL)
	o.Stdout, o.Stderr, o.Exit = stdout.String(), stderr.String(), cmd.ProcessState.String()
	if o.Ran, err = recorded(record, t.Path+"/"); err == nil && t.Seed != "" {
		o.Tree, err = f.changes(cwd)
	}
	return o, err
}

// recorded reads what the stubs wrote: each begins with its own path.
func recorded(file, stubs string) (ran [][]string, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		if os.IsNotExist(err) {
			return nil, nil
		}
		return nil, err
	}
	for word := range strings.SplitSeq(strings.TrimSuffix(string(data), stubSeparator), stubSeparator) {
		if name, ok := strings.CutPrefix(word, stubs); ok {
			ran = append(ran, []string{name})
		} else if n := len(ran) - 1; n >= 0 {
			ran[n] = append(ran[n], word)
		}
	}
	return ran, nil
}

// capped keeps the first 64 KiB.
type capped struct{ strings.Builder }

func (c *capped) Write(p []byte) (int, error) {
	if room := 64<<10 - c.Len(); room > 0 {
		c.Builder.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// lab is a rig with the driver in its workspace.
type lab struct {
	*rig
	stubs string
}

// newLab copies the driver and makes the stubs: programs that write down their
// argv and do nothing else.
func newLab(tb testing.TB, stubs ...string) *lab {
	tb.Helper()
	l := &lab{rig: newRig(tb, nil)}
	l.stubs = filepath.Join(l.ws, "stubs")
	self, err := os.Executable()
	if err == nil {
		err = errors.Join(copyFile(filepath.Join(l.ws, "driver"), self), os.Mkdir(l.stubs, 0o755))
	}
	if err != nil {
		tb.Fatal(err)
	}
	script := "#!/bin/dash\nprintf '%s" + `\036` + "' \"$0\" \"$@\" >>'" + l.ws + "/record'\n"
	for _, name := range stubs {
		if err := os.WriteFile(filepath.Join(l.stubs, name), []byte(script), 0o755); err != nil {
			tb.Fatal(err)
		}
	}
	return l
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// drive runs trials inside the sandbox.
func (l *lab) drive(trials []trial) ([]outcome, error) {
	data, err := json.Marshal(trials)
	if err != nil {
		return nil, err
	}
	out := filepath.Join(l.ws, "outcomes.json")
	// The project too: a command can't remove a repository that an earlier one made.
	if err := errors.Join(os.WriteFile(filepath.Join(l.ws, "batch.json"), data, 0o600), os.RemoveAll(out), os.RemoveAll(filepath.Join(l.ws, "project"))); err != nil {
		return nil, err
	}
	run, err := l.admit(Request{Argv: []string{filepath.Join(l.ws, "driver"), driverArg, l.ws}, Timeout: 10 * time.Minute})
	if err != nil {
		return nil, err
	}
	res, err := run.Do(deaf{})
	if err != nil {
		return nil, err
	}
	if res.ExitCode == nil || *res.ExitCode != 0 {
		return nil, errors.New("the driver: " + string(res.Output[Stderr].Inline) + res.Signal)
	}
	if data, err = os.ReadFile(out); err != nil {
		return nil, err
	}
	var done []outcome
	err = json.Unmarshal(data, &done)
	return done, err
}

// deaf is a Sink that takes nothing in.
type deaf struct{}

func (deaf) Queued(int) error          { return nil }
func (deaf) Started(Started) error     { return nil }
func (deaf) Output(Chunk) error        { return nil }
func (deaf) Violation(Violation) error { return nil }
func (deaf) Waiting(Waiting) error     { return nil }
func (deaf) Gap(Gap) error             { return nil }
func (deaf) Free() bool                { return true }

// shells are the ones of this machine that text is tried in. Not busybox: two of its
// processes write their messages into each other, so that the wanted one can't be found.
func shells() (list [][]string) {
	for _, s := range [][]string{{"dash"}, {"bash"}, {"bash", "--posix"}} {
		if _, err := os.Stat("/bin/" + s[0]); err == nil {
			list = append(list, s)
		}
	}
	return list
}
