package refs

import (
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// Judge compares what there is now with what there was, sets aside what brings protected
// files, and says so. It is called after all of the command has ended.
func (w *Watch) Judge(run Run) (found []Found) {
	defer w.Close()
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, r := range w.repos {
		if i == maxRepos {
			found = append(found, Found{File: r.common, Name: "more repositories", Err: errMany})
			break
		}
		r = r.followed()
		showAll(r.common)
		r = w.withNewTrees(r)
		if r.unsure != nil {
			found = append(found, Found{File: r.common, Name: "what was there", Err: r.unsure})
		}
		var well []state
		now := repo{top: r.top, common: r.common, dirs: r.dirs, state: w.sight.readAll(r)}
		if !slices.EqualFunc(now.state, r.state, state.same) {
			j := judge{watch: w, before: r, now: now, sight: w.sight, run: run}
			j.looked, j.gone, j.taken, j.lost = map[string][]string{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
			found = append(found, j.all()...)
			well = j.wellNow()
		}
		r.shared.end(now, well)
		r.shared = shared{}
		w.repos[i] = r
	}
	return found
}

var errMany = errors.New("the command came to more than can be compared")

// judge looks at one repository.
type judge struct {
	watch       *Watch
	before, now repo
	sight       Sight
	run         Run
	known       []string            // objects that were named before
	looked      map[string][]string // what a commit of a git directory brings
	gone        map[string]bool     // objects that are named and not there
	lost        map[string]bool     // that were named before, and a git directory has no more
	taken       map[string]bool     // objects that are kept aside
	depth       int                 // of submodules
	found       []Found
}

func (j *judge) all() []Found {
	j.known = j.sight.named(j.before)
	for i, d := range j.now.dirs { // at first: the others look along histories
		j.shallow(d, j.before.state[i], j.now.state[i])
	}
	for i, d := range j.now.dirs {
		was, is := j.before.state[i], j.now.state[i]
		logged, moves := j.logNews(d, was, is)
		if !j.refs(d, was, is, logged) || len(moves) > 0 {
			j.logs(d, was)
		}
		j.mails(d, was, is)
		j.resolutions(d, was, is)
		j.hidden(d, was, is)
		if !is.index.same(was.index) {
			j.index(d, was.index, is.index)
		}
	}
	for i, d := range j.now.dirs { // at last: it may take its time
		j.graph(d, j.before.state[i], j.now.state[i])
	}
	return j.found
}

// named are the objects that a repository has names for. Objects that were put aside or
// only reported don't count.
func (x Sight) named(r repo) (known []string) {
	for _, s := range r.state {
		for name, oids := range s.refs() {
			judged := x.appliedByItself(name) || strings.HasPrefix(name, "refs/remotes/")
			if judged && !strings.HasPrefix(name, asideRefs) {
				known = append(known, oids...)
			}
		}
	}
	slices.Sort(known)
	return slices.DeleteFunc(slices.Compact(known), isNull)
}

// refs judges the names that stand for other objects than before, and says whether all is
// well, also with what the logs name.
func (j *judge) refs(d gitDir, before, now state, logged []string) bool {
	was, is := before.refs(), now.refs()
	news := logged
	changed := slices.DeleteFunc(slices.Sorted(maps.Keys(is)), func(name string) bool {
		same := slices.Equal(was[name], is[name])
		if text := now.files[name]; isSymbolic(text) {
			unchanged := text == before.files[name]
			same = unchanged && !now.strays(name) || same && (unchanged || !now.strays(name)) // what it leads to is judged
		}
		return same || strings.HasPrefix(name, asideRefs)
	})
	for _, name := range changed {
		news = append(news, j.unknown(is[name])...)
	}
	suspect := slices.ContainsFunc(changed, func(name string) bool { return isReplaced(name) || now.strays(name) })
	look := func() (brings map[string][]string, err error) {
		brings, err = j.introduced(d, news)
		for _, name := range changed {
			if len(brings) > 0 || err != nil {
				break
			}
			brings, err = j.byMerge(d, name, j.unknown(is[name]))
		}
		return brings, err
	}
	brings, err := look()
	if err != nil && j.misses(d) {
		brings, err = look()
	}
	if len(brings) == 0 && err == nil && !suspect && !slices.ContainsFunc(news, func(oid string) bool { return j.gone[oid] }) {
		return true
	}
	var taken []taken
	for _, name := range changed {
		if t, bad := j.ref(d, now, name, j.unknown(is[name])); bad {
			t.was = was[name]
			taken = append(taken, t)
		}
	}
	j.takeBack(d, before, taken)
	return false
}

// taken is a name that gets its old value back.
type taken struct {
	Found
	was []string
	bad []string // what it stood for, to be kept aside
	// gone: what it stood for is not there, and would be known to the next command.
	gone []string
}

// isReplaced: another object is read in the place of this one.
func isReplaced(name string) bool { return strings.HasPrefix(name, "refs/replace/") }

func (j *judge) unknown(oids []string) []string {
	return slices.DeleteFunc(slices.Clone(oids), func(oid string) bool {
		_, known := slices.BinarySearch(j.known, oid)
		return known || isNull(oid)
	})
}

// misses looks for what was named before, and says that some of it is not there: git prune
// removes what nothing names any more. There is nothing then to compare with.
func (j *judge) misses(d gitDir) bool {
	missing, _ := j.missing(d, j.known)
	for oid := range missing {
		j.lost[d.path+oid] = true
	}
	return len(missing) > 0
}

// missing are those of a list that are not there.
func (j *judge) missing(d gitDir, oids []string) (map[string]bool, error) {
	text, err := j.git(d, []byte(strings.Join(oids, "\n")), "cat-file", "--batch-check=%(objecttype)")
	found := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if oid, missing := strings.CutSuffix(line, " missing\n"); missing {
			found[oid] = true
		}
	}
	return found, err
}

// held are those of a list that are not lost.
func (j *judge) held(d gitDir, oids []string) []string {
	return slices.DeleteFunc(slices.Clone(oids), func(oid string) bool { return j.lost[d.path+oid] })
}

// ref judges one name. An unreadable object is taken back like a bad one.
func (j *judge) ref(d gitDir, now state, name string, news []string) (t taken, bad bool) {
	t.File, t.Name = filepath.Join(d.path, name), name
	if isReplaced(name) {
		t.bad = news
		return t, true
	}
	brings, err := j.introduced(d, news)
	if len(brings) == 0 && err == nil {
		brings, err = j.byMerge(d, name, news)
	}
	if now.named(name) {
		t.gone = slices.DeleteFunc(slices.Clone(news), func(oid string) bool { return !j.gone[oid] })
	}
	if len(brings) == 0 && err == nil && len(t.gone) == 0 && !now.strays(name) {
		return t, false
	}
	for _, paths := range brings {
		t.Paths = append(t.Paths, paths...)
	}
	slices.Sort(t.Paths)
	t.Paths = slices.Compact(t.Paths)
	t.bad = slices.Sorted(maps.Keys(brings))
	if err != nil {
		t.bad = slices.DeleteFunc(slices.Clone(news), func(oid string) bool { return j.gone[oid] })
	}
	if !j.sight.appliedByItself(name) {
		j.report(t.Found, err)
		return t, false
	}
	for _, oid := range t.bad {
		j.taken[oid] = true
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
// ordinary commit, switch or stash pop, or when an operation goes on or is given up. Heads
// such as MERGE_HEAD it takes only by name, and so it is with remote branches that come
// from a server; git pull would bring the same. Other names beside them git takes before a
// branch of that name.
func (s Sight) appliedByItself(name string) bool {
	state, _, _ := strings.Cut(name, "/")
	return strings.HasPrefix(name, "refs/") && (s.Offline || !strings.HasPrefix(name, "refs/remotes/")) ||
		state == name && !gitHead().MatchString(name) || name == "HEAD" || name == stashLog || name == "BISECT_START" || slices.Contains(operations, state) ||
		strings.HasSuffix(strings.ToLower(name), "autostash")
}

// stashLog is where the stashes but the last one are.
const stashLog = "logs/refs/stash"

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
	if d.outside || !isDir(d.top) { // where the command can't go, or nothing is
		return j.run(d.path, stdin, append(argv, args...)...)
	}
	return j.run(d.top, stdin, append(append(argv, "--work-tree="+d.top), args...)...)
}
