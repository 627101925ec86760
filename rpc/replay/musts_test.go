package replay

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const mustsFile = scenarioDir + "/MUSTS.md"

// must is a row of that file.
type must struct {
	id, text string
	tests    []string
}

var mustForm = regexp.MustCompile(`^\| ([A-Z]+-?\d+) \| (.+) \| (.*)\|$`)

func musts(t *testing.T) (out []must) {
	t.Helper()
	text, err := os.ReadFile(mustsFile)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		m := mustForm.FindStringSubmatch(line)
		switch {
		case m != nil:
			tests := strings.FieldsFunc(m[3], func(r rune) bool { return r == ',' || r == ' ' })
			out = append(out, must{m[1], m[2], tests})
		case strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "| id |") && !strings.HasPrefix(line, "|---"):
			t.Errorf("not a row: %s", line)
		}
	}
	return out
}

// Every promise is held by a conversation or a test, and both name none that
// nobody makes.
func TestEveryMustIsCovered(t *testing.T) {
	covered := map[string][]string{}
	for _, s := range scenarios(t) {
		for _, id := range s.Covers {
			covered[id] = append(covered[id], s.Name)
		}
	}
	for _, problem := range uncovered(musts(t), covered, testNames(t)) {
		t.Error(problem)
	}
}

// uncovered compares the rows with the conversations of each id and with the
// names of all tests.
func uncovered(rows []must, covered map[string][]string, tests map[string]bool) (problems []string) {
	seen := map[string]bool{}
	for _, row := range rows {
		if seen[row.id] {
			problems = append(problems, row.id+" occurs twice in "+mustsFile)
		}
		seen[row.id] = true
		if len(covered[row.id])+len(row.tests) == 0 {
			problems = append(problems, row.id+" is covered by nothing: "+row.text)
		}
		for _, name := range row.tests {
			if !tests[name] {
				problems = append(problems, fmt.Sprintf("%s names %s, and there is no such test", row.id, name))
			}
		}
	}
	for id, names := range covered {
		if !seen[id] {
			problems = append(problems, fmt.Sprintf("%s of %s has no row in %s: say there what must hold", id, strings.Join(names, ", "), mustsFile))
		}
	}
	slices.Sort(problems)
	return problems
}

var testForm = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)

// testNames are the tests of the whole repository.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == "node_modules" || e.Name() == ".git"):
			return fs.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		for _, m := range testForm.FindAllStringSubmatch(string(text), -1) {
			names[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// The check itself must find what it is for.
func TestUncoveredMustsAreSeen(t *testing.T) {
	rows := []must{{"A-1", "by a test", []string{"TestGood"}}, {"A-2", "by nothing", nil}, {"A-3", "by a ghost", []string{"TestGone"}}, {"A-1", "again", nil}}
	got := uncovered(rows, map[string][]string{"A-1": {"x"}, "B-1": {"y"}}, map[string]bool{"TestGood": true})
	want := []string{"A-1 occurs twice", "A-2 is covered by nothing", "A-3 names TestGone", "B-1 of y has no row"}
	if len(got) != len(want) {
		t.Fatalf("%q", got)
	}
	for i, w := range want {
		if !strings.HasPrefix(got[i], w) {
			t.Errorf("%q, want %q", got[i], w)
		}
	}
}
