package pages

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A page that says which test holds something names one that is there.
func TestTheTestsThatPagesNameExist(t *testing.T) {
	there := functions(t)
	name := regexp.MustCompile(`\b(?:Test|Fuzz)[A-Z]\w+`)
	found := 0
	for _, p := range pages(t) {
		for n, line := range strings.Split(string(p.source), "\n") {
			for _, test := range name.FindAllString(line, -1) {
				if found++; !there[test] {
					t.Errorf("%s:%d: there is no %s", p.name, n+1, test)
				}
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d tests are named", found)
	}
}

// functions are the names of all functions in files of tests.
func functions(t *testing.T) map[string]bool {
	t.Helper()
	declared := regexp.MustCompile(`(?m)^func (\w+)\(`)
	there := map[string]bool{}
	err := filepath.WalkDir(module, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(p, "_test.go") {
			return nil
		}
		source, err := os.ReadFile(p)
		for _, name := range declared.FindAllSubmatch(source, -1) {
			there[string(name[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return there
}
