package guard

import (
	"slices"
	"strings"
	"sync"
)

// databases run the query language of a database from an option, an operand or
// standard input.
func databaseHandlers() map[string]handler {
	return map[string]handler{
		"psql": database, "mysql": database, "mariadb": database, "sqlite3": database, "sqlcmd": database, "cqlsh": database, "clickhouse-client": database, "duckdb": database,
		"mongosh": database, "mongo": database, "redis-cli": database, "kubectl": cluster, "oc": cluster,
		"pgcli": database, "mycli": database, "litecli": database, "usql": database, "snowsql": database, "cockroach": database, "clickhouse": database, "bq": database,
	}
}

var databaseClients = names("psql mysql mariadb sqlite3 sqlcmd cqlsh clickhouse-client duckdb mongosh mongo redis-cli dropdb pgcli mycli litecli usql snowsql cockroach clickhouse bq")

func database(w *walker, st *state, args []arg, in stream) stream {
	name := base(args[0].text)
	w.operands(st, name, args[1:])
	w.queries(st, args, in)
	return passed(in, name)
}

// queries emits what a database client is told to do, here or in a container.
func (w *walker) queries(st *state, args []arg, in stream) {
	if len(args) == 0 || !databaseClients.has(base(args[0].text)) {
		return
	}
	name := base(args[0].text)
	if flagged(args[1:], "--help", "--version") || anyText(args[1:], func(s string) bool { return s == ":memory:" }) {
		return
	}
	for _, a := range args[1:] {
		text := a.text
		if option, value, joined := strings.Cut(text, "="); joined && strings.HasPrefix(option, "--") && !strings.Contains(option, " ") { // --command=…, not a comment
			text = value
		}
		if destructive(name, text) {
			w.emitAt(a, effect{kind: kindData, name: name, text: name})
			return
		}
	}
	if len(w.made) > 0 {
		for _, file := range valuesOf(args[1:], "-f", "--file") {
			if made, ok := w.content(st, file.text); ok && w.spend(1+len(made.text)/64) && destructive(name, made.text) {
				w.emitAt(file, effect{kind: kindData, name: name, text: name})
				return
			}
		}
	}
	if name == "dropdb" || in.open && destructive(name, in.text) {
		w.emitAt(args[0], effect{kind: kindData, name: name, text: name})
	}
}

// cluster is kubectl: a command for a pod is not a command for this machine.
func cluster(w *walker, st *state, args []arg, in stream) stream {
	name := base(args[0].text)
	w.operands(st, name, args[1:])
	if i := slices.IndexFunc(args, func(a arg) bool { return a.text == "--" }); i >= 0 {
		w.queries(st, args[i+1:], in)
		w.inContainer(st, name+" exec", args[i+1:])
		args = args[:i]
	}
	if _, words := specs()["kubectl"].options(args[1:]); len(words) == 3 && words[0].text == "cp" {
		for i, a := range words[1:] {
			if !strings.Contains(a.text, ":") { // namespace/pod:path
				w.path(st, []kind{kindRead, kindWrite}[i], a)
			}
		}
	}
	return passed(in, name)
}

// destructive reports statements that drop, empty or overwrite whole tables. Only
// the beginning of a statement counts: 'select "drop table"' drops nothing.
func destructive(client, text string) bool {
	if len(text) > maxBytes {
		return false
	}
	lower := strings.ToLower(text)
	switch client {
	case "redis-cli":
		return lower == "flushall" || lower == "flushdb" || strings.HasPrefix(lower, "flushall\n") || strings.Contains(lower, "call('flush") || strings.Contains(lower, `call("flush`)
	case "mongosh", "mongo":
		lower = strings.ReplaceAll(lower, " ", "")
		return strings.Contains(lower, ".dropdatabase(") || strings.Contains(lower, ".drop()") || strings.Contains(lower, ".deletemany({})") || strings.Contains(lower, ".remove({})")
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
		return slices.Contains([]string{"database", "schema", "table", "user", "role", "keyspace", "tablespace", "owned"}, words[1]) && !scratch(words[len(words)-1]) && !scratch(words[min(len(words)-1, 2)])
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
	return strings.HasPrefix(name, "tmp_") || strings.HasPrefix(name, "temp_") || strings.HasPrefix(name, "test_") || strings.HasSuffix(name, "_test")
}

// migrations are the commands with which frameworks throw a database away.
var migrations = sync.OnceValue(func() phrases {
	return phrases{
		"dropdb": "", "mysqladmin": "drop", "rails": "db:drop db:reset db:migrate:reset db:purge db:truncate_all db:drop:all", "rake": "db:drop db:reset db:migrate:reset db:purge", "artisan": "migrate:fresh migrate:reset migrate:refresh db:wipe",
		"manage.py": "flush reset_db sqlflush", "prisma": "migrate+reset", "alembic": "downgrade+base", "sequelize": "db:drop db:migrate:undo:all", "sequelize-cli": "db:drop db:migrate:undo:all", "typeorm": "schema:drop", "mikro-orm": "schema:drop migration:fresh", "mix": "ecto.drop ecto.reset",
		"console": "doctrine:database:drop doctrine:schema:drop", "diesel": "database+reset", "sqlx": "database+drop database+reset", "dbmate": "drop", "supabase": "db+reset", "flyway": "clean", "liquibase": "dropAll drop-all", "goose": "reset down-to", "migrate": "drop", "drizzle-kit": "drop", "influx": "delete bucket+delete org+delete", "dropuser": "", "rabbitmqadmin": "purge delete", "rabbitmqctl": "reset force_reset delete_* purge_queue", "hasura": "", "flask": "db+downgrade+base",
	}
})

func destroysData(_ *walker, e *effect) bool {
	if e.kind == kindData {
		return true
	}
	if e.kind != kindExec {
		return false
	}
	name, args := launched(e.name, e.args)
	switch name {
	case "knex":
		return begins(commandWords(name, args), []string{"migrate:rollback"}) && flagged(args, "--all")
	case "prisma":
		if flagged(args, "--force-reset", "--accept-data-loss") {
			return true
		}
	case "pg_restore":
		return flagged(args, "-c", "--clean")
	case "kafka-topics", "kafka-topics.sh":
		return flagged(args, "--delete")
	case "hasura":
		return false
	case "migrate":
		return anyText(args, func(s string) bool { return s == "drop" })
	case "goose":
		return anyText(args, func(s string) bool { return s == "reset" })
	}
	return migrations().match(e)
}
