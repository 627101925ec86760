// Package pages tests the documents: their links and headings lead somewhere, the
// tests they name exist, and what their examples show is what the program prints.
package pages

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/pillion-sidecar/pillion/test/long"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// module is the root of the repository.
const module = "../.."

// bin holds the program that the examples run.
var bin string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "pillion-pages-*")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	bin = dir
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", filepath.Join(dir, "pillion"), ".")
	build.Dir = module
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		return 1
	}
	long.AtOnce(2)
	return needs.M{M: m}.Run()
}
