package arch

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The rules of docs/architecture.md. To break one, change the rule there and here, or the
// code.

const ours = "github.com/pillion-sidecar/pillion"

// platforms are what a build exists for: a rule that holds on one only is not a rule.
var platforms = []string{"linux", "darwin", "windows"}

// mayImport is the whole graph of our own packages; main is "".
var mayImport = map[string][]string{
	"":                          {"config", "rpc", "cli", "executor", "executor/gocache", "sandbox"},
	"cli":                       {"config", "executor", "guard", "guard/argv", "guard/unseen", "rpc", "rpc/agent", "rpc/agent/codex", "rpc/agent/connect", "rpc/agent/hook", "rpc/agent/reply", "rpc/audit", "rpc/client", "rpc/convert", "rpc/display", "rpc/jsonrpc", "rpc/language", "rpc/protocol", "cli/judge", "cli/measure", "cli/sibling", "cli/terminal", "rpc/replay", "sandbox", "sandbox/journal", "workspace"},
	"cli/man":                   {"cli"},
	"cli/sibling":               {},
	"cli/terminal":              {"guard", "rpc/display", "rpc/protocol"},
	"cli/judge":                 {"cli/terminal", "config", "executor", "guard", "guard/argv", "rpc", "rpc/convert", "rpc/display", "rpc/protocol", "sandbox", "workspace"},
	"rpc/agent/mcp":             {"config", "executor", "rpc", "rpc/agent/reply", "rpc/client", "rpc/convert", "rpc/display", "rpc/jsonrpc", "rpc/protocol", "rpc/agent", "sandbox"},
	"rpc/agent/mcp/pillion-mcp": {"cli", "executor/gocache", "rpc/agent/mcp", "sandbox"},
	"rpc/agent":                 {"config"},
	"rpc/agent/hook":            {},                                                               // an agent's words, and no knowledge of commands
	"rpc/agent/connect":         {},                                                               // an agent's settings
	"rpc/agent/codex":           {"rpc/client", "rpc/jsonrpc", "rpc/agent/reply", "rpc/protocol"}, // a client of a session that cli opens
	"test/agents":               {"rpc/agent/connect"},
	"rpc/agent/reply":           {"guard", "guard/unseen", "rpc/display", "rpc/protocol"}, // what a model reads is made of verdicts and violations
	"rpc/language":              {"config", "rpc/convert", "rpc/display", "rpc/jsonrpc", "workspace"},
	"rpc/client":                {"config", "rpc", "rpc/jsonrpc", "rpc/protocol"},
	"rpc/protocol/generate":     {"rpc/protocol"},
	"rpc/jsonrpc":               {},
	"rpc/protocol":              {"config", "executor", "guard", "rpc/jsonrpc", "sandbox"},                      // the words that those rooms declare
	"rpc/display":               {"executor", "guard", "guard/argv", "guard/unseen", "rpc/protocol", "sandbox"}, // their words again
	"rpc/audit":                 {"executor", "executor/keys", "guard", "rpc/display", "rpc/protocol", "sandbox"},
	"rpc/convert":               {"config", "executor", "guard", "rpc/display", "rpc/jsonrpc", "rpc/protocol", "sandbox", "sandbox/journal", "workspace"},
	"rpc/parent":                {},
	"rpc":                       {"rpc/audit", "rpc/convert", "rpc/parent", "rpc/display", "rpc/jsonrpc", "rpc/protocol", "config", "executor", "guard", "sandbox", "sandbox/journal", "workspace"},
	"rpc/replay":                {"config", "rpc", "rpc/display", "rpc/jsonrpc", "rpc/protocol", "sandbox", "workspace"},
	"cli/measure":               {"rpc/jsonrpc"},
	"test/bench":                {},
	"test/soak":                 {},
	"test/toolchains":           {},
	"test/wine":                 {},
	"test/wine/shim":            {},
	"packaging/site":            {},
	"test/arch":                 {},
	"test/pages":                {},
	"test/box":                  {"sandbox", "test/needs"},
	"test/hostile":              {},
	"test/long":                 {"test/needs"},
	"test/quick":                {},
	"test/users":                {"test/needs"},
	"config":                    {"sandbox/egress", "executor", "executor/caches", "executor/gocache", "executor/keys", "guard", "guard/unseen", "sandbox", "workspace"},
	"workspace":                 {},
	"test/needs":                {},
}

