package shell

import (
	"maps"
	"slices"

	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
)

// bombs finds functions that start themselves more than once or in the
// background, also by way of each other: the shape of a fork bomb, whatever the
// names.
func (w *Walker) bombs(file *syntax.File) {
	calls := map[string][]fork{}
	decls := map[string]*syntax.FuncDecl{}
	for f := range nodes[*syntax.FuncDecl](file) {
		if f.Name != nil && f.Body != nil {
			decls[f.Name.Value] = f
			calls[f.Name.Value] = forks(f.Body)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(decls)) {
		if multiplies(calls, name) {
			w.Emit(effect.Effect{Kind: effect.Bomb, Name: name, Text: name, Span: w.At.span(decls[name])})
		}
	}
}

// fork is a call, and whether it happens in a process of its own.
type fork struct {
	name string
	own  bool
}

// forks lists the calls of a function's body.
func forks(body *syntax.Stmt) []fork {
	var out []fork
	own := 0
	var stack []bool
	syntax.Walk(body, func(n syntax.Node) bool {
		if n == nil {
			if stack[len(stack)-1] {
				own--
			}
			stack = stack[:len(stack)-1]
			return true
		}
		alone := false
		switch n := n.(type) {
		case *syntax.Stmt:
			alone = n.Background || n.Coprocess
		case *syntax.BinaryCmd:
			alone = pipes(n)
		case *syntax.CallExpr:
			if len(n.Args) > 0 {
				out = append(out, fork{n.Args[0].Lit(), own > 0})
			}
		}
		if alone {
			own++
		}
		stack = append(stack, alone)
		return true
	})
	return out
}

// multiplies reports whether a function reaches itself over a fork.
func multiplies(calls map[string][]fork, start string) bool {
	seen := map[fork]bool{}
	todo := []fork{{start, false}}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, f := range calls[at.name] {
			next := fork{f.name, at.own || f.own}
			if f.name == start && next.own {
				return true
			}
			if _, declared := calls[f.name]; declared && !seen[next] {
				seen[next] = true
				todo = append(todo, next)
			}
		}
	}
	return false
}

// endless reports a loop without end that only starts background jobs: nothing
// in it ever waits.
func (w *Walker) endless(loop syntax.Node, do []*syntax.Stmt) {
	if detached(do) {
		w.Emit(effect.Effect{Kind: effect.Bomb, Name: "loop", Text: "an endless loop", Span: w.At.span(loop)})
	}
}

// watches reports a loop that looks at what is copied, again and again.
func (w *Walker) watches(before int) {
	body := w.Effects[min(before, len(w.Effects)):]
	if i := slices.IndexFunc(body, func(e effect.Effect) bool {
		return e.Runs("pbpaste", "wl-paste") || e.Runs("xclip", "xsel") && argv.Given(e.Args, "-o", "-out", "--output")
	}); i >= 0 {
		w.Emit(effect.Effect{Kind: effect.Marked, Name: "secret/keys", Text: body[i].Text, Span: body[i].Span})
	}
}

// detached reports statements that all go on in the background, also from a
// subshell of their own: ( sleep 9 & ).
func detached(stmts []*syntax.Stmt) bool {
	return len(stmts) > 0 && all(stmts, func(s *syntax.Stmt) bool {
		switch c := s.Cmd.(type) {
		case *syntax.Subshell:
			return s.Background || detached(c.Stmts)
		case *syntax.Block:
			return s.Background || detached(c.Stmts)
		}
		return s.Background
	})
}

// constantly reports a condition that always answers yes.
func constantly(s *syntax.Stmt, yes bool) bool {
	call := callOf(s)
	if call == nil || s.Negated {
		return false
	}
	switch call.Args[0].Lit() {
	case "true", ":":
		return yes
	case "false":
		return !yes
	case "[", "test":
		return yes && len(call.Args) > 1 && call.Args[1].Lit() == "1"
	}
	return false
}

// floods finds programs that print without end into a file: yes > f, and
// cat /dev/zero > f.
func (w *Walker) floods(file *syntax.File) {
	for s := range nodes[*syntax.Stmt](file) {
		if call := callOf(s); call != nil && intoFile(s.Redirs) && printsWithoutEnd(call) {
			w.Emit(effect.Effect{Kind: effect.Bomb, Name: effect.EndlessWrite, Text: call.Args[0].Lit(), Span: w.At.span(s)})
		}
	}
}

