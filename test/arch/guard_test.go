package arch

import (
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// guardRooms are the rooms of the guard, the lowest first: each imports, of ours, only
// rooms that come before it, and of those no others than it needs.
var guardRooms = []struct{ room, imports string }{
	{"guard/effect", ""},
	{"guard/unseen", ""}, // for all rooms that show or read a text
	{"guard/argv", "effect"},
	{"guard/place", "argv effect workspace"},
	{"guard/canon", "argv effect"},
	{"guard/program", "argv effect place"},                   // models: it runs nothing, and knows no shell
	{"guard/rule", "argv effect place"},                      // never the walk, and no program
	{"guard/shell", "argv effect place unseen workspace"},    // it asks about programs by an interface
	{"guard/program/run", "argv effect place program shell"}, // judges any program by its model
	{"guard/lang", "argv effect place program program/run shell"},
	{"guard/program/text", "argv effect lang place program program/run shell"},
	{"guard/program/files", "argv effect place program program/run program/text shell"},
	{"guard/program/net", "argv effect place program program/run shell"},
	{"guard/program/git", "argv effect place program program/run shell"},
	{"guard/program/sql", "argv effect place program program/net program/run shell"},
	{"guard/program/container", "argv effect lang place program program/net program/run program/sql shell"},
	{"guard/program/node", "argv effect lang place program program/run shell"},
	{"guard/program/cloud", "argv effect place program program/net program/run shell"},
	{"guard/program/project", "argv effect lang place program program/git program/run shell"},
	{"guard/program/secret", "argv effect place program program/cloud program/run shell"},
	{"guard/program/machine", "argv effect place program program/run shell"},
	{"guard/windows", "argv effect lang place program program/net program/run program/secret program/sql shell"},
	{"guard/profile", "argv effect lang place program program/text rule shell"},
	{"guard", ""},
}

func init() {
	for _, r := range guardRooms {
		var list []string
		for name := range strings.FieldsSeq(r.imports) {
			if name != "workspace" {
				name = "guard/" + name
			}
			list = append(list, name)
		}
		mayImport[r.room] = list
	}
	for _, r := range guardRooms { // the door opens into all of them
		mayImport["guard"] = append(mayImport["guard"], r.room)
	}
	mayImport["guard"] = append(mayImport["guard"], "workspace")
}

func TestRoomsOfTheGuardImportDownwards(t *testing.T) {
	var below []string
	for _, r := range guardRooms {
		for _, name := range mayImport[r.room] {
			if name != "workspace" && r.room != "guard" && !slices.Contains(below, name) {
				t.Errorf("%s imports %s, which is not below it", r.room, name)
			}
		}
		below = append(below, r.room)
	}
}

// No folder grows past what one can take in at a glance.
func TestNoFolderIsCrowded(t *testing.T) {
	files := map[string]int{}
	for _, s := range sources(t) {
		files[s.room()]++
	}
	for room, n := range files {
		if n > 40 {
			t.Errorf("%s has %d files", room, n)
		}
	}
}

// Lines and functions of the guard fit a screen.
func TestCodeOfTheGuardFitsAScreen(t *testing.T) {
	for _, s := range sources(t) {
		if !within(s.room(), "guard") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(module, s.path))
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for line := range strings.Lines(string(text)) {
			if n++; len([]rune(line)) > 121 {
				t.Errorf("%s:%d has %d characters", s.path, n, len([]rune(line))-1)
			}
		}
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				if n := s.fset.Position(f.End()).Line - s.fset.Position(f.Pos()).Line + 1; n > 60 {
					t.Errorf("%s: %s has %d lines", s.path, f.Name, n)
				}
			}
		}
	}
}
