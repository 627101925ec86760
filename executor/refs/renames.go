package refs

import (
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
				found, err := j.renamed(d, base, sides[0], sides[1])
				if err != nil {
					return nil, err
				}
				paths = append(paths, found...)
			}
		}
	}
	return paths, nil
}

func (j *judge) checkedOut(d gitDir) []string {
	i := slices.Index(j.now.dirs, d)
	heads := append(j.before.state[i].heads(), j.now.state[i].heads()...)
	slices.Sort(heads)
	return slices.Compact(heads)
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
// base under another.
func (j *judge) renamed(d gitDir, base, renames, changes string) (paths []string, err error) {
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
	for changed := range strings.SplitSeq(strings.TrimSuffix(string(text), "\x00"), "\x00") {
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
