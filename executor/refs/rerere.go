package refs

import (
	"errors"
	"iter"
	"path/filepath"
	"slices"
	"strings"
)

// What git rerere has recorded has no path: it resolves the same conflict in any file, also
// in a protected one. So what a command has recorded goes when it ends, and so does what it
// would have git record: the rows of MERGE_RR say in which file a conflict is resolved.

const (
	rerereRows = "MERGE_RR"
	rerereDir  = "rr-cache"
)

// rowsOf adds to the logs of a git directory what else is compared in parts: what git rerere
// goes on from, and where a history ends.
func (s Sight) rowsOf(dir string, logs map[string]logged) {
	add := func(name string, parts func(text string) iter.Seq[string]) {
		if l := s.logOf(filepath.Join(dir, name), parts); l.stamp != (stamp{}) && len(logs) < maxFiles {
			logs[name] = l
		}
	}
	add(shallowFile, strings.Lines)
	add(rerereRows, conflictsOf)
	conflicts, _ := readDir(filepath.Join(dir, rerereDir)) // there are none, mostly
	for _, c := range conflicts {
		files, _ := readDir(filepath.Join(dir, rerereDir, c.Name()))
		for _, f := range files {
			if strings.HasPrefix(f.Name(), "postimage") {
				add(filepath.Join(rerereDir, c.Name(), f.Name()), func(text string) iter.Seq[string] { return slices.Values([]string{text}) })
			}
		}
	}
}

func conflictsOf(text string) iter.Seq[string] { return strings.SplitAfterSeq(text, "\x00") }

// resolutions takes back what was recorded since.
func (j *judge) resolutions(d gitDir, before, now state) {
	var back bool
	var errs error
	for _, name := range now.changedLogs(before) {
		was := before.logs[name]
		text, err := readFile(filepath.Join(d.path, name), maxLog)
		left := strings.Join(slices.DeleteFunc(slices.Collect(conflictsOf(text)), func(row string) bool { return !was.has(row) }), "")
		switch {
		case name != rerereRows && !strings.HasPrefix(name, rerereDir+"/"):
		case err == nil && (was.has(text) || name == rerereRows && left == text):
		case name == rerereRows:
			back, errs = true, errors.Join(errs, put(d.path, name, left))
		default:
			back, errs = true, errors.Join(errs, remove(d.path, name))
		}
	}
	if back {
		j.report(Found{File: filepath.Join(d.path, rerereDir), Name: rerereDir, Back: errs == nil}, errs)
	}
}
