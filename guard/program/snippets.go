package program

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

// Snippets is a program that runs code in a language that is seen seldom.
type Snippets struct {
	Look  string   // what its language looks like
	Code  []string // options with code: the next argument, or what follows = or :
	verbs []string // subcommands whose operand is code
}

// newSnippets reads "LOOK options | verbs" of a model.
func newSnippets(text string) *Snippets {
	look, rest, _ := strings.Cut(text, " ")
	code, verbs, _ := strings.Cut(rest, "|")
	return &Snippets{look, strings.Fields(code), strings.Fields(verbs)}
}

// In are the pieces of code among the arguments.
func (r *Snippets) In(args []effect.Arg) (out []effect.Arg) {
	for i, a := range args {
		next := i+1 < len(args)
		switch {
		case slices.Contains(r.Code, a.Text) && next, i == 0 && slices.Contains(r.verbs, a.Text) && next:
			out = append(out, args[i+1])
		default:
			for _, option := range r.Code {
				if text, ok := strings.CutPrefix(a.Text, option); ok && text != "" && (text[0] == '=' || text[0] == ':') {
					out = append(out, a.Tail(text[1:]))
				}
			}
		}
	}
	return out
}
