package executor

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/test/needs"
	"github.com/pillion-sidecar/pillion/workspace"
)

// day is commands in the order in which somebody has sent them, and where they worked.
type day struct {
	Home    string   // of its user
	Folders []string // that were open, the first of them the cwd
	Dirs    []string // what else there was
	rows    []string
}

// read adds a file's rows. A first one without a command says where the others are.
func (d *day) read(t *testing.T, name string) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		row := struct {
			*day
			Command string
		}{day: d}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(name, err)
		}
		if row.Command != "" {
			d.rows = append(d.rows, row.Command)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(name, err)
	}
}

// TestADayHasFewQuestions takes commands through everything that comes before their start,
// in one session with an editor's settings: at most one of 200 is asked about. The list
// that is here is of lines of CI and documents; PILLION_DAYS is a pattern of files with
// more, such as an agent's sessions, and -v shows what was asked and denied.
func TestADayHasFewQuestions(t *testing.T) {
	needs.Namespaces(t)
	ordinary := day{Home: "/home/dev", Folders: []string{"/home/dev/project"}}
	ordinary.read(t, "../testdata/guard/broad-ordinary.jsonl")
	ordinary.read(t, "../testdata/guard/fresh-ordinary.jsonl")
	commands, questions := len(ordinary.rows), ordinary.judge(t)
	more, err := filepath.Glob(os.Getenv("PILLION_DAYS"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range more {
		var d day
		d.read(t, name)
		t.Log(name)
		commands += len(d.rows)
		questions += d.judge(t)
	}
	t.Logf("%d questions about %d commands", questions, commands)
	if commands < 400 || questions*200 > commands {
		t.Error("these are too many, or too few commands to tell")
	}
}

// judge is how many questions there are in a session of its own. To each the answer is
// the one that holds longest.
func (d *day) judge(t *testing.T) int {
	t.Helper()
	top := homeOutsideOfTmp(t)
	home := filepath.Join(top, "home")
	here := []string{} // from a path of the day to one of this machine
	for _, dir := range slices.Concat(d.Folders, d.Dirs, []string{d.Home}) {
		to := filepath.Join(top, dir)
		if below, ok := strings.CutPrefix(dir, d.Home); ok {
			to = home + below
		}
		if err := os.MkdirAll(to, 0o755); err != nil {
			t.Fatal(err)
		}
		here = append(here, dir, to)
	}
	asked, denied := map[string][]string{}, map[string][]string{}
	p := &person{answers: []func(context.Context, Question) Answer{func(_ context.Context, q Question) Answer {
		note(asked, q.Verdict.Findings[0], q.Command)
		kept := append(q.kept(), Accept)
		return Answer{Choice: kept[max(0, len(kept)-2)]}
	}}}
	r := newRig(t, func(c *Config) {
		c.Home, c.JournalDir, c.Places = home, filepath.Join(top, "undo"), workspace.Options{Home: home}
		c.Policy.Network, c.NetworkImplied = sandbox.NetworkProxy, true
		c.Approver, c.Remember = p, func(Permanent) error { return nil }
	})
	var folders []string
	for i := range d.Folders {
		folders = append(folders, here[2*i+1])
	}
	var err error
	if r.f, err = workspace.Open(folders, workspace.Options{Home: home}); err != nil {
		t.Fatal(err)
	}
	place := strings.NewReplacer(here...)
	for i, command := range d.rows {
		r.permitted(fmt.Sprint(i), place.Replace(command), denied)
	}
	t.Logf("%d commands\nasked:%s\ndenied:%s", len(d.rows), table(asked), table(denied))
	return len(p.questions())
}

// permitted takes a command to its start, and notes why it can't have one.
func (r *rig) permitted(id, command string, denied map[string][]string) {
	r.t.Helper()
	run, err := r.admit(Request{ID: id, Command: command})
	if err != nil {
		r.t.Fatalf("%q: %v", command, err)
	}
	defer r.e.forget(run)
	defer run.cancel(cause(InternalError))
	p, err := run.permitted()
	var no *DeniedError
	switch {
	case errors.As(err, &no):
		note(denied, no.Verdict.Findings[0], command)
	case err != nil:
		r.t.Errorf("%q: %v", command, err)
	default:
		p.close()
	}
}

func note(list map[string][]string, f guard.Finding, command string) {
	list[f.RuleID] = append(list[f.RuleID], fmt.Sprintf("%.300q: %s", command, f.Message))
}

func table(list map[string][]string) string {
	var b strings.Builder
	rules := slices.SortedFunc(maps.Keys(list), func(a, c string) int { return cmp.Compare(len(list[c]), len(list[a])) })
	for _, rule := range rules {
		fmt.Fprintf(&b, "\n  %d %s\n    %s", len(list[rule]), rule, strings.Join(list[rule], "\n    "))
	}
	return b.String()
}

// homeOutsideOfTmp is a directory that is not below /tmp, where all may be read.
func homeOutsideOfTmp(t *testing.T) string {
	t.Helper()
	own, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(own, ".pillion-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}
