package text

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/lang"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

var awkLanguage = lang.Language{Name: "awk", Comments: []string{"#"}, Quotes: `"`, Regexes: true, Lines: true}

// awk judges the program: system(), pipes to and from commands, files.
func awk(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
	values, operands, bare := program.MustSpec("awk").Split(args[1:])
	vars := map[string]string{}
	for i, v := range values {
		if i < len(bare) && (strings.HasPrefix(bare[i], "-v") || strings.HasPrefix(bare[i], "--as")) {
			if name, value, ok := strings.Cut(v.Text, "="); ok {
				vars[name] = value
			}
		}
	}
	programs, operands := scripts(w, st, "awk", values, operands, in)
	for _, p := range programs {
		awkProgram(w, st, p, vars)
	}
	k := effect.Read
	if slices.Contains(bare, "-i") || slices.ContainsFunc(values, func(v argv.Operand) bool {
		return v.Text == "inplace"
	}) {
		k = effect.Write
	}
	for _, o := range operands {
		if name, _, ok := strings.Cut(o.Text, "="); !ok || strings.Contains(name, "/") {
			w.Path(st, k, o.Arg)
		}
	}
	return effect.Passed(in, "awk")
}

// awkReader walks the tokens of an awk program.
type awkReader struct {
	w    *shell.Walker
	st   *shell.State
	at   effect.Arg
	toks []lang.Token
	vars map[string]string
}

func awkProgram(w *shell.Walker, st *shell.State, a effect.Arg, vars map[string]string) {
	if !w.Spend(1 + len(a.Text)/16) {
		return
	}
	r := awkReader{w: w, st: st, at: a, toks: lang.Tokens(&awkLanguage, a.Text), vars: vars}
	printing, printed, depth := false, 0, 0
	for i := 0; i < len(r.toks) && !w.Stopped; i++ {
		t := r.toks[i]
		switch {
		case t.Kind == lang.TokEnd || t.Text == "}" || t.Text == "{":
			printing, depth = false, 0
		case t.Text == "(":
			depth++
		case t.Text == ")":
			depth--
		case t.Kind == lang.TokName:
			if t.Text == "print" || t.Text == "printf" {
				printing, printed = true, i
			}
			r.name(i)
		case t.Text == "|" && i+1 < len(r.toks):
			r.pipe(i)
		case (t.Text == ">" || t.Text == ">>") && printing && depth <= 0:
			r.file(effect.Write, i+1)
			r.fill(printed+1, i+1)
		case t.Text == "<" && i > 0 && (r.toks[i-1].Text == "getline" || i > 1 && r.toks[i-2].Text == "getline"):
			r.file(effect.Read, i+1)
		}
	}
}

func (r *awkReader) name(i int) {
	t := r.toks[i]
	next := lang.Token{}
	if i+1 < len(r.toks) {
		next = r.toks[i+1]
	}
	switch {
	case t.Text == "system" && next.Text == "(":
		text, _ := r.joined(i + 2)
		r.run(text)
	case t.Text == "ENVIRON" && i > 0 && r.toks[i-1].Text == "in":
		r.w.EmitAt(r.at, effect.Effect{Kind: effect.Dump, Name: "awk", Text: "ENVIRON"})
	case (t.Text == "gsub" || t.Text == "sub") && next.Text == "(": // who knows what it leaves
		for j := i + 2; j < len(r.toks) && r.toks[j].Text != ")" && r.w.Spend(1); j++ {
			delete(r.vars, r.toks[j].Text)
		}
	case next.Text == "=" && next.Kind == lang.TokSign:
		r.vars[t.Text], _ = r.joined(i + 2)
	}
}

// pipe is print | "cmd" and "cmd" | getline.
func (r *awkReader) pipe(i int) {
	next := i + 1
	if r.toks[next].Text == "&" {
		next++
	}
	if next < len(r.toks) && r.toks[next].Text == "getline" {
		start := i
		for start > 0 && (r.toks[start-1].Kind == lang.TokString || r.toks[start-1].Kind == lang.TokName &&
			!lang.OperatorWord(r.toks[start-1].Text)) {
			start--
		}
		text, _ := r.joined(start)
		r.run(text)
		return
	}
	text, _ := r.joined(next)
	r.run(text)
}

func (r *awkReader) run(text string) {
	if strings.HasPrefix(text, "/inet") {
		r.w.EmitAt(r.at, effect.Effect{Kind: effect.Shell, Name: "awk", Text: "awk " + text})
		return
	}
	a := r.at.Tail(text)
	seen := len(r.w.Effects)
	r.w.CommandText(r.st, "awk system", a)
	run.HandsOver(r.w, "awk", a, seen)
}

func (r *awkReader) file(k effect.Kind, i int) {
	if text, ok := r.joined(i); ok && text != "" && text != "-" {
		r.w.Path(r.st, k, r.at.Tail(text))
	}
}

// fill remembers what is printed to a file: what it holds may be run later.
func (r *awkReader) fill(from, to int) {
	text, _ := r.joined(from)
	if file, ok := r.joined(to); ok && text != "" {
		r.w.Keep(r.st, []effect.Arg{r.at.Tail(file)}, effect.Stream{Text: text}, false)
	}
}

// joined is the strings and names side by side from i: awk puts them together. ok is false
// when nothing of it is known.
func (r *awkReader) joined(i int) (text string, ok bool) {
	var b strings.Builder
	for ; i < len(r.toks) && b.Len() < 512 && r.w.Spend(1); i++ {
		switch t := r.toks[i]; {
		case t.Kind == lang.TokString:
			b.WriteString(t.Parts[0].Text)
			ok = true
		case t.Text == "ENVIRON" && i+2 < len(r.toks) && r.toks[i+2].Kind == lang.TokString &&
			r.toks[i+2].Parts[0].Text == "HOME":
			b.WriteString(cmp.Or(r.w.Home, effect.Unknown))
			ok = true
			i += 3
		case t.Kind == lang.TokName && !lang.OperatorWord(t.Text):
			value, known := r.vars[t.Text]
			if !known {
				value = effect.Unknown
			}
			ok = ok || known
			b.WriteString(value)
		case t.Text == "$":
			b.WriteString(effect.Unknown)
			i++
		case t.Text == "(" && b.Len() == 0:
		default:
			return b.String(), ok
		}
	}
	return b.String(), ok
}

// jq judges the one thing a filter can leak: the environment.
func jq(w *shell.Walker, _ *shell.State, args []effect.Arg, _ effect.Stream) {
	_, operands, _ := program.MustSpec("jq").Split(args[1:])
	if len(operands) > 0 && w.Spend(len(operands[0].Text)/16) && dumps(lang.Tokens(&jqLanguage, operands[0].Text)) {
		w.EmitAt(operands[0].Arg, effect.Effect{Kind: effect.Dump, Name: "jq", Text: operands[0].Text})
	}
}

var jqLanguage = lang.Language{Name: "jq", Comments: []string{"#"}, Quotes: `"`, Sigils: "$"}

// dumps reports env or $ENV as a whole, not env.HOME, .env or {env: …}.
func dumps(toks []lang.Token) bool {
	for i, t := range toks {
		if t.Kind != lang.TokName || t.Text != "env" && t.Text != "$ENV" || i > 0 && toks[i-1].Text == "." {
			continue
		}
		next := ""
		if i+1 < len(toks) {
			next = toks[i+1].Text
		}
		if next == "|" && i+2 < len(toks) && toks[i+2].Text == "." {
			continue
		}
		if next != "." && next != "[" && next != ":" {
			return true
		}
	}
	return false
}
