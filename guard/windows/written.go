package windows

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// What a text writes to files is remembered, so that a script which it runs later is
// judged as what it is.

// keep remembers what a command puts into a file.
func keep(w *shell.Walker, st *shell.State, file effect.Arg, s effect.Stream) {
	file.Text = strings.ReplaceAll(file.Text, `\`, "/")
	w.Keep(st, []effect.Arg{file}, s, true)
}

// redirected remembers what a PowerShell command prints into files.
func redirected(w *shell.Walker, st *shell.State, c windowsCommand, out effect.Stream) {
	for i, a := range c.words {
		if i > 0 && !c.quoted[i-1] && c.words[i-1].Text == ">" {
			keep(w, st, a, out)
		}
	}
}

// content remembers what a cmdlet writes: its value, or what it is given.
func content(w *shell.Walker, st *shell.State, name string, params map[string]effect.Arg, positional []effect.Arg,
	in effect.Stream,
) {
	if len(positional) == 0 {
		return
	}
	file, text := positional[0], in
	values := valuesOf(params, "value")
	if name == "set-content" || name == "add-content" {
		values = append(values, positional[1:]...)
	}
	if paths := valuesOf(params, "path literalpath filepath"); len(paths) > 0 {
		file = paths[0]
		if len(values) == 0 && !strings.HasPrefix(name, "new") {
			values = positional[:len(positional)-1]
		}
	}
	if len(values) > 0 {
		text = effect.Stream{Text: values[0].Text, From: effect.Mixed(in.From, values[0].From...)}
	}
	keep(w, st, file, text)
}

// echoed is echo in a text for cmd, whose words go to a file, alone or in brackets.
var echoed = argv.Pattern(`(?i)(?:^|[&|(\n])\s*@?echo[ .:]((?:\^.|[^\n&|>])*)>>?\s*("[^"\n]+"|[^\s&|)>]+)` +
	`|\(((?:[^()]|\([^()]*\))*)\)\s*>>?\s*("[^"\n]+"|[^\s&|)>]+)`)

// echoes remembers what cmd's echo writes to files. Its words are not those of a command.
func echoes(w *shell.Walker, st *shell.State, text string) {
	if !strings.Contains(text, ">") || !w.Spend(len(text)/64) {
		return
	}
	for _, m := range echoed().FindAllStringSubmatch(text, 32) {
		var lines []string
		for part := range strings.FieldsFuncSeq(m[1]+m[3], func(r rune) bool { return r == '&' || r == '\n' }) {
			part = strings.TrimLeft(part, " @")
			if len(part) > 4 && strings.EqualFold(part[:4], "echo") {
				part = strings.TrimLeft(part[4:], " .:")
			}
			lines = append(lines, strings.ReplaceAll(part, "^", ""))
		}
		keep(w, st, w.Here(strings.Trim(m[2]+m[4], `"`)), effect.Printed(strings.Join(lines, "\n")))
	}
}

// scriptFile is a script that powershell.exe is given by name.
func scriptFile(w *shell.Walker, st *shell.State, a effect.Arg, in effect.Stream) effect.Stream {
	run.WindowsPaths(w, st, effect.Effect{Kind: effect.Read, Discreet: true}, a)
	for _, s := range w.Contents(st, strings.ReplaceAll(a.Text, `\`, "/")) {
		code := a.Tail(s.Text)
		code.From = s.From
		powerShellText(w, st, code, in)
	}
	return effect.Somewhere
}

// assemblies is Add-Type and Import-Module, which compile a text, or load a file, into the
// shell.
func assemblies(w *shell.Walker, st *shell.State, at effect.Arg, params map[string]effect.Arg, positional []effect.Arg,
	in effect.Stream,
) {
	loaded := slices.Concat(positional, valuesOf(params, "typedefinition td memberdefinition md"))
	fetched := effect.Fetched(in.From) && (len(loaded) == 0 && len(valuesOf(params, "assemblyname an")) == 0 ||
		argv.AnyText(loaded, func(s string) bool { return s == "" || strings.Contains(s, effect.Unknown) }))
	for _, a := range loaded {
		if strings.HasPrefix(a.Text, `\\`) { // of another machine
			run.WindowsPaths(w, st, effect.Effect{Kind: effect.Read}, a)
		}
		for _, s := range w.Contents(st, strings.ReplaceAll(a.Text, `\`, "/")) {
			fetched = fetched || effect.Fetched(s.From)
		}
	}
	if fetched {
		w.EmitAt(at, effect.Effect{Kind: effect.Code, Name: "powershell", Text: at.Text, From: []string{"curl"}})
	}
}

// renames are the aliases that a text has made, by name.
type renames map[string]string

// apply puts the program in an alias's place.
func (r renames) apply(c *windowsCommand) {
	if name, ok := r[strings.ToLower(c.words[0].Text)]; ok {
		c.words = slices.Clone(c.words)
		c.words[0].Text = name
	}
}

// learn remembers what Set-Alias makes.
func (r renames) learn(c windowsCommand) {
	name := strings.ToLower(c.words[0].Text)
	if name = orAlias(name); name != "set-alias" && name != "new-alias" {
		return
	}
	named, positional := parameters(c.words[1:])
	positional = append(valuesOf(named, "name"), append(positional, valuesOf(named, "value")...)...)
	if len(positional) > 1 {
		r[strings.ToLower(positional[0].Text)] = positional[1].Text
	}
}

// orAlias is the cmdlet of that name, or of that alias of PowerShell's own.
func orAlias(name string) string {
	if full, ok := names("alias")[name]; ok {
		return full
	}
	return name
}
