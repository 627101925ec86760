package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
)

const module = "github.com/pillion-sidecar/pillion"

// pkg is a package of ours. Its path is below the module, main's is "".
type pkg struct {
	path    string
	imports []string
	tests   []string // what only its tests import
}

// fixtures say which packages read a folder that is not a package of its own.
var fixtures = []struct {
	folder   string
	packages []string
}{
	{"testdata/guard", []string{"guard", "cli/judge"}},
	{"testdata/policy", []string{"config"}},
	{"editors/conformance", []string{"rpc/protocol/generate"}},
	{"testdata/rpc", []string{"rpc/replay"}},
	{"testdata/rungs", []string{"rpc/replay"}},
	{"testdata/cli", []string{"cli"}},
	{"testdata", []string{"cli", "test/pages"}},
	{"editors", []string{"rpc/protocol/generate", "test/pages"}},
	{"docs", []string{"cli", "test/pages"}},
}

// change is what changed files mean for packages.
type change struct {
	touched   map[string]bool // packages with changed files
	importers map[string]bool // those that import one of these, also by another one
	tests     map[string]bool // tests in the changed files, or in the test files of these
}

func changes(files []string, all []pkg) change {
	c := change{map[string]bool{}, map[string]bool{}, map[string]bool{}}
	code := map[string]bool{}
	for _, file := range files {
		for _, p := range packagesOf(file, all) {
			c.touched[p] = true
		}
		if !strings.HasSuffix(file, ".go") && path.Base(file) != "schema.sha256" {
			continue
		}
		if !strings.HasSuffix(file, "_test.go") {
			code[packagesOf(file, all)[0]] = true
		}
		for _, test := range testsOf(file) {
			c.tests[test] = true
		}
	}
	for more := true; more; {
		more = false
		for _, p := range all {
			if !code[p.path] && slices.ContainsFunc(p.imports, func(i string) bool { return code[i] }) {
				code[p.path], more = true, true
			}
		}
	}
	for _, p := range all {
		if code[p.path] || slices.ContainsFunc(p.tests, func(i string) bool { return code[i] }) {
			c.importers[p.path] = true
		}
	}
	return c
}

// distant reports whether a package imports what changed only by another package: its
// tests are about other things. The two that go through the whole program are not.
func (c change) distant(p pkg) bool {
	near := func(i string) bool { return c.touched[i] }
	return !slices.Contains([]string{"cli", "rpc/replay"}, p.path) &&
		!slices.ContainsFunc(p.imports, near) && !slices.ContainsFunc(p.tests, near)
}

// packagesOf are the packages that a file belongs to or that read it.
func packagesOf(file string, all []pkg) []string {
	for _, f := range fixtures {
		if strings.HasPrefix(file, f.folder+"/") {
			return f.packages
		}
	}
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		if slices.ContainsFunc(all, func(p pkg) bool { return p.path == dir }) {
			return []string{dir}
		}
	}
	if strings.HasSuffix(file, ".go") || strings.HasPrefix(file, "go.") {
		return []string{""}
	}
	return []string{"test/arch", "test/pages"} // pages, the Makefile, CI
}

// fixtureTests are the calls of go that test the conversations and the scripts among
// the files. -short would leave out most of them.
func fixtureTests(files []string) (calls [][]string) {
	for _, f := range []struct{ folder, end, pkg, run string }{
		{"testdata/rpc/", ".rpc.txtar", "./rpc/replay", "^TestScenarios$/^inprocess-header$/"},
		{"testdata/cli/", ".txt", "./cli", "^TestScripts$/"},
	} {
		var names []string
		for _, file := range files {
			name, fits := strings.CutSuffix(file, f.end)
			if _, err := os.Stat(file); err == nil && fits && strings.HasPrefix(name, f.folder) {
				names = append(names, strings.TrimPrefix(name, f.folder))
			}
		}
		if len(names) > 0 {
			calls = append(calls, []string{"test", "-vet=off", "-run", f.run + "^(" + strings.Join(names, "|") + ")$", f.pkg})
		}
	}
	return calls
}

// testsOf are the tests in a file of Go, and in the test files that are named after it.
func testsOf(file string) (names []string) {
	stem := strings.TrimSuffix(strings.TrimSuffix(file, ".go"), "_test")
	for _, platform := range []string{"_linux", "_darwin", "_windows", "_unix", "_other"} {
		stem = strings.TrimSuffix(stem, platform)
	}
	for _, name := range []string{stem + "_test.go", stem + "_linux_test.go", file} {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			continue // no such file, or go vet says what is wrong with it
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Test") {
				names = append(names, fn.Name.Name)
			}
		}
	}
	return names
}

// changedFiles are those that differ from the last commit, new ones among them; if
// there are none, those of the last commit. It enters the top of the repository.
func changedFiles() ([]string, error) {
	top, err := output("git", "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	if err := os.Chdir(strings.TrimSpace(top)); err != nil {
		return nil, err
	}
	changed, err := output("git", "diff", "--name-only", "--no-renames", "HEAD")
	if err != nil {
		return nil, err
	}
	untracked, err := output("git", "ls-files", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	if files := strings.Fields(changed + untracked); len(files) > 0 {
		return files, nil
	}
	last, err := output("git", "diff", "--name-only", "--no-renames", "HEAD~1", "HEAD")
	return strings.Fields(last), err
}

func packages() (all []pkg, err error) {
	const format = `{{.ImportPath}}|{{join .Imports " "}}|{{join .TestImports " "}} {{join .XTestImports " "}}`
	text, err := output("go", "list", "-f", format, "./...")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(text) {
		part := strings.Split(strings.TrimSpace(line), "|")
		all = append(all, pkg{ours(part[0])[0], ours(part[1]), ours(part[2])})
	}
	return all, nil
}

// ours are those of the import paths that are packages of this module.
func ours(imports string) (paths []string) {
	for _, i := range strings.Fields(imports) {
		if rest, ok := strings.CutPrefix(i, module); ok && (rest == "" || rest[0] == '/') {
			paths = append(paths, strings.TrimPrefix(rest, "/"))
		}
	}
	return paths
}

func output(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, args[0], err)
	}
	return string(out), nil
}
