package sandbox

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"
	"sync"
)

// textKind is a small file that git reads as a program, a number or the way to
// somewhere else. A command that writes one writes a copy; what the copy says is judged,
// and written anew under the real name.
type textKind int

const (
	textFree       textKind = iota
	textConfig              // settings
	textPointer             // a .git file: where the git directory is
	textBack                // gitdir of a linked worktree: where its .git file is
	textCommon              // commondir of a linked worktree: where the main directory is
	textSame                // what is to stay as it is
	textAlternates          // where more objects are
	textModules             // .gitmodules: where submodules come from
	textTodo                // what a rebase does next
	textNumber              // how far it is
	textRef                 // what it is done to
	textWord                // how
)

// stateTexts are the files of an interrupted operation that git, or a prompt, reads as
// more than text. An exec in git-rebase-todo is a command of the user's next rebase
// --continue; git's own prompt puts msgnum and end into PS1 as they are; a strategy is
// the name of a program. sequencer.c, git-prompt.sh
var stateTexts = map[string]textKind{
	"git-rebase-todo": textTodo, "todo": textTodo,
	"msgnum": textNumber, "end": textNumber, "next": textNumber, "last": textNumber,
	"head-name": textRef, "onto_name": textRef, "switch-to": textRef,
	"strategy": textWord,
}

var (
	numberText = compiled(`^[0-9]{0,9}\n?$`)
	refText    = compiled(`^[\w./+@#%,=~^ -]*\n?$`)
	wordText   = compiled(`^[a-z-]*\n?$`)
	// todoLine is what git rebase and git cherry-pick write for one step, but for exec.
	todoLine = compiled(`^(?:#.*|\s*|noop|break|b` +
		`|(?:pick|p|reword|r|edit|e|squash|s|fixup|f|drop|d|revert)(?: -[cC])? [0-9a-f]+(?: .*)?` +
		`|(?:label|l|reset|t|update-ref|u) [^\x00-\x20]+(?: .*)?|(?:merge|m)(?: -[cC] [0-9a-f]+)? [^\x00-\x20]+.*)$`)
)

// compiled is done when the first text is judged: no other process of ours pays for it.
func compiled(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// judgeState says what is wrong with a text of an operation. before is what stood there:
// steps that the user has planned stay.
func judgeState(kind textKind, before, after string) error {
	switch kind {
	case textNumber:
		return unless(numberText().MatchString(after), "not a number")
	case textRef:
		return unless(refText().MatchString(after), "not the name of a ref")
	case textWord:
		return unless(wordText().MatchString(after), "not the name of a strategy")
	}
	had := map[string]bool{}
	for line := range strings.Lines(before) {
		had[strings.TrimSuffix(line, "\n")] = true
	}
	for line := range strings.Lines(after) {
		if line = strings.TrimSuffix(line, "\n"); !had[line] && !todoLine().MatchString(line) {
			return errors.New("a new step that is none of git's plain ones: " + line[:min(len(line), 80)])
		}
	}
	return nil
}

func unless(ok bool, problem string) error {
	if ok {
		return nil
	}
	return errors.New(problem)
}

// judgeModules says what is wrong with a .gitmodules that a command writes, as git clone
// does. gitmodules(5)
func judgeModules(before, text string) error {
	all, err := parseConfig(text)
	if err != nil {
		return err
	}
	had, err := parseConfig(before)
	if lost := without(had, all); err != nil || len(lost) > 0 {
		return errors.New("changes what was there")
	}
	for _, s := range all {
		name := s.section + "." + s.key
		check := map[string]func(string) bool{
			"submodule.path": isRelative, "submodule.url": isAddress, "submodule.branch": isWord,
			"submodule.update": oneOf("none", "checkout", "rebase", "merge"), "submodule.shallow": isWord,
			"submodule.ignore": isWord, "submodule.fetchrecursesubmodules": isWord, "submodule.active": isWord,
		}[name]
		if check == nil || !isPlain(s.value) || !isPlain(s.sub) || !isRelative(s.sub) || !check(s.value) {
			return fmt.Errorf("%s is not a harmless setting", s)
		}
	}
	return nil
}

// isRelative: a submodule's name is a path below .git/modules (CVE-2018-11235).
func isRelative(v string) bool {
	return v != "" && path.Clean(v) == v && !path.IsAbs(v) && v != ".." && !strings.HasPrefix(v, "../") && v[0] != '-'
}
