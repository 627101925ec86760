// Package sql knows the clients of databases: what they read and write by name, run,
// and drop.
package sql

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

const clients = `psql mysql mariadb sqlite3 sqlcmd cqlsh clickhouse-client duckdb mongosh mongo redis-cli pgcli mycli
	litecli usql snowsql cockroach clickhouse bq mysqladmin rabbitmqadmin sqlplus sqlcl isql tsql osql vsql nzsql
	impala-shell hive beeline presto trino spark-sql bteq db2 dbaccess ` + loaders

// loaders change a database whatever they are told.
const loaders = `pg_restore mongorestore mysqlimport createdb dropdb createuser dropuser`

var databaseLoaders = argv.Names(loaders)

// Queries emits what a database client runs.
func Queries(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) {
	name := argv.Base(args[0].Text)
	if argv.Given(args[1:], "--help", "--version") || argv.AnyText(args[1:], func(s string) bool {
		return s == ":memory:"
	}) {
		return
	}
	if (w.Away || elsewhere(st, args)) && changesThere(name, args, in) || somewhere(args) && loses(name, args[1:]) {
		w.EmitAt(args[0], effect.Effect{Kind: effect.Net, Name: name, Text: name, Sends: effect.ChangesThere})
	}
	for _, a := range args[1:] {
		if destructive(name, afterOption(a.Text)) {
			w.EmitAt(a, effect.Effect{Kind: effect.Data, Name: name, Text: name})
			return
		}
	}
	if len(w.Made) > 0 {
		files := filesOf(name, args[1:])
		for _, a := range append(slices.Clip(args[1:]), args[0].Tail(in.Text)) {
			for _, m := range includes().FindAllStringSubmatch(a.Text, -1) {
				files = append(files, a.Tail(m[1]))
			}
		}
		for _, file := range files {
			if made, ok := w.Content(st, file.Text); ok && w.Spend(1+len(made.Text)/64) && destructive(name, made.Text) {
				w.EmitAt(file, effect.Effect{Kind: effect.Data, Name: name, Text: name})
				return
			}
		}
	}
	if name == "dropdb" || in.Open && destructive(name, in.Text) {
		w.EmitAt(args[0], effect.Effect{Kind: effect.Data, Name: name, Text: name})
	}
}

// filesOf are those with statements that a client is given by name.
func filesOf(name string, args []effect.Arg) []effect.Arg {
	switch name {
	case "invoke-sqlcmd":
		return argv.Values(args, "-InputFile")
	case "sqlcmd":
		return argv.Values(args, "-i")
	}
	return argv.Values(args, "-f", "--file")
}

// includes finds the files that clients read from within: source x, \i x.
var includes = argv.Pattern(`(?m)^\s*(?:source|\.read|\\i|\\\.)\s+["']?([^\s;"']+)`)

// destructive reports statements that drop, empty or overwrite whole tables. Only
// the beginning of a statement counts: 'select "drop table"' drops nothing.
func destructive(client, text string) bool {
	if len(text) > effect.MaxBytes {
		return false
	}
	lower := strings.ToLower(text)
	switch client {
	case "redis-cli":
		return lower == "flushall" || lower == "flushdb" || strings.HasPrefix(lower, "flushall\n") ||
			strings.Contains(lower, "call('flush") || strings.Contains(lower, `call("flush`)
	case "mongosh", "mongo":
		lower = strings.ReplaceAll(lower, " ", "")
		return strings.Contains(lower, ".dropdatabase(") || strings.Contains(lower, ".drop()") ||
			strings.Contains(lower, ".deletemany({})") || strings.Contains(lower, ".remove({})")
	}
	for statement := range strings.SplitSeq(lower, ";") {
		if drops(strings.Fields(uncommented(statement))) {
			return true
		}
	}
	return false
}

// uncommented is a statement without the comment it begins with.
func uncommented(statement string) string {
	text := strings.TrimLeft(statement, " \t\n")
	if !strings.HasPrefix(text, "/*") {
		return statement
	}
	_, text, _ = strings.Cut(text, "*/")
	return text
}

func drops(words []string) bool {
	for len(words) > 0 && (words[0] == "begin" || strings.HasPrefix(words[0], "--")) {
		words = words[1:]
	}
	if len(words) < 2 {
		return false
	}
	switch words[0] {
	case "drop":
		return slices.Contains([]string{"database", "schema", "table", "user", "role", "keyspace", "tablespace", "owned"},
			words[1]) && !scratch(words[len(words)-1]) && !scratch(words[min(len(words)-1, 2)])
	case "truncate":
		return true
	case "delete":
		return words[1] == "from" && !slices.Contains(words, "where")
	case "update":
		return slices.Contains(words, "set") && !slices.Contains(words, "where")
	case "alter":
		return words[1] == "table" && len(words) > 3 && slices.Contains(words[2:], "drop")
	}
	return false
}

// scratch reports names that say a table is temporary.
func scratch(name string) bool {
	return strings.HasPrefix(name, "tmp_") || strings.HasPrefix(name, "temp_") || strings.HasPrefix(name, "test_") ||
		strings.HasSuffix(name, "_test")
}

// Family is the clients of databases.
func Family() run.Family {
	return run.Family{
		Does:  map[string]shell.Handler{clients: run.Besides(Queries)},
		Kinds: map[string]run.Kind{"psql": psqlCommand, "mysql": mysqlCommand, "sqlite": sqliteCommand},
	}
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
	body, _ := run.Closing(rest, 0)
	return body, true
}

func sqlPaths(w *shell.Walker, st *shell.State, a effect.Arg, words map[string]effect.Kind) {
	for _, word := range slices.Sorted(maps.Keys(words)) {
		file, ok := sqlString(a.Text, word)
		if cmd, piped := strings.CutSuffix(strings.TrimSpace(file), "|"); piped { // DuckDB's shellfs
			run.ExShell(w, st, word, a, cmd)
		} else if ok {
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
				"vacuum into ": effect.Write, "read_csv": effect.Read, "read_csv_auto": effect.Read, "read_text": effect.Read,
				"read_blob": effect.Read, "read_json": effect.Read, "read_json_auto": effect.Read, "read_parquet": effect.Read,
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
