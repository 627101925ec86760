package protect

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"
	"sync"
)

// TextKind is a small file that git reads as a program, a number or the way to
// somewhere else. A command that writes one writes a copy; what the copy says is judged,
// and written anew under the real name.
type TextKind int

// The kinds of text.
const (
	TextFree       TextKind = iota
	TextConfig              // settings
	TextPointer             // a .git file: where the git directory is
	TextBack                // gitdir of a linked worktree: where its .git file is
	TextCommon              // commondir of a linked worktree: where the main directory is
	TextSame                // what is to stay as it is
	TextAlternates          // where more objects are
	TextModules             // .gitmodules: where submodules come from
	TextState               // how far an operation is that git has not ended
)

// compiled is done when the first text is judged: no other process of ours pays for it.
func compiled(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

func unless(ok bool, problem string) error {
	if ok {
		return nil
	}
	return errors.New(problem)
}

// JudgeModules says what is wrong with a .gitmodules that a command writes, as git clone
// does. gitmodules(5)
func JudgeModules(before, text string) error {
	all, err := parseConfig(text)
	if err != nil {
		return err
	}
	had, err := parseConfig(before)
	if lost := without(had, all); err != nil || len(lost) > 0 {
		return errors.New("changes what was there")
	}
	for _, s := range all {
		name := s.Section + "." + s.Key
		check := map[string]func(string) bool{
			"submodule.path": isRelative, "submodule.url": isAddress, "submodule.branch": isWord,
			"submodule.update": oneOf("none", "checkout", "rebase", "merge"), "submodule.shallow": isWord,
			"submodule.ignore": isWord, "submodule.fetchrecursesubmodules": isWord, "submodule.active": isWord,
		}[name]
		if check == nil || !isPlain(s.Value) || !isPlain(s.sub) || !isRelative(s.sub) || !check(s.Value) {
			return fmt.Errorf("%s is not a harmless setting", s)
		}
	}
	return nil
}

// isRelative: a submodule's name is a path below .git/modules (CVE-2018-11235).
func isRelative(v string) bool {
	return v != "" && path.Clean(v) == v && !path.IsAbs(v) && v != ".." && !strings.HasPrefix(v, "../") && v[0] != '-'
}
