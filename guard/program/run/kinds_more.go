package run

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// sourced is a file that a program reads as shell text.
func sourced(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
	if strings.ContainsAny(a.Text, "/") || len(w.Contents(st, a.Text)) > 0 {
		w.Script(st.Child(), a.Tail(construct), a, syntax.LangBash)
	}
}

// handed is a program that is given a connection, whatever it is.
func handed(w *shell.Walker, _ *shell.State, construct string, a effect.Arg) {
	w.EmitAt(a, effect.Effect{Kind: effect.Shell, Name: construct, Text: construct + " → " + a.Text})
}

// hgConfig is hg --config alias.x='!…' and hooks.pre-x=….
func hgConfig(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
	name, value, _ := strings.Cut(a.Text, "=")
	section, key, _ := strings.Cut(name, ".")
	switch {
	case section == "alias" && strings.HasPrefix(value, "!"):
		Value(w, st, "none", construct+" "+name, a.Tail(value[1:]))
	case section == "hooks" && value != "":
		Value(w, st, "none", construct+" "+name, a.Tail(strings.TrimPrefix(value, "python:")))
	case section == "extensions" && strings.Contains(value, "/"):
		plugin(w, st, construct+" "+name, a.Tail(value))
	case name == "ui.ssh":
		Value(w, st, "ssh", construct+" "+name, a.Tail(value))
	case name == "ui.editor", name == "ui.merge", section == "pager" && key == "pager", section == "merge-tools",
		section == "extdiff":
		Value(w, st, "editor", construct+" "+name, a.Tail(value))
	}
}

// macro is rpm --eval '%(command)'.
func macro(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
	for body := range Bracketed(w, a.Text, "%(") {
		ExShell(w, st, construct+" %(…)", a, body)
	}
}

// busAddress is unixexec:path=…,argv1=…: the bus is a program.
func busAddress(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
	rest, ok := strings.CutPrefix(a.Text, "unixexec:")
	if !ok {
		return
	}
	var words []string
	for field := range strings.SplitSeq(rest, ",") {
		if key, value, _ := strings.Cut(field, "="); key == "path" || strings.HasPrefix(key, "argv") && key != "argv0" {
			words = append(words, value)
		}
	}
	Value(w, st, "none", construct, a.Tail(argv.QuotedWords(words)))
}

// mountOption is sshfs -o ssh_command=….
func mountOption(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
	for field := range strings.SplitSeq(a.Text, ",") {
		if key, value, _ := strings.Cut(field, "="); key == "ssh_command" {
			Value(w, st, "ssh", construct+" "+key, a.Tail(value))
		} else {
			sshOption(w, st, construct, a.Tail(field))
		}
	}
}

// settings are key=value pairs of which some keys name programs: their names
// end in what the kind says.
func settings(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
	key, value, ok := strings.Cut(a.Text, "=")
	key = strings.ToLower(key)
	// svn+x:// is what a tunnel starts.
	if ok && (strings.Contains(key, ":tunnels:") ||
		effect.Ends(key, "cmd command hook exec program helper editor pager askpass ssh runner")) {
		Value(w, st, "open", construct+" "+key, a.Tail(value))
	}
}
