package project

import (
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// makeText is makefile text: --eval, or a makefile on the standard input.
func makeText(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
	rule := false
	for line := range strings.SplitSeq(a.Text, "\n") {
		if !w.Spend(1) {
			return
		}
		for rest := line; ; {
			i := strings.Index(rest, "$(shell ")
			if i < 0 {
				break
			}
			body, end := run.Closing(rest, i+1)
			run.ExShell(w, st, construct, a, strings.TrimPrefix(body, "shell "))
			rest = rest[i+end-i:]
		}
		makeFiles(w, st, a, line)
		target, recipe, inline := strings.Cut(line, ";")
		switch {
		case strings.HasPrefix(line, "\t") && rule:
			run.ExShell(w, st, construct, a, strings.ReplaceAll(strings.TrimLeft(line, "\t@-+"), "$$", "$"))
		case strings.Contains(target, ":") && !strings.Contains(target, ":="):
			rule = true
			if inline {
				run.ExShell(w, st, construct, a, strings.ReplaceAll(strings.TrimLeft(recipe, " @-+"), "$$", "$"))
			}
		}
		if _, cmd, ok := strings.Cut(line, "!="); ok && !strings.HasPrefix(line, "\t") {
			run.ExShell(w, st, construct, a, cmd)
		}
		makeVariable(w, a, strings.TrimSpace(line))
	}
}

// makeFiles are $(file <x) and $(file >x,…) of a makefile.
func makeFiles(w *shell.Walker, st *shell.State, a effect.Arg, line string) {
	for _, does := range []struct {
		sign string
		kind effect.Kind
	}{{"$(file <", effect.Read}, {"$(file >", effect.Write}} {
		for rest := line; w.Spend(1); {
			_, after, ok := strings.Cut(rest, does.sign)
			if !ok {
				break
			}
			name := strings.TrimLeft(after, "> \t")
			w.Path(st, does.kind, a.Tail(name[:min(len(name), max(0, strings.IndexAny(name+")", ",)")))]))
			rest = after
		}
	}
}

// makeAssignment is a variable among make's arguments.
func makeAssignment(w *shell.Walker, _ *shell.State, _ string, a effect.Arg) {
	makeVariable(w, a, a.Text)
	if name, value, ok := strings.Cut(a.Text, "="); ok && name != "SHELL" && name != "PATH" {
		run.Variable(w, &effect.Effect{Name: name, Text: value, Span: a.Span, Source: effect.Source{Index: a.Index}})
	}
}

// makeVariable is SHELL=…: what every recipe is given to.
func makeVariable(w *shell.Walker, a effect.Arg, text string) {
	name, value, ok := strings.Cut(text, "=")
	if name = strings.TrimRight(name, " :?+"); !ok || name != "SHELL" {
		return
	}
	value = strings.TrimSpace(value)
	if _, shell := shell.Dialects()[argv.Base(value)]; !shell || strings.HasPrefix(value, ".") {
		w.EmitAt(a, effect.Effect{Kind: effect.Hook, Name: "make SHELL", Text: "make SHELL=" + value})
	}
}
