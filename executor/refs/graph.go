package refs

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
)

// A commit graph repeats what is in the objects of commits: git cherry-pick takes the tree
// that it names, git status compares with it, and only git fsck looks at both. git needs
// none.

const (
	graphFile = "objects/info/commit-graph"
	graphDir  = "objects/info/commit-graphs"
)

// graphOf identifies a set of graphs, or "".
func graphOf(dir string) (stamps string) {
	add := func(file string) {
		if s, _ := stampOf(filepath.Join(dir, file)); s != (stamp{}) {
			stamps += fmt.Sprint(s)
		}
	}
	add(graphFile)
	entries, _ := readDir(filepath.Join(dir, graphDir)) // there is none, mostly
	for _, e := range entries {
		add(path.Join(graphDir, e.Name()))
	}
	return stamps
}

// graph removes what a command has written, if it is not what the commits say.
func (j *judge) graph(d gitDir, before, now state) {
	if now.graph == before.graph || now.graph == "" {
		return
	}
	if _, err := j.git(d, nil, "commit-graph", "verify", "--no-progress"); err == nil {
		return
	}
	err := errors.Join(remove(d.path, graphFile), remove(d.path, path.Join(graphDir, "commit-graph-chain")))
	j.report(Found{File: filepath.Join(d.path, graphFile), Name: graphFile, Back: err == nil}, err)
}
