package guard

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/rule"
	"github.com/pillion-sidecar/pillion/guard/shell"
	"github.com/pillion-sidecar/pillion/workspace"
)

var _ place.Facts = (*workspace.Set)(nil)

func judgeArgv(args ...string) Verdict {
	return Check(shell.Input{Argv: args, Cwd: testRoot}, DefaultPolicy(), paper{testRoot}, testHome)
}

func TestArgvIsJudgedWithoutAShell(t *testing.T) {
	for _, args := range [][]string{
		{"rm", "-rf", "/"},
		{"sh", "-c", "rm -rf /"},
		{"sudo", "bash", "-c", "ls; reboot"},
		{"cat", "../x"},
		{"env", "LD_PRELOAD=x", "ls"},
		{"find", "/", "-delete"},
		{"ls", "a\x00b"},
		{"ls", "\xff"},
		{"../x"},
		{"bash", "-c", "echo a\\\r\nb"},
		{"xargs", "reboot"},
		{"", "x", strings.Repeat("x", effect.MaxBytes)},
	} {
		if v := judgeArgv(args...); v.Decision != rule.Deny || v.Findings[0].Source.Field != "argv" {
			t.Errorf("%q: %s", args, describe(v))
		}
	}
	for _, args := range [][]string{
		{"go", "test", "./..."}, {"echo", "$(rm -rf /)", "; reboot", "`id`"}, {"git", "commit", "-m", "a\r\nb"}, {"printf", "((((((("}, {"ls", "~", "$HOME"}, {"sh", "-c", "echo hi"}, {"grep", "rm -rf /", "x"},
	} {
		if v := judgeArgv(args...); v.Decision != rule.Allow {
			t.Errorf("%q: %s", args, describe(v))
		}
	}
}

func TestNoCommandOrTwo(t *testing.T) {
	for _, in := range []shell.Input{{}, {Command: "ls", Argv: []string{"ls"}}} {
		if v := Check(in, DefaultPolicy(), paper{testRoot}, testHome); v.Decision != rule.Deny || !v.found("input/invalid") {
			t.Errorf("%+v: %s", in, describe(v))
		}
	}
}

// TestSpans checks that findings point at the very text, also inside quotes.
func TestSpans(t *testing.T) {
	for command, want := range map[string]string{
		"ls; rm -rf /etc":                        "/etc",
		"echo hi > /etc/motd":                    "/etc/motd",
		"bash -c 'ls; cat /etc/passwd'":          "/etc/passwd",
		"sh -c \"cat /etc/x\"":                   `"cat /etc/x"`,
		"X=/etc; cat \"$X/hosts\"":               `"$X/hosts"`,
		"echo é; reboot":                         "reboot",
		"f() { cat /etc/x; }; f":                 "/etc/x",
		"timeout 5 shutdown now":                 "shutdown now",
		"sh -c 'bash -c \"cat /etc/x\"'":         `"cat /etc/x"`,
		"echo \"$(cat /etc/x)\"":                 "/etc/x",
		"find . -name x -exec cat /etc/x {} \\;": "/etc/x",
	} {
		v := judge(command)
		if len(v.Findings) != 1 {
			t.Errorf("%q: %s", command, describe(v))
			continue
		}
		f := v.Findings[0]
		if got := command[f.Span.Start:f.Span.End]; got != want || f.Source != (effect.Source{Field: "command"}) {
			t.Errorf("%q points at %q of %+v, want %q", command, got, f.Source, want)
		}
	}
	v := judgeArgv("sudo", "rm", "-rf", "/etc")
	if f := v.Findings[0]; f.Source != (effect.Source{Field: "argv", Index: 3}) || f.Span != (effect.Span{Start: 0, End: 4}) {
		t.Errorf("argv points at %+v %+v", f.Source, f.Span)
	}
}

func TestViaTellsTheWay(t *testing.T) {
	v := judge(`f() { sudo "$@"; }; f sh -c 'eval "reboot"'`)
	var got []string
	for _, l := range v.Findings[0].Via {
		got = append(got, l.Construct)
	}
	if want := "function f, sudo, sh -c, eval"; strings.Join(got, ", ") != want {
		t.Errorf("via %q, want %q", got, want)
	}
}

