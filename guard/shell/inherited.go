package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
)

// inherited has a name for the program that a variable of the environment names. The text
// gives it no value, so it is the user's, and what stands beside it says enough: $PYTHON -m
// pytest runs a python, ${MVN:-./mvnw} the default, $JAVA_HOME/bin/java a java. What a CI
// fills in is like a build tool that nobody knows; of any other, help and version are known.
func (w *Walker) inherited(st *State, word *syntax.Word, args []effect.Arg) []effect.Arg {
	p, below := firstVariable(word)
	if p == nil || len(args) == 0 || !strings.HasPrefix(args[0].Text, effect.Unknown) {
		return args
	}
	name := p.Param.Value
	if _, given := w.In.Env[name]; given || st.Vars[name] != nil || st.refs[name] != "" || name == "_" ||
		!Letter(name[0]) || strings.Trim(name, "0123456789") == "" { // $1 is given by the text
		return args
	}
	guess := strings.ToLower(name)
	for _, end := range strings.Fields("_bin _cmd _exe _path _command _prog _program") {
		guess = strings.TrimSuffix(guess, end)
	}
	rest := effect.Texts(args[1:])
	template := strings.Trim(name, "_") == ""
	switch {
	case below != "":
		guess = argv.Base(below)
	case p.Exp != nil && p.Exp.Word != nil && p.Exp.Word.Lit() != "":
		guess = p.Exp.Word.Lit()
		return append([]effect.Arg{effect.Renamed(args[0], guess)}, args[1:]...)
	case len(rest) > 0 && (w.Programs.Known(rest[0]) || Builtin(rest[0]) != nil): // it may be nothing, as $SUDO
		return args[1:]
	case template && !slices.ContainsFunc(rest, isCode), len(rest) > 0 && !slices.ContainsFunc(rest, tells):
		return append([]effect.Arg{effect.Renamed(args[0], "tool")}, args[1:]...)
	}
	if _, sh := Dialects()[guess]; !sh && (!w.Programs.Known(guess) || len(guess) < 2 ||
		effect.Among(guess, "cmd command")) {
		return args
	}
	return append([]effect.Arg{effect.Renamed(args[0], guess)}, args[1:]...)
}

// tells reports a word that asks a program for more than to tell of itself.
func tells(word string) bool { return !slices.Contains([]string{"--help", "--version", "-V"}, word) }

// isCode reports an option with which programs run what follows, or what only run time tells.
func isCode(word string) bool {
	return len(word) == 2 && strings.ContainsAny(word, "ce") && word[0] == '-' || strings.Contains(word, effect.Unknown)
}

// firstVariable is the variable that a word is, or that it is below: "$X", ${X:-y}, "$X"/bin/y.
func firstVariable(word *syntax.Word) (p *syntax.ParamExp, below string) {
	parts := word.Parts
	if q, ok := parts[0].(*syntax.DblQuoted); ok && len(q.Parts) > 0 {
		parts = append(slices.Clip(q.Parts), parts[1:]...)
	}
	p, ok := parts[0].(*syntax.ParamExp)
	if !ok || p.Param == nil || p.Excl || p.Length || p.Index != nil || p.Slice != nil || p.Repl != nil ||
		len(parts) > 2 {
		return nil, ""
	}
	if p.Exp != nil && p.Exp.Op != syntax.DefaultUnset && p.Exp.Op != syntax.DefaultUnsetOrNull {
		return nil, ""
	}
	if len(parts) == 2 {
		lit, ok := parts[1].(*syntax.Lit)
		if !ok || !strings.HasPrefix(lit.Value, "/") {
			return nil, ""
		}
		below = lit.Value
	}
	return p, below
}
