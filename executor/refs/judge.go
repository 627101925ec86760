package refs

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// Judge compares what there is now with what there was, sets aside what brings protected
// files, and says so. It is called when nothing of the command is left.
func (w *Watch) Judge(run Run) (found []Found) {
	for _, r := range w.repos {
		r = r.withNewTrees()
		now := repo{top: r.top, common: r.common, dirs: r.dirs}
		changed := false
		for i, d := range r.dirs {
			now.state = append(now.state, w.sight.read(d))
			changed = changed || !now.state[i].same(r.state[i])
		}
		if changed {
			found = append(found, (&judge{before: r, now: now, sight: w.sight, run: run, looked: map[string][]string{}}).all()...)
		}
	}
	return found
}

// withNewTrees has the work trees that were linked since, which were nothing before. What
// a submodule holds that was added since comes from elsewhere, as a clone does.
func (r repo) withNewTrees() repo {
	for _, d := range below(r.common, r.folders) {
		if strings.HasPrefix(d.path, filepath.Join(r.common, "worktrees")+"/") && !slices.Contains(r.dirs, d) {
			r.dirs, r.state = append(slices.Clip(r.dirs), d), append(slices.Clip(r.state), state{})
		}
	}
	return r
}

// judge looks at one repository.
type judge struct {
	before, now repo
	sight       Sight
	run         Run
	known       []string            // objects that were named before
	looked      map[string][]string // what a commit of a git directory brings
	depth       int                 // of submodules
	found       []Found
}

func (j *judge) all() []Found {
	for _, s := range j.before.state {
		for _, oids := range s.refs() {
			j.known = append(j.known, oids...)
		}
	}
	slices.Sort(j.known)
	j.known = slices.DeleteFunc(slices.Compact(j.known), isNull)
	for i, d := range j.now.dirs {
		was, is := j.before.state[i], j.now.state[i]
		j.refs(d, was, is)
		j.moves(d, was, is)
		j.mails(d, was, is)
		if is.index.stamp != was.index.stamp {
			j.index(d, was.index, is.index)
		}
	}
	for i, d := range j.now.dirs { // at last: it may take its time
		j.graph(d, j.before.state[i], j.now.state[i])
	}
	return j.found
}

// refs judges the names that stand for other objects than before.
func (j *judge) refs(d gitDir, before, now state) {
	was, is := before.refs(), now.refs()
	var news []string
	changed := slices.DeleteFunc(slices.Sorted(maps.Keys(is)), func(name string) bool {
		text, loose := now.files[name]
		same := loose && text == before.files[name] && isSymbolic(text) // what it leads to is judged
		return same || slices.Equal(was[name], is[name]) || strings.HasPrefix(name, asideRefs)
	})
	for _, name := range changed {
		news = append(news, j.unknown(is[name])...)
	}
	replaces := slices.ContainsFunc(changed, isReplaced)
	brings, err := j.introduced(d, news)
	for _, name := range changed {
		if len(brings) > 0 || err != nil {
			break
		}
		brings, err = j.byMerge(d, name, j.unknown(is[name]))
	}
	if len(brings) == 0 && err == nil && !replaces {
		return
	}
	var taken []taken
	for _, name := range changed {
		if t, bad := j.ref(d, name, j.unknown(is[name])); bad {
			t.was = was[name]
			taken = append(taken, t)
		}
	}
	j.takeBack(d, before, taken)
}

// taken is a name that gets its old value back.
type taken struct {
	Found
	was []string
	bad []string // what it stood for, to be kept aside
}

// isReplaced: another object is read in the place of this one.
func isReplaced(name string) bool { return strings.HasPrefix(name, "refs/replace/") }

func (j *judge) unknown(oids []string) []string {
	return slices.DeleteFunc(slices.Clone(oids), func(oid string) bool {
		_, known := slices.BinarySearch(j.known, oid)
		return known || isNull(oid)
	})
}

// ref judges one name. What can't be looked through is taken back like what is bad.
func (j *judge) ref(d gitDir, name string, news []string) (t taken, bad bool) {
	t.File, t.Name = filepath.Join(d.path, name), name
	if isReplaced(name) {
		t.bad = news
		return t, true
	}
	brings, err := j.introduced(d, news)
	if len(brings) == 0 && err == nil {
		brings, err = j.byMerge(d, name, news)
	}
	if len(brings) == 0 && err == nil {
		return t, false
	}
	for _, paths := range brings {
		t.Paths = append(t.Paths, paths...)
	}
	slices.Sort(t.Paths)
	t.Paths = slices.Compact(t.Paths)
	t.bad = slices.Sorted(maps.Keys(brings))
	if err != nil {
		t.bad = news
	}
	if !j.sight.appliedByItself(name) {
		j.report(t.Found, err)
		return t, false
	}
	return t, true
}

