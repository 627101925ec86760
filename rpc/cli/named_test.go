package cli_test

import (
	"go/ast"
	"regexp"
	"strings"
	"testing"
)

// A page that says which test holds something names one that is there.
func TestTheTestsThatPagesNameExist(t *testing.T) {
	there := map[string]bool{}
	for _, s := range sources(t, true) {
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
				there[f.Name.Name] = true
			}
		}
	}
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
