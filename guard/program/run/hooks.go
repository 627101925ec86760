package run

import (
	"cmp"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// helper is a kind of program that another program starts by itself: a pager, an
// editor, a transport. Its value is shell text, and is judged as that; besides,
// it must be what it claims to be.
type helper struct {
	known  *argv.NameSet
	bare   bool // see values.txt
	script bool
	open   bool
}

// hook judges a command that another program starts. Findings about what it does
// speak for themselves; the rest asks whether such a program belongs there.
func hook(w *shell.Walker, st *shell.State, h *helper, construct string, a effect.Arg) {
	a.Text = strings.TrimSpace(a.Text)
	if a.Text == "" || !w.Deeper() {
		return
	}
	defer w.Back()
	seen := len(w.Effects)
	w.CommandText(st, construct, a)
	verdict := hookFine
	for _, e := range w.Effects[min(seen, len(w.Effects)):] {
		if e.Kind == effect.Exec && !e.Unknown {
			own := e.Path != "" && !w.Trusted(e.Text, e.Path)
			if own && !w.InFolders(e.Path) {
				verdict = hookDeny
			}
			verdict = max(verdict, h.judge(w, &e, own))
		}
	}
	if verdict != hookFine {
		w.EmitAt(a, effect.Effect{
			Kind: effect.Hook, Name: construct, Text: construct + " → " + a.Text,
			Inside: verdict == hookAsk,
		})
	}
}

const (
	hookFine = iota
	hookAsk
	hookDeny
)

// judge says whether a program is what the helper claims to be.
func (h *helper) judge(w *shell.Walker, e *effect.Effect, own bool) int {
	_, shell := shell.Dialects()[e.Name]
	interpreted := interprets(w, e.Name)
	switch {
	case own:
		if h.open && !h.script {
			return hookFine
		}
		if h.script {
			return hookAsk
		}
		return hookDeny
	case shell:
		if scripted(e.Args) && (h.open || !h.bare && inlined(e.Args)) {
			return hookFine // its text is judged word by word
		}
		return hookDeny
	case interpreted && !h.open && !h.known.Has(e.Name):
		return hookDeny
	case interpreted && len(e.Args) == 0:
		return hookDeny
	case h.bare || h.known.Has(e.Name):
		return hookFine
	case h.script:
		return hookAsk
	}
	return hookDeny
}

func inlined(args []effect.Arg) bool {
	return len(args) > 0 && strings.HasPrefix(args[0].Text, "-") && strings.Contains(args[0].Text, "c")
}

// plugin judges a file that a program loads as code, or as settings that name
// programs. In a directory anybody can write to it is asked about, unless this
// very command made it; from the network it is refused.
func plugin(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
	for _, prefix := range []string{"SO_PATH:", "dynamic_path:", "file:"} {
		a.Text = strings.TrimPrefix(a.Text, prefix)
	}
	a.Exact = false
	switch {
	case strings.HasPrefix(a.Text, "http://") || strings.HasPrefix(a.Text, "https://"):
		w.EmitAt(a, effect.Effect{Kind: effect.Code, Name: construct, Text: construct + " " + a.Text, From: []string{"curl"}})
		return
	case a.Text == "" || a.Text == "none" || a.Text == "/dev/null" || shell.Standard(a.Text) ||
		!strings.ContainsAny(a.Text, "/"):
		return
	}
	w.Path(st, effect.Read, a)
	for _, s := range w.Contents(st, a.Text) {
		if effect.Fetched(s.From) {
			w.EmitAt(a, effect.Effect{Kind: effect.Code, Name: construct, Text: construct + " " + a.Text, From: s.From})
		}
	}
	Value(w, st, "source", construct, a) // in a language that is read
	p := w.Locate(st, a.Text)
	if !p.Unknown && w.InRoots(p.Path) && !w.InFolders(p.Path) && len(w.Contents(st, a.Text)) == 0 {
		w.EmitAt(a, effect.Effect{Kind: effect.Hook, Name: construct, Text: construct + " " + a.Text, Inside: true})
	}
}

// hookOperands judges operands that are commands of the program's own language:
// vim +…, sqlite3 db '.shell x', make SHELL=x.
func hookOperands(w *shell.Walker, st *shell.State, name string, args []effect.Arg) {
	kind := program.Said(name, "operand")
	all := kind == "plus" || kind == "makevar"
	for _, a := range args {
		if kind == "" || !w.Spend(1) {
			return
		}
		if !strings.HasPrefix(a.Text, "-") {
			if all {
				Value(w, st, kind, name, a)
			}
			all = true
		}
	}
}

// HookInput judges commands of the program's own language on its standard input.
func HookInput(w *shell.Walker, st *shell.State, name string, args []effect.Arg, in effect.Stream) {
	if !in.Open || in.File || in.Text == "" {
		return
	}
	kind, condition, _ := strings.Cut(program.Said(name, "input"), " if ")
	if kind == "" {
		return
	}
	if words := strings.Fields(condition); len(words) > 0 && !argv.Has(args, words...) {
		return
	}
	a := w.Here(in.Text)
	if in.Text == effect.Unknown {
		if effect.Fetched(in.From) {
			w.EmitAt(a, effect.Effect{Kind: effect.Code, Name: name, Text: name + " < …", From: in.From})
		}
		return
	}
	Value(w, st, kind, name+" < …", a)
}

// bangLines are lines whose "!" runs the rest.
func bangLines(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
	for line := range strings.SplitSeq(a.Text, "\n") {
		if cmd, ok := strings.CutPrefix(strings.TrimSpace(line), "!"); ok && w.Spend(1) {
			ExShell(w, st, construct, a, cmp.Or(cmd, "sh"))
		}
	}
}

// m4 is syscmd(…) and include(…).
func m4(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
	for body := range Bracketed(w, a.Text, "syscmd(") {
		ExShell(w, st, construct, a, strings.Trim(body, "`'"))
	}
	for body := range Bracketed(w, a.Text, "include(") {
		w.Path(st, effect.Read, a.Tail(strings.Trim(body, "`'")))
	}
}
