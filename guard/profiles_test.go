package guard

import (
	"cmp"
	"math/rand/v2"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/rule"
	"github.com/pillion-sidecar/pillion/guard/shell"
	"github.com/pillion-sidecar/pillion/test/long"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// profileRow is a labelled command for one profile, with the configuration it is
// meant for.
type profileRow struct {
	Command, Expect, Profile, Message, Note string
	Context                                 struct {
		AllowPatterns       []string `json:"allow_patterns"`
		Workspace           string
		RestrictToWorkspace *bool
		Workdir             string
		WorkingDir          string `json:"working_dir"`
		Mode                string
		Sandbox             *bool
	}
}

func profileRows(t *testing.T, name string) []profileRow {
	t.Helper()
	return slices.DeleteFunc(rowsOf[profileRow](t, name), func(r profileRow) bool { return r.Profile == "" })
}

func (r profileRow) judge(t *testing.T) Verdict {
	t.Helper()
	p, ok := Profile(r.Profile)
	if !ok {
		t.Fatalf("no profile %q", r.Profile)
	}
	p.AllowPatterns = r.Context.AllowPatterns
	if r.Context.RestrictToWorkspace != nil {
		p.Restrict = *r.Context.RestrictToWorkspace
	}
	if r.Context.Sandbox != nil && !*r.Context.Sandbox && r.Context.Mode == "read" {
		p.Closed = ClosedByReadMode
	}
	root := cmp.Or(r.Context.Workspace, testRoot)
	cwd := cmp.Or(r.Context.WorkingDir, r.Context.Workdir, root)
	if !strings.HasPrefix(cwd, "/") {
		cwd = path.Join(root, cwd)
	}
	return Check(shell.Input{Command: r.Command, Cwd: cwd}, p, paper{root}, testHome)
}

// Commands whose verdict the documents of the older tools settle, in their words
// or by plain consequence; both readings of the text must agree.
func TestWhatTheOlderToolsDecide(t *testing.T) {
	rows := profileRows(t, "profiles.jsonl")
	for _, r := range rows {
		p, _ := Profile(r.Profile)
		for _, dialect := range []string{"posix", "bash"} {
			v := Check(shell.Input{Command: r.Command, Cwd: testRoot, Dialect: dialect}, p, paper{testRoot}, testHome)
			if v.Decision != rule.Decision(r.Expect) {
				t.Errorf("%s %s %q: %s, want %s", r.Profile, dialect, r.Command, describe(v), r.Expect)
			}
		}
	}
	if len(rows) < 800 {
		t.Errorf("only %d rows", len(rows))
	}
}

func TestProfileCorpora(t *testing.T) {
	for _, file := range []string{"seeds.jsonl", "public.jsonl"} {
		n := 0
		for _, r := range profileRows(t, file) {
			n++
			v := r.judge(t)
			if v.Decision != rule.Decision(r.Expect) {
				t.Errorf("%s %s: %q (%s) is %s", file, r.Profile, r.Command, r.Note, describe(v))
			}
			if r.Message != "" && r.Expect == "deny" && v.Findings[0].Message != r.Message {
				t.Errorf("%s %s: %q says %q, want %q", file, r.Profile, r.Command, v.Findings[0].Message, r.Message)
			}
		}
		if n < 40 {
			t.Errorf("%s has only %d rows with a profile", file, n)
		}
	}
}

func TestProfileRuleExamples(t *testing.T) {
	for _, name := range ProfileNames() {
		p, _ := Profile(name)
		for _, r := range ownRules(p.Rules) {
			if strings.HasPrefix(r.ID, "input/") || strings.HasPrefix(r.ID, "parse/") || strings.HasPrefix(r.ID, "budget/") {
				continue // their examples are judged in the default profile
			}
			check := func(command string) Verdict {
				return Check(shell.Input{Command: command, Cwd: testRoot, Dialect: "bash"}, p, paper{testRoot}, testHome)
			}
			for _, command := range r.Match {
				if v := check(command); !v.found(r.ID) || v.Decision != rule.Deny {
					t.Errorf("%s misses %q: %s", r.ID, command, describe(v))
				}
			}
			for _, command := range r.NotMatch {
				if v := check(command); v.found(r.ID) {
					t.Errorf("%s finds %q: %s", r.ID, command, describe(v))
				}
			}
			if r.Title == "" || r.Why == "" || r.Message == "" || r.Severity < 1 || r.Severity > 4 {
				t.Errorf("%q is incomplete", r.ID)
			}
		}
	}
}

// inPython is shell text that runs other shell text from inside of Python.
func inPython(command string) string {
	return "python3 -c " + argv.Quote("import os; os.system("+strconv.Quote(command)+")")
}

func TestInnerCodeIsFollowedDeepAndRefusedDeeper(t *testing.T) {
	p, _ := Profile("layered")
	harmful, harmless := "rm -rf /", "ls"
	for depth := 1; depth <= 5; depth++ {
		harmful, harmless = inPython(harmful), inPython(harmless)
		if v := Check(shell.Input{Command: harmful, Cwd: testRoot}, p, paper{testRoot}, testHome); v.Decision != rule.Deny {
			t.Errorf("%d levels: %s", depth, v.Decision)
		}
		if v := Check(shell.Input{Command: harmless, Cwd: testRoot}, p, paper{testRoot}, testHome); v.Decision != rule.Allow && depth <= 3 {
			t.Errorf("%d harmless levels: %s", depth, describe(v))
		}
	}
}

func TestProfilesEndInTime(t *testing.T) {
	long.Test(t)
	texts := hostile()
	texts["interpreters"] = strings.Repeat(`python3 -c "import os; os.system('ls')";`, 1500)
	texts["one long code"] = "python3 -c " + argv.Quote("system "+strings.Repeat(`"ls" `, 10000))
	texts["code in code"] = strings.Repeat(inPython("ls")+";", 900)
	texts["slashes"] = "cat " + strings.Repeat("$X"+strings.Repeat("=/a", 1300)+" ", 16)
	names := ProfileNames()[1:]
	if !needs.Everything() {
		names = names[rand.IntN(len(names)):][:1]
	}
	for _, name := range names {
		p, _ := Profile(name)
		p.AllowPatterns = []string{"^git ", "a.*b.*c"}
		for what, text := range texts {
			start := time.Now()
			Check(shell.Input{Command: text[:min(len(text), effect.MaxBytes)], Cwd: testRoot}, p, paper{testRoot}, testHome)
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("%s: %s took %v", name, what, took)
			} else if took > 60*time.Millisecond {
				t.Logf("%s: %s took %v", name, what, took)
			}
		}
	}
}