func TestVerdictNamesItsPolicy(t *testing.T) {
	p := DefaultPolicy()
	v := judge("rm -rf /")
	if v.PolicyID != p.ID || v.PolicyVersion != p.Version || v.PolicyHash != p.Hash() || !strings.HasPrefix(p.Hash(), "sha256:") {
		t.Errorf("%+v", v)
	}
	if v.RunAs != "written" || v.Canonical != "" || v.Parse.Dialect != "posix" || !v.Parse.Complete {
		t.Errorf("%+v", v)
	}
	other := p
	other.Roots = []string{"/tmp"}
	if other.Hash() == p.Hash() {
		t.Error("another policy has the same hash")
	}
}

func TestRequestEnvironment(t *testing.T) {
	bad, dir := "./evil.so", "/etc"
	check := func(command string, env map[string]*string) Verdict {
		return Check(shell.Input{Command: command, Cwd: testRoot, Env: env}, DefaultPolicy(), paper{testRoot}, testHome)
	}
	v := check("ls", map[string]*string{"LD_PRELOAD": &bad, "B": nil})
	if v.Decision != rule.Deny || v.Findings[0].Source != (effect.Source{Field: "env", Name: "LD_PRELOAD"}) {
		t.Errorf("%+v", v.Findings)
	}
	if v := check("rm -rf $D", map[string]*string{"D": &dir}); v.Decision != rule.Deny {
		t.Errorf("the request's own variable is unknown: %s", describe(v))
	}
	if v := check("rm -rf $D/", map[string]*string{"D": nil}); v.Decision != rule.Deny {
		t.Errorf("an unset variable is not empty: %s", describe(v))
	}
}

func TestDialects(t *testing.T) {
	for command, want := range map[string][2]rule.Decision{ // posix, bash
		"((rm -rf /))":                   {rule.Deny, rule.Ask}, // not arithmetic either
		"[[ a > /etc/hosts ]]":           {rule.Deny, rule.Allow},
		"a=(1 2)":                        {rule.Allow, rule.Allow}, // dash stops at it
		"a=(1 2":                         {rule.Ask, rule.Ask},
		"a=(1 2); rm -rf /":              {rule.Deny, rule.Deny},
		"rm -rf /; a=(1 2)":              {rule.Deny, rule.Deny},
		"ls &> /usr/share/x":             {rule.Deny, rule.Deny},
		"$'\\x72m' -rf /":                {rule.Deny, rule.Deny},
		"diff <(sort a) <(sort b)":       {rule.Allow, rule.Allow},
		"a=(1)\n((rm -rf /))":            {rule.Ask, rule.Ask},
		"a=(1)\n((reboot))":              {rule.Deny, rule.Allow},
		"((i == 0)) && a=(1)":            {rule.Allow, rule.Allow},
		"[[ x || reboot ]]; a=(1)":       {rule.Deny, rule.Allow},
		"[[ $x > /etc/x ]]; a=(1)":       {rule.Deny, rule.Allow},
		"function f {\nreboot\n}\na=(1)": {rule.Deny, rule.Allow},
		"a=(1); echo $'a\\'b; reboot #'": {rule.Ask, rule.Allow},
		"a=(1); let 'x|reboot'":          {rule.Ask, rule.Ask},
		"x=$(a=(1)); rm -rf /":           {rule.Deny, rule.Deny},
		"ls {x}>f":                       {rule.Ask, rule.Allow},
		"ls a &>f reboot":                {rule.Deny, rule.Allow},
		"ls a &>f \\\n reboot $'x'":      {rule.Deny, rule.Allow},
		"ls &>> f\nreboot":               {rule.Deny, rule.Deny},
		"ls &> f; make":                  {rule.Allow, rule.Allow},
		"cat <(rm -rf /)":                {rule.Deny, rule.Deny},
		"echo $'a\\'b; reboot #'\n":      {rule.Deny, rule.Allow},
	} {
		for i, dialect := range []string{"posix", "bash"} {
			v := Check(shell.Input{Command: command, Cwd: testRoot, Dialect: dialect}, DefaultPolicy(), paper{testRoot}, testHome)
			if v.Decision != want[i] {
				t.Errorf("%s %q: %s, want %s", dialect, command, describe(v), want[i])
			}
		}
	}
}

