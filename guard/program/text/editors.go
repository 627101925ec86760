package text

import (
	"cmp"
	"slices"
	"strings"
	"sync"

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
	for line := range strings.SplitSeq(a.Text, "\n") {
		if !w.Spend(1) {
			return
		}
		b := effect.Renamed(a, strings.TrimLeft(line, ": \t"))
		exCommand(w, st, construct, b)
	}
}

// exVerbs are those that take a file, or a command after "!".
var exVerbs = sync.OnceValue(func() map[string]effect.Kind {
	return map[string]effect.Kind{
		"w": effect.Write, "redi": effect.Write, "redir": effect.Write, "wr": effect.Write, "write": effect.Write,
		"sav": effect.Write, "saveas": effect.Write, "wq": effect.Write, "x": effect.Write, "up": effect.Write,
		"update": effect.Write,
		"r":      effect.Read, "re": effect.Read, "read": effect.Read, "e": effect.Read, "edit": effect.Read,
		"sp":    effect.Read,
		"split": effect.Read, "vs": effect.Read, "tabe": effect.Read, "tabedit": effect.Read, "so": effect.Read,
		"source": effect.Read, "luafile": effect.Read, "pyfile": effect.Read, "py3file": effect.Read,
	}
})

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
	k, file := exVerbs()[verb]
	switch {
	case verb == "silent" || verb == "sil" || verb == "execute" || verb == "exe" || verb == "exec" || verb == "norm" ||
		verb == "normal" || verb == "autocmd" || verb == "argdo" || verb == "bufdo" || verb == "windo" || verb == "tabdo":
		a.Text = strings.Trim(strings.TrimLeft(rest, "!: "), `"'`)
		exCommand(w, st, construct, a)
	case file && strings.HasPrefix(rest, "!") && strings.HasPrefix(text[n:], " "),
		verb == "r" && strings.HasPrefix(rest, "!"):
		run.ExShell(w, st, construct, a, rest[1:])
	case file:
		a.Text, _, _ = strings.Cut(strings.TrimLeft(rest, "! "), "|")
		a.Text = strings.TrimSpace(strings.TrimLeft(a.Text, ">"))
		if a.Text != "" && a.Text != "%" {
			w.Path(st, k, a)
		}
	case slices.Contains([]string{"sh", "she", "shell", "ter", "term", "terminal"}, verb):
		run.ExShell(w, st, construct, a, cmp.Or(rest, "sh"))
	case verb == "lua" || verb == "py" || verb == "py3" || verb == "python" || verb == "python3" || verb == "perl" ||
		verb == "ruby" || verb == "pyx":
		a.Text = rest
		lang.Foreign(w, st, lang.LanguageOf(map[string]string{
			"py": "python", "py3": "python",
			"pyx": "python",
		}[verb]+pick(verb)), construct, a, nil, effect.Stream{}, false)
	default:
		vimExpression(w, st, construct, a)
		if _, more, ok := strings.Cut(a.Text, "|"); ok {
			a.Text = strings.TrimLeft(more, " :")
			exCommand(w, st, construct, a)
		}
	}
}

func pick(verb string) string {
	if verb == "py" || verb == "py3" || verb == "pyx" {
		return ""
	}
	return verb
}

// vimExpression finds the functions that run something: system(), libcall().
func vimExpression(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
	for _, f := range []string{
		"system(", "systemlist(", "job_start(", "jobstart(", "termopen(", "delete(", "readfile(",
		"writefile(", "os.execute(",
	} {
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
	toks := lang.Tokens(&lang.Lisp, a.Text)
	for i := 1; i < len(toks) && w.Spend(1); i++ {
		if toks[i].Kind != lang.TokName || toks[i-1].Text != "(" {
			continue
		}
		var texts []effect.Arg
		for j := i + 1; j < min(len(toks), i+lang.MaxList) && toks[j].Text != ")" && w.Spend(1); j++ {
			if toks[j].Kind == lang.TokString {
				b := effect.Renamed(a, toks[j].Parts[0].Text)
				texts = append(texts, b)
			}
		}
		lispCall(w, st, construct, toks[i].Text, texts, a)
	}
}

func lispCall(w *shell.Walker, st *shell.State, construct, name string, texts []effect.Arg, at effect.Arg) {
	k := map[string]effect.Kind{
		"delete-file": effect.Delete, "delete-directory": effect.Delete, "write-region": effect.Write,
		"write-file": effect.Write, "append-to-file": effect.Write, "insert-file-contents": effect.Read,
		"find-file": effect.Read, "load-file": effect.Read, "directory-files": effect.Read,
		"rename-file": effect.Delete, "copy-file": effect.Read, "find-file-noselect": effect.Read,
	}[name]
	switch {
	case k != 0:
		for _, a := range texts {
			w.Path(st, k, a)
		}
	case name == "shell-command" || name == "shell-command-to-string" || name == "async-shell-command" ||
		name == "compile" || name == "start-process-shell-command" || name == "call-process-shell-command":
		if len(texts) == 0 {
			w.EmitAt(at, effect.Effect{Kind: effect.Code, Name: "elisp", Text: construct})
			return
		}
		run.ExShell(w, st, construct, at, texts[len(texts)-1].Text)
	case (name == "call-process" || name == "start-process" || name == "process-lines" || name == "make-process") &&
		len(texts) > 0:
		if name == "start-process" {
			texts = texts[min(1, len(texts)-1):]
		}
		seen := len(w.Effects)
		w.Run(st.Clone(), texts, effect.Stream{})
		run.HandsOver(w, construct, at, seen)
	case name == "term" || name == "ansi-term" || name == "shell" || name == "eshell" || name == "vterm":
		w.EmitAt(at, effect.Effect{Kind: effect.Shell, Name: construct, Text: construct + " " + name})
	}
}
