package text

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/lang"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// sed judges the script (it can run commands and write files) and what -i writes.
func sed(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
	values, operands, bare := program.MustSpec("sed").Split(args[1:])
	inplace := slices.ContainsFunc(bare, func(b string) bool {
		return strings.HasPrefix(b, "--in-p") || strings.HasPrefix(b, "-i") || strings.HasPrefix(b, "-") &&
			!strings.HasPrefix(b, "--") && !strings.ContainsAny(b, "ef") && strings.Contains(b, "i")
	})
	if inplace && len(operands) > 0 && operands[0].Text == "" { // BSD's -i ''
		operands = operands[1:]
	}
	programs, operands := scripts(w, st, "sed", values, operands, in)
	var put []string
	for _, s := range programs {
		put = append(put, sedScript(w, st, s)...)
	}
	k := effect.Read
	if inplace {
		k = effect.Write
	}
	for _, o := range operands {
		w.Path(st, k, o.Arg)
		if inplace && len(put) > 0 {
			w.Change(st, []effect.Arg{o.Arg}, strings.Join(put, "\n"))
		}
	}
	return effect.Passed(in, "sed")
}

// scripts are the programs that sed and awk are given: in options, in files, or else as the
// first operand; and the operands that are left.
func scripts(w *shell.Walker, st *shell.State, name string, values, operands []argv.Operand,
	in effect.Stream,
) (programs []effect.Arg, files []argv.Operand) {
	given := false
	for _, v := range values {
		switch v.Role {
		case argv.Instead:
			programs = append(programs, v.Arg)
		case argv.InsteadFile:
			given = true
			w.Path(st, effect.Read, v.Arg)
			programs = append(programs, run.ProgramFile(w, st, name, v.Arg, in)...)
		}
	}
	if !given && len(programs) == 0 && len(operands) > 0 {
		return []effect.Arg{operands[0].Arg}, operands[1:]
	}
	return programs, operands
}

// sedReader steps through a sed script.
type sedReader struct {
	s   string
	i   int
	put []string // what the script puts into the text
}

func (r *sedReader) end() bool { return r.i >= len(r.s) }

func (r *sedReader) skip(set string) {
	for !r.end() && strings.IndexByte(set, r.s[r.i]) >= 0 {
		r.i++
	}
}

// until steps past the next unescaped delimiter; brackets hide it in a pattern.
func (r *sedReader) until(delim byte, pattern bool) {
	for ; !r.end(); r.i++ {
		switch c := r.s[r.i]; {
		case c == '\\':
			r.i++
		case c == '[' && pattern && delim != '[':
			if n := bracket(r.s[r.i:]); n > 0 {
				r.i += n - 1
			}
		case c == delim:
			r.i++
			return
		}
	}
	r.i = min(r.i, len(r.s))
}

// bracket is the length of a bracket expression, 0 when it does not end.
func bracket(s string) int {
	i := 1
	if i < len(s) && s[i] == '^' {
		i++
	}
	if i < len(s) && s[i] == ']' {
		i++
	}
	end := strings.IndexAny(s[min(i, len(s)):], "]\n")
	if end < 0 || s[i+end] != ']' {
		return 0
	}
	return i + end + 1
}

// line is the rest of the line, which it steps past.
func (r *sedReader) line() string {
	start := r.i
	for !r.end() && r.s[r.i] != '\n' {
		if r.s[r.i] == '\\' {
			r.i++
		}
		r.i++
	}
	r.i = min(r.i, len(r.s))
	return strings.TrimSpace(r.s[min(start, r.i):r.i])
}

func (r *sedReader) address() {
	for !r.end() {
		switch c := r.s[r.i]; {
		case c == '/':
			r.i++
			r.until('/', true)
			r.skip("IM")
		case c == '\\' && r.i+1 < len(r.s):
			delim := r.s[r.i+1]
			r.i += 2
			r.until(delim, true)
			r.skip("IM")
		case lang.Digit(c) || strings.IndexByte("$,~+! \t", c) >= 0:
			r.i++
		default:
			return
		}
	}
}

// sedScript judges the commands e, w, W, r, R and the flags e and w of s. It answers what
// the script puts into the text.
func sedScript(w *shell.Walker, st *shell.State, a effect.Arg) (put []string) {
	r := sedReader{s: a.Text}
	defer func() { put = r.put }()
	for c := r.command(); c != 0 && w.Spend(1); c = r.command() {
		switch c {
		case 's':
			sedSubstitute(w, st, a, &r)
		case 'y':
			r.halves()
		case 'a', 'i', 'c', ':', 'b', 't', 'T':
			if c == 'b' || c == 't' || c == 'T' {
				for !r.end() && strings.IndexByte(";}\n", r.s[r.i]) < 0 {
					r.i++
				}
				break
			}
			if line := r.line(); c != ':' {
				r.put = append(r.put, strings.TrimLeft(line, "\\ \n"))
			}
		case 'e':
			w.EmitAt(a, effect.Effect{Kind: effect.Hook, Name: "sed e", Text: "sed e " + r.line()})
		case 'r', 'R':
			w.Path(st, effect.Read, a.Tail(r.line()))
		case 'w', 'W':
			w.Path(st, effect.Write, a.Tail(r.line()))
		}
	}
	return nil
}

// SedActs reports arguments of sed with a script that writes, reads or runs something. It
// is one command, or a block of them.
func SedActs(args []effect.Arg) bool {
	values, operands, _ := program.MustSpec("sed").Split(args)
	var scripts []argv.Operand
	for _, v := range values {
		if v.Role == argv.Instead {
			scripts = append(scripts, v)
		}
	}
	if len(scripts) == 0 {
		scripts = operands[:min(1, len(operands))]
	}
	return slices.ContainsFunc(scripts, func(o argv.Operand) bool {
		r := sedReader{s: o.Text}
		switch r.command() {
		case 'w', 'W', 'r', 'R', 'e':
			return true
		case 's':
			r.halves()
			flags, _, _ := strings.Cut(r.s[r.i:], "}")
			return strings.ContainsAny(flags, "we")
		}
		return false
	})
}

// command steps past the next command's name and answers it, 0 at the end.
func (r *sedReader) command() (c byte) {
	r.skip(" \t\n;{}")
	if r.address(); !r.end() {
		c = r.s[r.i]
		r.i++
	}
	return c
}

// halves steps past /a/b/ and answers b.
func (r *sedReader) halves() string {
	if r.end() {
		return ""
	}
	delim := r.s[r.i]
	r.i++
	r.until(delim, true)
	start := r.i
	r.until(delim, false)
	return r.s[start:max(start, r.i-1)]
}

func sedSubstitute(w *shell.Walker, st *shell.State, a effect.Arg, r *sedReader) {
	if r.end() {
		return
	}
	r.put = append(r.put, lang.Replacement(r.halves()))
	for !r.end() {
		switch c := r.s[r.i]; {
		case c == 'e':
			w.EmitAt(a, effect.Effect{Kind: effect.Hook, Name: "sed s///e", Text: "the result of " + a.Text})
		case c == 'w':
			r.i++
			w.Path(st, effect.Write, a.Tail(r.line()))
			return
		case !lang.Digit(c) && strings.IndexByte("gpiImM", c) < 0:
			return
		}
		r.i++
	}
}
