package arch

import (
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Rules that an import graph doesn't show are read off the source.

type source struct {
	path string // below the module, with slashes
	file *ast.File
	fset *token.FileSet
}

func (s source) room() string {
	dir, _ := filepath.Split(s.path)
	return strings.TrimSuffix(dir, "/")
}

func (s source) at(n ast.Node) string {
	return fmt.Sprintf("%s:%d", s.path, s.fset.Position(n.Pos()).Line)
}

// sources parses every Go file but those of tests.
func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	err := filepath.WalkDir(module, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel(module, p)
		if err != nil {
			return err
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, p, nil, parser.ParseComments)
		all = append(all, source{filepath.ToSlash(rel), f, fset})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// primitive is a file of one platform: it holds system calls and no decisions.
var primitive = regexp.MustCompile(`_(linux|darwin|windows|unix|other|unsupported)(_amd64|_arm64)?\.go$`)

func TestSystemCallsAndBuildTagsStayInPlatformFiles(t *testing.T) {
	for _, s := range sources(t) {
		tagged := slices.ContainsFunc(s.file.Comments, func(g *ast.CommentGroup) bool {
			return slices.ContainsFunc(g.List, func(c *ast.Comment) bool { return constraint.IsGoBuild(c.Text) })
		})
		imports := slices.ContainsFunc(s.file.Imports, func(i *ast.ImportSpec) bool {
			return strings.HasPrefix(strings.Trim(i.Path.Value, `"`), "golang.org/x/sys")
		})
		if (tagged || imports) && !primitive.MatchString("_"+filepath.Base(s.path)) {
			t.Errorf("%s has a build tag or imports golang.org/x/sys; name it for its platform", s.path)
		}
		room := s.room()
		if imports && !slices.Contains([]string{"workspace", "rpc", "rpc/audit", "rpc/convert", "rpc/jsonrpc", "rpc/parent", "cli/sibling", "cli/terminal", "rpc/replay", "test/needs"}, room) && !within(room, "executor") && !within(room, "sandbox") {
			t.Errorf("%s imports golang.org/x/sys", s.path)
		}
	}
}

// Every goroutine has an owner that waits for it.
func TestNoBareGoroutines(t *testing.T) {
	for _, s := range sources(t) {
		if s.room() == "" || within(s.room(), "sandbox") && s.room() != "sandbox/egress" {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if g, ok := n.(*ast.GoStmt); ok {
				t.Errorf("%s: bare go statement; use conc", s.at(g))
			}
			return true
		})
	}
}

// uses calls f for every pkg.Name of a file, with pkg the imported name.
func uses(s source, f func(n ast.Node, name string)) {
	ast.Inspect(s.file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok && id.Obj == nil {
				f(sel, id.Name+"."+sel.Sel.Name)
			}
		}
		return true
	})
}

// One door: a command is judged and started in one place, and nowhere else can
// one of the two be left out.
func TestOnlyTheExecutorJudgesAndStarts(t *testing.T) {
	for _, s := range sources(t) {
		uses(s, func(n ast.Node, name string) {
			if (name == "guard.Check" || name == "sandbox.Command") && s.room() != "executor" {
				t.Errorf("%s: %s outside executor", s.at(n), name)
			}
			forks := []string{"syscall.ForkExec", "syscall.StartProcess", "os.StartProcess", "syscall.Exec"}
			if slices.Contains(forks, name) && !within(s.room(), "sandbox") {
				t.Errorf("%s: %s outside sandbox", s.at(n), name)
			}
		})
	}
}

// Where a path leads is decided once. The exceptions decide nothing about a
// workspace.
func TestOnlyTheWorkspaceResolvesLinks(t *testing.T) {
	exceptions := map[string]string{
		"executor/shell.go":              "which shell /bin/sh is",
		"config/presets.go":              "where a toolchain of the user is",
		"sandbox/inside/runner_linux.go": "/proc/self/exe and descriptors of its own",
		"sandbox/inside/ports_linux.go":  "which socket a descriptor is",
		"sandbox/mounts/layout_linux.go": "where what the host keeps elsewhere is, and what leads out of a grant",
		"sandbox/box_linux.go":           "where the user's home is that HOME names",
		"sandbox/belt_darwin.go":         "the names by which a profile knows its files, and what leads out of a grant",
		"sandbox/box_darwin.go":          "directories of its own, below the links /tmp and /var",
		"executor/refs/open_linux.go":    "where a directory is that it holds open",
		"executor/refs/sight.go":         "whether a link of a commit is in the work tree already",
		"sandbox/proc/program.go":        "where this program is",
		"test/needs/share_linux.go":      "which programs go test still runs",
	}
	for _, s := range sources(t) {
		uses(s, func(n ast.Node, name string) {
			resolves := name == "filepath.EvalSymlinks" || name == "os.Readlink"
			if resolves && s.room() != "workspace" && s.room() != "rpc/replay" && exceptions[s.path] == "" {
				t.Errorf("%s: %s outside workspace", s.at(n), name)
			}
		})
	}
}

// A regexp compiled at start costs every start 19 µs.
func TestNothingIsCompiledAtStart(t *testing.T) {
	for _, s := range sources(t) {
		for _, d := range s.file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			ast.Inspect(g, func(n ast.Node) bool {
				if _, ok := n.(*ast.FuncLit); ok {
					return false
				}
				if sel, ok := n.(*ast.SelectorExpr); ok && strings.HasPrefix(sel.Sel.Name, "MustCompile") {
					t.Errorf("%s: compiled at start", s.at(n))
				}
				return true
			})
		}
	}
}

func TestEveryExportedNameIsDocumented(t *testing.T) {
	for _, s := range sources(t) {
		for _, d := range s.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && exportedReceiver(d) && d.Doc == nil && !standard[d.Name.Name] {
					t.Errorf("%s: %s is not documented", s.at(d), d.Name)
				}
			case *ast.GenDecl:
				documented(t, s, d)
			}
		}
	}
}

// standard are methods whose meaning their interface gives.
var standard = map[string]bool{"Error": true, "Unwrap": true, "String": true, "Write": true, "Read": true, "Close": true, "Marshal": true, "Unmarshal": true}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	typ := d.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if generic, ok := typ.(*ast.IndexExpr); ok {
		typ = generic.X
	}
	id, ok := typ.(*ast.Ident)
	return ok && id.IsExported()
}

func documented(t *testing.T, s source, d *ast.GenDecl) {
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if spec.Name.IsExported() && d.Doc == nil && spec.Doc == nil {
				t.Errorf("%s: %s is not documented", s.at(spec), spec.Name)
			}
		case *ast.ValueSpec:
			for _, name := range spec.Names {
				if name.IsExported() && d.Doc == nil && spec.Doc == nil && spec.Comment == nil {
					t.Errorf("%s: %s is not documented", s.at(spec), name)
				}
			}
		}
	}
}
