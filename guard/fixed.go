package guard

import (
	"slices"
	"strings"

	"github.com/sourcegraph/conc/panics"
)

// Fixed reports that what a command does stands in its text, so that the same
// text is the same command the next time. Expansions and globs mean something
// else in another moment; interpreters, build tools and scripts do what their
// files say; a wrapper runs what follows it in another way. What can't be told
// is not fixed.
func Fixed(in Input, p Policy, f Facts, home string) bool {
	if len(in.Commands) > 0 {
		return !slices.ContainsFunc(in.each(), func(one Input) bool { return !Fixed(one, p, f, home) })
	}
	if d := dialect(in); d == "powershell" || d == "cmd" || len(in.Env) > 0 {
		return false
	}
	text := ""
	for i, lang := range passes(in) {
		w := newWalker(in, p, f, home, lang)
		if panics.Try(w.judgeAll) != nil || w.stopped || w.inner || len(w.opaque) > 0 || !w.plain() {
			return false
		}
		if len(in.Argv) > 0 {
			continue
		}
		if w.file == nil {
			return false
		}
		t, ok := canonicalText(w.file, len(in.Command))
		if !ok || i > 0 && t != text {
			return false
		}
		text = t
	}
	return true
}

// plain reports that every effect is one of a program that was named in plain
// sight and does what its arguments say.
func (w *walker) plain() bool {
	programs := 0
	for i := range w.effects {
		e := &w.effects[i]
		if e.kind == kindProblem || e.unknown || len(e.via) > 0 {
			return false
		}
		if e.kind != kindExec {
			continue
		}
		programs++
		if strings.Contains(e.text, "/") || startsOthers.has(e.name) || codeIsRead(e.name) || e.unseen() {
			return false
		}
	}
	return programs > 0
}
