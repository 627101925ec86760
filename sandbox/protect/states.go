package protect

import (
	"errors"
	"path"
	"slices"
	"strings"
)

// An operation that git has not ended (a rebase, a bisect, mails being applied, conflicts
// that rerere remembers) is files that git goes on from. In the directories of one only
// names of git's are made, and what git reads there as more than a message or the name of
// an object is text with a grammar. A command that left its own options, git am wrote its
// index over any file; its own strategy, git cherry-pick --continue ran a program of the
// work tree; its own MERGE_RR, git commit copied a private key to where the next command
// could read it. sequencer.c, builtin/am.c, rerere.c, bisect.c, git-prompt.sh

// operations are the directories that git keeps one in.
var operations = []string{"rebase-merge", "rebase-apply", "sequencer"}

// stateData are names in them of what is no more than a message, a flag, a patch or the
// names of objects, which package refs looks after.
var stateData = compiled(`^(?:done|git-rebase-todo\.backup|message(?:-squash|-fixup)?|current(?:-fixups|-commit)?|amend|stopped-sha` +
	`|rewritten(?:-list|-pending)?|onto|orig-head|squash-onto|autostash|quiet|verbose|interactive|(?:no-)?reschedule-failed-exec` +
	`|(?:drop|keep)[_-](?:redundant_commits|empty)|cdate_is_adate|ignore_date|signoff|dropped|patch|info|msg|msg-clean|final-commit` +
	`|original-commit|abort-safety|applying|rebasing|keep|messageid|scissors|utf8|threeway|quoted-cr|sign|dirtyindex|no-verify|no_inbody_headers` +
	`|patch-merge-(?:index|base|tmp-\w+)|head|upstream|cmt\.[0-9]+|[0-9]{4,}|tmp_\w+|[\w.-]+\.lock)$`)

// stateTexts are the grammars, by canonical name: those of the directories, and those
// beside HEAD.
var stateTexts = map[string]func(before, after string) error{
	"git-rebase-todo": steps, "todo": steps,
	"msgnum": number, "end": number, "next": number, "last": number,
	"head-name": ref, "onto_name": ref, "switch-to": ref,
	"strategy":                inForm(`[a-z-]*\n?`, "not the name of a strategy"),
	"strategy_opts":           inForm(`[\w=%.,: '"-]*\n?`, "not the options of a strategy"),
	"gpg_sign_opt":            inForm(`(?:-S[\w@.+ <>-]*)?\n?`, "not the name of a key"),
	"allow_rerere_autoupdate": inForm(`(?:--(?:no-)?rerere-autoupdate)?\n?`, "not an option of rerere"),
	"author-script":           inForm(`(?:GIT_AUTHOR_(?:NAME|EMAIL|DATE)='(?:[^'\x00]|'\\['!]')*'\n?)*`, "not the author of a commit"),
	"refs-to-delete":          inForm(`(?:refs/rewritten/[^\x00-\x20]+\n)*`, "not labels of a rebase"),
	"update-refs":             inForm(`(?:refs/heads/[^\x00-\x20]+\n[0-9a-f]+\n[0-9a-f]+\n)*`, "not branches and their commits"),
	"apply-opt":               applyOptions,
	"opts":                    pickOptions,
}

var besideHead = map[string]func(before, after string) error{
	"merge_rr":     conflicts,
	"bisect_start": ref,
	"bisect_terms": inForm(`(?:[\w-]+\n)*`, "not two words"),
	"bisect_names": inForm(`(?: *'(?:[^'\x00\n]|'\\['!]')*')*\n?`, "not a list of paths"),
}

var (
	number = inForm(`[0-9]{0,9}\n?`, "not a number")
	ref    = inForm(`[\w./+@#%,=~^ -]*\n?`, "not the name of a ref")
	// todoLine is what git rebase and git cherry-pick write for one step, but for exec.
	todoLine = compiled(`^(?:#.*|\s*|noop|break|b` +
		`|(?:pick|p|reword|r|edit|e|squash|s|fixup|f|drop|d|revert)(?: -[cC])? [0-9a-f]+(?: .*)?` +
		`|(?:label|l|reset|t|update-ref|u) [^\x00-\x20]+(?: .*)?|(?:merge|m)(?: -[cC] [0-9a-f]+)? [^\x00-\x20]+.*)$`)
	plainApply = compiled(`^-[Cp][0-9]{1,9}$|^--(?:whitespace=[a-z-]+|ignore-space-change|ignore-whitespace|reject)$`)
)

