package guard

import (
	"slices"
	"strings"
	"sync"
)

// stages are the variables by which frameworks are told which system to work on.
var stages = []string{"RAILS_ENV", "RACK_ENV", "APP_ENV", "NODE_ENV", "MIX_ENV", "SYMFONY_ENV", "LARAVEL_ENV", "HANAMI_ENV", "FLASK_ENV", "ALEMBIC_ENV", "ENVIRONMENT"}

// migrators are the commands with which frameworks change a database.
var migrators = sync.OnceValue(func() phrases {
	return phrases{
		"rails": "db:*", "rake": "db:*", "artisan": "migrate migrate:* db:*", "manage.py": "migrate flush loaddata", "prisma": "migrate+deploy migrate+dev migrate+reset migrate+resolve db+push db+seed db+execute", "alembic": "upgrade downgrade stamp", "sequelize": "db:*", "sequelize-cli": "db:*", "knex": "migrate:* seed:*",
		"typeorm": "migration:run migration:revert schema:*", "mikro-orm": "migration:* schema:*", "mix": "ecto.*", "console": "doctrine:*", "diesel": "migration+run migration+revert", "sqlx": "migrate+run migrate+revert", "flyway": "migrate clean repair", "liquibase": "update rollback", "goose": "up down", "dbmate": "up down drop migrate rollback", "drizzle-kit": "push migrate", "flask": "db+upgrade db+downgrade", "hanami": "db+*",
	}
})

// onProduction judges a command that changes the database of the production
// system, where a variable or an option says that it is that one.
func (w *walker) onProduction(st *state, args []arg) {
	name, rest := launched(base(args[0].text), args[1:])
	if migrators()[name] == "" {
		return
	}
	if !migrators().match(&effect{kind: kindExec, name: name, args: rest}) || !w.staged(st) && !stagedBy(rest) {
		return
	}
	w.emitAt(args[0], effect{kind: kindNet, name: name, text: name, sends: changesThere})
}

func (w *walker) staged(st *state) bool {
	return slices.ContainsFunc(stages, func(v string) bool {
		_, set := st.vars[v]
		return set && live(w.get(st, v))
	})
}

func live(stage string) bool { return stage == "production" || stage == "prod" || stage == "live" }

// stagedBy reports -e production, --env=production and RAILS_ENV=production as
// an argument.
func stagedBy(args []arg) bool {
	for i, a := range args {
		name, value, joined := strings.Cut(a.text, "=")
		if joined && live(value) && (slices.Contains(stages, name) || name == "--env" || name == "--environment") {
			return true
		}
		if i > 0 && live(a.text) && slices.Contains([]string{"-e", "--env", "--environment"}, args[i-1].text) {
			return true
		}
	}
	return false
}
