package shell

import (
	"maps"
	"slices"

	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

// bombs finds functions that start themselves more than once or in the
// background, also by way of each other: the shape of a fork bomb, whatever the
// names.
func (w *Walker) bombs(file *syntax.File) {
	calls := map[string][]fork{}
	decls := map[string]*syntax.FuncDecl{}
	syntax.Walk(file, func(n syntax.Node) bool {
		if f, ok := n.(*syntax.FuncDecl); ok && f.Name != nil && f.Body != nil {
			decls[f.Name.Value] = f
			calls[f.Name.Value] = forks(f.Body)
		}
		return true
	})
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
			alone = n.Op == syntax.Pipe || n.Op == syntax.PipeAll
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
	type node struct {
		name string
		own  bool
	}
	seen := map[node]bool{}
	todo := []node{{start, false}}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, f := range calls[at.name] {
			next := node{f.name, at.own || f.own}
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

// detached reports statements that all go on in the background, also from a
// subshell of their own: ( sleep 9 & ).
func detached(stmts []*syntax.Stmt) bool {
	for _, s := range stmts {
		if s.Background {
			continue
		}
		switch c := s.Cmd.(type) {
		case *syntax.Subshell:
			if detached(c.Stmts) {
				continue
			}
		case *syntax.Block:
			if detached(c.Stmts) {
				continue
			}
		}
		return false
	}
	return len(stmts) > 0
}

// constantly reports a condition that always answers yes.
func constantly(s *syntax.Stmt, yes bool) bool {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 || s.Negated {
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