// inForm is the grammar of a whole text.
func inForm(expr, problem string) func(before, after string) error {
	form := compiled(`^(?:` + expr + `)$`)
	return func(_, after string) error { return unless(form().MatchString(after), problem) }
}

// JudgeState says what is wrong with a text of an operation, by its name. before is what
// stood there: steps that the user has planned stay.
func JudgeState(name, before, after string) error {
	grammar := stateTexts[Canonical(name)]
	if grammar == nil {
		grammar = besideHead[Canonical(name)]
	}
	if grammar == nil {
		return errors.New("not a file of an operation")
	}
	return grammar(before, after)
}

func steps(before, after string) error {
	had := map[string]bool{}
	for line := range strings.Lines(before) {
		had[strings.TrimSuffix(line, "\n")] = true
	}
	for line := range strings.Lines(after) {
		if line = strings.TrimSuffix(line, "\n"); !had[line] && !todoLine().MatchString(line) {
			return errors.New("a new step that is not one of git's plain ones: " + line[:min(len(line), 80)])
		}
	}
	return nil
}

// applyOptions are those of git am for git apply, each in quotes: one that says where to
// write is not among them, but for a directory of the work tree.
func applyOptions(_, after string) error {
	for quoted := range strings.FieldsSeq(after) {
		option := strings.TrimSuffix(strings.TrimPrefix(quoted, "'"), "'")
		dir, isDir := strings.CutPrefix(option, "--directory=")
		if "'"+option+"'" != quoted || !plainApply().MatchString(option) && !(isDir && isAnybodys(strings.TrimSuffix(dir, "/"))) {
			return errors.New("an option for git apply that could write elsewhere")
		}
	}
	return nil
}

// pickOptions are settings of git cherry-pick and git revert.
func pickOptions(_, after string) error {
	all, err := parseConfig(after)
	for _, s := range all {
		plain := isWord
		if s.Key == "strategy" {
			plain = func(v string) bool { return strings.Trim(v, "abcdefghijklmnopqrstuvwxyz-") == "" }
		}
		if s.Section != "options" || s.sub != "" || !plain(s.Value) {
			return errors.New(s.String() + " is not a harmless option")
		}
	}
	return err
}

// conflicts are files of the work tree, each with what rerere calls its conflict. git
// commit reads and writes them.
func conflicts(_, after string) error {
	for row := range strings.SplitSeq(strings.TrimSuffix(after, "\x00"), "\x00") {
		id, file, ok := strings.Cut(row, "\t")
		if after != "" && (!ok || strings.Trim(id, "0123456789abcdef.") != "" || !isAnybodys(file)) {
			return errors.New("not conflicts in files of the work tree")
		}
	}
	return nil
}

// isAnybodys: a path below the work tree that leads to nothing that is protected.
func isAnybodys(file string) bool {
	return isRelative(file) && !slices.ContainsFunc(strings.Split(file, "/"), func(part string) bool {
		return strings.ContainsAny(part, "'\"\\\n") || Matches(Canonical(part), DotGit) || SealedName(Canonical(part)) != ""
	}) && path.Clean(file) == file
}

// stateZone is a part of an operation. Where one is kept is not moved there as a whole.
func stateZone(name string, rest []string) Zone {
	text := Zone{Rule: DotGit + "/" + name, Text: TextState, Always: Unlink | RenameFrom}
	switch {
	case len(rest) == 0 && besideHead[name] != nil:
		return text
	case !slices.Contains(operations, name):
		return FreeZone
	case len(rest) == 0:
		return Zone{Rule: DotGit + "/" + name, Always: dataChanges &^ renameDir}
	case len(rest) == 1 && !stateData().MatchString(Canonical(rest[0])): // a text, or no name of git's
		return text
	}
	return gitData(DotGit)
}
