package project

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/lang"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// makefile is what of a makefile matters here: the recipes of its targets.
type makefile struct {
	vars    map[string]string
	first   string
	lines   map[string][]string // of a target: its recipe
	needs   map[string][]string
	outside []string // lines that belong to no rule

	patterns []string // targets such as %.o
}

// reduced is a makefile's text with only the rules that the goals need, and its
// variables put in: `make test` does not run what deploy would.
func reduced(w *shell.Walker, text string, goals []string) string {
	m := readMakefile(w, text)
	if len(goals) == 0 {
		goals = []string{cmp.Or(m.vars[".DEFAULT_GOAL"], m.first)}
	}
	m.vars["MAKE"] = "make"
	for _, goal := range goals {
		if _, known := m.lines[goal]; !known {
			return m.expand(text) // made by a pattern: any rule may run
		}
	}
	out, todo := slices.Clone(m.outside), slices.Concat(goals, m.patterns) // those may make anything that is needed
	for i := 0; i < len(todo) && w.Spend(1); i++ {
		if recipe := m.lines[todo[i]]; len(recipe) > 0 {
			out = append(append(out, todo[i]+":"), recipe...)
		}
		for _, need := range m.needs[todo[i]] {
			if _, known := m.lines[need]; known && !slices.Contains(todo, need) && len(todo) < lang.MaxList {
				todo = append(todo, need)
			}
		}
	}
	return m.expand(strings.Join(out, "\n"))
}

func readMakefile(w *shell.Walker, text string) makefile {
	m := makefile{vars: map[string]string{}, lines: map[string][]string{}, needs: map[string][]string{}}
	var current []string
	for line := range w.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
		if strings.HasPrefix(line, "\t") && len(current) > 0 {
			for _, target := range current {
				m.lines[target] = append(m.lines[target], line)
			}
			continue
		}
		name, value, assigns := strings.Cut(line, "=")
		name = strings.TrimRight(name, ":?+! ")
		targets, rest, rule := strings.Cut(line, ":")
		switch {
		case assigns && len(strings.Fields(name)) == 1 && !strings.Contains(name, ":"):
			m.vars[name] = strings.TrimSpace(value)
			m.outside = append(m.outside, line)
		case rule:
			current = strings.Fields(targets)
			needs, inline, _ := strings.Cut(rest, ";")
			for _, target := range current {
				if m.first == "" && !strings.HasPrefix(target, ".") {
					m.first = target
				}
				if strings.Contains(target, "%") && len(m.patterns) < lang.MaxList {
					m.patterns = append(m.patterns, target)
				}
				m.lines[target] = append(m.lines[target], "")
				m.needs[target] = append(m.needs[target], strings.Fields(needs)...)
				if inline != "" {
					m.lines[target] = append(m.lines[target], "\t"+strings.TrimSpace(inline))
				}
			}
		default:
			m.outside = append(m.outside, line)
		}
	}
	return m
}

// expand puts the variables in. One that is not set here is unknown; functions
// stay, $(shell …) among them.
func (m *makefile) expand(text string) string {
	var out strings.Builder
	for i := 0; i < len(text) && out.Len() < effect.MaxBytes; {
		rest := text[i:]
		switch {
		case strings.HasPrefix(rest, "$$"):
			out.WriteString("$$")
			i += 2
		case strings.HasPrefix(rest, "$(") || strings.HasPrefix(rest, "${"):
			body, end := run.Closing(rest, 1)
			i += end
			value, known := m.vars[body]
			switch {
			case strings.ContainsAny(body, " ,"):
				out.WriteString(rest[:end])
			case known && !strings.Contains(value, "$"):
				out.WriteString(value)
			default:
				out.WriteString(effect.Unknown)
			}
		case rest[0] == '$' && len(rest) > 1:
			out.WriteString(effect.Unknown) // $@, $<
			i += 2
		default:
			out.WriteByte(rest[0])
			i++
		}
	}
	return out.String()
}

// makeText is makefile text: --eval, or a makefile on the standard input.
func makeText(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
	rule := strings.HasPrefix(a.Text, "\t") // the end of a file that was there before
	for line := range w.Lines(a.Text) {
		for rest := line; ; {
			i := strings.Index(rest, "$(shell ")
			if i < 0 {
				break
			}
			body, end := run.Closing(rest, i+1)
			run.ExShell(w, st, construct, a, strings.TrimPrefix(body, "shell "))
			rest = rest[end:]
		}
		makeFiles(w, st, a, line)
		target, recipe, inline := strings.Cut(line, ";")
		switch {
		case strings.HasPrefix(line, "\t") && rule:
			run.ExShell(w, st, construct, a, strings.ReplaceAll(strings.TrimLeft(line, "\t@-+"), "$$", "$"))
		case strings.Contains(target, ":") && !strings.Contains(target, ":="):
			rule = true
			if inline {
				run.ExShell(w, st, construct, a, strings.ReplaceAll(strings.TrimLeft(recipe, " @-+"), "$$", "$"))
			}
		}
		if _, cmd, ok := strings.Cut(line, "!="); ok && !strings.HasPrefix(line, "\t") {
			run.ExShell(w, st, construct, a, cmd)
		}
		makeVariable(w, a, strings.TrimSpace(line))
	}
}

// makeFiles are $(file <x) and $(file >x,…) of a makefile.
func makeFiles(w *shell.Walker, st *shell.State, a effect.Arg, line string) {
	for i, sign := range [...]string{"$(file <", "$(file >"} {
		for rest, ok := line, true; w.Spend(1); {
			if _, rest, ok = strings.Cut(rest, sign); !ok {
				break
			}
			name := strings.TrimLeft(rest, "> \t")
			kind := [...]effect.Kind{effect.Read, effect.Write}[i]
			w.Path(st, kind, a.Tail(name[:strings.IndexAny(name+")", ",)")]))
		}
	}
}

// makeAssignment is a variable among make's arguments.
func makeAssignment(w *shell.Walker, _ *shell.State, _ string, a effect.Arg) {
	makeVariable(w, a, a.Text)
	if name, value, ok := strings.Cut(a.Text, "="); ok && name != "SHELL" && name != "PATH" {
		w.Programs.Variable(w, &effect.Effect{Name: name, Text: value, Span: a.Span, Source: effect.Source{Index: a.Index}})
	}
}

// makeVariable is SHELL=…: what every recipe is given to.
func makeVariable(w *shell.Walker, a effect.Arg, text string) {
	name, value, ok := strings.Cut(text, "=")
	if name = strings.TrimRight(name, " :?+"); !ok || name != "SHELL" {
		return
	}
	value = strings.TrimSpace(value)
	if _, shell := shell.Dialects()[argv.Base(value)]; !shell || strings.HasPrefix(value, ".") {
		w.EmitAt(a, effect.Effect{Kind: effect.Hook, Name: "make SHELL", Text: "make SHELL=" + value})
	}
}