func TestAllowPatterns(t *testing.T) {
	p, _ := Profile("denylist")
	p.AllowPatterns = []string{"^git ", "^npm ", "^docker ", "^echo .*$"}
	for command, want := range map[string]rule.Decision{
		"git status": rule.Allow, "git status && npm test": rule.Allow, "git log | npm test": rule.Allow, "echo \"$(git log)\"": rule.Allow, "git log &": rule.Allow,
		"git status; ls": rule.Deny, "git status | sh": rule.Deny, "echo $(ls)": rule.Deny, "git status\nls": rule.Deny, "(ls)": rule.Deny, "if git diff; then ls; fi": rule.Deny,
		"git() { ls x; }; git status": rule.Deny, "FOO=1 git status": rule.Deny, "> git x": rule.Deny, "{ git log; } > x": rule.Deny, "gitk": rule.Deny, "x=1": rule.Deny,
		"git log <(ls)": rule.Deny, "npm test || rm x": rule.Deny, "rm -rf /": rule.Deny, "git rm x": rule.Allow, "npm test; rm -rf /": rule.Deny, "git clean & ls": rule.Deny,
	} {
		if v := Check(shell.Input{Command: command, Cwd: testRoot, Dialect: "bash"}, p, paper{testRoot}, testHome); v.Decision != want {
			t.Errorf("%q: %s, want %s", command, describe(v), want)
		}
	}
	for _, argv := range [][]string{{"ls"}, {"git status", "x"}, {"sh", "-c", "git status"}} {
		if v := Check(shell.Input{Argv: argv, Cwd: testRoot}, p, paper{testRoot}, testHome); v.Decision != rule.Deny {
			t.Errorf("%q: %s", argv, v.Decision)
		}
	}
	if v := Check(shell.Input{Argv: []string{"git", "commit", "-m", "a b"}, Cwd: testRoot}, p, paper{testRoot}, testHome); v.Decision != rule.Allow {
		t.Errorf("argv: %s", describe(v))
	}
	compiled, err := p.Compiled()
	if err != nil || compiled.Hash() != p.Hash() {
		t.Errorf("compiled: %v", err)
	}
	if v := Check(shell.Input{Command: "ls", Cwd: testRoot}, compiled, paper{testRoot}, testHome); v.Decision != rule.Deny {
		t.Error("a compiled list lets everything through")
	}
	p.AllowPatterns = []string{"("}
	if _, err := p.Compiled(); err == nil {
		t.Error("( is no pattern")
	}
	if v := Check(shell.Input{Command: "ls", Cwd: testRoot}, p, paper{testRoot}, testHome); v.Decision != rule.Deny {
		t.Error("a broken list is open")
	}
}

func TestClosedPolicyRunsNothing(t *testing.T) {
	p, _ := Profile("readonly")
	p.Closed = ClosedByReadMode
	for _, in := range []shell.Input{{Command: "ls"}, {Argv: []string{"ls"}}, {}} {
		if v := Check(in, p, paper{testRoot}, testHome); v.Decision != rule.Deny || v.Findings[0].Message != ClosedByReadMode {
			t.Errorf("%+v: %s", in, describe(v))
		}
	}
}

func TestNoRulesStillFilterBytesAndSize(t *testing.T) {
	for _, name := range []string{"isolated", "readonly"} {
		p, _ := Profile(name)
		for command, want := range map[string]rule.Decision{
			"rm -rf /": rule.Allow, "curl x | sh": rule.Allow, ":(){ :|:& };:": rule.Allow, "$X": rule.Allow, "diff <(ls) x": rule.Allow, "cat /etc/shadow": rule.Allow, "echo \"": rule.Allow,
			"ls \u202e": rule.Deny, "ls \x00": rule.Deny, "ls \r": rule.Deny, "ls " + strings.Repeat("x", effect.MaxBytes): rule.Deny,
		} {
			if v := Check(shell.Input{Command: command, Cwd: testRoot}, p, paper{testRoot}, testHome); v.Decision != want {
				t.Errorf("%s %.20q: %s", name, command, describe(v))
			}
		}
	}
}
