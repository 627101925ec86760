package cli_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark/ast"
)

// What a page shows is what happens. Its console blocks are one session in a git
// repository, ~/app, from top to bottom. A line with "$ " is run by bash, with "> "
// goes on, and the others are what it prints, output and errors in any order to
// each other: "…" is any part of a line, and alone any lines. Comments, which nobody
// sees, do the rest:
//
//	<!-- run: make the files that the next block needs -->
//	<!-- not run: why the next block can't be -->
func TestTheExamplesOfThePagesAreTrue(t *testing.T) {
	for _, p := range pages(t) {
		examples := p.examples(t)
		if len(examples) == 0 {
			continue
		}
		t.Run(strings.ReplaceAll(p.name, "/", "-"), func(t *testing.T) {
			s := newSession(t)
			for _, e := range examples {
				got := s.run(t, e.command)
				switch {
				case e.setup && s.code != 0:
					t.Fatalf("%s:%d: exit %d from\n%s\n%s", p.name, e.line, s.code, e.command, got.err)
				case !e.setup && !e.shows(got):
					t.Errorf("%s:%d: $ %s\n%s", p.name, e.line, e.command, cmp.Diff(e.output, got.out+got.err))
				}
			}
		})
	}
}

// A page can't show something else than what is printed, nor leave out a part of it
// without an ellipsis.
func TestAnExampleIsComparedToTheLetter(t *testing.T) {
	for _, c := range []struct {
		shown, out, err string
		same            bool
	}{
		{"a\nb\n", "a\nb\n", "", true},
		{"a\n", "a\nb\n", "", false},
		{"a\nb\n", "a\n", "", false},
		{"", "a\n", "", false},
		{"", "", "", true},
		{"a.c\n", "abc\n", "", false},
		{"a\n", "a", "", false},
		{"exit 0 · … ms\n", "exit 0 · 12 ms\n", "", true},
		{"exit 0 · … ms\n", "exit 1 · 12 ms\n", "", false},
		{"a … c\n", "a b\nb c\n", "", false},
		{"a\n…\nd\n", "a\nb\nc\nd\n", "", true},
		{"a\n…\nd\n", "a\nd\n", "", true},
		{"a\n…\n", "b\n", "", false},
		{"a\nx\nb\n", "a\nb\n", "x\n", true},
		{"b\nx\na\n", "a\nb\n", "x\n", false},
		{"a\n", "a\n", "x\n", false},
		{"a\n…\n", "a\n", "x\n", true},
		{"…\nx\n…\ny\n", "a\nx\n", "x\ny\n", true},
	} {
		if got := (example{output: c.shown}).shows(printed{c.out, c.err}); got != c.same {
			t.Errorf("%q shows %q and %q: %v", c.shown, c.out, c.err, got)
		}
	}
}

// example is one command of a page.
type example struct {
	line    int // of the block
	setup   bool
	command string
	output  string
}

// examples are those of all blocks that are to be run. In the changelog a block is
// one by what stands in it: there it is indented, below its item.
func (p page) examples(t *testing.T) []example {
	var all []example
	p.each(t, func(n ast.Node) {
		comment := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(p.html(n)), "-->"))
		if setup, ok := strings.CutPrefix(comment, "<!-- run:"); ok {
			all = append(all, example{line: p.line(n), setup: true, command: setup})
		}
		fenced, _ := n.(*ast.FencedCodeBlock)
		shown := fenced != nil && string(fenced.Language(p.source)) == "console"
		indented := n.Kind() == ast.KindCodeBlock && strings.HasPrefix(p.lines(n), "$ pillion check")
		if !shown && !indented {
			return
		}
		if before := n.PreviousSibling(); before != nil {
			why, ok := strings.CutPrefix(p.html(before), "<!-- not run:")
			if ok && len(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(why), "-->"))) > 5 {
				return
			}
		}
		block := split(p.line(n), p.lines(n))
		if len(block) == 0 {
			t.Errorf("%s:%d: a console block without a command (\"$ …\")", p.name, p.line(n))
		}
		all = append(all, block...)
	})
	return all
}

// split takes a block apart into its commands.
func split(line int, block string) []example {
	var all []example
	for text := range strings.Lines(block) {
		last := len(all) - 1
		if command, ok := strings.CutPrefix(text, "$ "); ok {
			all = append(all, example{line: line, command: command})
		} else if more, ok := strings.CutPrefix(text, "> "); ok && last >= 0 && all[last].output == "" {
			all[last].command += more
		} else if last >= 0 {
			all[last].output += text
		}
	}
	for i := range all { // the empty line before the next command
		if i+1 < len(all) && strings.HasSuffix(all[i].output, "\n\n") {
			all[i].output = strings.TrimSuffix(all[i].output, "\n")
		}
	}
	return all
}

// shows says whether a page shows what was printed, to the letter. Output and
// errors come by two ways, so which of them is first where is not promised.
func (e example) shows(p printed) bool {
	shown := slices.Collect(strings.Lines(e.output))
	streams := [2][]string{slices.Collect(strings.Lines(p.out)), slices.Collect(strings.Lines(p.err))}
	failed := map[[3]int]bool{}
	var from func(at [3]int) bool // the line of the page, and of each stream
	from = func(at [3]int) bool {
		if failed[at] {
			return false
		}
		any := at[0] < len(shown) && shown[at[0]] == "…\n"
		if any && from([3]int{at[0] + 1, at[1], at[2]}) {
			return true
		}
		done := at[0] == len(shown)
		for i, lines := range streams {
			n := at[i+1]
			done = done && n == len(lines)
			if at[0] == len(shown) || n == len(lines) || !any && !alike(shown[at[0]], lines[n]) {
				continue
			}
			next := at
			next[i+1]++
			if !any {
				next[0]++
			}
			if from(next) {
				return true
			}
		}
		failed[at] = !done
		return done
	}
	return from([3]int{})
}

// alike compares lines, where an ellipsis on the page is any part of one.
func alike(shown, printed string) bool {
	pattern := strings.ReplaceAll(regexp.QuoteMeta(shown), "…", ".*")
	return regexp.MustCompile(`\A` + pattern + `\z`).MatchString(printed)
}

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
	home := filepath.Join(t.TempDir(), "you")
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
