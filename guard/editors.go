package guard

import (
	"slices"
	"strings"
	"sync"
)

// vimCommand is an ex command: -c, +…, and the lines of ex and vim -es.
func (w *walker) vimCommand(st *state, construct string, a arg) {
	for line := range strings.SplitSeq(a.text, "\n") {
		if !w.spend(1) {
			return
		}
		b := a
		b.text, b.exact = strings.TrimLeft(line, ": \t"), false
		w.exCommand(st, construct, b)
	}
}

// exVerbs are those that take a file, or a command after "!".
var exVerbs = sync.OnceValue(func() map[string]kind {
	return map[string]kind{
		"w": kindWrite, "wr": kindWrite, "write": kindWrite, "sav": kindWrite, "saveas": kindWrite, "wq": kindWrite, "x": kindWrite, "up": kindWrite, "update": kindWrite,
		"r": kindRead, "re": kindRead, "read": kindRead, "e": kindRead, "edit": kindRead, "sp": kindRead, "split": kindRead, "vs": kindRead, "tabe": kindRead, "tabedit": kindRead, "so": kindRead, "source": kindRead, "luafile": kindRead, "pyfile": kindRead, "py3file": kindRead,
	}
})

func (w *walker) exCommand(st *state, construct string, a arg) {
	if !w.spend(1 + len(a.text)/16) {
		return
	}
	text := strings.TrimLeft(a.text, "0123456789,%$.';<>")
	if cmd, ok := strings.CutPrefix(text, "!"); ok {
		w.exShell(st, construct, a, cmd)
		return
	}
	n := 0
	for n < len(text) && (nameByte(text[n]) || n > 0 && digit(text[n])) {
		n++
	}
	verb, rest := text[:n], strings.TrimLeft(text[n:], " ")
	k, file := exVerbs()[verb]
	switch {
	case verb == "silent" || verb == "sil" || verb == "execute" || verb == "exe" || verb == "exec" || verb == "norm" || verb == "normal" || verb == "autocmd" || verb == "argdo" || verb == "bufdo" || verb == "windo" || verb == "tabdo":
		a.text = strings.Trim(strings.TrimLeft(rest, "!: "), `"'`)
		w.exCommand(st, construct, a)
	case file && strings.HasPrefix(rest, "!") && strings.HasPrefix(text[n:], " "), verb == "r" && strings.HasPrefix(rest, "!"):
		w.exShell(st, construct, a, rest[1:])
	case file:
		a.text, _, _ = strings.Cut(strings.TrimLeft(rest, "! "), "|")
		a.text = strings.TrimSpace(strings.TrimLeft(a.text, ">"))
		if a.text != "" && a.text != "%" {
			w.path(st, k, a)
		}
	case slices.Contains([]string{"sh", "she", "shell", "ter", "term", "terminal"}, verb):
		w.exShell(st, construct, a, cmpOr(rest, "sh"))
	case verb == "lua" || verb == "py" || verb == "py3" || verb == "python" || verb == "python3" || verb == "perl" || verb == "ruby" || verb == "pyx":
		a.text = rest
		w.foreign(st, languageOf(map[string]string{"py": "python", "py3": "python", "pyx": "python"}[verb]+pick(verb)), construct, a, nil, stream{}, false)
	default:
		w.vimExpression(st, construct, a)
		if _, more, ok := strings.Cut(a.text, "|"); ok {
			a.text = strings.TrimLeft(more, " :")
			w.exCommand(st, construct, a)
		}
	}
}

func pick(verb string) string {
	if verb == "py" || verb == "py3" || verb == "pyx" {
		return ""
	}
	return verb
}

func cmpOr(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// vimExpression finds the functions that run something: system(), libcall().
func (w *walker) vimExpression(st *state, construct string, a arg) {
	for _, f := range []string{"system(", "systemlist(", "job_start(", "jobstart(", "termopen(", "delete(", "readfile(", "writefile(", "os.execute("} {
		_, rest, ok := strings.Cut(a.text, f)
		if !ok {
			continue
		}
		v := tokens(&lua, rest)
		if len(v) == 0 || v[0].kind != tokString {
			w.emitAt(a, effect{kind: kindCode, name: "vim", text: construct + " " + f})
			continue
		}
		b := a
		b.text, b.exact = v[0].parts[0].text, false
		switch f {
		case "delete(":
			w.path(st, kindDelete, b)
		case "readfile(":
			w.path(st, kindRead, b)
		case "writefile(":
			w.path(st, kindWrite, b)
		default:
			w.exShell(st, construct, b, b.text)
		}
	}
}

func (w *walker) exShell(st *state, construct string, a arg, text string) {
	a.text, a.exact = strings.TrimSpace(text), false
	seen := len(w.effects)
	w.commandText(st, construct+" !", a)
	w.handsOver(construct, a, seen)
}

// elisp is emacs --eval: the calls that run programs and touch files.
func (w *walker) elisp(st *state, construct string, a arg) {
	if !w.spend(len(a.text) / 16) {
		return
	}
	toks := tokens(&lisp, a.text)
	for i := 1; i < len(toks) && w.spend(1); i++ {
		if toks[i].kind != tokName || toks[i-1].text != "(" {
			continue
		}
		var texts []arg
		for j := i + 1; j < min(len(toks), i+maxList) && toks[j].text != ")" && w.spend(1); j++ {
			if toks[j].kind == tokString {
				b := a
				b.text, b.exact = toks[j].parts[0].text, false
				texts = append(texts, b)
			}
		}
		w.lispCall(st, construct, toks[i].text, texts, a)
	}
}

var lisp = language{name: "elisp", comments: []string{";"}, quotes: `"`}

func (w *walker) lispCall(st *state, construct, name string, texts []arg, at arg) {
	k := map[string]kind{
		"delete-file": kindDelete, "delete-directory": kindDelete, "write-region": kindWrite, "write-file": kindWrite, "append-to-file": kindWrite, "insert-file-contents": kindRead, "find-file": kindRead, "load-file": kindRead, "directory-files": kindRead,
		"rename-file": kindDelete, "copy-file": kindRead, "find-file-noselect": kindRead,
	}[name]
	switch {
	case k != 0:
		for _, a := range texts {
			w.path(st, k, a)
		}
	case name == "shell-command" || name == "shell-command-to-string" || name == "async-shell-command" || name == "compile" || name == "start-process-shell-command" || name == "call-process-shell-command":
		if len(texts) == 0 {
			w.emitAt(at, effect{kind: kindCode, name: "elisp", text: construct})
			return
		}
		w.exShell(st, construct, at, texts[len(texts)-1].text)
	case (name == "call-process" || name == "start-process" || name == "process-lines" || name == "make-process") && len(texts) > 0:
		if name == "start-process" {
			texts = texts[min(1, len(texts)-1):]
		}
		seen := len(w.effects)
		w.run(st.clone(), texts, stream{})
		w.handsOver(construct, at, seen)
	case name == "term" || name == "ansi-term" || name == "shell" || name == "eshell" || name == "vterm":
		w.emitAt(at, effect{kind: kindShell, name: construct, text: construct + " " + name})
	}
}
