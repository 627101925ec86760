package protect

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Edit is a change of a repository's settings.
type Edit struct {
	// Back says that a core.worktree leads from a submodule to its files.
	Back func(way string) bool
	// Mine says that a section, such as remote.origin, was added by the same command.
	Mine func(section string) bool
	// Gone says that a branch is not there any more: git then removes its settings.
	Gone func(branch string) bool
	// Inside says that a path of the machine leads into the workspace.
	Inside func(path string) bool
	// Young says that the same command has made the repository.
	Young bool
}

// Harmless lets git change settings that name no program: a new remote, a branch's
// upstream. Unchanged lines may be anything, they are the user's; the lines around the
// change are read strictly, from a section header to the next, so that none of them comes
// to mean something else. It returns the sections that are new.
func (e Edit) Harmless(before, after string) (added []string, err error) {
	if len(before) > MaxConfig || len(after) > MaxConfig {
		return nil, errOddConfig
	}
	a, b := slices.Collect(strings.Lines(before)), slices.Collect(strings.Lines(after))
	front := 0
	for front < min(len(a), len(b)) && a[front] == b[front] {
		front++
	}
	back := 0
	for back < min(len(a), len(b))-front && a[len(a)-1-back] == b[len(b)-1-back] {
		back++
	}
	if front == len(a) && front == len(b) {
		return nil, nil
	}
	for front > 0 && (!atHeader(a, front) || !atHeader(b, front)) {
		front--
	}
	for back > 0 && !isHeader(a[len(a)-back]) {
		back--
	}
	if front > 0 && strings.HasSuffix(strings.TrimRight(a[front-1], "\n"), `\`) {
		return nil, errors.New("the line before the change goes on")
	}
	was, err := parseConfig(strings.Join(a[front:len(a)-back], ""))
	if err != nil {
		return nil, err
	}
	is, err := parseConfig(strings.Join(b[front:len(b)-back], ""))
	if err != nil {
		return nil, err
	}
	for _, s := range without(was, is) {
		if s.Section == "branch" && e.Gone(s.sub) || s.Section == "submodule" && isHarmless(s) { // git submodule deinit
			continue
		}
		if err := e.judge(s, before); err != nil {
			return nil, err
		}
	}
	for _, s := range without(is, was) {
		if err := e.judge(s, before); err != nil {
			return nil, err
		}
		added = append(added, s.Section+"."+s.sub)
	}
	return added, nil
}

func (e Edit) judge(s setting, before string) error {
	switch {
	case isWayBack(s) && e.Back(s.Value):
		return nil
	case !isHarmless(s):
		return fmt.Errorf("%s is not a harmless setting", s)
	case isSettled(s, before) && !e.Mine(s.Section+"."+s.sub):
		return fmt.Errorf("%s says where the user's work goes or comes from", s)
	case !e.Young && isOfBirth(s):
		return fmt.Errorf("%s is decided when a repository is made", s)
	case s.Section == "branch" && strings.HasSuffix(s.Key, "remote") && isPath(s.Value), !e.Young && isPath(s.Value) && isURL(s) && !e.Inside(s.Value):
		return fmt.Errorf("%s is a path: git would bring in what is there", s)
	}
	return nil
}

// isOfBirth: with another form of its objects git reads a repository no more; with a
// remote that promises objects git status fetches, from there, what is missing.
func isOfBirth(s setting) bool {
	switch s.Section + "." + s.Key {
	case "extensions.objectformat", "extensions.refstorage", "extensions.partialclone", "remote.promisor", "remote.partialclonefilter":
		return true
	}
	return false
}

// isURL says that a setting is where a remote is. A new one with ../other would make the
// user's git fetch copy that repository to where commands read; with a path for a branch,
// git pull would merge what a command has made there.
func isURL(s setting) bool {
	return s.Section == "remote" && (s.Key == "url" || s.Key == "pushurl") || s.Section == "submodule" && s.Key == "url"
}

func isPath(v string) bool {
	host, _, colon := strings.Cut(v, ":")
	return strings.HasPrefix(strings.ToLower(v), "file:") || strings.ContainsAny(v[:min(len(v), 1)], "./~") ||
		strings.Contains(v, "/") && (!colon || strings.Contains(host, "/"))
}

func isWayBack(s setting) bool { return s.Section == "core" && s.sub == "" && s.Key == "worktree" }

// isSettled says that a setting belongs to a remote or a branch that was there: git push
// would send the user's work elsewhere, git pull bring another's. Neither does the form of
// a repository change once it has one.
func isSettled(s setting, before string) bool {
	switch s.Section + "." + s.Key {
	case "core.bare", "core.repositoryformatversion", "extensions.objectformat", "extensions.refstorage":
		return strings.Contains(strings.ToLower(before), s.Key)
	case "remote.url", "remote.pushurl", "remote.fetch", "remote.push", "remote.mirror",
		"branch.remote", "branch.merge", "branch.pushremote", "submodule.url":
		return hasSection(before, s.Section, s.sub)
	}
	return false
}

// hasSection is loose: a line that git may read as the header of the section is one.
func hasSection(text, section, sub string) bool {
	for line := range strings.Lines(strings.ToLower(strings.ReplaceAll(text, `\`, ""))) {
		_, rest, found := strings.Cut(line, section)
		if found && (strings.Contains(rest, strings.ToLower(`"`+sub+`"`)) || strings.Contains(rest, strings.ToLower("."+sub))) {
			return true
		}
	}
	return false
}

func atHeader(lines []string, i int) bool { return i == len(lines) || isHeader(lines[i]) }

func isHeader(line string) bool { return headerLine().MatchString(strings.Trim(line, " \t\n")) }
