package refs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pillion-sidecar/pillion/sandbox/protect"
)

// introduced are the objects of a list whose commits, since those that were known, give
// a protected name to something that it was not before, with these names.
func (j *judge) introduced(d gitDir, oids []string) (map[string][]string, error) {
	commits, trees, err := j.commits(d, oids)
	if err != nil {
		return nil, err
	}
	out := map[string][]string{}
	for oid, tree := range trees {
		if paths, err := j.inTree(d, tree); err != nil || len(paths) > 0 {
			out[oid] = paths
		}
	}
	if len(commits) == 0 {
		return out, nil
	}
	if brings, err := j.brought(d, commits...); err == nil && len(brings) == 0 {
		return out, nil // nearly always
	}
	for _, c := range commits {
		paths, asked := j.looked[d.path+c]
		if !asked {
			if paths, err = j.brought(d, c); err != nil {
				return out, err
			}
			j.looked[d.path+c] = paths
		}
		if len(paths) > 0 {
			out[c] = paths
		}
	}
	return out, nil
}

// brought are the protected names that commits bring.
func (j *judge) brought(d gitDir, commits ...string) (paths []string, err error) {
	text, err := j.git(d, j.exclusions(commits), "log", "--ignore-missing", "--stdin", "--full-history", "-c", "--raw", "-z",
		"--no-abbrev", "--no-renames", "--format=%x01%H")
	if err != nil {
		return nil, err
	}
	return j.obeyedIn(d, string(text))
}

// inTree are the protected names of a tree, which git checkout takes as it takes a commit.
func (j *judge) inTree(d gitDir, tree string) ([]string, error) {
	was := "4b825dc642cb6eb9a060e54bf8d69288fbee4904" // the empty one
	if len(tree) == 64 {
		was = "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
	}
	for _, s := range j.before.state {
		for _, head := range j.held(d, s.heads()) {
			was = head
		}
	}
	text, err := j.git(d, nil, "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", was, tree)
	if err != nil {
		return nil, err
	}
	return j.obeyedIn(d, string(text))
}

// obeyedIn are the protected names among those that a list gives another content.
func (j *judge) obeyedIn(d gitDir, raw string) (paths []string, err error) {
	for path, e := range rawEntries(raw) {
		switch {
		case err != nil:
		case e.mode == modeGitlink:
			var below []string
			below, err = j.gitlink(d, path, e.oid)
			paths = append(paths, below...)
		default:
			var obeyed bool
			if obeyed, err = j.obeyed(d, path, e); obeyed && !j.harmless(d, path, e) {
				paths = append(paths, path)
			}
		}
	}
	return paths, err
}

// gitlink looks for the commit of a submodule in those that are here: git switch writes
// its files, too, where submodule.recurse says so, and git submodule update always.
func (j *judge) gitlink(d gitDir, path, oid string) (paths []string, err error) {
	j.depth++
	defer func() { j.depth-- }()
	if j.depth > maxNested {
		return nil, nil
	}
	look := func(in *judge, d gitDir) {
		brings, asked := in.introduced(d, in.unknown([]string{oid}))
		err = errors.Join(err, asked)
		for _, p := range brings[oid] {
			paths = append(paths, path+"/"+p)
		}
	}
	for _, d := range j.now.dirs {
		if strings.HasPrefix(d.path, filepath.Join(j.before.common, "modules")+"/") {
			look(j, d)
		}
	}
	if own := filepath.Join(d.top, path, protect.DotGit); d.top != "" && isDir(own) {
		in := *j
		in.before = j.watch.of(own)
		in.known, in.now, in.looked = in.sight.named(in.before), in.before, map[string][]string{}
		look(&in, in.before.dirs[0])
	}
	return paths, err
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// maxNested is how deep submodules of submodules are looked through.
const maxNested = 4

// exclusions ask for what leads to commits and was not there before.
func (j *judge) exclusions(commits []string) []byte {
	b := []byte(strings.Join(commits, "\n") + "\n")
	for _, k := range j.known {
		b = append(b, "^"+k+"\n"...)
	}
	return b
}

// commits are those of a list that are commits, or tags of one, and the trees of those
// that are trees.
func (j *judge) commits(d gitDir, oids []string) (out []string, trees map[string]string, err error) {
	if len(oids) == 0 {
		return nil, nil, nil
	}
	trees = map[string]string{}
	var ask strings.Builder
	for _, oid := range oids {
		fmt.Fprintln(&ask, oid+"^{}")
	}
	text, err := j.git(d, []byte(ask.String()), "cat-file", "--batch-check=%(objectname) %(objecttype)")
	answers := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for i, line := range answers {
		switch {
		case i >= len(oids):
		case strings.HasSuffix(line, " commit"):
			out = append(out, oids[i])
		case strings.HasSuffix(line, " tree"):
			trees[oids[i]] = strings.TrimSuffix(line, " tree")
		case strings.HasSuffix(line, " missing"):
			j.gone[oids[i]] = true
		}
	}
	return out, trees, err
}

// rawEntries are the files that a log says were given a content, by git-diff-tree(1)'s
// raw form; of a path that comes more than once, each.
func rawEntries(text string) func(yield func(string, entry) bool) {
	return func(yield func(string, entry) bool) {
		fields := strings.Split(text, "\x00")
		for i := 0; i+1 < len(fields); i++ {
			raw := strings.TrimLeft(fields[i], "\n")
			if !strings.HasPrefix(raw, ":") {
				continue
			}
			parents := len(raw) - len(strings.TrimLeft(raw, ":"))
			words := strings.Fields(raw[parents:])
			i++
			if len(words) != 2*parents+3 {
				continue
			}
			e := entry{strings.TrimLeft(words[parents], "0"), words[2*parents+1]}
			if e.mode != "" && !yield(fields[i], e) { // "": it was removed
				return
			}
		}
	}
}
