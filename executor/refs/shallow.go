package refs

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
)

// A commit that is listed in the file shallow has no parents for git: git gc drops those
// that are there, with all that only they lead to. So a new row stays where parents are not
// there, which is what git fetch --depth leaves, or where a commit has none.

const shallowFile = "shallow"

// shallow takes back the rows that cut off a history which is there.
func (j *judge) shallow(d gitDir, before, now state) {
	if is := now.logs[shallowFile]; is.stamp == (stamp{}) || !slices.Contains(now.changedLogs(before), shallowFile) {
		return
	}
	text, err := readFile(filepath.Join(d.path, shallowFile), maxLog)
	rows := slices.Collect(strings.Lines(text))
	news := slices.DeleteFunc(slices.Clone(rows), before.logs[shallowFile].has)
	if err == nil && len(news) == 0 {
		return
	}
	cut, asked := j.cutOff(d, news)
	left := strings.Join(slices.DeleteFunc(rows, func(row string) bool { return slices.Contains(news, row) && !cut[strings.TrimSpace(row)] }), "")
	if err = errors.Join(err, asked); left == text && err == nil {
		return
	}
	if left == "" {
		err = errors.Join(err, remove(d.path, shallowFile))
	} else {
		err = errors.Join(err, put(d.path, shallowFile, left))
	}
	j.report(Found{File: filepath.Join(d.path, shallowFile), Name: shallowFile, Back: err == nil}, err)
}

// cutOff are those commits of a list that lack a parent, or have none.
func (j *judge) cutOff(d gitDir, rows []string) (map[string]bool, error) {
	listed, err := j.git(d, []byte(strings.Join(rows, "")), "--shallow-file", "", "rev-list", "--no-walk", "--parents", "--ignore-missing", "--stdin")
	var parents []string
	for line := range strings.Lines(string(listed)) {
		parents = append(parents, strings.Fields(line)[1:]...)
	}
	missing, asked := j.missing(d, parents)
	cut := map[string]bool{}
	for line := range strings.Lines(string(listed)) {
		words := strings.Fields(line)
		parents := words[1:]
		lacks := slices.ContainsFunc(parents, func(p string) bool { return missing[p] })
		if !lacks && len(parents) > 0 { // they may be left of an older fetch, without what was before
			_, broken := j.git(d, nil, append([]string{"rev-list", "--quiet"}, parents...)...)
			lacks = broken != nil
		}
		cut[words[0]] = lacks || len(parents) == 0
	}
	return cut, errors.Join(err, asked)
}
