package cli_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/test/long"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// jobText says when it runs in the foreground: what is typed earlier is another's.
const jobText = `$| = 1; $SIG{CONT} = sub { print "woken\n" }; print "begun\n"; sleep 1000 while 1`

// press is what somebody types, and what they see before they type on: a program's own
// prompt, or what they type would be echoed by the terminal, too.
type press struct{ keys, seen string }

// Whole programs that talk with a terminal: jobs of a shell, an editor's screen, a
// REPL's history and Ctrl-C. tmux shows what a person sees, without and with pillion.
var wholePrograms = map[string]struct {
	line  string
	typed []press
}{
	"jobs of a shell": {"bash --norc --noprofile -i", []press{
		{"", `^%.*\nbash-[\d.]+[$#]\n$`},
		{"perl job.pl|Enter", `begun`},
		{"C-z", `Stopped +perl job.pl\nbash-[\d.]+[$#]\n$`},
		{"jobs|Enter", `(?s)Stopped.*Stopped +perl job.pl\nbash-[\d.]+[$#]\n$`},
		{"fg|Enter", `woken`},
		{"C-c", `\^C\nbash-[\d.]+[$#]\n$`},
		{"stty size|Enter", `20 70\nbash-[\d.]+[$#]\n$`},
		{"trap 'stty size' WINCH|Enter", `WINCH\nbash-[\d.]+[$#]\n$`},
		{"wide", `20 71\n`},
		{"exit 3|Enter", ``},
	}},
	"an editor": {"vim -u NONE -N -n a.txt", []press{
		{"", `"a.txt" \[New`},
		{"ihello", `INSERT|hello`},
		{"Escape|yy|3p|:set number|Enter", `4 hello`},
		{":wq|Enter", `ended 0\n%\n$`},
		{"cat a.txt|Enter", `(hello\n){4}%\n$`},
	}},
	"a REPL": {"python3 -q -i", []press{
		{"", `>>>\n$`},
		{"6*7|Enter", `42\n>>>\n$`},
		{"Up|Enter", `(?s)42.*42\n>>>\n$`},
		{"import time|Enter", `import time\n>>>\n$`},
		{"print('be'+'gun'); time.sleep(1000)|Enter", `begun`},
		{"C-c", `KeyboardInterrupt\n>>>\n$`},
		{"import sys; sys.stdin.isatty()|Enter", `True\n>>>\n$`},
		{"C-d", ``},
	}},
}

func TestWholePrograms(t *testing.T) {
	long.Test(t)
	needs.Program(t, "tmux", "vim", "python3")
	t.Parallel()
	for name, p := range wholePrograms {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plain := screenAfter(t, "", p.line, p.typed)
			inside := screenAfter(t, "pillion exec -i -- ", p.line, p.typed)
			if plain != inside {
				t.Errorf("without:\n%s\nwith pillion:\n%s", plain, inside)
			}
		})
	}
}

// screenAfter is what tmux shows in the end, without the line that pillion adds.
func screenAfter(t *testing.T, before, line string, typed []press) string {
	t.Helper()
	dir := t.TempDir()
	ws, home := filepath.Join(dir, "ws"), filepath.Join(dir, "home")
	for _, d := range []string{ws, home} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(ws, "job.pl"), []byte(jobText), 0o600); err != nil {
		t.Fatal(err)
	}
	tmux := func(args ...string) string {
		c := exec.Command("tmux", append([]string{"-f", "/dev/null", "-S", filepath.Join(dir, "tmux")}, args...)...)
		c.Dir = ws
		c.Env = []string{"PATH=" + bin + ":/usr/local/bin:/usr/bin:/bin", "HOME=" + home, "SHELL=/bin/sh", "TERM=xterm", "TMPDIR=" + dir, "LC_ALL=C.UTF-8"}
		out, err := c.CombinedOutput()
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			t.Error(err)
		}
		return string(out)
	}
	defer tmux("kill-server")
	tmux("new-session", "-d", "-x", "70", "-y", "20", "env -u ENV sh -i")
	see := func(want string) (screen string) {
		t.Helper()
		is := regexp.MustCompile(want)
		for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			if screen = shownIn(tmux("capture-pane", "-p")); is.MatchString(screen) {
				return screen
			}
		}
		t.Fatalf("%s%s: %q is not seen in\n%s", before, line, want, screen)
		return ""
	}
	press := append([]press{{"PS1='% '; clear|Enter", `^%\n$`}, {before + line + "; echo ended $?|Enter", ""}}, typed...)
	for _, p := range append(press, struct{ keys, seen string }{"", `ended \d+\n(?s:.*)%\n$`}) {
		switch p.keys {
		case "":
		case "wide":
			tmux("resize-window", "-x", "71")
		default:
			for key := range strings.SplitSeq(p.keys, "|") {
				tmux("send-keys", key)
			}
		}
		see(p.seen)
	}
	added := regexp.MustCompile(`(?m)^pillion: (files|exit) .*\n`)
	return strings.Replace(added.ReplaceAllString(shownIn(tmux("capture-pane", "-p")), ""), before+line, line, 1)
}

// shownIn is a screen without the blanks at the end of its rows and without its empty rows.
func shownIn(screen string) string {
	rows := strings.FieldsFunc(screen, func(r rune) bool { return r == '\n' })
	for i, row := range rows {
		rows[i] = strings.TrimRight(row, " ")
	}
	return strings.Join(rows, "\n") + "\n"
}
