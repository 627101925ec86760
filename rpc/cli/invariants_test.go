package cli_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The rules of docs/architecture.md. Whoever breaks one changes the rule
// there and here, or the code.

const ours = "github.com/pillion-sidecar/pillion"

// platforms are what a build exists for: a rule that holds on one only is none.
var platforms = []string{"linux", "darwin", "windows"}

// mayImport is the whole graph of our own packages; main is "".
var mayImport = map[string][]string{
	"":                    {"config", "rpc", "rpc/cli", "executor", "sandbox"},
	"rpc/cli":             {"config", "executor", "guard", "rpc", "rpc/ratio", "rpc/replay", "sandbox", "workspace"},
	"rpc/cli/man":         {"rpc/cli"},
	"rpc/mcp":             {"config", "rpc", "rpc/cli", "sandbox"},
	"rpc/mcp/pillion-mcp": {"rpc/cli", "rpc/mcp", "sandbox"},
	"rpc/gen":             {"rpc"},
	"rpc":                 {"config", "executor", "guard", "sandbox", "workspace"},
	"rpc/replay":          {"config", "rpc", "sandbox", "workspace"},
	"rpc/ratio":           {},
	"rpc/bench":           {},
	"rpc/soak":            {},
	"rpc/mustwork":        {},
	"rpc/wine":            {},
	"test/box":            {"sandbox", "test/needs"},
	"test/long":           {"test/needs"},
	"test/quick":          {},
	"config":              {"egress", "executor", "guard", "sandbox"},
	"executor":            {"egress", "guard", "sandbox", "workspace"},
	"egress":              {},
	"guard":               {"workspace"},
	"sandbox":             {},
	"workspace":           {},
	"test/needs":          {},
}

// owners are the only rooms (with what lies below them) that may import a
// package or anything below it.
var owners = []struct {
	pkg   string
	rooms []string
	why   string
}{
	{"go.lsp.dev/jsonrpc2", []string{"rpc"}, "the wire is one room's"},
	{"github.com/go-json-experiment/json", []string{"rpc"}, "JSON is the wire's"},
	{"encoding/json", nil, "it takes duplicate and differently capitalised members"},
	{"mvdan.cc/sh/v3", []string{"guard"}, "only the guard reads shell"},
	{"github.com/landlock-lsm/go-landlock", []string{"sandbox"}, ""},
	{"golang.org/x/net/bpf", []string{"sandbox"}, ""},
	{"net/http", []string{"egress"}, "only the proxy speaks HTTP"},
	{"golang.org/x/net/idna", []string{"egress"}, "only the proxy reads host names"},
	{"golang.org/x/sys", []string{"sandbox", "workspace", "executor", "rpc", "test/needs"}, "system calls belong to primitives"},
	{"os/exec", []string{"sandbox", "rpc/replay", "rpc/ratio", "test"}, "one door to a child; the two start sidecars, as editors do, and test runs go"},
	{"github.com/pelletier/go-toml/v2", []string{"config"}, "only config reads policy files"},
	{"github.com/spf13/cobra", []string{"rpc/cli"}, "only the command line parses one"},
	{"text/template", nil, "it makes the linker keep every method"},
	{"github.com/modelcontextprotocol/go-sdk", []string{"rpc/mcp"}, "only the adapter speaks MCP"},
	{"github.com/google/jsonschema-go", []string{"rpc/mcp"}, ""},
	{"plugin", nil, ""},
	{"C", nil, "a release is built without cgo"},
}

type pkg struct {
	ImportPath string
	Doc        string
	Imports    []string
	GoFiles    []string
	Dir        string
	Standard   bool
}

// list is go list -deps -json of packages for one platform.
func list(t *testing.T, goos string, packages ...string) []pkg {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-deps", "-json=ImportPath,Doc,Imports,GoFiles,Dir,Standard"}, packages...)...)
	cmd.Dir = module
	cmd.Env = append(os.Environ(), "GOOS="+goos, "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	var pkgs []pkg
	for d := jsontext.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		switch err := json.UnmarshalDecode(d, &p); err {
		case nil:
			pkgs = append(pkgs, p)
		case io.EOF:
			return pkgs
		default:
			t.Fatal(err)
		}
	}
}

