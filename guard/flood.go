package guard

import "mvdan.cc/sh/v3/syntax"

// endlessWrite is a kindBomb that grows a file instead of processes.
const endlessWrite = "endless write"

// floods finds programs that print without end into a file: yes > f, and
// cat /dev/zero > f.
func (w *walker) floods(file *syntax.File) {
	syntax.Walk(file, func(n syntax.Node) bool {
		s, ok := n.(*syntax.Stmt)
		if !ok || len(s.Redirs) == 0 {
			return true
		}
		call, ok := s.Cmd.(*syntax.CallExpr)
		if ok && len(call.Args) > 0 && printsWithoutEnd(call) && intoFile(s.Redirs) {
			w.emit(effect{kind: kindBomb, name: endlessWrite, text: call.Args[0].Lit(), span: w.at.span(s)})
		}
		return true
	})
}

func printsWithoutEnd(call *syntax.CallExpr) bool {
	switch call.Args[0].Lit() {
	case "yes":
		return true
	case "cat":
		for _, word := range call.Args[1:] {
			if endlessDevice(word.Lit()) {
				return true
			}
		}
	}
	return false
}

func intoFile(list []*syntax.Redirect) bool {
	for _, r := range list {
		switch r.Op {
		case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
			if word := r.Word.Lit(); word != "/dev/null" && (r.N == nil || r.N.Value == "1") {
				return true
			}
		}
	}
	return false
}