func TestStricterRowsComeFirst(t *testing.T) {
	seen := map[string]bool{}
	for i, r := range Rules() {
		if i > 0 && r.Decision.Rank() > rule.Balanced()[i-1].Decision.Rank() {
			t.Errorf("%s is stricter than the row before it, and may never speak", r.ID)
		}
		if seen[r.ID] || r.Title == "" || r.Why == "" || r.Message == "" || r.Severity < 1 || r.Severity > 4 {
			t.Errorf("%q is incomplete or twice there", r.ID)
		}
		seen[r.ID] = true
	}
}

// onDisk makes directories and links, whose targets may begin with $BASE, and opens
// the workspace "ws" of them.
func onDisk(t *testing.T, dirs []string, links map[string]string) (base string, set *workspace.Set) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		if err := os.MkdirAll(filepath.Join(base, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range links {
		if err := os.Symlink(strings.ReplaceAll(target, "$BASE", base), filepath.Join(base, name)); err != nil {
			t.Fatal(err)
		}
	}
	if set, err = workspace.Open([]string{base + "/ws"}, workspace.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = set.Close() })
	return base, set
}

// TestRealWorkspace judges symlinks on disk, which no name gives away.
func TestRealWorkspace(t *testing.T) {
	base, set := onDisk(t, []string{"ws/src", "out"}, map[string]string{"ws/link": "../out", "ws/dangling": "$BASE/out/new", "ws/inner": "src"})
	policy := DefaultPolicy()
	policy.Roots = nil // the temporary directory lies in one
	for command, want := range map[string]rule.Decision{
		"cat link/secret": rule.Deny, "echo x > dangling": rule.Deny, "cd link && ls": rule.Deny, "cd src && cat ../link/x": rule.Deny, "rm -rf link/..": rule.Deny, "ls link/*": rule.Deny,
		"cat inner/x": rule.Allow, "echo x > inner/y": rule.Allow, "cd inner && cat ../src/x": rule.Allow, "cat " + base + "/ws/src/x": rule.Allow, "cat " + base + "/ws-evil": rule.Deny,
	} {
		v := Check(shell.Input{Command: command, Cwd: base + "/ws"}, policy, set, testHome)
		if v.Decision != want {
			t.Errorf("%q: %s, want %s", command, describe(v), want)
		}
	}
}

// A file of the workspace may narrow the roots to a directory below one. Users who may
// write there, as everybody may in /tmp, could have laid a link to anywhere.
func TestNarrowedRootsLeadNowhereElse(t *testing.T) {
	base, set := onDisk(t, []string{"ws", "out", "root/real"}, map[string]string{"root/link": "../out", "own": "root"})
	policy := DefaultPolicy()
	for _, c := range []struct {
		roots, bound []string
		command      string
		want         rule.Decision
	}{
		{[]string{"/root/link"}, []string{"/root"}, "cat root/link/x", rule.Deny},
		{[]string{"/root/link"}, []string{"/root"}, "cat out/x", rule.Deny},
		{[]string{"/root/real"}, []string{"/root"}, "cat root/real/x", rule.Allow},
		{[]string{"/own/real"}, []string{"/own"}, "cat own/real/x", rule.Allow},
		{[]string{"/own"}, nil, "cat own/real/x", rule.Allow}, // the user's own may be one
	} {
		policy.Roots, policy.Bound = at(base, c.roots), at(base, c.bound)
		v := Check(shell.Input{Command: "cat " + base + "/" + strings.TrimPrefix(c.command, "cat "), Cwd: base + "/ws"}, policy, set, testHome)
		if v.Decision != c.want {
			t.Errorf("%q of %q: %s, want %s", c.roots, c.bound, describe(v), c.want)
		}
	}
}

func at(base string, dirs []string) (all []string) {
	for _, d := range dirs {
		all = append(all, base+d)
	}
	return all
}

func BenchmarkCommands(b *testing.B) {
	for _, command := range []string{"go test ./...", "git add -A && git commit -m 'wip'", "for f in src/*.ts; do echo \"$f\"; done", "cd web && npm ci && npm run build 2>&1 | tee build.log"} {
		b.Run(command, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				judge(command)
			}
		})
	}
}