// room is the path of one of our packages below the module, main's is "".
func room(importPath string) (string, bool) {
	rest, ok := strings.CutPrefix(importPath, ours)
	return strings.TrimPrefix(rest, "/"), ok && (rest == "" || rest[0] == '/')
}

func TestOurPackagesImportEachOtherOnlyDownwards(t *testing.T) {
	each(t, func(t *testing.T, from string, p pkg) {
		allowed, known := mayImport[from]
		if !known {
			t.Fatalf("package %q has no place in the architecture", from)
		}
		for _, i := range p.Imports {
			if to, ok := room(i); ok && !slices.Contains(allowed, to) {
				t.Errorf("%q imports %q", from, to)
			}
		}
	})
}

func TestEveryDependencyHasItsRoom(t *testing.T) {
	each(t, func(t *testing.T, from string, p pkg) {
		for _, i := range p.Imports {
			for _, o := range owners {
				if within(i, o.pkg) && !slices.ContainsFunc(o.rooms, func(r string) bool { return within(from, r) }) {
					t.Errorf("%q imports %s; allowed in %v: %s", from, i, o.rooms, o.why)
				}
			}
		}
	})
}

// Libraries of tests and tools must not get into the program.
func TestNothingOfTheTestsIsLinkedIn(t *testing.T) {
	for _, goos := range platforms {
		for _, p := range list(t, goos, ".", "./rpc/mcp/pillion-mcp") {
			for _, banned := range []string{
				"testing", "github.com/google/go-cmp", "github.com/rogpeppe/go-internal/testscript",
				"pgregory.net/rapid", "go.uber.org/goleak", "net/http/pprof", "github.com/santhosh-tekuri/jsonschema/v6",
			} {
				if within(p.ImportPath, banned) && p.ImportPath != "testing/fstest" {
					t.Errorf("%s: %s is linked in", goos, p.ImportPath)
				}
			}
		}
	}
}

func TestEveryPackageHasADoc(t *testing.T) {
	each(t, func(t *testing.T, from string, p pkg) {
		if p.Doc == "" && len(p.GoFiles) > 0 {
			t.Errorf("package %q has no doc comment", from)
		}
	})
}

// each runs f for every package of ours on every platform.
func each(t *testing.T, f func(t *testing.T, room string, p pkg)) {
	for _, goos := range platforms {
		t.Run(goos, func(t *testing.T) {
			n := 0
			for _, p := range list(t, goos, "./...") {
				if from, ok := room(p.ImportPath); ok {
					f(t, from, p)
					n++
				}
			}
			if n < 7 {
				t.Errorf("go list shows %d packages of ours", n)
			}
		})
	}
}

func within(p, dir string) bool { return p == dir || strings.HasPrefix(p, dir+"/") }

// The top level is part of the architecture: a helper lives beside its only
// user, not in a new directory.
func TestTopLevel(t *testing.T) {
	entries, err := os.ReadDir(module)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		if e.Name() != ".git" && e.Name() != ".gitignore" && !ignored(t, e.Name()) {
			got = append(got, e.Name())
		}
	}
	allowed := strings.Fields("go.mod go.sum main.go README.md LICENSE CHANGELOG.md CONTRIBUTING.md SECURITY.md Makefile" +
		" .ci rpc executor egress guard sandbox workspace config editors test testdata docs" +
		" packaging .goreleaser.yaml")
	for _, name := range got {
		if !slices.Contains(allowed, name) {
			t.Errorf("%s is not part of the architecture", name)
		}
	}
	for _, name := range allowed {
		if name != "editors" && !slices.Contains(got, name) {
			t.Errorf("%s is missing", name)
		}
	}
}

// ignored reads .gitignore, which holds plain names only.
func ignored(t *testing.T, name string) bool {
	t.Helper()
	b, err := os.ReadFile(path.Join(module, ".gitignore"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(strings.Fields(string(b)), func(line string) bool { return strings.Trim(line, "/") == name })
}
