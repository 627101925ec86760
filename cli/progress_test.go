package cli_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/pillion-sidecar/pillion/test/long"
)

// onTerminal runs a shell line, with our program on PATH, on a terminal of its own
// and returns what was written there. typed is pressed when text has appeared.
func onTerminal(t *testing.T, columns uint16, line, text, typed string, env ...string) string {
	t.Helper()
	dir := t.TempDir()
	ws := filepath.Join(dir, "ws")
	if err := os.Mkdir(ws, 0o755); err != nil {
		t.Error(err)
		return ""
	}
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = ws
	cmd.Env = append([]string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, "home"), "TERM=xterm", "TMPDIR=" + dir}, env...)
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: columns})
	if err != nil {
		t.Error(err)
		return ""
	}
	defer tty.Close()
	var got strings.Builder
	buf := make([]byte, 4096)
	for {
		n, err := tty.Read(buf)
		got.Write(buf[:n])
		if typed != "" && strings.Contains(got.String(), text) {
			if _, err := io.WriteString(tty, typed); err != nil {
				t.Error(err)
			}
			typed = ""
		}
		if err != nil { // EIO: nobody has it open any more
			break
		}
	}
	_ = cmd.Wait() // the exit code is another test's
	return got.String()
}

// screenOf is what a terminal shows in the end, as far as the line of progress uses
// one: a row for each line.
func screenOf(out string) []string {
	rows, column := []string{""}, 0
	colour := regexp.MustCompile(`^\x1b\[[0-9;]*m`)
	for len(out) > 0 {
		last := &rows[len(rows)-1]
		switch {
		case strings.HasPrefix(out, "\x1b[K"):
			*last, out = string([]rune(*last)[:min(column, len([]rune(*last)))]), out[3:]
			continue
		case colour.MatchString(out):
			out = out[len(colour.FindString(out)):]
			continue
		case out[0] == '\r':
			column = 0
		case out[0] == '\n':
			rows = append(rows, "")
		default:
			r := []rune(out)[0]
			row := []rune(*last)
			*last, column = string(append(row[:min(column, len(row))], r)), column+1
			out = out[len(string(r)):]
			continue
		}
		out = out[1:]
	}
	return slices.DeleteFunc(rows, func(row string) bool { return row == "" })
}

const running = "pillion: running for "

func TestASilentCommandHasALineOfProgressThatGoesAway(t *testing.T) {
	long.Test(t)
	t.Parallel()
	out := onTerminal(t, 80, `pillion exec -- 'printf "one\033[K\n" >&2; sleep 4; echo two; echo three'`, "", "")
	line := regexp.MustCompile(`\x1b\[2m(pillion: running for (\d+) s · 7 bytes so far · Ctrl-C stops it)\x1b\[0m`)
	shown := line.FindAllStringSubmatch(out, -1)
	if len(shown) == 0 {
		t.Errorf("never shown: %q", out)
	}
	for i, one := range shown[min(1, len(shown)):] {
		if one[2] == shown[i][2] {
			t.Errorf("%s s are shown twice: %q", one[2], out)
		}
	}
	rows := screenOf(out)
	if len(rows) != 4 || !slices.Equal(rows[:3], []string{"one", "two", "three"}) || !strings.HasPrefix(rows[3], "pillion: exit 0 · ") {
		t.Errorf("the screen shows %q after %q", rows, out)
	}
}

// Silent to its end: what is left on the screen is the last line alone.
func TestTheLineOfProgressIsGoneAtTheEnd(t *testing.T) {
	long.Test(t)
	t.Parallel()
	out := onTerminal(t, 80, `pillion exec -- sleep 4`, "", "", "NO_COLOR=1")
	rows := screenOf(out)
	if !strings.Contains(out, running) || len(rows) != 1 || !regexp.MustCompile(`^pillion: exit 0 · \d+\.\d s · workspace-write`).MatchString(rows[0]) {
		t.Errorf("%q shows %q", out, rows)
	}
	if strings.Contains(out, "\x1b[2m") {
		t.Errorf("colour with NO_COLOR: %q", out)
	}
}

func TestTheLineOfProgressDisturbsNobody(t *testing.T) {
	long.Test(t)
	t.Parallel()
	var all sync.WaitGroup // they only wait, so all at once
	for name, tc := range map[string]struct{ line, env, behind string }{
		"the last line has no end":           {`pillion exec -- 'printf half; sleep 2.2; echo'`, "", "half"},
		"a line of its own progress":         {`pillion exec -- 'printf "50%%\r"; sleep 2.2; echo'`, "", "50%"},
		"colours are left":                   {`pillion exec -- 'printf "\033[31mred\n"; sleep 2.2'`, "", "red"},
		"the command moves the cursor":       {`pillion exec -- 'printf "a\nb\n\033[2A"; sleep 2.2'`, "", "b\r\n"},
		"a half on stdout, a line on stderr": {`pillion exec -- 'printf half; echo >&2; sleep 2.2'`, "", "half"},
		"--quiet":                            {`pillion exec -q -- sleep 2.2`, "", ""},
		"--json":                             {`pillion exec --json -- sleep 2.2`, "", ""},
		"a terminal that can't erase":        {`pillion exec -- sleep 2.2`, "TERM=dumb", ""},
		"standard error is a file":           {`pillion exec -- sleep 2.2 2>err; cat err`, "", ""},
		"a pager may be behind the pipe":     {`pillion exec -- sleep 2.2 | cat`, "", ""},
		"a job in the background":            {`set -m; pillion exec -- sleep 2.2 & wait`, "", ""},
	} {
		all.Go(func() {
			out := onTerminal(t, 80, tc.line, "", "", tc.env)
			_, behind, came := strings.Cut(out, tc.behind) // before that it may wait for its start
			if !came || strings.Contains(behind, running) || tc.behind == "" && strings.Contains(out, "not started for") {
				t.Errorf("%s: %q", name, out)
			}
		})
	}
	all.Wait()
}

func TestTheLineOfProgressFitsIntoTheTerminal(t *testing.T) {
	long.Test(t)
	t.Parallel()
	out := onTerminal(t, 30, `pillion exec -q -- true; pillion exec -- sleep 4`, "", "", "NO_COLOR=1")
	for _, shown := range regexp.MustCompile(`pillion: running[^\r\x1b]*`).FindAllString(out, -1) {
		if len([]rune(shown)) != 29 {
			t.Errorf("%q", shown)
		}
	}
	if !strings.Contains(out, running) {
		t.Errorf("%q", out)
	}
}

// Output may go to a file; standard error is still a person's.
func TestTheLineOfProgressIsShownWhileOutputGoesToAFile(t *testing.T) {
	long.Test(t)
	t.Parallel()
	out := onTerminal(t, 80, `pillion exec -- 'echo to the file; sleep 4' >file; cat file`, "", "")
	if !strings.Contains(out, "12 bytes so far") || len(screenOf(out)) != 2 {
		t.Errorf("%q", out)
	}
}

func TestTheLineOfProgressSaysWhatCtrlCDoes(t *testing.T) {
	long.Test(t)
	t.Parallel()
	began := time.Now()
	out := onTerminal(t, 80, `pillion exec -- 'trap "" INT TERM; sleep 600 & wait; wait'`, running, "\x03")
	if !strings.Contains(out, "asked to stop, Ctrl-C kills it") {
		t.Errorf("after %s: %q", time.Since(began), out)
	}
	if rows := screenOf(out); !strings.Contains(rows[len(rows)-1], "cancelled") {
		t.Errorf("%q", rows)
	}
}