func printsWithoutEnd(call *syntax.CallExpr) bool {
	name := call.Args[0].Lit()
	return name == "yes" || name == "cat" && slices.ContainsFunc(call.Args[1:], func(word *syntax.Word) bool {
		return place.EndlessDevice(word.Lit())
	})
}

func intoFile(list []*syntax.Redirect) bool {
	return slices.ContainsFunc(list, func(r *syntax.Redirect) bool {
		switch r.Op {
		case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
			return r.Word.Lit() != "/dev/null" && (r.N == nil || r.N.Value == "1")
		}
		return false
	})
}

// hoarders keep all they read until it ends; those of lines keep a line, and
// zeros have no line end. takers write what they read to a file, or pack it.
var (
	hoarders     = []string{"sort", "gsort", "tac", "shuf", "mapfile", "readarray", "sponge", "column", "rev"}
	lineHoarders = argv.Names(`tail grep egrep fgrep rg sed awk gawk cut read nl fold xargs python3 jq`)
	takers       = []string{"tee", "cat", "gzip", "bzip2", "xz", "zstd", "base64", "xxd", "od", "hexdump", "tr"}
)

// hoards finds endless input for a program that waits for its end: tail
// /dev/zero, yes | sort, $(yes).
func (w *Walker) hoards(file *syntax.File) {
	found := func(n syntax.Node, text string) {
		w.Emit(effect.Effect{Kind: effect.Bomb, Name: effect.EndlessInput, Text: text, Span: w.At.span(n)})
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			if call := callOf(n); call != nil && readsEndless(call, n.Redirs) {
				found(n, call.Args[0].Lit())
			}
		case *syntax.BinaryCmd:
			from, to := callOf(n.X), callOf(n.Y)
			if pipes(n) && from != nil && to != nil && printsWithoutEnd(from) && keepsAll(from, to, n.Y.Redirs) {
				found(n, to.Args[0].Lit())
			}
		case *syntax.CmdSubst:
			if len(n.Stmts) == 1 && len(n.Stmts[0].Redirs) == 0 {
				if call := callOf(n.Stmts[0]); call != nil && printsWithoutEnd(call) {
					found(n, "the shell")
				}
			}
		}
		return true
	})
}

func callOf(s *syntax.Stmt) *syntax.CallExpr {
	if call, ok := s.Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 {
		return call
	}
	return nil
}

// readsEndless is a hoarder that is given an endless device itself.
func readsEndless(call *syntax.CallExpr, redirs []*syntax.Redirect) bool {
	name := call.Args[0].Lit()
	keeps := func(device string) bool {
		return slices.Contains(hoarders, name) || device != "/dev/urandom" && device != "/dev/random" &&
			lineHoarders.Has(name)
	}
	bounded := false
	for _, word := range call.Args[1:] {
		lit := word.Lit()
		bounded = bounded || lit == "-c" || lit == "-N" || lit == "-n" && name == "read"
		if place.EndlessDevice(lit) && keeps(lit) && !bounded {
			return true
		}
	}
	return !bounded && slices.ContainsFunc(redirs, func(r *syntax.Redirect) bool {
		return r.Op == syntax.RdrIn && place.EndlessDevice(r.Word.Lit()) && keeps(r.Word.Lit())
	})
}

// keepsAll reports that an endless stream is kept, or written to a file.
func keepsAll(from, to *syntax.CallExpr, redirs []*syntax.Redirect) bool {
	name := to.Args[0].Lit()
	if name == "tee" {
		return slices.ContainsFunc(to.Args[1:], func(word *syntax.Word) bool {
			lit := word.Lit()
			return lit != "" && lit[0] != '-' && lit != "/dev/null"
		})
	}
	zeros := slices.ContainsFunc(from.Args[1:], func(word *syntax.Word) bool { return word.Lit() == "/dev/zero" })
	return slices.Contains(hoarders, name) || zeros && name != "xargs" && lineHoarders.Has(name) ||
		slices.Contains(takers, name) && intoFile(redirs)
}
