package pages

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
	extension "github.com/yuin/goldmark/extension/ast"

	"github.com/pillion-sidecar/pillion/test/long"
)

// readme is the README, and shell the content of its blocks of sh, line by line. Its
// console blocks are run as those of all pages.
func readme(t *testing.T) (all map[string]page, shell [][]string) {
	t.Helper()
	all = map[string]page{}
	for _, p := range pages(t) {
		all[p.name] = p
	}
	p := all["README.md"]
	p.each(t, func(n ast.Node) {
		if block, ok := n.(*ast.FencedCodeBlock); ok && string(block.Language(p.source)) == "sh" {
			shell = append(shell, strings.Split(strings.TrimSpace(p.lines(n)), "\n"))
		}
	})
	if len(shell) != 3 {
		t.Fatalf("%d blocks of sh, want the two commands, the installation and an agent's", len(shell))
	}
	return all, shell
}

// test/bare/run runs the first block, literally.
func TestTheReadmeStartsWithTwoCommands(t *testing.T) {
	all, shell := readme(t)
	if want := []string{"go run . exec -- sh testdata/demo.sh", "go test -short ./..."}; !slices.Equal(shell[0], want) {
		t.Errorf("the first block is %q, want %q", shell[0], want)
	}
	if n := strings.Count(string(all["README.md"].source), "\n"); n > 110 {
		t.Errorf("README.md has %d lines, at most 110 are read", n)
	}
}

// The second block installs both programs, and tests the machine.
func TestTheReadmeInstalls(t *testing.T) {
	long.Test(t)
	_, shell := readme(t)
	home := t.TempDir()
	env := append(os.Environ(), "GOFLAGS=-buildvcs=false "+os.Getenv("GOFLAGS"))
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH"} { // go looks for them in HOME
		value, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		env = append(env, name+"="+strings.TrimSpace(string(value)))
	}
	run := func(line string) string {
		c := exec.Command("sh", "-c", line)
		c.Dir, c.Env = module, append(env, "HOME="+home)
		out, err := c.CombinedOutput()
		if err != nil && !strings.Contains(line, "doctor") { // which fails where less is enforced
			t.Errorf("%s: %v\n%s", line, err, out)
		}
		return string(out)
	}
	if len(shell[1]) != 2 {
		t.Fatalf("want two lines: %q", shell[1])
	}
	run(shell[1][0])
	if out := run(shell[1][1]); !strings.HasPrefix(out, "pillion devel") || !strings.Contains(out, "workspace-write") {
		t.Errorf("%s: %s", shell[1][1], out)
	}
	run(filepath.Join(home, ".local", "bin", "pillion-mcp") + " --version")
}

// An agent is given pillion as on the page about agents.
func TestTheReadmeServesAgentsAsTheirPageDoes(t *testing.T) {
	all, shell := readme(t)
	for _, line := range shell[2] {
		if !strings.Contains(string(all["docs/agents.md"].source), "\n"+line+"\n") {
			t.Errorf("%s is not in docs/agents.md", line)
		}
	}
}

// Each figure is on the page that its row leads to.
func TestTheFiguresOfTheReadmeHaveAProof(t *testing.T) {
	all, _ := readme(t)
	p := all["README.md"]
	number := regexp.MustCompile(`\d+([.,]\d+)*`)
	proven := 0
	p.each(t, func(n ast.Node) {
		row, ok := n.(*extension.TableRow)
		if !ok || row.ChildCount() != 3 {
			return
		}
		link, ok := row.LastChild().FirstChild().(*ast.Link)
		if !ok {
			return
		}
		proof := number.FindAllString(string(all[string(link.Destination)].source), -1)
		for cell := row.FirstChild(); cell != row.LastChild(); cell = cell.NextSibling() {
			for _, figure := range number.FindAllString(string(cell.Lines().Value(p.source)), -1) {
				if proven++; !slices.Contains(proof, figure) {
					t.Errorf("README.md:%d: %s is not in %s", p.line(row), figure, link.Destination)
				}
			}
		}
	})
	if proven < 8 {
		t.Errorf("only %d figures found", proven)
	}
}