// isNull is how a log says that there was nothing before.
func isNull(oid string) bool { return strings.Trim(oid, "0") == "" }

func (j *judge) report(f Found, err error) {
	f.Err = err
	f.Paths = f.Paths[:min(len(f.Paths), maxPaths)]
	j.found = append(j.found, f)
}

// appliedByItself says that git writes what a name stands for into the work tree at an
// ordinary commit, switch or stash pop, or when an operation goes on or is given up.
// Heads such as MERGE_HEAD it takes when it is told to, by name, and so it is with remote
// branches that come from a server; git pull would bring the same.
func (s Sight) appliedByItself(name string) bool {
	state, _, _ := strings.Cut(name, "/")
	return strings.HasPrefix(name, "refs/") && (s.Offline || !strings.HasPrefix(name, "refs/remotes/")) ||
		name == "HEAD" || name == stashLog || name == "BISECT_START" || slices.Contains(operations, state) ||
		strings.HasSuffix(strings.ToLower(name), "autostash")
}

// stashLog is where the stashes but the last one are.
const stashLog = "logs/refs/stash"

// introduced are the objects of a list whose commits, since those that were known, give
// a protected name to something that it was not before, with these names.
func (j *judge) introduced(d gitDir, oids []string) (map[string][]string, error) {
	commits, err := j.commits(d, oids)
	if err != nil || len(commits) == 0 {
		return nil, err
	}
	if brings, err := j.brought(d, commits...); err == nil && len(brings) == 0 {
		return nil, nil // nearly always
	}
	out := map[string][]string{}
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
	for path, e := range rawEntries(string(text)) {
		switch {
		case err != nil:
		case e.mode == "160000":
			var below []string
			below, err = j.gitlink(path, e.oid)
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
// its files, too, where submodule.recurse says so.
func (j *judge) gitlink(path, oid string) (paths []string, err error) {
	j.depth++
	defer func() { j.depth-- }()
	for _, d := range j.now.dirs {
		if !strings.HasPrefix(d.path, filepath.Join(j.before.common, "modules")+"/") || j.depth > maxNested {
			continue
		}
		brings, asked := j.introduced(d, j.unknown([]string{oid}))
		err = errors.Join(err, asked)
		for _, p := range brings[oid] {
			paths = append(paths, path+"/"+p)
		}
	}
	return paths, err
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

// commits are those of a list that are commits, or tags of one.
func (j *judge) commits(d gitDir, oids []string) (out []string, err error) {
	if len(oids) == 0 {
		return nil, nil
	}
	var ask strings.Builder
	for _, oid := range oids {
		fmt.Fprintln(&ask, oid+"^{}")
	}
	text, err := j.git(d, []byte(ask.String()), "cat-file", "--batch-check=%(objectname) %(objecttype)")
	answers := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for i, line := range answers {
		if strings.HasSuffix(line, " commit") && i < len(oids) {
			out = append(out, oids[i])
		}
	}
	return out, err
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

// harmless says that a protected name gets what it has in the work tree already, or had
// in a commit that was checked out before.
func (j *judge) harmless(d gitDir, path string, e entry) bool {
	if d.top != "" && !d.outside {
		if oid, err := j.git(d, nil, "hash-object", "--", path); err == nil && strings.TrimSpace(string(oid)) == e.oid {
			return isPlain(filepath.Join(d.top, path)) == (e.mode != "120000")
		}
	}
	for _, s := range j.before.state {
		for _, head := range s.heads() {
			oid, err := j.git(d, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", head+":"+path)
			if err == nil && strings.TrimSpace(string(oid)) == e.oid {
				return true
			}
		}
	}
	return false
}

// heads are the objects that are checked out.
func (s state) heads() []string { return s.refs()["HEAD"] }

// git runs git on a git directory. The commit graph and replaced objects are files that a
// command can write, and say what the objects themselves may not.
func (j *judge) git(d gitDir, stdin []byte, args ...string) ([]byte, error) {
	argv := []string{
		"git", "--no-replace-objects", "--literal-pathspecs", "-c", "core.commitGraph=false", "-c", "core.multiPackIndex=false",
		"-c", "log.showSignature=false", "-c", "log.follow=false", "-c", "log.showRoot=true", "-c", "core.fsmonitor=false", "--git-dir=" + d.path,
	}
	if d.outside { // where the command can't go
		return j.run(d.path, stdin, append(argv, args...)...)
	}
	if d.top != "" {
		argv = append(argv, "--work-tree="+d.top)
	}
	return j.run(cmp.Or(d.top, j.before.top), stdin, append(argv, args...)...)
}
