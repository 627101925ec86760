// Package git knows git: its options, settings and hooks that run programs, and what
// of its work is lost; of other version controls only the last.
package git

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// Family is git, and what other version controls lose.
func Family() run.Family {
	return run.Family{
		Does:   map[string]shell.Handler{"git hub": git},
		Kinds:  gitKinds,
		Ruled:  settingsText,
		Before: []run.Look{ownHome},
		Means: []run.Meaning{
			{Word: "git/repoint", When: repoints},
			{Word: "git/discard", When: overwrites},
			{Word: "git/force-push", When: pushes('+')},
			{Word: "git/delete-remote", When: pushes(':')},
		},
	}
}

// repoints reports a push to where this command has pointed the repository just now.
func repoints(w *shell.Walker, e *effect.Effect) bool {
	g, ok := gitOf(e)
	if !ok {
		return false
	}
	if key := strings.ToLower(g.operand(0)); g.name == "config" && len(g.operands) > 1 &&
		strings.HasPrefix(key, "url.") && strings.HasSuffix(key, "insteadof") {
		return place.HostOf(strings.TrimPrefix(key, "url.")) != place.HostOf(g.operand(1)) && place.HostOf(g.operand(1)) != ""
	}
	if g.name != "push" || g.has("-n", "--dry-run") {
		return false
	}
	return slices.ContainsFunc(w.Effects, func(before effect.Effect) bool {
		b, ok := gitOf(&before)
		return ok && (b.name == "remote" && (b.operand(0) == "set-url" || b.operand(0) == "add") || b.name == "config" &&
			len(b.operands) > 1 && strings.HasPrefix(b.operand(0), "remote."))
	})
}

// overwrites is a checkout of many files. Before "--" a word without a dot is a
// branch; after it, everything is a path.
func overwrites(_ *shell.Walker, e *effect.Effect) bool {
	g, ok := gitOf(e)
	if !ok || g.name != "checkout" || g.has("-b", "-B", "--orphan", "-p", "--patch", "--theirs", "--ours", "-t",
		"--track") {
		return false
	}
	if dashes := slices.IndexFunc(e.Args, func(a effect.Arg) bool { return a.Text == "--" }); dashes >= 0 {
		return argv.AnyText(e.Args[dashes+1:], program.Broad)
	}
	return argv.AnyText(g.operands, func(s string) bool {
		whole := slices.Contains([]string{".", "./", ":/", "*"}, s)
		return whole || strings.HasPrefix(s, "*.") || len(g.operands) > 1 && strings.HasSuffix(s, "/")
	})
}

// pushes are what the refspecs of a push say: "+" forces, and nothing before ":"
// deletes.
func pushes(sign byte) func(*shell.Walker, *effect.Effect) bool {
	return func(_ *shell.Walker, e *effect.Effect) bool {
		g, ok := gitOf(e)
		return ok && g.name == "push" && !g.has("-n", "--dry-run") &&
			argv.AnyText(g.operands, func(s string) bool { return len(s) > 1 && s[0] == sign })
	}
}
