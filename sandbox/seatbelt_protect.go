package sandbox

import "strings"

// Protected paths on macOS, by regular expressions: a profile has no other way to
// name something at any depth. The kernel asks about the path that something has
// now, so a directory that was renamed hides nothing, and it asks about both ends of
// a rename. What can't be told apart is denied: a repository that a command makes
// could bring a hook along, and nothing here could vet it (young_vet_linux.go does),
// so .git is not made, worktrees are not added and submodules stay as they are.

// protect denies what is protected in the writable roots.
func (s seatbelt) protect(w *sbWriter) {
	if s.policy.Mode != WorkspaceWrite {
		return
	}
	for i, root := range s.policy.Writable {
		below := w.below("WRITE", i, root)
		start := anyDepth(root)
		w.rule("deny", "file-write*", protectedBelow(below, start, gitPatterns()))
		w.rule("allow", "file-write*", protectedBelow(below, start, []string{looseName(dotGit) + "/" + looseName("info") + `/[rR][eE][fF][sS][^/]*$`}))
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
	git := looseName(dotGit)
	settings := "(" + strings.Join(looseNames(append([]string{"hooks"}, gitSettings...)), "|") + ")"
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
	for _, name := range sealedNames {
		all = append(all, looseName(name)+andBelow)
	}
	return append(all, "[^/]*"+looseText(workspaceFile)+looseEnd+andBelow)
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
	short := looseText(stem[:min(len(stem), 6)]) + odd + "*~(" + odd + `*[0-9])+` + odd + `*(\.[^/]*)?`
	return "((" + looseText(name) + "|" + short + ")" + looseEnd + ")"
}

// odd is whatever is not printable ASCII. HFS+ drops some of it from names, and APFS
// folds some of it into letters: the long s is an s, the Kelvin sign a k and one
// ligature the fi of config (CVE-2014-9390 was the first of these). So it may stand
// between any two letters, and in place of those.
const odd = "[^ -~]"

// looseEnd: NTFS drops dots and blanks at the end, and what follows a colon names a
// stream of the same file.
const looseEnd = odd + `*[. ]*(:[^/]*)?`

func looseText(name string) string {
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		b.WriteString(odd + "*")
		c := rune(name[i])
		switch {
		case strings.HasPrefix(name[i:], "fi"):
			b.WriteString("([fF]" + odd + "*[iI]|" + odd + "+)")
			i++
		case c == 's' || c == 'k':
			b.WriteString("(" + bothCases(c) + "|" + odd + "+)")
		default:
			b.WriteString(bothCases(c))
		}
	}
	return b.String()
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
