package sql

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

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
	body, _ := run.Closing(rest, 0)
	return body, true
}

func sqlPaths(w *shell.Walker, st *shell.State, a effect.Arg, words map[string]effect.Kind) {
	for _, word := range slices.Sorted(maps.Keys(words)) {
		if file, ok := sqlString(a.Text, word); ok {
			w.Path(st, words[word], a.Tail(file))
		}
	}
}

// psqlCommand is psql -c: \! and the COPY … PROGRAM of the server.
func psqlCommand(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
	for line := range w.Lines(a.Text) {
		b := a.Tail(line)
		if i := strings.Index(line, `\!`); i >= 0 {
			run.ExShell(w, st, construct+` \`, b, cmp.Or(line[i+2:], "sh"))
		}
		for _, pipe := range []string{`\o |`, `\g |`, `\o|`, `\g|`, `\w |`} {
			if _, cmd, ok := strings.Cut(line, pipe); ok {
				run.ExShell(w, st, construct+" "+pipe, b, cmd)
			}
		}
		for _, file := range []string{`\i `, `\ir `, `\include `} {
			if _, name, ok := strings.Cut(line, file); ok {
				w.Path(st, effect.Read, b.Tail(strings.Trim(strings.TrimSpace(name), "'\"")))
			}
		}
		if cmd, ok := sqlString(line, " program "); ok {
			if strings.HasPrefix(strings.TrimSpace(line), `\copy`) {
				run.ExShell(w, st, construct+` \copy`, b, cmd)
			} else {
				w.EmitAt(b, effect.Effect{Kind: effect.Hook, Name: construct, Text: "COPY … PROGRAM " + cmd})
			}
		}
		sqlPaths(w, st, b, map[string]effect.Kind{
			"pg_read_file": effect.Read, "pg_read_binary_file": effect.Read,
			"pg_ls_dir": effect.Read, "lo_import": effect.Read,
		})
		if strings.HasPrefix(strings.ToLower(b.Text), `\copy`) {
			sqlPaths(w, st, b, map[string]effect.Kind{" to ": effect.Write, " from ": effect.Read})
		}
	}
}

// mysqlCommand is mysql -e: \! and system, and files named in SQL.
func mysqlCommand(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
	for line := range w.Lines(a.Text) {
		b := a.Tail(line)
		if _, cmd, ok := strings.Cut(line, `\!`); ok {
			run.ExShell(w, st, construct+` \`, b, cmd)
		}
		if cmd, ok := strings.CutPrefix(b.Text, "system "); ok {
			run.ExShell(w, st, construct+" system", b, cmd)
		}
		if file, ok := strings.CutPrefix(b.Text, "source "); ok {
			w.Path(st, effect.Read, b.Tail(file))
		}
		sqlPaths(w, st, b, map[string]effect.Kind{
			"load_file": effect.Read, "infile ": effect.Read, "outfile ": effect.Write,
			"dumpfile ": effect.Write,
		})
	}
}

// sqliteCommand is a dot command or SQL with functions of the command line tool.
func sqliteCommand(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
	for line := range w.Lines(a.Text) {
		b := a.Tail(line)
		if !strings.HasPrefix(b.Text, ".") {
			sqlPaths(w, st, b, map[string]effect.Kind{
				"readfile": effect.Read, "writefile": effect.Write,
				"attach ": effect.Write, "attach database ": effect.Write, "load_extension": effect.Read,
				"vacuum into ": effect.Write,
			})
			continue
		}
		verb, rest, _ := strings.Cut(b.Text, " ")
		b = b.Tail(rest)
		if cmd, ok := strings.CutPrefix(strings.Trim(b.Text, `"'`), "|"); ok {
			run.ExShell(w, st, construct+" "+verb, b, cmd)
			continue
		}
		switch verb {
		case ".shell", ".system", ".sh", ".sys":
			run.ExShell(w, st, construct+" "+verb, b, b.Text)
		case ".output", ".once", ".backup", ".save", ".log", ".clone", ".dump>", ".trace":
			firstWord(w, st, effect.Write, b)
		case ".read", ".load", ".open", ".restore", ".import":
			firstWord(w, st, effect.Read, b)
		}
	}
}

func firstWord(w *shell.Walker, st *shell.State, k effect.Kind, a effect.Arg) {
	for _, word := range strings.Fields(a.Text) {
		if !strings.HasPrefix(word, "-") && word != "stdout" && word != "off" && word != "main" {
			w.Path(st, k, a.Tail(strings.Trim(word, `"'`)))
			return
		}
	}
}
