package refs

import (
	"bytes"
	"crypto/sha256"
	"io/fs"
	"iter"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A log's lines are names, too: main@{1}, HEAD@{2}, what git checkout - goes back to.

const (
	logsDir = "logs"
	headLog = "logs/HEAD"
)

// logged is what a log names: objects and, of HEAD's, moves, by their hashes.
type logged struct {
	stamp stamp
	sure  bool
	names []nameHash // sorted
}

// nameHash is as hard to forge as an object's name, and the same in every session.
type nameHash [16]byte

func hashOf(name string) nameHash {
	h := sha256.Sum256([]byte(name))
	return nameHash(h[:16])
}

func (h nameHash) compare(o nameHash) int { return bytes.Compare(h[:], o[:]) }

func (l logged) has(name string) bool {
	_, has := slices.BinarySearchFunc(l.names, hashOf(name), nameHash.compare)
	return has
}

// logsOf are the logs of a git directory. That of the stash is read with the refs, and
// those of what was put aside are not judged.
func (s Sight) logsOf(dir string) map[string]logged {
	logs := map[string]logged{}
	_ = walkDir(filepath.Join(dir, logsDir), func(file string, e fs.DirEntry, err error) error {
		name := file[min(len(dir)+1, len(file)):]
		switch {
		case err != nil || name == stashLog || !e.Type().IsRegular() && !e.IsDir():
		case strings.HasPrefix(name, logsDir+"/"+strings.TrimSuffix(asideRefs, "/")):
			return fs.SkipDir
		case !e.IsDir() && len(logs) < maxFiles:
			logs[name] = s.logOf(file, logNames)
		}
		return nil
	})
	s.rowsOf(dir, logs)
	return logs
}

func logNames(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.Lines(text) {
			for _, name := range namesIn(line) {
				if !yield(name) {
					return
				}
			}
		}
	}
}

func (s Sight) logOf(file string, names func(text string) iter.Seq[string]) (l logged) {
	l.stamp, l.sure = stampOf(file)
	if c, ok := kept.get(file, l.stamp); ok {
		l.names = c.names
		return l
	}
	text, err := readFile(file, maxLog)
	if err != nil {
		return l // it names nothing, and is judged when it changes
	}
	l.names = hashesOf(names(text))
	s.keep(file, cached{stamp: l.stamp, names: l.names})
	return l
}

func hashesOf(names iter.Seq[string]) (all []nameHash) {
	var last nameHash
	for name := range names {
		if h := hashOf(name); h != last {
			all, last = append(all, h), h
		}
	}
	slices.SortFunc(all, nameHash.compare)
	return slices.Clip(slices.Compact(all))
}

// maxLog is what is read of a log; one of 50,000 lines is 10 MB.
const maxLog = 64 << 20

var moveLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\tcheckout: moving from (.+?) to (.+)$`)
})

// namesIn are the objects of a line, and itself where it is a move.
func namesIn(line string) (names []string) {
	if was, rest, ok := strings.Cut(line, " "); ok && isObject(was) {
		names = append(names, strings.ToLower(was))
		if is, _, _ := strings.Cut(rest, " "); isObject(is) {
			names = append(names, strings.ToLower(is))
		}
	}
	if strings.Contains(line, "\tcheckout: moving from ") {
		names = append(names, strings.TrimSuffix(line, "\n"))
	}
	return names
}

// isObject: git reads large letters, too.
func isObject(name string) bool {
	return (len(name) == 40 || len(name) == 64) && objectName().MatchString(name)
}

// changedLogs are those that are not as they were.
func (s state) changedLogs(before state) (names []string) {
	for name, l := range s.logs {
		if was := before.logs[name]; was.stamp != l.stamp || !was.sure {
			names = append(names, name)
		}
	}
	return names
}

// changedLogs are those to be judged: that of a remote branch is as its ref is.
func (j *judge) changedLogs(before, now state) []string {
	return slices.DeleteFunc(now.changedLogs(before), func(name string) bool {
		ref, log := strings.CutPrefix(name, logsDir+"/")
		return !log || !j.sight.appliedByItself(ref)
	})
}

// logNews are what the changed logs of a directory name, and no log named before.
func (j *judge) logNews(d gitDir, before, now state) (oids, moves []string) {
	for _, name := range j.changedLogs(before, now) {
		text, _ := readFile(filepath.Join(d.path, name), maxLog)
		for line := range strings.Lines(text) {
			for _, one := range namesIn(line) {
				switch {
				case isNull(one), j.wasLogged(one):
				case isObject(one):
					oids = append(oids, one)
				case name == headLog:
					moves = append(moves, one)
				}
			}
		}
	}
	slices.Sort(oids)
	return j.unknown(slices.Compact(oids)), moves
}

func (j *judge) wasLogged(name string) bool {
	return slices.ContainsFunc(j.before.state, func(s state) bool {
		for _, l := range s.logs {
			if l.has(name) {
				return true
			}
		}
		return false
	})
}

// logs removes the lines that name what brings protected files, also those that git has
// written when a ref was taken back.
func (j *judge) logs(d gitDir, before state) {
	now := state{logs: j.sight.logsOf(d.path)}
	oids, moves := j.logNews(d, before, now)
	to := map[string]string{}
	for _, line := range moves {
		for _, name := range moveOf(line) {
			oid, err := j.git(d, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
			if err == nil {
				to[name] = strings.TrimSpace(string(oid))
			} else if isObject(name) { // it may be there later
				to[name] = name
			}
			oids = append(oids, j.unknown([]string{to[name]})...)
		}
	}
	ask := slices.DeleteFunc(slices.Clone(oids), func(oid string) bool { return j.taken[oid] })
	brings, err := j.introduced(d, ask)
	isBad := func(oid string) bool {
		return j.taken[oid] || slices.Contains(ask, oid) && (err != nil || len(brings[oid]) > 0 || j.gone[oid])
	}
	for _, name := range j.changedLogs(before, now) {
		f, silent := Found{File: filepath.Join(d.path, name), Name: name}, true
		if now.logs[name].stamp.Size > maxLog {
			f.Aside = name + ".aside"
			j.report(f, moveAside(d.path, name, f.Aside))
			continue
		}
		bad := func(line string) (is bool) {
			for _, one := range namesIn(line) {
				for _, oid := range append(endsOf(one, to), one) {
					if isBad(oid) {
						f.Paths = append(f.Paths, brings[oid]...)
						is, silent = true, silent && j.taken[oid]
					}
				}
			}
			return is
		}
		removed, failed := j.without(d, name, bad)
		if f.Back = failed == nil; removed && !silent || failed != nil {
			slices.Sort(f.Paths)
			f.Paths = slices.Compact(f.Paths)
			j.report(f, failed)
		}
	}
}

// without removes lines of a log, if there are such, by git or, where it can't, by hand.
func (j *judge) without(d gitDir, name string, bad func(string) bool) (removed bool, err error) {
	file := filepath.Join(d.path, name)
	text, _ := readFile(file, maxLog) // what can't be read has none
	lines := slices.Collect(strings.Lines(text))
	args := []string{"reflog", "delete"}
	for i, line := range lines { // the oldest ones first: their numbers are the greatest
		if bad(line) {
			args = append(args, strings.TrimPrefix(name, logsDir+"/")+"@{"+strconv.Itoa(len(lines)-1-i)+"}")
		}
	}
	if len(args) == 2 {
		return false, nil
	}
	if len(args) <= maxByGit {
		_, _ = j.git(d, nil, args...)
	}
	text, _ = readFile(file, maxLog)
	left := slices.DeleteFunc(slices.Collect(strings.Lines(text)), bad)
	if left := strings.Join(left, ""); left != text {
		err = put(d.path, name, left)
	}
	return true, err
}

// endsOf are the commits that a move was from and to.
func endsOf(line string, commits map[string]string) (ends []string) {
	for _, name := range moveOf(line) {
		ends = append(ends, commits[name])
	}
	return ends
}

func moveOf(line string) []string {
	if m := moveLine().FindStringSubmatch(line); m != nil {
		return m[1:]
	}
	return nil
}
