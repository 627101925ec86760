// Package sql knows the clients of databases: what they read and write by name, run,
// and drop.
package sql

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/program/net"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

const clients = `psql mysql mariadb sqlite3 sqlcmd cqlsh clickhouse-client duckdb mongosh mongo redis-cli pgcli mycli
	litecli usql snowsql cockroach clickhouse bq`

var databaseClients = argv.Names(clients + " dropdb invoke-sqlcmd")

func database(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
	name := argv.Base(args[0].Text)
	run.Operands(w, st, name, args[1:])
	Queries(w, st, args, in)
	return effect.Passed(in, name)
}

// Queries emits what a database client runs, here or in a container.
func Queries(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) {
	if len(args) == 0 || !databaseClients.Has(argv.Base(args[0].Text)) {
		return
	}
	name := argv.Base(args[0].Text)
	if argv.Given(args[1:], "--help", "--version") || argv.AnyText(args[1:], func(s string) bool {
		return s == ":memory:"
	}) {
		return
	}
	for _, a := range args[1:] {
		text := a.Text
		// --command=…, not a comment.
		if option, value, joined := strings.Cut(text, "="); joined && strings.HasPrefix(option, "--") &&
			!strings.Contains(option, " ") {
			text = value
		}
		if destructive(name, text) {
			w.EmitAt(a, effect.Effect{Kind: effect.Data, Name: name, Text: name})
			return
		}
	}
	if len(w.Made) > 0 {
		files := argv.Values(args[1:], "-f", "--file", "-InputFile")
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

// includes finds the files that clients read from within: source x, \i x.
var includes = argv.Pattern(`(?m)^\s*(?:source|\.read|\\i|\\\.)\s+["']?([^\s;"']+)`)

// cluster is kubectl: a command for a pod is not a command for this machine.
func cluster(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
	name := argv.Base(args[0].Text)
	run.Operands(w, st, name, args[1:])
	if i := slices.IndexFunc(args, func(a effect.Arg) bool { return a.Text == "--" }); i >= 0 {
		Queries(w, st, args[i+1:], in)
		net.InContainer(w, st, name+" exec", args[i+1:])
		args = args[:i]
	}
	if _, words := program.MustSpec("kubectl").Options(args[1:]); len(words) == 3 && words[0].Text == "cp" {
		for i, a := range words[1:] {
			if !strings.Contains(a.Text, ":") { // namespace/pod:path
				w.Path(st, []effect.Kind{effect.Read, effect.Write}[i], a)
			}
		}
	}
	return effect.Passed(in, name)
}

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
		Does:  map[string]shell.Handler{clients: database, "kubectl oc": cluster},
		Kinds: map[string]run.Kind{"psql": psqlCommand, "mysql": mysqlCommand, "sqlite": sqliteCommand},
	}
}
