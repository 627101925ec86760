package refs

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/sandbox/protect"
)

// A merge brings files that neither side has by that name: where one side has renamed a
// file, or all of its directory, git gives the other side's change to the new name. So a
// commit that changes x/t.json changes .vscode/tasks.json, where that was x/t.json for
// both once. A stash is merged, too, and its base is whatever the command says.

// byMerge is introduced for what comes with a merge. A name that git takes only on request
// is not looked at.
func (j *judge) byMerge(d gitDir, name string, oids []string) (map[string][]string, error) {
	if !j.sight.appliedByItself(name) {
		return nil, nil
	}
	out := map[string][]string{}
	for _, oid := range oids {
		paths, asked := j.looked[name+oid]
		if !asked {
			var err error
			if paths, err = j.merged(d, name, oid); err != nil {
				return out, err
			}
			j.looked[name+oid] = paths
		}
		if len(paths) > 0 {
			out[oid] = paths
		}
	}
	return out, nil
}

// merged are the protected names that a merge of a commit with what is checked out would
// change so.
func (j *judge) merged(d gitDir, name, tip string) (paths []string, err error) {
	for _, head := range j.checkedOut(d) {
		if head == tip {
			continue
		}
		bases, err := j.bases(d, name, tip, head)
		if err != nil {
			return nil, err
		}
		for _, base := range bases {
			for _, sides := range [][2]string{{tip, head}, {head, tip}} {
				found, err := j.renamed(d, base, sides[0], sides[1], "")
				if err != nil {
					return nil, err
				}
				paths = append(paths, found...)
			}
		}
	}
	found, err := j.mergedLater(d, name, tip)
	return append(paths, found...), err
}

// mergedLater are those that a merge with a branch would change which is not checked out:
// of what the command has changed, for its own changes a person knows.
func (j *judge) mergedLater(d gitDir, name, tip string) (paths []string, err error) {
	i := slices.Index(j.before.dirs, d)
	if i < 0 || !strings.HasPrefix(name, "refs/heads/") && name != "HEAD" {
		return nil, nil
	}
	was := j.before.state[i].refs()[name]
	if len(was) == 0 {
		was = j.before.state[i].heads()
	}
	since := strings.Join(j.held(d, was), "") // "": it is not known
	others, err := j.others(d, tip)
	for _, head := range others {
		bases, asked := j.bases(d, name, tip, head)
		if err = errors.Join(err, asked); len(was) != 1 {
			break
		}
		for _, base := range bases {
			found, asked := j.renamed(d, base, head, tip, since)
			if len(found) > 0 {
				found, asked = j.mergeDiffers(d, head, since, tip, found)
			}
			paths, err = append(paths, found...), errors.Join(err, asked)
		}
	}
	return paths, err
}

// mergeDiffers asks git, where it can say so, which notable names a merge with head gives
// something else than before.
func (j *judge) mergeDiffers(d gitDir, head, was, tip string, maybe []string) ([]string, error) {
	var trees []string
	for _, side := range []string{was, tip} {
		text, _ := j.git(d, nil, "merge-tree", "--write-tree", side, head) // conflicts are an error, too
		tree, _, _ := strings.Cut(string(text), "\n")
		if !isObject(tree) {
			return maybe, nil // it is older than 2.38
		}
		trees = append(trees, tree)
	}
	text, err := j.git(d, nil, "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", trees[0], trees[1])
	if err != nil {
		return nil, err
	}
	return j.obeyedIn(d, string(text))
}

// others are branches that hold something by a notable name which a commit has not. One
// look is for all.
func (j *judge) others(d gitDir, tip string) (found []string, err error) {
	var pairs strings.Builder
	var names []string
	for _, s := range j.before.state {
		for name, oids := range s.refs() {
			if strings.HasPrefix(name, "refs/heads/") || strings.HasPrefix(name, "refs/remotes/") {
				names = append(names, oids...)
			}
		}
	}
	slices.Sort(names)
	names = slices.DeleteFunc(j.held(d, slices.Compact(names)), func(oid string) bool { return oid == tip })
	for _, oid := range names[:min(len(names), maxBranches)] {
		pairs.WriteString(oid + " " + tip + "\n")
	}
	text, err := j.git(d, []byte(pairs.String()), "diff-tree", "--stdin", "-r", "-z", "--no-renames", "--diff-filter=A", "--name-only")
	at := ""
	for field := range strings.SplitSeq(string(text), "\x00") {
		if slices.Contains(names, field) {
			at = field
		} else if field != "" && at != "" && j.mayTake(d, field) && !slices.Contains(found, at) {
			found = append(found, at)
		}
	}
	return found, err
}

