// Package sql knows the clients of databases: what they read and write by name, run,
// and drop.
package sql

import (
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// databases run the query language of a database from an option, an operand or
// standard input.
func databaseHandlers() map[string]shell.Handler {
	return map[string]shell.Handler{
		"psql": database, "mysql": database, "mariadb": database, "sqlite3": database, "sqlcmd": database, "cqlsh": database,
		"clickhouse-client": database, "duckdb": database,
		"mongosh": database, "mongo": database, "redis-cli": database, "kubectl": cluster, "oc": cluster,
		"pgcli": database, "mycli": database, "litecli": database, "usql": database, "snowsql": database,
		"cockroach": database, "clickhouse": database, "bq": database,
	}
}

// Family is the clients of databases.
func Family() run.Family {
	return run.Family{
		Does:  databaseHandlers(),
		Kinds: map[string]run.Kind{"psql": psqlCommand, "mysql": mysqlCommand, "sqlite": sqliteCommand},
	}
}
