package guard

import (
	"strings"

	"github.com/pillion-sidecar/pillion/guard/canon"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/rule"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// The ways a command runs (Verdict.RunAs).
const (
	runAsArgv      = "argv"      // without a shell
	runAsCanonical = "canonical" // the text regenerated from what was judged
	runAsWritten   = "written"   // the text as it came, in the sandbox all the same
)

// run says how the executor runs the command. Only what is allowed without a
// person's look, was read completely and holds no further shell text runs as
// canonical text; and every way of reading the text must give the same.
func (v *Verdict) run(in shell.Input, walked []*shell.Walker) {
	if len(in.Argv) > 0 {
		v.RunAs = runAsArgv
		return
	}
	// Single quotes mean something else to a shell of another family.
	if in.Dialect != "" && in.Dialect != "posix" && in.Dialect != "bash" {
		return
	}
	if !v.Parse.Complete || len(v.Parse.Opaque) > 0 {
		return
	}
	text, ok := canonical(in, walked)
	if v.Decision == rule.Allow {
		if ok {
			v.RunAs, v.Canonical = runAsCanonical, text
		}
		return
	}
	if v.Meaning = sense(in, walked); v.Meaning != "" {
		v.Told = true
		return
	}
	v.Meaning = text
}

// canonical is the text that every way of reading a command gives.
func canonical(in shell.Input, walked []*shell.Walker) (text string, ok bool) {
	for i, w := range walked {
		if w.File == nil || w.Inner {
			return "", false
		}
		if t, ok := canon.CanonicalText(w.File, len(in.Command)); !ok || i > 0 && t != text {
			return "", false
		} else {
			text = t
		}
	}
	return text, true
}

// Exec is one program that Check found in a command. Known says that Argv is
// what the program will get, and not partly made at run time.
type Exec struct {
	Argv  []string
	Known bool
}

// Execs lists the programs a command runs, builtins included, in the order they
// are met: one list for each way of reading the text. It is how the guard's idea
// of a command is compared with what a shell does.
func Execs(in shell.Input, p Policy, f place.Facts, home string) [][]Exec {
	var lists [][]Exec
	for _, lang := range shell.Passes(in) {
		w := newWalker(in, p, f, home, lang)
		w.Walk()
		var list []Exec
		for _, e := range w.Effects {
			if e.Kind == effect.Exec {
				list = append(list, execOf(&e))
			}
		}
		lists = append(lists, list)
	}
	return lists
}

func execOf(e *effect.Effect) Exec {
	x := Exec{Argv: append([]string{e.Text}, effect.Texts(e.Args)...), Known: true}
	for _, a := range x.Argv {
		x.Known = x.Known && !strings.Contains(a, effect.Unknown)
	}
	return x
}
