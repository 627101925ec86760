package refs

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Of a file that an index says to take for unchanged (git update-index --assume-unchanged,
// --skip-worktree) git status shows no change. So a command sets neither, but the second
// for what a sparse checkout leaves out.

// hidden shows again what an index says anew to take for unchanged.
func (j *judge) hidden(d gitDir, before, now state) {
	if d.top == "" || d.outside || !slices.Contains(now.changedLogs(before), "index") {
		return
	}
	rows, err := now.index.hidden, now.index.err
	if err != nil {
		var listed []byte
		listed, err = j.git(d, nil, "ls-files", "-v", "-z")
		rows = slices.DeleteFunc(strings.Split(string(listed), "\x00"), func(row string) bool { return len(row) < 2 || row[0] != 'S' && row[0] < 'a' })
	}
	var names []string
	sparse, asked := false, false
	for _, row := range rows {
		name := row[2:]
		if before.logs["index"].has(row) {
			continue
		}
		if _, gone := os.Lstat(filepath.Join(d.top, name)); row[0] == 'S' && gone != nil {
			if !asked {
				set, _ := j.git(d, nil, "config", "--type=bool", "core.sparseCheckout") // or it is not set
				sparse, asked = strings.TrimSpace(string(set)) == "true", true
			}
			if sparse {
				continue
			}
		}
		names = append(names, name)
	}
	if len(names) == 0 && err == nil {
		return
	}
	for _, bit := range []string{"--no-assume-unchanged", "--no-skip-worktree"} {
		_, one := j.git(d, []byte(strings.Join(names, "\x00")+"\x00"), "update-index", bit, "-z", "--stdin")
		err = errors.Join(err, one)
	}
	j.report(Found{File: filepath.Join(d.path, "index"), Name: "hidden", Paths: names, Back: err == nil}, err)
}
