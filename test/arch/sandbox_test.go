package arch

import (
	"go/ast"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sandboxRooms is what the rooms of the sandbox and the executor import of ours, the
// lowest first.
var sandboxRooms = map[string][]string{
	"sandbox/policy":  {},
	"sandbox/protect": {},
	"sandbox/proc":    {},
	"sandbox/files":   {},
	"sandbox/egress":  {},
	"sandbox/lookups": {},

	"sandbox/journal":  {"sandbox/files", "sandbox/policy", "sandbox/protect", "sandbox/settings"}, // what the broker keeps, and what the executor takes back
	"sandbox/settings": {"sandbox/files", "sandbox/protect"},
	"sandbox/wire":     {"sandbox/files", "sandbox/policy"},
	"sandbox/seccomp":  {"sandbox/policy"},
	"sandbox/landlock": {"sandbox/files", "sandbox/policy"},
	"sandbox/mounts":   {"sandbox/files", "sandbox/policy", "sandbox/proc"},
	"sandbox/limits":   {"sandbox/policy", "sandbox/proc"},
	"sandbox/assess":   {"sandbox/policy"},
	"sandbox/hostgit":  {"sandbox/files", "sandbox/policy", "sandbox/protect", "sandbox/settings"},
	"sandbox/seatbelt": {"sandbox/mounts", "sandbox/policy", "sandbox/protect"},
	"sandbox/wintoken": {"sandbox/policy", "sandbox/protect", "sandbox/wire"},
	"sandbox/canary": {
		"sandbox/assess", "sandbox/limits", "sandbox/policy", "sandbox/proc", "sandbox/protect", "sandbox/wintoken", "sandbox/wire",
	},

	"sandbox/broker": {
		"sandbox/files", "sandbox/journal", "sandbox/policy", "sandbox/proc", "sandbox/protect", "sandbox/seccomp",
		"sandbox/settings",
	},

	"sandbox/inside": {
		"sandbox/broker", "sandbox/files", "sandbox/landlock", "sandbox/limits", "sandbox/mounts", "sandbox/policy", "sandbox/proc",
		"sandbox/seccomp", "sandbox/wire",
	},
	"sandbox": {
		"sandbox/assess", "sandbox/canary", "sandbox/files", "sandbox/hostgit", "sandbox/inside", "sandbox/landlock", "sandbox/limits",
		"sandbox/lookups", "sandbox/mounts", "sandbox/policy", "sandbox/proc", "sandbox/protect", "sandbox/seatbelt", "sandbox/wintoken", "sandbox/wire",
	},

	"executor/caches":  {"executor/gocache", "sandbox", "workspace"},
	"executor/gocache": {"workspace"},
	"executor/environ": {"guard"},
	"executor/infer":   {"sandbox/egress", "sandbox", "sandbox/protect", "workspace"},
	"executor/render":  {},
	"executor/grant":   {"executor/render", "sandbox"},
	"executor/refs":    {"sandbox/policy", "sandbox/protect", "sandbox/wire", "workspace"},
	"executor/spool":   {"sandbox"},
	"executor/prompt":  {"sandbox/proc"},
	"executor/forward": {},
	"executor/keys":    {"workspace"},
	"executor": {
		"sandbox/egress", "executor/caches", "executor/environ", "executor/forward", "executor/grant", "executor/infer", "executor/keys", "executor/refs", "executor/render", "executor/spool", "executor/prompt", "guard",
		"sandbox", "sandbox/journal", "sandbox/protect", "workspace",
	},
}

func init() { maps.Copy(mayImport, sandboxRooms) }

// The supervisor of calls reads what a command wrote, and nothing that could start
// another program is within its reach: neither its own code nor what it imports forks.
func TestTheBrokerStartsNothing(t *testing.T) {
	rooms := map[string]bool{}
	for _, p := range list(t, "linux", "./sandbox/broker") {
		if within(p.ImportPath, "os/exec") || within(p.ImportPath, "plugin") {
			t.Errorf("the broker depends on %s", p.ImportPath)
		}
		if r, ok := room(p.ImportPath); ok {
			rooms[r] = true
		}
	}
	if !rooms["sandbox/protect"] {
		t.Fatalf("the broker imports %v", slices.Collect(maps.Keys(rooms)))
	}
	forks := []string{
		"syscall.ForkExec", "syscall.StartProcess", "syscall.Exec", "os.StartProcess", "unix.Exec", "unix.SYS_CLONE",
		"unix.SYS_CLONE3", "unix.SYS_FORK", "unix.SYS_VFORK", "unix.SYS_EXECVE", "unix.SYS_EXECVEAT",
	}
	for _, s := range sources(t) {
		if rooms[s.room()] && s.room() != "sandbox/seccomp" { // which names the numbers of these calls
			uses(s, func(n ast.Node, name string) {
				if slices.Contains(forks, name) {
					t.Errorf("%s: %s in what the broker is made of", s.at(n), name)
				}
			})
		}
	}
}

// Only what runs in the sandbox's own processes has the broker: the sidecar could
// otherwise act on a command's behalf with all the user's rights.
func TestOnlyTheInsideHasTheBroker(t *testing.T) {
	each(t, func(t *testing.T, from string, p pkg) {
		if from != "sandbox/inside" && slices.Contains(p.Imports, ours+"/sandbox/broker") {
			t.Errorf("%q imports the broker", from)
		}
	})
}

// The ends are listed in one place, with what each way can't reach.
func TestWhoEndsATreeIsListed(t *testing.T) {
	listed, err := os.ReadFile(filepath.Join(module, "sandbox/killing.go"))
	if err != nil {
		t.Fatal(err)
	}
	ends := []string{"unix.Kill", "syscall.Kill", "unix.PidfdSendSignal", "windows.TerminateJobObject", "windows.TerminateProcess"}
	found := 0
	for _, s := range sources(t) {
		if !within(s.room(), "sandbox") || within(s.room(), "sandbox/canary") {
			continue
		}
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			name := path.Base(s.room()) + "." + methodName(f)
			ast.Inspect(f, func(n ast.Node) bool {
				c, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				called := exprName(c.Fun)
				kills := slices.Contains(ends, called) || strings.HasSuffix(called, ".Process.Kill")
				if !kills || name == "inside.runner.checkScope" { // which sends nothing, signal 0
					return true
				}
				found++
				if !regexp.MustCompile(regexp.QuoteMeta(name) + `\b`).Match(listed) {
					t.Errorf("%s: %s ends something and is not listed in sandbox/killing.go", s.at(n), name)
				}
				return true
			})
		}
	}
	if found < 12 {
		t.Errorf("only %d calls that end something were found", found)
	}
}

// methodName is a function's name after that of its receiver's type.
func methodName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	return strings.TrimPrefix(exprName(f.Recv.List[0].Type), "*") + "." + f.Name.Name
}

// exprName is a name, or names with dots between them.
func exprName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return exprName(e.X) + "." + e.Sel.Name
	case *ast.StarExpr:
		return "*" + exprName(e.X)
	}
	return ""
}