// maxBranches bounds how many a commit is compared with.
const maxBranches = 500

func (j *judge) checkedOut(d gitDir) []string {
	i := slices.Index(j.now.dirs, d)
	heads := append(j.before.state[i].heads(), j.now.state[i].heads()...)
	slices.Sort(heads)
	return j.held(d, slices.Compact(heads))
}

// bases are what git would compare the two with: also the parents of a stash, or of a step
// that is applied by itself.
func (j *judge) bases(d gitDir, name, tip, head string) ([]string, error) {
	args := []string{"rev-parse", tip + "..." + head}
	if name == "refs/stash" || name != "HEAD" && !strings.HasPrefix(name, "refs/") {
		args = append(args, tip+"^@")
	}
	text, err := j.git(d, nil, args...)
	if err != nil {
		commits, _, asked := j.commits(d, []string{tip})
		if asked == nil && len(commits) == 0 {
			return nil, nil // it is a tree, or a file
		}
		return nil, err
	}
	all := strings.Fields(strings.ReplaceAll(string(text), "^", ""))
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(oid string) bool { return oid == head || oid == tip }), nil
}

// renamed are the notable names that one side gives what the other has changed since the
// base under another, and since it was something else, if that is known.
func (j *judge) renamed(d gitDir, base, renames, changes, was string) (paths []string, err error) {
	text, err := j.git(d, nil, "diff-tree", "-r", "-z", "--no-renames", "--diff-filter=A", "--name-only", base, renames)
	if err != nil || !slices.ContainsFunc(strings.Split(string(text), "\x00"), func(to string) bool { return j.mayTake(d, to) }) {
		return nil, err // nearly always
	}
	if text, err = j.git(d, nil, "diff-tree", "-r", "-z", "-M", "-l7000", "--diff-filter=R", "--name-status", base, renames); err != nil {
		return nil, err
	}
	moves := strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
	if text, err = j.git(d, nil, "diff-tree", "-r", "-z", "--no-renames", "--diff-filter=AMT", "--name-only", base, changes); err != nil {
		return nil, err
	}
	news := strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
	if was != "" {
		if text, err = j.git(d, nil, "diff-tree", "-r", "-z", "--no-renames", "--diff-filter=AMT", "--name-only", was, changes); err != nil {
			return nil, err
		}
		since := strings.Split(string(text), "\x00")
		news = slices.DeleteFunc(news, func(name string) bool { return !slices.Contains(since, name) })
	}
	for _, changed := range news {
		for i := 0; i+2 < len(moves); i += 3 {
			for _, to := range goesTo(changed, moves[i+1], moves[i+2]) {
				if to != changed && j.sight.notable(d.top, to, "") {
					paths = append(paths, to)
				}
			}
		}
	}
	return paths, nil
}

// mayTake says that a notable name could come of a rename to this one, or to its
// directory.
func (j *judge) mayTake(d gitDir, to string) bool {
	return j.sight.notable(d.top, to, "") || slices.ContainsFunc(strings.Split(to, "/"), func(part string) bool {
		return slices.ContainsFunc(protect.Names, func(n protect.Name) bool {
			first, _, more := strings.Cut(n.Plain(), "/")
			return more && strings.EqualFold(first, part)
		})
	})
}

// goesTo are the names that git may give a path by a rename: that of the file, or those in
// the directories which the rename is one of.
func goesTo(changed, from, to string) (names []string) {
	if changed == from {
		names = append(names, to)
	}
	for {
		from, to = path.Dir(from), path.Dir(to)
		if rest, below := strings.CutPrefix(changed, from+"/"); below {
			names = append(names, path.Join(to, rest))
		}
		if path.Base(from) != path.Base(to) || from == "." {
			return names
		}
	}
}
