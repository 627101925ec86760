// Package canon writes shell text anew from what was judged, so that nothing that the
// parser overlooked can run. It takes only what every shell reads in the same way.
package canon

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
)

// CanonicalText is the whole command again, made from the syntax tree: every
// word in single quotes, nothing but what is written here between them. A shell
// that runs it can't find what the parser overlooked, because that is not in it
// ("safe # x\⏎pwn", "$\⏎(pwn)"); and no alias, keyword, assignment or glob is
// left. It answers false for whatever is not on the white-list: unknown nodes
// of a later parser, too. size is the length of the text as it came.
func CanonicalText(file *syntax.File, size int) (string, bool) {
	s := transcript{line: 1, out: make([]byte, 0, size+size/2+16)}
	if len(file.Stmts) == 0 || !s.list(file.Stmts) {
		return "", false
	}
	// Longer text than is ever judged may not fit into one argument of execve.
	return string(s.out), len(s.out) <= effect.MaxBytes
}

// transcript writes canonical text. It keeps every token on its line, since shells
// name lines in their messages.
type transcript struct {
	out  []byte
	word []byte   // of the word being written, without quotes
	args []string // of the command being written
	line int
}

// list writes statements that follow each other.
func (s *transcript) list(stmts []*syntax.Stmt) bool {
	for i, st := range stmts {
		switch {
		case s.line < lineOf(st):
			s.newlines(lineOf(st))
		case i > 0:
			s.out = append(s.out, "; "...)
		}
		if !s.stmt(st) {
			return false
		}
	}
	return true
}

func lineOf(n syntax.Node) int { return int(n.Pos().Line()) }

// newlines moves to a line between statements.
func (s *transcript) newlines(line int) {
	for ; s.line < line; s.line++ {
		s.out = append(s.out, '\n')
	}
}

// move moves to a line inside a statement. After a blank and outside of quotes
// every shell takes a backslash before a newline for nothing.
func (s *transcript) move(line int) {
	for ; s.line < line; s.line++ {
		s.out = append(s.out, " \\\n"...)
	}
}

func (s *transcript) stmt(st *syntax.Stmt) bool {
	if st.Background || st.Coprocess || st.Disown {
		return false
	}
	if st.Negated {
		s.out = append(s.out, "! "...)
	}
	switch c := st.Cmd.(type) {
	case nil:
		return len(st.Redirs) > 0 && s.simple(nil, st.Redirs)
	case *syntax.CallExpr:
		return len(c.Assigns) == 0 && len(c.Args) > 0 && s.simple(c.Args, st.Redirs) && !evaluates(s.args)
	case *syntax.BinaryCmd:
		return len(st.Redirs) == 0 && s.binary(c)
	case *syntax.Subshell:
		return s.group("(", c.Stmts, lineAt(c.Rparen), ")") && s.redirects(st.Redirs)
	case *syntax.Block:
		return s.group("{", c.Stmts, lineAt(c.Rbrace), "}") && s.redirects(st.Redirs)
	}
	return false
}

func lineAt(p syntax.Pos) int { return int(p.Line()) }

// binary writes && || and |. The written text has no brackets, so only the tree that the
// shells make of it again may be written so.
func (s *transcript) binary(c *syntax.BinaryCmd) bool {
	switch c.Op {
	case syntax.AndStmt, syntax.OrStmt:
	case syntax.Pipe:
		if c.X.Negated || c.Y.Negated || joins(c.X) {
			return false
		}
	default:
		return false
	}
	if joins(c.Y) || !s.stmt(c.X) {
		return false
	}
	s.move(lineAt(c.OpPos))
	s.out = append(append(append(s.out, ' '), c.Op.String()...), ' ')
	s.move(lineOf(c.Y))
	return s.stmt(c.Y)
}

func joins(st *syntax.Stmt) bool {
	c, ok := st.Cmd.(*syntax.BinaryCmd)
	return ok && (c.Op == syntax.AndStmt || c.Op == syntax.OrStmt)
}

// group writes ( list ) and { list; }. The blank keeps "( (" from being "((".
func (s *transcript) group(open string, list []*syntax.Stmt, end int, closing string) bool {
	s.out = append(append(s.out, open...), ' ')
	if len(list) == 0 || !s.list(list) {
		return false
	}
	if s.line == end {
		s.out = append(s.out, "; "...)
	}
	s.newlines(end)
	s.out = append(s.out, closing...)
	return true
}

// evaluators are the builtins of any shell that read their operands again: as commands, as
// names with a subscript (unset 'a[$(pwn)]'), or to change how the shell reads on. Quotes
// don't help against those, so they run as written.
var evaluators = argv.Names(`eval . source trap alias unalias fc bind read mapfile readarray getopts unset let declare
	typeset local export readonly shopt enable complete compgen compopt - noglob nocorrect`)

// counting are builtins that some shells let calculate: in ksh,
// [ 'a[$(pwn)]' -eq 1 ] runs pwn.
var counting = argv.Names("test [ exit return break continue shift kill ulimit umask")

// evaluates reports a command whose arguments a shell may read as more than text.
func evaluates(args []string) bool {
	for len(args) > 1 && (args[0] == "command" || args[0] == "builtin") {
		args = args[1:]
		for len(args) > 1 && strings.HasPrefix(args[0], "-") {
			args = args[1:]
		}
	}
	if len(args) == 0 {
		return false // redirections only
	}
	name, rest := args[0], args[1:]
	has := func(f func(a string) bool) bool { return slices.ContainsFunc(rest, f) }
	switch {
	case evaluators.Has(name):
		return true
	case name == "set":
		return has(unusual)
	case name == "printf":
		return len(rest) > 0 && strings.HasPrefix(rest[0], "-v")
	case name == "hash" || name == "jobs" || name == "wait":
		return has(func(a string) bool { return strings.HasPrefix(a, "-") && a != "-r" && a != "-l" && a != "-n" })
	case (name == "test" || name == "[") && has(func(a string) bool { return a == "-v" || a == "-R" }):
		return true
	}
	return counting.Has(name) && has(func(a string) bool { return strings.Contains(a, "$(") || strings.Contains(a, "`") })
}

// unusual reports an argument of set that is more than -e -u -x -f -C or -o
// with one of the names. -k takes quoted words for assignments no longer, -v
// prints the text that is read.
func unusual(a string) bool {
	switch a {
	case "pipefail", "errexit", "nounset", "xtrace", "noglob", "noclobber":
		return false
	}
	return len(a) < 2 || a[0] != '-' && a[0] != '+' || strings.Trim(a[1:], "euxfCo") != ""
}
