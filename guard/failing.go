package guard

import "mvdan.cc/sh/v3/syntax"

// unlessFails walks a command that does not run where a file it reads from is
// missing, or ${!x} has nothing to name.
func (w *walker) unlessFails(st *state, s *syntax.Stmt, in stream, fails bool) stream {
	if s.Cmd == nil || !fails && !indirect(s.Cmd) {
		return w.command(st, s.Cmd, in)
	}
	before := st.clone()
	printed := w.command(st, s.Cmd, in)
	st.join(before)
	return either(printed, stream{})
}

// indirect reports ${!x} in the words of a command.
func indirect(cmd syntax.Command) bool {
	call, ok := cmd.(*syntax.CallExpr)
	if !ok {
		return false
	}
	found := false
	for _, word := range call.Args {
		syntax.Walk(word, func(n syntax.Node) bool {
			p, ok := n.(*syntax.ParamExp)
			found = found || ok && p.Excl
			return !found
		})
	}
	return found
}
