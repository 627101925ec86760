package guard

import (
	"slices"
	"strings"
)

var operandCommands = []string{"vim", "vi", "nvim", "view", "ex", "gvim", "vimdiff", "less", "more", "most", "sqlite3", "sqlite", "make", "gmake"}

// hookOperands judges operands that are commands of the program's own language:
// vim +…, sqlite3 db '.shell x', make SHELL=x.
func (w *walker) hookOperands(st *state, name string, args []arg) {
	if !slices.Contains(operandCommands, name) {
		return
	}
	first := true
	for _, a := range args {
		if !w.spend(1) {
			return
		}
		if strings.HasPrefix(a.text, "-") {
			continue
		}
		switch name {
		default:
			if text, ok := strings.CutPrefix(a.text, "+"); ok {
				w.vimCommand(st, name+" +", a.tail(text))
			}
		case "sqlite3", "sqlite":
			if !first {
				w.sqliteCommand(st, name, a)
			}
		case "make", "gmake":
			w.makeVariable(a, a.text)
			if name, value, ok := strings.Cut(a.text, "="); ok && name != "SHELL" && name != "PATH" {
				w.variable(&effect{name: name, text: value, span: a.span, source: Source{Index: a.index}})
			}
		}
		first = false
	}
}

// hookInput judges commands of the program's own language on its standard input.
func (w *walker) hookInput(st *state, name string, args []arg, in stream) {
	if !in.open || in.file || in.text == "" {
		return
	}
	var read func(w *walker, st *state, construct string, a arg)
	switch name {
	case "ed", "red", "ex":
		read = (*walker).vimCommand
	case "vim", "vi", "nvim":
		if !slices.ContainsFunc(args, func(a arg) bool { return a.text == "-es" || a.text == "-Es" || a.text == "-e" || a.text == "-s" }) {
			return
		}
		read = (*walker).vimCommand
	case "sqlite3", "sqlite":
		read = (*walker).sqliteCommand
	case "psql":
		read = (*walker).psqlCommand
	case "mysql", "mariadb":
		read = (*walker).mysqlCommand
	case "gdb", "lldb":
		read = (*walker).gdbCommand
	case "make", "gmake":
		if !slices.ContainsFunc(args, func(a arg) bool {
			return a.text == "-" || a.text == "-f-" || a.text == "/dev/stdin" || a.text == "--file=-"
		}) {
			return
		}
		read = (*walker).makeText
	case "ftp", "sftp", "lftp", "dc":
		read = (*walker).bangLines
	case "m4":
		read = (*walker).m4
	default:
		return
	}
	a := arg{text: in.text}
	a.index, a.span = w.at.index, w.at.whole
	if in.text == unknown {
		if len(in.from) > 0 && slices.ContainsFunc(in.from, func(p string) bool { return slices.Contains(downloaders, p) }) {
			w.emitAt(a, effect{kind: kindCode, name: name, text: name + " < …", from: in.from})
		}
		return
	}
	read(w, st, name+" < …", a)
}

// bangLines are lines whose "!" runs the rest.
func (w *walker) bangLines(st *state, construct string, a arg) {
	for line := range strings.SplitSeq(a.text, "\n") {
		if cmd, ok := strings.CutPrefix(strings.TrimSpace(line), "!"); ok && w.spend(1) {
			w.exShell(st, construct, a, cmpOr(cmd, "sh"))
		}
	}
}

// m4 is syscmd(…) and include(…).
func (w *walker) m4(st *state, construct string, a arg) {
	for _, f := range []string{"syscmd(", "include("} {
		for rest := a.text; w.spend(1); {
			i := strings.Index(rest, f)
			if i < 0 {
				break
			}
			body, end := closing(rest, i+len(f)-1)
			body = strings.Trim(body, "`'")
			if f == "include(" {
				w.path(st, kindRead, a.tail(body))
			} else {
				w.exShell(st, construct, a, body)
			}
			rest = rest[end:]
		}
	}
}

// npmConfig is npm config set script-shell …, which every later script runs in.
func (w *walker) npmConfig(st *state, name string, args []arg) {
	if name != "npm" && name != "pnpm" && name != "yarn" || len(args) < 3 || args[0].text != "config" && args[0].text != "c" || args[1].text != "set" {
		return
	}
	key, value, joined := strings.Cut(args[2].text, "=")
	a := args[2].tail(value)
	if !joined && len(args) > 3 {
		a = args[3]
	}
	if (key == "prefix" || key == "cache" || key == "userconfig") && !(w.home != "" && strings.HasPrefix(a.text, w.home+"/")) {
		w.path(st, kindWrite, a) // where every later install goes
	}
	if kind := variableKinds()["npm_config_"+strings.ReplaceAll(key, "-", "_")]; kind != "" && a.text != "" {
		w.variableValue(st, kind, "npm config set "+key, a)
	}
}
