package pages

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// session is where the commands of a page run.
type session struct {
	home, dir string
	env       []string
	code      int // of the last command
}

// newSession makes a home with one repository. Of the tester's there are Go and the
// modules that this one depends on; all other programs are the system's.
func newSession(t *testing.T) *session {
	t.Helper()
	modules, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	source, err := filepath.Abs(module)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "page-*") // short, because messages shorten what is long
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	home := filepath.Join(dir, "you")
	s := &session{home: home, dir: filepath.Join(home, "app"), env: []string{
		"HOME=" + home, "LANG=C.UTF-8", "SOURCE=" + source, "USER=you",
		"GOMODCACHE=" + strings.TrimSpace(string(modules)),
		"PATH=" + bin + ":" + filepath.Dir(tool) + ":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
	}}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if out := s.run(t, "git init -q -b main && git config --global user.name you && git config --global user.email you@example.org"); s.code != 0 {
		t.Fatal(out.err)
	}
	return s
}

// printed is what a command wrote.
type printed struct{ out, err string }

// run is what a command prints, with the home where the pages have it.
func (s *session) run(t *testing.T, command string) printed {
	t.Helper()
	c := exec.CommandContext(t.Context(), "bash", "-c", fmt.Sprintf("(exit %d)\n%s", s.code, command))
	c.Dir, c.Env = s.dir, s.env
	var out, errs strings.Builder
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); c.ProcessState == nil {
		t.Fatalf("%s: %v", command, err)
	}
	s.code = c.ProcessState.ExitCode()
	home := strings.NewReplacer(s.home, "/home/you")
	return printed{home.Replace(out.String()), home.Replace(errs.String())}
}
