package executor

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// survey describes every file below dir: kind, permissions, content.
func survey(dir string) (map[string]string, error) {
	tree := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(p, dir)
		if name == "/.git/index" { // holds inode numbers
			return nil
		}
		tree[name] = info.Mode().String()
		switch {
		case info.Mode().IsRegular() && info.Size() < 1<<20:
			data, err := os.ReadFile(p)
			tree[name] += fmt.Sprintf(" %d %x", info.Size(), sha256.Sum256(data))
			if err != nil {
				tree[name] += err.Error()
			}
		case info.Mode()&fs.ModeSymlink != 0:
			to, _ := os.Readlink(p)
			tree[name] += " " + to
		}
		return nil
	})
	return tree, err
}

// project is what the differential test runs commands in.
var project = map[string]string{
	"package.json":    "{\"name\":\"demo\",\"version\":\"1.0.0\",\"scripts\":{\"test\":\"echo tested\"}}\n",
	"README.md":       "# Demo\n\nTODO: write. See $HOME and `date`.\n",
	"Makefile":        "all:\n\t@echo built\ntest:\n\t@echo tested; false\nclean:\n\trm -rf dist\n",
	"data.csv":        "b,2\na,1\nc,3\na,1\n",
	"input.txt":       "one\ntwo words\n  three\n\nfive $x `y` \"z\"\n",
	"a b.txt":         "a file with a blank\n",
	"src/main.go":     "package main\n\nfunc main() { println(\"hi\") }\n",
	"src/app.js":      "console.log('hi') // TODO\n",
	"src/util/x.ts":   "export const x = 1\n",
	"tests/test_x.py": "def test_y():\n    assert 1\n",
	"scripts/run.sh":  "#!/bin/sh\necho \"run $#: $*\"\n",
	".gitignore":      "dist\n*.log\n",
	"dist/old.js":     "old\n",
	"build.log":       "ok\nerror: x\nok\n",
	"é.txt":           "ünïcode\n",
	"-dash":           "looks like an option\n",
}

// makeProject writes the project, with a history where git is there.
func makeProject(dir string) error {
	for name, text := range project {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if strings.HasSuffix(name, ".sh") {
			mode = 0o755
		}
		if err := os.WriteFile(p, []byte(text), mode); err != nil {
			return err
		}
	}
	return nil
}
