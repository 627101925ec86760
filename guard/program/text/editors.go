package text

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/lang"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// plusCommand is an ex command after +.
func plusCommand(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
	if text, ok := strings.CutPrefix(a.Text, "+"); ok {
		vimCommand(w, st, construct+" +", a.Tail(text))
	}
}

// vimCommand is an ex command: -c, +…, and the lines of ex and vim -es.
func vimCommand(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
	for line := range w.Lines(a.Text) {
		exCommand(w, st, construct, effect.Renamed(a, strings.TrimLeft(line, ": \t")))
	}
}

// exReads and exWrites are verbs that take a file, or a command after "!".
const (
	exReads  = "r re read e edit sp split vs tabe tabedit so source luafile pyfile py3file"
	exWrites = "w redi redir wr write sav saveas wq x up update"
)

func exCommand(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
	if !w.Spend(1 + len(a.Text)/16) {
		return
	}
	text := strings.TrimLeft(a.Text, "0123456789,%$.';<>")
	if cmd, ok := strings.CutPrefix(text, "!"); ok {
		run.ExShell(w, st, construct, a, cmd)
		return
	}
	n := 0
	for n < len(text) && (lang.NameByte(text[n]) || n > 0 && lang.Digit(text[n])) {
		n++
	}
	verb, rest := text[:n], strings.TrimLeft(text[n:], " ")
	k, file := effect.Read, effect.Among(verb, exReads)
	if effect.Among(verb, exWrites) {
		k, file = effect.Write, true
	}
	switch {
	case effect.Among(verb, "silent sil execute exe exec norm normal autocmd argdo bufdo windo tabdo"):
		a.Text = strings.Trim(strings.TrimLeft(rest, "!: "), `"'`)
		exCommand(w, st, construct, a)
	case file && strings.HasPrefix(rest, "!") && strings.HasPrefix(text[n:], " "),
		verb == "r" && strings.HasPrefix(rest, "!"):
		run.ExShell(w, st, construct, a, rest[1:])
	case file:
		a.Text, _, _ = strings.Cut(strings.TrimLeft(rest, "! "), "|")
		a.Text = strings.TrimSpace(strings.TrimLeft(a.Text, ">"))
		if below, ok := strings.CutPrefix(strings.Replace(a.Text, "$HOME/", "~/", 1), "~/"); ok {
			a.Text = cmp.Or(w.Home, effect.Unknown) + "/" + below
		}
		if a.Text != "" && a.Text != "%" {
			w.Path(st, k, a)
		}
	case slices.Contains([]string{"sh", "she", "shell", "ter", "term", "terminal"}, verb):
		run.ExShell(w, st, construct, a, cmp.Or(rest, "sh"))
	case effect.Among(verb, "lua py py3 pyx python python3 perl ruby"):
		if strings.HasPrefix(verb, "py") {
			verb = "python"
		}
		a.Text = rest
		lang.Foreign(w, st, lang.LanguageOf(verb), construct, a, nil, effect.Stream{}, false)
	default:
		vimExpression(w, st, construct, a)
		if _, more, ok := strings.Cut(a.Text, "|"); ok {
			a.Text = strings.TrimLeft(more, " :")
			exCommand(w, st, construct, a)
		}
	}
}

// vimExpression finds the functions that run something: system(), libcall().
func vimExpression(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
	for f := range strings.FieldsSeq(`system( systemlist( job_start( jobstart( termopen( delete( readfile( writefile(
		os.execute(`) {
		_, rest, ok := strings.Cut(a.Text, f)
		if !ok {
			continue
		}
		v := lang.Tokens(&lang.Lua, rest)
		if len(v) == 0 || v[0].Kind != lang.TokString {
			w.EmitAt(a, effect.Effect{Kind: effect.Code, Name: "vim", Text: construct + " " + f})
			continue
		}
		b := effect.Renamed(a, v[0].Parts[0].Text)
		switch f {
		case "delete(":
			w.Path(st, effect.Delete, b)
		case "readfile(":
			w.Path(st, effect.Read, b)
		case "writefile(":
			w.Path(st, effect.Write, b)
		default:
			run.ExShell(w, st, construct, b, b.Text)
		}
	}
}

// elisp is emacs --eval: the calls that run programs and touch files.
func elisp(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
	if !w.Spend(len(a.Text) / 16) {
		return
	}
	toks := lang.Tokens(&lang.Lisp, "("+a.Text) // emacs -f has only the name
	for i := 1; i < len(toks) && w.Spend(1); i++ {
		if toks[i].Kind != lang.TokName || toks[i-1].Text != "(" {
			continue
		}
		var texts []effect.Arg
		for j := i + 1; j < min(len(toks), i+lang.MaxList) && toks[j].Text != ")" && w.Spend(1); j++ {
			if toks[j].Kind == lang.TokString {
				text := toks[j].Parts[0].Text
				if toks[j-1].Text == "getenv" {
					text = w.Get(st, text)
				}
				texts = append(texts, effect.Renamed(a, lang.AtHome(w, text)))
			}
		}
		lispCall(w, st, construct, toks[i].Text, texts, a)
	}
}

func lispCall(w *shell.Walker, st *shell.State, construct, name string, texts []effect.Arg, at effect.Arg) {
	paths := func(k effect.Kind) {
		for _, a := range texts {
			w.Path(st, k, a)
		}
	}
	switch name {
	case "delete-file", "delete-directory", "rename-file", "dired-delete-file", "move-file-to-trash":
		paths(effect.Delete)
	case "write-region", "write-file", "append-to-file", "set-file-modes":
		paths(effect.Write)
	case "insert-file-contents", "find-file", "find-file-noselect", "load-file", "load", "directory-files",
		"copy-file", "copy-directory":
		paths(effect.Read)
	case "shell-command", "shell-command-to-string", "async-shell-command", "compile", "start-process-shell-command",
		"call-process-shell-command":
		if len(texts) == 0 {
			w.EmitAt(at, effect.Effect{Kind: effect.Code, Name: "elisp", Text: construct})
			return
		}
		run.ExShell(w, st, construct, at, texts[len(texts)-1].Text)
	case "call-process", "start-process", "process-lines", "make-process":
		if len(texts) == 0 {
			return
		}
		if name == "start-process" {
			texts = texts[min(1, len(texts)-1):]
		}
		seen := len(w.Effects)
		w.Run(st.Clone(), texts, effect.Stream{})
		run.HandsOver(w, construct, at, seen)
	case "term", "ansi-term", "shell", "eshell", "vterm":
		w.EmitAt(at, effect.Effect{Kind: effect.Shell, Name: construct, Text: construct + " " + name})
	}
}
