package protect

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
)

// Some of git's settings name programs: core.fsmonitor runs on every git status. So
// the settings that a command writes are read with one rule: whatever is not known to
// be harmless is not.

// setting is one line of a git configuration file.
type setting struct{ Section, sub, Key, Value string }

func (s setting) String() string {
	if s.sub == "" {
		return s.Section + "." + s.Key
	}
	return s.Section + "." + s.sub + "." + s.Key
}

// The two forms of a line.
var (
	headerLine  = compiled(`^\[([A-Za-z0-9-]+)(?: "([^"\\]*)")?\]$`)
	settingLine = compiled(`^([A-Za-z][A-Za-z0-9-]*)(?:[ \t]*=[ \t]*(.*))?$`)
)

// MaxConfig is far above what git writes for a new repository.
const MaxConfig = 1 << 16

var errOddConfig = errors.New("not in the form that git writes")

// parseConfig takes the form that git writes and no other: what two readers could
// read differently is refused.
func parseConfig(text string) ([]setting, error) {
	if len(text) > MaxConfig || strings.ContainsAny(text, "\x00\r") {
		return nil, errOddConfig
	}
	var all []setting
	var in setting
	for line := range strings.Lines(text) {
		line = strings.Trim(line, " \t\n")
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		if m := headerLine().FindStringSubmatch(line); m != nil {
			in = setting{Section: strings.ToLower(m[1]), sub: m[2]}
			continue
		}
		m := settingLine().FindStringSubmatch(line)
		if m == nil || in.Section == "" {
			return nil, errOddConfig
		}
		value, err := configValue(m[2])
		if err != nil {
			return nil, err
		}
		all = append(all, setting{in.Section, in.sub, strings.ToLower(m[1]), value})
	}
	return all, nil
}

// configValue: no escapes, no comment after it, quotes only around the whole.
func configValue(text string) (string, error) {
	if len(text) >= 2 && text[0] == '"' && text[len(text)-1] == '"' {
		text = text[1 : len(text)-1]
	} else if strings.ContainsAny(text, "#;") {
		return "", errOddConfig
	}
	if strings.ContainsAny(text, "\"\\") {
		return "", errOddConfig
	}
	return text, nil
}

// isHarmless reports whether a setting can neither run nor read anything.
// core.worktree is not here: it depends on where the file is.
func isHarmless(s setting) bool {
	name := s.Section + "." + s.Key
	if s.sub != "" {
		name = s.Section + ".*." + s.Key
	}
	if s.Section == "filter" && s.sub != "lfs" {
		return false
	}
	check := harmlessValue(name)
	return check != nil && isPlain(s.Value) && isPlain(s.sub) && check(s.Value)
}

// isPlain excludes what a shell would run if it read the value from a file: git writes
// user.name into every log, and a link once led from there to .bashrc.
func isPlain(v string) bool {
	return !strings.ContainsFunc(v, unicode.IsControl) && !strings.Contains(v, "$(") && !strings.Contains(v, "${") &&
		!strings.ContainsAny(v, "`")
}

// harmlessValue says which values of a setting are harmless; nil: none.
func harmlessValue(name string) func(string) bool {
	switch name {
	case "core.repositoryformatversion":
		return oneOf("0", "1")
	case "extensions.objectformat":
		return oneOf("sha1", "sha256")
	case "extensions.refstorage":
		return oneOf("files", "reftable")
	case "push.default":
		return oneOf("nothing", "current", "upstream", "tracking", "simple") // matching pushes every branch
	case "branch.*.rebase", "pull.rebase":
		return oneOf("true", "false", "merges", "interactive", "preserve")
	case "pull.ff", "merge.ff":
		return oneOf("true", "false", "only")
	case "core.autocrlf":
		return oneOf("true", "false", "input")
	case "core.eol":
		return oneOf("lf", "crlf", "native")
	case "core.filemode", "core.bare", "core.ignorecase", "core.precomposeunicode", "core.symlinks", "core.longpaths",
		"extensions.worktreeconfig", "extensions.relativeworktrees", "push.autosetupremote",
		"core.sparsecheckout", "core.sparsecheckoutcone", "index.sparse", "remote.*.mirror", "remote.*.prune",
		"remote.*.promisor", "submodule.*.active", "lfs.repositoryformatversion", "branch.*.gh-merge-base":
		return isWord
	case "core.logallrefupdates", "remote.*.partialclonefilter", "extensions.partialclone",
		"remote.*.gh-resolved", "branch.*.vscode-merge-base":
		return isWord
	case "remote.*.fetch", "remote.*.push", "branch.*.merge":
		return isRefspec
	case "remote.*.url", "remote.*.pushurl", "submodule.*.url",
		"branch.*.remote", "branch.*.pushremote": // a remote's name, or itself an address
		return isAddress
	case "remote.*.tagopt":
		return oneOf("--tags", "--no-tags")
	case "submodule.*.update": // "!command" runs
		return oneOf("none", "checkout", "rebase", "merge")
	case "filter.*.clean": // what git lfs install --local writes, and nothing else
		return oneOf("git-lfs clean -- %f")
	case "filter.*.smudge":
		return oneOf("git-lfs smudge -- %f")
	case "filter.*.process":
		return oneOf("git-lfs filter-process")
	case "filter.*.required":
		return oneOf("true")
	case "user.name", "user.email", "init.defaultbranch", "branch.*.description", "submodule.active":
		return func(string) bool { return true }
	}
	return nil
}

