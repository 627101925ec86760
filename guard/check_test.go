package guard

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/sourcegraph/conc"

	"github.com/pillion-sidecar/pillion/guard/rule"
	"github.com/pillion-sidecar/pillion/guard/shell"
	"github.com/pillion-sidecar/pillion/sandbox/protect"
	"github.com/pillion-sidecar/pillion/workspace"
)

const (
	testHome = "/home/dev"
	testRoot = "/home/dev/project"
)

// paper is a workspace judged by name only, as `check --workspace` does for one
// that is not on this machine.
type paper []string

func (p paper) Folders() []string { return p }

func (paper) Obeyed(rel string) bool { return protect.ObeyedFile(rel) }

// Resolve looks at this machine's files for what is the same on all of them. What is below
// /tmp right now is not.
func (p paper) Resolve(path, cwd string) (string, bool) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(cwd, path)
	}
	if clean := filepath.Clean(path); strings.HasPrefix(clean, "/tmp/") || strings.HasPrefix(clean, "/var/tmp/") {
		return clean, false
	}
	return workspace.Resolve(p, path, cwd)
}

func judge(command string) Verdict {
	return Check(shell.Input{Command: command, Cwd: testRoot}, DefaultPolicy(), paper{testRoot}, testHome)
}

func (v Verdict) found(rule string) bool {
	for _, f := range v.Findings {
		if f.RuleID == rule {
			return true
		}
	}
	return false
}

func describe(v Verdict) string {
	var b strings.Builder
	b.WriteString(string(v.Decision))
	for _, f := range v.Findings {
		b.WriteString("\n\t" + f.RuleID + ": " + f.Message)
	}
	return b.String()
}

func TestRuleExamples(t *testing.T) {
	for _, r := range Rules() {
		for _, command := range r.Match {
			v := judge(command)
			if !v.found(r.ID) || v.Decision.Rank() < r.Decision.Rank() {
				t.Errorf("%s misses %q: %s", r.ID, command, describe(v))
			}
		}
		for _, command := range r.NotMatch {
			if v := judge(command); v.found(r.ID) {
				t.Errorf("%s finds %q: %s", r.ID, command, describe(v))
			}
		}
	}
}

// The guard is called by every command at once; under -race this finds state
// that calls share, as the expander's default configuration was.
func TestChecksShareNoState(t *testing.T) {
	var wg conc.WaitGroup
	for range 8 {
		wg.Go(func() {
			for _, text := range []string{
				`printf '%s\n' a | sh`, `x=1; echo ${x:-2} $((x+1))`, `cat <<E | bash` + "\nls $x\nE", `for i in {a,b}; do echo $i; done`,
			} {
				judge(text)
			}
		})
	}
	wg.Wait()
}

func TestAHomeBelowAnAllowedRootIsStillAHome(t *testing.T) {
	for _, text := range []string{"rm -rf ~", "rm -rf ~/", "rm -rf $HOME", "rm -rf ~/*"} {
		v := Check(shell.Input{Command: text, Cwd: "/tmp/home/ws"}, DefaultPolicy(), paper{"/tmp/home/ws"}, "/tmp/home")
		if v.Decision != rule.Deny {
			t.Errorf("%q: %s", text, v.Decision)
		}
	}
}
