package assess

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

var update = flag.Bool("update", false, "write the tables of docs that these tests make")

const platformsDoc = "../../docs/platforms.md"

// inGoodHealth is what the self-test of a machine in good health finds on a rung.
func inGoodHealth(rung string, mode policy.Mode) Facts {
	switch {
	case rung == policy.RungSeatbelt:
		return SeatbeltFacts()
	case slices.Contains(policy.WindowsRungs, rung):
		return WindowsFacts(rung, mode)
	}
	f := allRefused()
	f.Rung = rung
	f.Refused["signalThread"] = rung != policy.RungNoLandlock
	return f
}

// platforms are the rungs of each system.
var platforms = []struct {
	name  string
	rungs []string
}{
	{"Linux", []string{policy.RungFull, policy.RungNoUserns, policy.RungNoLandlock}},
	{"macOS", []string{policy.RungSeatbelt}},
	{"Windows", policy.WindowsRungs},
}

func guarantees() string {
	var b strings.Builder
	b.WriteString("| platform | rung | mode | `fsWrite` | `fsRead` | `network` | `processTree` | `ipc` | by default |\n|---|---|---|---|---|---|---|---|---|\n")
	var order []string // of rows; rungs that give the same are one
	rungs := map[string]string{}
	add := func(platform, rung, row string) {
		row = platform + " | %s | " + row
		if rungs[row] == "" {
			order = append(order, row)
		}
		rungs[row] = strings.TrimPrefix(rungs[row]+", `"+rung+"`", ", ")
	}
	for _, p := range platforms {
		for _, rung := range p.rungs {
			reads, writes := guarantee(rung, policy.ReadOnly), guarantee(rung, policy.WorkspaceWrite)
			if reads == writes {
				add(p.name, rung, "both | "+reads)
				continue
			}
			add(p.name, rung, "`read-only` | "+reads)
			add(p.name, rung, "`workspace-write` | "+writes)
		}
	}
	for _, row := range order {
		fmt.Fprintf(&b, "| "+row+" |\n", rungs[row])
	}
	b.WriteString("| any | `none` | any | none | none | none | none | none | refused |\n")
	return b.String()
}

// guarantee is what a rung enforces in a mode, and whether commands run by default.
func guarantee(rung string, mode policy.Mode) string {
	p := policy.Policy{Mode: mode, Network: policy.NetworkDeny, Reads: policy.ReadsPrivate}
	e := Of(p, inGoodHealth(rung, mode))
	byDefault := "runs"
	if lacks := Lacking(p, e); len(lacks) > 0 {
		byDefault = "refused: "
		for i, m := range lacks {
			byDefault += strings.Repeat(", ", min(i, 1)) + m.Feature
		}
	}
	return fmt.Sprintf("%s | %s | %s | %s | %s | %s", e.FSWrite, e.FSRead, e.Network, e.ProcessTree, e.IPC, byDefault)
}

// unverified lists the tests that say in their names what an emulator does not show.
func unverified(t *testing.T) string {
	t.Helper()
	files, err := windowsTests()
	if err != nil || len(files) == 0 {
		t.Fatalf("no tests of Windows: %v", err)
	}
	var rows []string
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && strings.HasSuffix(fn.Name.Name, "NotVerifiedUnderWine") {
				rows = append(rows, "- `"+fn.Name.Name+"` ("+strings.TrimPrefix(filepath.ToSlash(file), "../../")+")\n")
			}
		}
	}
	slices.Sort(rows)
	return strings.Join(rows, "")
}

func TestThePlatformTables(t *testing.T) {
	b, err := os.ReadFile(platformsDoc)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for name, want := range map[string]string{"guarantees": guarantees(), "unverified": unverified(t)} {
		begin, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->\n"
		before, rest, ok := strings.Cut(text, begin)
		had, after, closed := strings.Cut(rest, end)
		if !ok || !closed {
			t.Fatalf("%s has lost its place", name)
		}
		if had != want && !*update {
			t.Errorf("%s is out of date, make generate writes\n%s", platformsDoc, want)
		}
		text = before + begin + want + end + after
	}
	if *update {
		if err := os.WriteFile(platformsDoc, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// windowsTests are the files of every room's tests on Windows.
func windowsTests() ([]string, error) {
	rooms, err := filepath.Glob("../../*/*_windows_test.go")
	if err != nil {
		return nil, err
	}
	inner, err := filepath.Glob("../../*/*/*_windows_test.go")
	return append(rooms, inner...), err
}