// pure are rooms that decide and do nothing: no system call can get into them.
var pure = []string{"sandbox/assess", "sandbox/policy", "sandbox/protect", "sandbox/seatbelt", "executor/render"}

func TestPureRoomsMakeNoSystemCalls(t *testing.T) {
	each(t, func(t *testing.T, from string, p pkg) {
		if !slices.Contains(pure, from) {
			return
		}
		for _, i := range p.Imports {
			if within(i, "golang.org/x/sys") || slices.Contains([]string{"os", "os/exec", "syscall", "net", "unsafe"}, i) {
				t.Errorf("%q imports %s", from, i)
			}
		}
	})
}

// owners are the only rooms (with what lies below them) that may import a
// package or anything below it.
var owners = []struct {
	pkg   string
	rooms []string
	why   string
}{
	{"go.lsp.dev/jsonrpc2", []string{"rpc/jsonrpc"}, "it has traps, and one room knows them"},
	{"github.com/go-json-experiment/json", []string{"rpc", "cli", "executor/gocache"}, "JSON is the wire's, and go's for its cache"},
	{"encoding/json", nil, "it takes duplicate and differently capitalised members"},
	{"mvdan.cc/sh/v3", []string{"guard"}, "only the guard reads shell"},
	{"github.com/landlock-lsm/go-landlock", []string{"sandbox"}, ""},
	{"golang.org/x/net/bpf", []string{"sandbox"}, ""},
	{"net/http", []string{"sandbox/egress", "rpc/agent/connect"}, "the proxy speaks HTTP, and the stand-in for a model"},
	{"golang.org/x/net/idna", []string{"sandbox/egress"}, "only the proxy reads host names"},
	{"golang.org/x/crypto", []string{"executor/keys"}, "only the ssh agent reads keys"},
	{"golang.org/x/sys", []string{"sandbox", "workspace", "executor", "rpc", "cli", "test/needs"}, "system calls belong to primitives"},
	{"os/exec", []string{"sandbox", "rpc/client", "rpc/replay", "cli/measure", "cli/sibling", "rpc/agent/connect", "test"}, "one door to a child; three start sidecars, as editors do, pillion mcp becomes pillion-mcp, connect --check agents as their users do, and test runs go"},
	{"github.com/pelletier/go-toml/v2", []string{"config", "rpc/agent/connect"}, "only config reads policy files; connect reads Codex' settings"},
	{"github.com/tailscale/hujson", []string{"rpc/agent/connect"}, "it edits JSON with comments, and only an agent's settings are such"},
	{"github.com/spf13/cobra", []string{"cli"}, "only the command line parses one"},
	{"text/template", nil, "it makes the linker keep every method"},
	{"github.com/modelcontextprotocol/go-sdk", []string{"rpc/agent/mcp"}, "only the adapter speaks MCP"},
	{"github.com/google/jsonschema-go", []string{"rpc/agent/mcp"}, ""},
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

// lists has what go list said: most tests ask the same, and each answer takes a second.
var lists sync.Map

// list is go list -deps -json of packages for one platform.
func list(t *testing.T, goos string, packages ...string) (pkgs []pkg) {
	t.Helper()
	question := goos + " " + strings.Join(packages, " ")
	if known, ok := lists.Load(question); ok {
		return known.([]pkg)
	}
	cmd := exec.Command("go", append([]string{"list", "-deps", "-json=ImportPath,Doc,Imports,GoFiles,Dir,Standard"}, packages...)...)
	cmd.Dir = module
	cmd.Env = append(os.Environ(), "GOOS="+goos, "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	for d := jsontext.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		switch err := json.UnmarshalDecode(d, &p); err {
		case nil:
			pkgs = append(pkgs, p)
		case io.EOF:
			lists.Store(question, pkgs)
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
		for _, p := range list(t, goos, ".", "./rpc/agent/mcp/pillion-mcp") {
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
		" .ci cli rpc executor guard sandbox workspace config editors test testdata docs" +
		" packaging .goreleaser.yaml .github")
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
