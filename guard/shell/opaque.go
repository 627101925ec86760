package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

// obscure finds the constructs in which a shell may run a command that the
// syntax tree does not show (nine classes, found by differential fuzzing).
// They are rare in honest commands, and always asked about.
func (w *Walker) obscure(file *syntax.File, text string) {
	o := obscurer{w: w, text: text}
	o.stack = make([]syntax.Node, 0, 32)
	syntax.Walk(file, func(n syntax.Node) bool {
		if n == nil {
			o.stack = o.stack[:len(o.stack)-1]
			return true
		}
		o.stack = append(o.stack, n)
		o.visit(n)
		return true
	})
	o.continuations()
}

type obscurer struct {
	w      *Walker
	text   string
	stack  []syntax.Node
	quoted []effect.Span // single quotes, in text offsets
}

// maxOpaque bounds how many places of a text are marked.
const maxOpaque = 64

func (o *obscurer) mark(start, end int) {
	if len(o.w.Opaque) >= maxOpaque {
		return // one is enough to ask
	}
	span := o.w.Within(start, end)
	o.w.Opaque = append(o.w.Opaque, span)
	o.w.Emit(effect.Effect{Kind: effect.Problem, Name: effect.ProblemOpaque, Span: span})
}

func (o *obscurer) markNode(n syntax.Node) { o.mark(offsets(n)) }

func offsets(n syntax.Node) (start, end int) { return int(n.Pos().Offset()), int(n.End().Offset()) }

func (o *obscurer) visit(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.Comment: // class 1: `# x\` newline; shells end the comment there
		if strings.Contains(n.Text, "\\\n") || strings.HasSuffix(n.Text, "\\") || o.inWord(n) {
			o.markNode(n)
		}
	case *syntax.SglQuoted:
		start, end := offsets(n)
		o.quoted = append(o.quoted, effect.Span{Start: start, End: end})
		if strings.ContainsAny(n.Value, "$`\"}\\;&|\n") && o.unquotes() {
			o.markNode(n) // classes 4 and 6
		}
	case *syntax.DblQuoted:
		// To bash, "$${" in quotes opens braces: in safe "$${" '}"; pwn; "' the
		// second word is no word.
		if start, end := offsets(n); start <= end && end <= len(o.text) && strings.Contains(o.text[start:end], "$${") {
			o.markNode(n)
		}
	case *syntax.Redirect: // class 5
		if n.Hdoc != nil && o.earlyDelimiter(n) {
			o.markNode(n)
		}
	case *syntax.CmdSubst: // class 9
		// A backquote in backquotes ends them for a shell, in quotes too: a `echo '`; pwn; `'`.
		if start, end := offsets(n); n.Backquotes && end <= len(o.text) && start+1 < end-1 &&
			unhidden(o.text[start+1:end-1], '`') >= 0 {
			o.markNode(n)
		}
	case *syntax.CoprocClause: // class 7
		o.markNode(n)
	}
}

// inWord is class 8: what looks like a comment begins in a word, and is text to a shell.
// In ( safe "$x"#; pwn ) the parser overlooks pwn.
func (o *obscurer) inWord(n *syntax.Comment) bool {
	start, _ := offsets(n)
	return start > 0 && start <= len(o.text) && strings.IndexByte(" \t\n;&|(", o.text[start-1]) < 0
}

// unquotes reports whether some shell takes single quotes at this point as text: inside
// ${…} within double quotes or a here-document, inside arithmetic, and inside a subscript.
func (o *obscurer) unquotes() bool {
	param := false
	for i := len(o.stack) - 2; i >= 0; i-- {
		switch n := o.stack[i].(type) {
		case *syntax.ParamExp:
			param = true
			if n.Slice != nil || n.Index != nil {
				return true
			}
		case *syntax.DblQuoted:
			if param {
				return true
			}
		case *syntax.Redirect:
			return param && n.Hdoc != nil
		case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.LetClause, *syntax.CStyleLoop:
			return true
		case *syntax.Assign:
			if n.Index != nil && o.stack[i+1] == n.Index {
				return true
			}
		case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.Stmt:
			return false // a fresh quoting context
		}
	}
	return false
}

// earlyDelimiter reports an unquoted here-document that the parser ended in the
// middle of a line, right after an expansion; shells go on to the line that is
// the delimiter and nothing else.
func (o *obscurer) earlyDelimiter(r *syntax.Redirect) bool {
	word := r.Word.Lit()
	if word == "" {
		return false // quoted: the body is plain text for everyone
	}
	start, end := offsets(r.Hdoc)
	if start > end || end > len(o.text) {
		return true
	}
	body := strings.TrimRight(strings.TrimSuffix(o.text[start:end], word), "\t")
	return body != "" && !strings.HasSuffix(body, "\n")
}

// continuations marks classes 2 and 3: a backslash at the end of a line that
// joins two halves of one token, as in "$\⏎(pwn)". Before or after a blank, or
// between commands, it only breaks a long line.
func (o *obscurer) continuations() {
	for i := 0; ; i += 2 {
		at := strings.Index(o.text[i:], "\\\n")
		if at < 0 {
			return
		}
		i += at
		joins := i+2 < len(o.text) && !Blank(o.text[i+2])
		between := i > 0 && strings.IndexByte(" \t\n|&;({\\", o.text[i-1]) >= 0
		if joins && between { // but "(\\⏎(" is one token
			between = strings.IndexByte("|&;(", o.text[i-1]) < 0 || strings.IndexByte("|&;(", o.text[i+2]) < 0
		}
		if i > 0 && joins && !between && !o.inQuotes(i) {
			o.mark(i, i+2)
		}
	}
}

func (o *obscurer) inQuotes(i int) bool {
	return slices.ContainsFunc(o.quoted, func(q effect.Span) bool { return q.Start <= i && i < q.End })
}
