package seatbelt

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"github.com/pillion-sidecar/pillion/sandbox/protect"
)

// Protected paths on macOS, by regular expressions: a profile has no other way to name
// something at any depth. The kernel asks about the path that something has now, so a
// directory that was renamed hides nothing, and it asks about both ends of a rename. A
// command that can't be distinguished from a harmful one is denied: a repository that a
// command makes could bring a hook along, and nothing here could look through it (the
// broker does, on Linux), so .git is not made, worktrees are not added and submodules stay
// as they are.

// protect denies what is protected in the writable roots.
func (s Profile) protect(w *sbWriter) {
	if s.Policy.Mode != policy.WorkspaceWrite {
		return
	}
	for i, root := range s.Policy.Writable {
		below := w.below("WRITE", i, root)
		start := anyDepth(root)
		w.rule("deny", "file-write*", protectedBelow(below, start, gitPatterns()))
		w.rule("allow", "file-write*", protectedBelow(below, start, []string{looseName(protect.DotGit) + "/" + looseName("info") + `/[rR][eE][fF][sS][^/]*$`}))
		w.rule("deny", "file-write*", protectedBelow(below, start, sealedPatterns()))
	}
}

// protectedBelow is a filter for patterns at any depth of a root.
func protectedBelow(root, start string, patterns []string) string {
	var b strings.Builder
	b.WriteString("(require-all\n    " + root + "\n    (require-any")
	for _, p := range patterns {
		b.WriteString("\n      (regex #\"" + start + p + "\")")
	}
	b.WriteString("))")
	return b.String()
}

// anyDepth matches a root and any directories below it, up to a slash. Of the root
// only its number of parts is known, so that its own name counts for nothing: a
// workspace may lie in .claude/worktrees.
func anyDepth(root string) string {
	depth := 0
	if root != "/" {
		depth = strings.Count(root, "/")
	}
	return "^" + strings.Repeat("/[^/]+", depth) + "(/[^/]+)*/"
}

const andBelow = "(/|$)"

// gitPatterns are what git executes or follows, see protect_git.go. The parts of a
// worktree's directory that hold its state may change, so that it can be worked in.
func gitPatterns() []string {
	git := looseName(protect.DotGit)
	settings := "(" + strings.Join(looseNames(slices.Concat([]string{"hooks"}, protect.GitSettings, protect.GitLocks)), "|") + ")"
	worktrees := git + "/" + looseName("worktrees")
	return []string{
		git + "$",
		git + "/" + settings + andBelow,
		worktrees + "(/[^/]+)?$",
		worktrees + "/[^/]+/(" + settings + "|" + looseName("gitdir") + ")" + andBelow,
		git + "/" + looseName("modules") + andBelow,
	}
}

func sealedPatterns() []string {
	var all []string
	for _, row := range protect.Names {
		var parts []string
		for part := range strings.SplitSeq(row.Plain(), "/") {
			parts = append(parts, loosePart(part))
		}
		all = append(all, strings.Join(parts, "/")+andBelow)
	}
	return all
}

// loosePart is a name of the table, of which a * stands for anything.
func loosePart(name string) string {
	begin, end, any := strings.Cut(name, "*")
	if !any {
		return looseName(name)
	}
	front := ""
	if begin != "" {
		front = loose{name: begin}.rest(0)
	}
	return front + "[^/]*" + loose{end, looseEnd, looseOver}.after(0)
}

func looseNames(names []string) []string {
	var all []string
	for _, n := range names {
		all = append(all, looseName(n))
	}
	return all
}

// looseName matches a name in every spelling that some file system takes for it, as
// matches does.
func looseName(name string) string {
	stem, _, _ := strings.Cut(strings.TrimLeft(name, "."), ".")
	short := loose{stem[:min(len(stem), 6)], odd + "*~(" + odd + "*[0-9])+" + odd + `*([. :][^/]*)?`, "~(" + odd + "*[0-9])+" + odd + `*([. :][^/]*)?`}
	return "(" + loose{name, looseEnd, looseOver}.rest(0) + "|" + short.rest(0) + ")"
}

// odd is whatever is not printable ASCII. HFS+ drops some of it from names, and APFS folds
// some of it into letters: the long s is an s, the Kelvin sign a k and one ligature the fi
// of config (CVE-2014-9390 was the first of these). So it may be between any two letters,
// and in place of those.
const odd = "[^ -~]"

// The end of a name, after a letter and after what is odd. NTFS drops dots and blanks
// there, and what follows a colon names a stream of the same file. A name that canonical
// takes for one that is about to be replaced is one here, too.
const (
	looseEnd  = "([. ]|" + odd + ")*" + looseColon
	looseOver = "([. ]([. ]|" + odd + ")*)?" + looseColon

	looseColon = `(:[^/]*|\.[pP][iI][lL][lL][iI][oO][nN])?`
)

// loose is a name and its two ends. No odd character can be matched in two ways: who
// names a file chooses them, and an expression that tries all of those ways would be
// tried by the kernel.
type loose struct{ name, end, over string }

// rest is the name from i on, where odd ones may come first.
func (l loose) rest(i int) string {
	if i == len(l.name) {
		return l.end
	}
	letter, folds, next := l.letter(i)
	plain := odd + "*" + letter + l.rest(next)
	if !folds {
		return plain
	}
	return "(" + plain + "|" + odd + "+" + l.after(next) + ")"
}

// after is the same where all the odd ones have been; they stand for letters that fold,
// too.
func (l loose) after(i int) string {
	if i == len(l.name) {
		return l.over
	}
	letter, folds, next := l.letter(i)
	plain := letter + l.rest(next)
	if !folds {
		return plain
	}
	return "(" + plain + "|" + l.after(next) + ")"
}

// letter matches the one at i; next is after it. Of fi the whole may be one.
func (l loose) letter(i int) (pattern string, folds bool, next int) {
	if strings.HasPrefix(l.name[i:], "fi") {
		return "[fF]" + odd + "*[iI]", true, i + 2
	}
	c := rune(l.name[i])
	return bothCases(c), c == 's' || c == 'k', i + 1
}

func bothCases(c rune) string {
	if 'a' <= c && c <= 'z' {
		return "[" + string(c) + strings.ToUpper(string(c)) + "]"
	}
	if c == '.' {
		return `\.`
	}
	return string(c)
}
