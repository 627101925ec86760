package refs

import (
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// asideRefs is where refs are kept that bring protected files. git gives a branch by these
// names only on request.
const asideRefs = "refs/pillion/aside/"

// maxByGit is how many names git is asked to take back. Above it, and where git can't (a
// lock that a command has left, a directory without its bits), they are written.
const maxByGit = 20

// takeBack keeps what names stand for under others, and gives them back what they were.
func (j *judge) takeBack(d gitDir, before state, all []taken) {
	var left []taken
	kept := j.aside(d, all) == nil
	for _, t := range all {
		if !kept || len(all) > maxByGit || j.back(d, t) != nil || j.stands(d, t) {
			left = append(left, t)
			continue
		}
		if t.Back = true; len(t.bad) > 0 {
			t.Aside = t.asideAs(len(t.bad) - 1)
		}
		j.report(t.Found, nil)
	}
	if len(left) == 0 {
		return
	}
	errs := before.putBack(d.path, left, kept)
	for i, t := range left {
		if t.Back = errs[i] == nil; len(t.bad) > 0 {
			t.Aside = t.asideAs(len(t.bad) - 1)
		}
		if i >= maxByGit && errs[i] == nil {
			continue
		}
		if i == maxByGit-1 && len(left) > maxByGit {
			t.Name += " and " + strconv.Itoa(len(left)-maxByGit) + " more"
		}
		j.report(t.Found, errs[i])
	}
}

// asideAs is the ref that keeps one of what a name stood for.
func (t taken) asideAs(i int) string {
	name := asideRefs + strings.TrimPrefix(t.Name, "refs/")
	if len(t.bad) > 1 {
		name += "-" + strconv.Itoa(i+1)
	}
	return name
}

// stands reports a name that is still what it must not be.
func (j *judge) stands(d gitDir, t taken) bool {
	is := j.sight.read(d).refs()[t.Name]
	return slices.ContainsFunc(is, func(oid string) bool {
		return slices.Contains(t.bad, oid) || slices.Contains(t.gone, oid)
	})
}

var errByHand = errors.New("git does not take this back")

// aside has git keep what names stand for, all or nothing. Git runs where the command ran,
// so that an undo, which removes these objects, removes their names, too.
func (j *judge) aside(d gitDir, all []taken) error {
	var rows []byte
	for _, t := range all {
		for i, oid := range t.bad {
			rows = fmt.Appendf(rows, "update %s\x00%s\x00\x00", t.asideAs(i), oid)
		}
	}
	_, err := j.git(d, rows, "update-ref", "--no-deref", "-m", "pillion: set aside", "-z", "--stdin")
	return err
}

// back has git give a name what it was.
func (j *judge) back(d gitDir, t taken) error {
	switch {
	case len(t.bad) == 0 && t.Name != "HEAD":
		return errByHand
	case t.Name == "refs/stash", t.Name == stashLog:
		return j.dropStashes(d, t.bad)
	case t.Name == "HEAD":
		return j.headBack(d, t.was)
	case strings.HasPrefix(t.Name, "refs/") && len(t.was) == 1:
		return j.update(d, t.Name, t.was[0])
	case strings.HasPrefix(t.Name, "refs/"):
		_, err := j.git(d, nil, "update-ref", "--no-deref", "-d", t.Name)
		return err
	}
	return errByHand
}

// headBack checks out what was checked out; the work tree stays.
func (j *judge) headBack(d gitDir, was []string) error {
	i := slices.Index(j.before.dirs, d)
	if branch, ok := strings.CutPrefix(j.before.state[i].files["HEAD"], symbolic); ok {
		_, err := j.git(d, nil, "symbolic-ref", "-m", "pillion: set aside", "HEAD", strings.TrimSpace(branch))
		return err
	}
	if len(was) == 0 {
		return errors.New("nothing was checked out before")
	}
	return j.update(d, "HEAD", was[0])
}

func (j *judge) update(d gitDir, name, oid string) error {
	_, err := j.git(d, nil, "update-ref", "--no-deref", "-m", "pillion: set aside", name, oid)
	return err
}

// dropStashes removes the stashes with these commits.
func (j *judge) dropStashes(d gitDir, bad []string) error {
	text, err := j.git(d, nil, "log", "--walk-reflogs", "--format=%H", "--end-of-options", "refs/stash")
	if err != nil {
		_, err := j.git(d, nil, "update-ref", "--no-deref", "-d", "refs/stash")
		return err
	}
	lines := strings.Fields(string(text))
	for i, oid := range slices.Backward(lines) {
		if slices.Contains(bad, oid) {
			_, one := j.git(d, nil, "reflog", "delete", "--updateref", "--rewrite", "refs/stash@{"+strconv.Itoa(i)+"}")
			err = errors.Join(err, one)
		}
	}
	if len(lines) > 0 && !slices.ContainsFunc(lines, func(oid string) bool { return !slices.Contains(bad, oid) }) {
		_, one := j.git(d, nil, "update-ref", "--no-deref", "-d", "refs/stash") // git leaves it without a log
		err = errors.Join(err, one)
	}
	return err
}

// index takes back what an index says anew of protected names.
func (j *judge) index(d gitDir, was, is index) {
	if d.top == "" {
		return
	}
	f := Found{File: path.Join(d.path, "index"), Name: "index"}
	entries, err := is.entries, is.err
	if err != nil {
		entries, err = j.listed(d)
	}
	for name, e := range entries {
		if err != nil || was.entries[name] == e {
			continue
		}
		if e.mode == modeGitlink && !odd(name) {
			var below []string
			if below, err = j.gitlink(d, name, e.oid); len(below) > 0 && err == nil {
				f.Paths = append(f.Paths, below...)
				err = errors.Join(was.err, j.restage(d, name, was.entries[name]))
			}
			continue
		}
		var obeyed bool
		if odd(name) { // git does not take it back either
			f.Paths, err = append(f.Paths, name), errIndex
			continue
		}
		if obeyed, err = j.obeyed(d, name, e); obeyed && !j.harmless(d, name, e) && !j.committed(d, name, e) {
			f.Paths = append(f.Paths, name)
			if err = was.err; err == nil {
				err = j.restage(d, name, was.entries[name])
			}
		}
	}
	slices.Sort(f.Paths)
	f.Back = err == nil
	if err != nil { // a lock that the command has left, an index without readers
		f.Aside = "index.aside"
		err = moveAside(d.path, "index", f.Aside)
	}
	if len(f.Paths) > 0 || f.Aside != "" || err != nil {
		j.report(f, err)
	}
}

// listed asks git for what an index says.
func (j *judge) listed(d gitDir) (map[string]entry, error) {
	text, err := j.git(d, nil, "ls-files", "--stage", "-z")
	found := map[string]entry{}
	for row := range strings.SplitSeq(string(text), "\x00") {
		about, name, ok := strings.Cut(row, "\t")
		words := strings.Fields(about)
		if ok && len(words) == 3 && j.sight.notable(d.top, name, words[0]) {
			found[name] = entry{words[0], words[1]}
		}
	}
	return found, err
}

// committed says that an entry is that of the commit which is checked out now. Its ref
// was judged before.
func (j *judge) committed(d gitDir, name string, e entry) bool {
	oid, err := j.git(d, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", "HEAD:"+name)
	return err == nil && strings.TrimSpace(string(oid)) == e.oid
}

func (j *judge) restage(d gitDir, name string, e entry) error {
	args := []string{"update-index", "--force-remove", "--", name}
	if e.oid != "" {
		args = []string{"update-index", "--add", "--cacheinfo", e.mode + "," + e.oid + "," + name}
	}
	_, err := j.git(d, nil, args...)
	return err
}

func isPlain(file string) bool {
	info, err := os.Lstat(file)
	return err == nil && info.Mode().IsRegular()
}
