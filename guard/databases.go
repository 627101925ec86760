package guard

import (
	"strings"
)

// tail is an argument cut down to a part of its text.
func (a arg) tail(text string) arg {
	a.text, a.exact = strings.TrimSpace(text), false
	return a
}

// sqlString is the first quoted text after the word; ok is false without one.
func sqlString(text, word string) (string, bool) {
	i := strings.Index(strings.ToLower(text), word)
	if i < 0 {
		return "", false
	}
	rest := strings.TrimLeft(text[i+len(word):], " (E")
	if rest == "" || rest[0] != '\'' && rest[0] != '"' {
		return "", false
	}
	body, _ := closing(rest, 0)
	return body, true
}

func (w *walker) sqlPaths(st *state, a arg, words map[string]kind) {
	for word, k := range words {
		if file, ok := sqlString(a.text, word); ok {
			w.path(st, k, a.tail(file))
		}
	}
}

// psqlCommand is psql -c: \! and the COPY … PROGRAM of the server.
func (w *walker) psqlCommand(st *state, construct string, a arg) {
	for line := range strings.SplitSeq(a.text, "\n") {
		if !w.spend(1) {
			return
		}
		b := a.tail(line)
		if i := strings.Index(line, `\!`); i >= 0 {
			w.exShell(st, construct+` \`, b, cmpOr(line[i+2:], "sh"))
		}
		for _, pipe := range []string{`\o |`, `\g |`, `\o|`, `\g|`, `\w |`} {
			if _, cmd, ok := strings.Cut(line, pipe); ok {
				w.exShell(st, construct+" "+pipe, b, cmd)
			}
		}
		for _, file := range []string{`\i `, `\ir `, `\include `} {
			if _, name, ok := strings.Cut(line, file); ok {
				w.path(st, kindRead, b.tail(strings.Trim(strings.TrimSpace(name), "'\"")))
			}
		}
		if cmd, ok := sqlString(line, " program "); ok {
			if strings.HasPrefix(strings.TrimSpace(line), `\copy`) {
				w.exShell(st, construct+` \copy`, b, cmd)
			} else {
				w.emitAt(b, effect{kind: kindHook, name: construct, text: "COPY … PROGRAM " + cmd})
			}
		}
		w.sqlPaths(st, b, map[string]kind{"pg_read_file": kindRead, "pg_read_binary_file": kindRead, "pg_ls_dir": kindRead, "lo_import": kindRead})
		if strings.HasPrefix(strings.ToLower(b.text), `\copy`) {
			w.sqlPaths(st, b, map[string]kind{" to ": kindWrite, " from ": kindRead})
		}
	}
}

// mysqlCommand is mysql -e: \! and system, and files named in SQL.
func (w *walker) mysqlCommand(st *state, construct string, a arg) {
	for line := range strings.SplitSeq(a.text, "\n") {
		if !w.spend(1) {
			return
		}
		b := a.tail(line)
		if _, cmd, ok := strings.Cut(line, `\!`); ok {
			w.exShell(st, construct+` \`, b, cmd)
		}
		if cmd, ok := strings.CutPrefix(b.text, "system "); ok {
			w.exShell(st, construct+" system", b, cmd)
		}
		if file, ok := strings.CutPrefix(b.text, "source "); ok {
			w.path(st, kindRead, b.tail(file))
		}
		w.sqlPaths(st, b, map[string]kind{"load_file": kindRead, "infile ": kindRead, "outfile ": kindWrite, "dumpfile ": kindWrite})
	}
}

// sqliteCommand is a dot command or SQL with functions of the command line tool.
func (w *walker) sqliteCommand(st *state, construct string, a arg) {
	for line := range strings.SplitSeq(a.text, "\n") {
		if !w.spend(1) {
			return
		}
		b := a.tail(line)
		if !strings.HasPrefix(b.text, ".") {
			w.sqlPaths(st, b, map[string]kind{"readfile": kindRead, "writefile": kindWrite, "attach ": kindWrite, "attach database ": kindWrite, "load_extension": kindRead, "vacuum into ": kindWrite})
			continue
		}
		verb, rest, _ := strings.Cut(b.text, " ")
		b = b.tail(rest)
		if cmd, ok := strings.CutPrefix(strings.Trim(b.text, `"'`), "|"); ok {
			w.exShell(st, construct+" "+verb, b, cmd)
			continue
		}
		switch verb {
		case ".shell", ".system", ".sh", ".sys":
			w.exShell(st, construct+" "+verb, b, b.text)
		case ".output", ".once", ".backup", ".save", ".log", ".clone", ".dump>", ".trace":
			w.firstWord(st, kindWrite, b)
		case ".read", ".load", ".open", ".restore", ".import":
			w.firstWord(st, kindRead, b)
		}
	}
}

func (w *walker) firstWord(st *state, k kind, a arg) {
	for _, word := range strings.Fields(a.text) {
		if !strings.HasPrefix(word, "-") && word != "stdout" && word != "off" && word != "main" {
			w.path(st, k, a.tail(strings.Trim(word, `"'`)))
			return
		}
	}
}

// gdbCommand is gdb -ex: shell, !, pipe, python, source.
func (w *walker) gdbCommand(st *state, construct string, a arg) {
	for line := range strings.SplitSeq(a.text, "\n") {
		if !w.spend(1) {
			return
		}
		b := a.tail(line)
		if cmd, ok := strings.CutPrefix(b.text, "!"); ok {
			w.exShell(st, construct, b, cmd)
			continue
		}
		verb, rest, _ := strings.Cut(b.text, " ")
		switch verb {
		case "shell", "she", "make":
			w.exShell(st, construct, b, cmpOr(rest, "sh"))
		case "pipe", "|":
			if _, cmd, ok := strings.Cut(rest, "|"); ok {
				w.exShell(st, construct, b, cmd)
			}
		case "python", "py", "pi", "python-interactive", "script":
			w.foreign(st, &python, construct, b.tail(rest), nil, stream{}, false)
		case "call", "print", "p", "compile", "eval": // call (int)system("id")
			if _, code, ok := strings.Cut(rest, "system("); ok {
				w.exShell(st, construct, b, strings.Trim(code, `"\); `))
			}
		case "source":
			w.path(st, kindRead, b.tail(rest))
		case "platform":
			if cmd, ok := strings.CutPrefix(rest, "shell "); ok {
				w.exShell(st, construct, b, cmd)
			}
		}
	}
}

// makeText is makefile text: --eval, or a makefile on the standard input.
func (w *walker) makeText(st *state, construct string, a arg) {
	rule := false
	for line := range strings.SplitSeq(a.text, "\n") {
		if !w.spend(1) {
			return
		}
		for rest := line; ; {
			i := strings.Index(rest, "$(shell ")
			if i < 0 {
				break
			}
			body, end := closing(rest, i+1)
			w.exShell(st, construct, a, strings.TrimPrefix(body, "shell "))
			rest = rest[i+end-i:]
		}
		target, recipe, inline := strings.Cut(line, ";")
		switch {
		case strings.HasPrefix(line, "\t") && rule:
			w.exShell(st, construct, a, strings.ReplaceAll(strings.TrimLeft(line, "\t@-+"), "$$", "$"))
		case strings.Contains(target, ":") && !strings.Contains(target, ":="):
			rule = true
			if inline {
				w.exShell(st, construct, a, strings.ReplaceAll(strings.TrimLeft(recipe, " @-+"), "$$", "$"))
			}
		}
		if _, cmd, ok := strings.Cut(line, "!="); ok && !strings.HasPrefix(line, "\t") {
			w.exShell(st, construct, a, cmd)
		}
		w.makeVariable(a, strings.TrimSpace(line))
	}
}

// makeVariable is SHELL=…: what every recipe is given to.
func (w *walker) makeVariable(a arg, text string) {
	name, value, ok := strings.Cut(text, "=")
	if name = strings.TrimRight(name, " :?+"); !ok || name != "SHELL" {
		return
	}
	value = strings.TrimSpace(value)
	if _, shell := dialects()[base(value)]; !shell || strings.HasPrefix(value, ".") {
		w.emitAt(a, effect{kind: kindHook, name: "make SHELL", text: "make SHELL=" + value})
	}
}