func oneOf(values ...string) func(string) bool {
	return func(v string) bool { return slices.Contains(values, strings.ToLower(v)) || slices.Contains(values, v) }
}

// isWord: true, 1, sha256, input, --no-tags, blob:none.
func isWord(v string) bool {
	return strings.Trim(strings.ToLower(v), "abcdefghijklmnopqrstuvwxyz0123456789-:=/._") == ""
}

func isRefspec(v string) bool {
	return strings.HasPrefix(strings.TrimLeft(v, "+^"), "refs/") && !strings.ContainsAny(v, " ")
}

// isAddress excludes a transport helper (ext::sh -c …), options, and hosts that
// ssh would take for one (CVE-2017-1000117).
func isAddress(v string) bool {
	return !strings.HasPrefix(v, "-") && !strings.Contains(v, "::") && !strings.Contains(v, "://-") && !strings.Contains(v, "@-")
}

// VetConfig says what is wrong with the settings of a repository that is being made. inside tells
// whether a path, relative to the git directory, stays in the workspace.
func VetConfig(text string, inside func(string) bool) error {
	all, err := parseConfig(text)
	if err != nil {
		return err
	}
	for _, s := range all {
		if s.Section == "core" && s.sub == "" && s.Key == "worktree" && inside(s.Value) {
			continue // a submodule's way back to its files
		}
		if !isHarmless(s) {
			return fmt.Errorf("%s is not a harmless setting", s)
		}
	}
	return nil
}

// without lists the settings of a that b does not have, in any order and as often as
// they occur.
func without(a, b []setting) []setting {
	rest := slices.Clone(b)
	var diff []setting
	for _, s := range a {
		if i := slices.Index(rest, s); i >= 0 {
			rest = slices.Delete(rest, i, i+1)
			continue
		}
		diff = append(diff, s)
	}
	return diff
}

// PointerTarget is the git directory a .git file names, made absolute below dir.
func PointerTarget(text, dir string) (string, error) {
	target, ok := strings.CutPrefix(text, "gitdir: ")
	target = strings.TrimSuffix(target, "\n")
	if !ok || target == "" || strings.ContainsAny(target, "\n\r\x00") {
		return "", errors.New("not a pointer to a git directory")
	}
	if !strings.HasPrefix(target, "/") {
		target = dir + "/" + target
	}
	return path.Clean(target), nil
}

// StaysThere says that a .git file leads to the same directory whatever is done to
// the names on the way: behind a link ".." is another directory, and a file that is
// moved takes along what it is relative to, unless all of it from .git on is named.
func StaysThere(text string) bool {
	target := strings.TrimSuffix(strings.TrimPrefix(text, "gitdir: "), "\n")
	if path.IsAbs(target) {
		return path.Clean(target) == target
	}
	for strings.HasPrefix(target, "../") {
		target = target[len("../"):]
	}
	return path.Clean(target) == target && !path.IsAbs(target) && IsLinkedGitDir(target)
}

// IsLinkedGitDir reports whether a path below a root is where git keeps the
// directories of worktrees and submodules.
func IsLinkedGitDir(rel string) bool {
	parts := strings.Split(rel, "/")
	i := slices.Index(parts, DotGit)
	if i < 0 || len(parts) < i+3 {
		return false
	}
	return parts[i+1] == "modules" || parts[i+1] == "worktrees" && len(parts) == i+3
}
