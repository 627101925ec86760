package replay

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
)

const exampleDir = "../../testdata/replay"

// The examples for users hold in this process, too; cli plays them with the
// program itself.
func TestTheExamplesHold(t *testing.T) {
	noLeaks(t)
	for _, file := range examples(t) {
		s, err := Load(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(s.Name, func(t *testing.T) { playScenario(t, s, way{"inprocess", InProcess, jsonrpc.FramingHeader, nil}) })
	}
}

// docs/replay.md shows the script of one as it is, and leads to the others.
func TestThePageShowsTheExamplesAsTheyAre(t *testing.T) {
	page, err := os.ReadFile("../../docs/replay.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range examples(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(file)
		_, script, _ := strings.Cut(string(text), "\n-- script --\n")
		shown := strings.Contains(string(page), "```\n"+script+"```\n")
		if !shown && (name == "policy.rpc.txtar" || !strings.Contains(string(page), "testdata/replay/"+name+")")) {
			t.Errorf("docs/replay.md shows another %s", file)
		}
	}
}

// The page names every section, flag, class of values and verb that there is.
func TestThePageNamesEverything(t *testing.T) {
	page, err := os.ReadFile("../../docs/replay.md")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, v := range verbs() {
		names = append(names, "! "+v.name)
	}
	for _, class := range []string{"any", "absent", "str", "bool", "int", "num"} {
		names = append(names, "<"+class)
	}
	for _, name := range append(names, "flags", "policy.toml", "init.json", "capabilities.json", "ws/", "golden/", "script",
		"goos=", "needs=", "framing=", "timeout=", "noinit", "parent", "<re:", "<bytes:", "<$", "$WS", "$ROOT", "$PARENT") {
		if !strings.Contains(string(page), name) {
			t.Errorf("docs/replay.md does not say what %s is", name)
		}
	}
}

func examples(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(exampleDir, "*.rpc.txtar"))
	if err != nil || len(files) < 2 {
		t.Fatalf("%d examples: %v", len(files), err)
	}
	return files
}
