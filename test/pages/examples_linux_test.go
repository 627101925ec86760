package pages

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark/ast"

	"github.com/pillion-sidecar/pillion/test/long"
	"github.com/pillion-sidecar/pillion/test/needs"
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
	needs.Namespaces(t) // the pages show the whole sandbox
	long.Test(t)
	found := 0
	for _, p := range pages(t) {
		examples := p.examples(t)
		if found += len(examples); len(examples) == 0 {
			continue
		}
		t.Run(strings.ReplaceAll(p.name, "/", "-"), func(t *testing.T) {
			s := newSession(t)
			impossible := 0 // the block whose files could not be made
			for i, e := range examples {
				if !e.possible(t) && e.setup && i+1 < len(examples) {
					impossible = examples[i+1].line
				}
				if !e.possible(t) || e.line == impossible {
					continue
				}
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
	if found < 60 {
		t.Errorf("only %d examples found", found)
	}
}

// example is one command of a page.
type example struct {
	line    int // of the block
	setup   bool
	command string
	output  string
}

// possible reports whether the machine has the programs that the command runs.
func (e example) possible(t *testing.T) bool {
	if strings.HasPrefix(e.command, "pillion check ") {
		return true // which runs none
	}
	for _, name := range needs.Programs() {
		runs := regexp.MustCompile(`(?m)(^|[;&|(]\s*|-- '?)` + name + `(\s|$)`)
		if runs.MatchString(strings.TrimSpace(e.command)) && !needs.Has(t, name) {
			return false
		}
	}
	return true
}

// examples are those of all blocks that are to be run. In the changelog a block is known
// by its content: there it is indented, below its item.
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
		if fenced != nil && !shown && strings.Contains("\n"+p.lines(n), "\n$ ") {
			t.Errorf("%s:%d: what looks like a session is a console block, which is run", p.name, p.line(n))
		}
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
