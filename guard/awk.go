package guard

import (
	"slices"
	"strings"
)

var awkLanguage = language{name: "awk", comments: []string{"#"}, quotes: `"`, regexes: true, lines: true}

// awk judges the program: system(), pipes to and from commands, files.
func awk(w *walker, st *state, args []arg, in stream) stream {
	values, operands, bare := specs()["awk"].split(args[1:])
	var programs []arg
	vars := map[string]string{}
	inFile := false
	for i, v := range values {
		switch {
		case v.role == file:
			inFile = true
			w.path(st, kindRead, v.arg)
			programs = append(programs, w.programFile(st, "awk", v.arg, in)...)
		case v.role == given:
			programs = append(programs, v.arg)
		case i < len(bare) && (strings.HasPrefix(bare[i], "-v") || strings.HasPrefix(bare[i], "--as")):
			if name, value, ok := strings.Cut(v.text, "="); ok {
				vars[name] = value
			}
		}
	}
	if !inFile && len(programs) == 0 && len(operands) > 0 {
		programs, operands = append(programs, operands[0].arg), operands[1:]
	}
	for _, p := range programs {
		w.awkProgram(st, p, vars)
	}
	k := kindRead
	if slices.Contains(bare, "-i") || slices.ContainsFunc(values, func(v operand) bool { return v.text == "inplace" }) {
		k = kindWrite
	}
	for _, o := range operands {
		if name, _, ok := strings.Cut(o.text, "="); !ok || strings.Contains(name, "/") {
			w.path(st, k, o.arg)
		}
	}
	return stream{text: unknown, open: true, from: mixed(in.from, "awk")}
}

// awkReader walks the tokens of an awk program.
type awkReader struct {
	w    *walker
	st   *state
	at   arg
	toks []token
	vars map[string]string
}

func (w *walker) awkProgram(st *state, a arg, vars map[string]string) {
	if !w.spend(1 + len(a.text)/16) {
		return
	}
	r := awkReader{w: w, st: st, at: a, toks: tokens(&awkLanguage, a.text), vars: vars}
	printing, depth := false, 0
	for i := 0; i < len(r.toks) && !w.stopped; i++ {
		t := r.toks[i]
		switch {
		case t.kind == tokEnd || t.text == "}" || t.text == "{":
			printing, depth = false, 0
		case t.text == "(":
			depth++
		case t.text == ")":
			depth--
		case t.kind == tokName:
			printing = printing || t.text == "print" || t.text == "printf"
			r.name(i)
		case t.text == "|" && i+1 < len(r.toks):
			r.pipe(i)
		case (t.text == ">" || t.text == ">>") && printing && depth <= 0:
			r.file(kindWrite, i+1)
		case t.text == "<" && i > 0 && (r.toks[i-1].text == "getline" || i > 1 && r.toks[i-2].text == "getline"):
			r.file(kindRead, i+1)
		}
	}
}

func (r *awkReader) name(i int) {
	t := r.toks[i]
	next := token{}
	if i+1 < len(r.toks) {
		next = r.toks[i+1]
	}
	switch {
	case t.text == "system" && next.text == "(":
		text, _ := r.joined(i + 2)
		r.run(text)
	case t.text == "ENVIRON" && i > 0 && r.toks[i-1].text == "in":
		r.w.emitAt(r.at, effect{kind: kindDump, name: "awk", text: "ENVIRON"})
	case next.text == "=" && next.kind == tokSign:
		r.vars[t.text], _ = r.joined(i + 2)
	}
}

// pipe is print | "cmd" and "cmd" | getline.
func (r *awkReader) pipe(i int) {
	next := i + 1
	if r.toks[next].text == "&" {
		next++
	}
	if next < len(r.toks) && r.toks[next].text == "getline" {
		start := i
		for start > 0 && (r.toks[start-1].kind == tokString || r.toks[start-1].kind == tokName && !operatorWord(r.toks[start-1].text)) {
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
		r.w.emitAt(r.at, effect{kind: kindShell, name: "awk", text: "awk " + text})
		return
	}
	a := r.at.tail(text)
	seen := len(r.w.effects)
	r.w.commandText(r.st, "awk system", a)
	r.w.handsOver("awk", a, seen)
}

func (r *awkReader) file(k kind, i int) {
	if text, ok := r.joined(i); ok && text != "" && text != "-" {
		r.w.path(r.st, k, r.at.tail(text))
	}
}

// joined is the strings and names that stand side by side from i: awk puts them
// together. ok is false when nothing of it is known.
func (r *awkReader) joined(i int) (text string, ok bool) {
	var b strings.Builder
	for ; i < len(r.toks) && b.Len() < 512 && r.w.spend(1); i++ {
		switch t := r.toks[i]; {
		case t.kind == tokString:
			b.WriteString(t.parts[0].text)
			ok = true
		case t.kind == tokName && !operatorWord(t.text):
			value, known := r.vars[t.text]
			if !known {
				value = unknown
			}
			ok = ok || known
			b.WriteString(value)
		case t.text == "$":
			b.WriteString(unknown)
			i++
		case t.text == "(" && b.Len() == 0:
		default:
			return b.String(), ok
		}
	}
	return b.String(), ok
}

// jq judges the one thing a filter can leak: the environment.
func jq(w *walker, st *state, args []arg, in stream) stream {
	w.operands(st, "jq", args[1:])
	_, operands, _ := specs()["jq"].split(args[1:])
	if len(operands) > 0 && w.spend(len(operands[0].text)/16) && dumps(tokens(&jqLanguage, operands[0].text)) {
		w.emitAt(operands[0].arg, effect{kind: kindDump, name: "jq", text: operands[0].text})
	}
	return stream{text: unknown, open: true, from: mixed(in.from, "jq")}
}

var jqLanguage = language{name: "jq", comments: []string{"#"}, quotes: `"`, sigils: "$"}

// dumps reports env or $ENV as a whole, not env.HOME, .env or {env: …}.
func dumps(toks []token) bool {
	for i, t := range toks {
		if t.kind != tokName || t.text != "env" && t.text != "$ENV" || i > 0 && toks[i-1].text == "." {
			continue
		}
		next := ""
		if i+1 < len(toks) {
			next = toks[i+1].text
		}
		if next == "|" && i+2 < len(toks) && toks[i+2].text == "." {
			continue
		}
		if next != "." && next != "[" && next != ":" {
			return true
		}
	}
	return false
}
