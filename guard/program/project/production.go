package project

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// stages are the variables by which frameworks are told which system to work on.
var stages = []string{
	"RAILS_ENV", "RACK_ENV", "APP_ENV", "NODE_ENV", "MIX_ENV", "SYMFONY_ENV", "LARAVEL_ENV",
	"HANAMI_ENV", "FLASK_ENV", "ALEMBIC_ENV", "ENVIRONMENT",
}

// onProduction judges a command that changes the database of the production
// system, where a variable or an option says that it is that one.
func onProduction(w *shell.Walker, st *shell.State, args []effect.Arg, _ effect.Stream) {
	name, rest := program.Launched(argv.Base(args[0].Text), args[1:])
	if !program.Means(&effect.Effect{Kind: effect.Exec, Name: name, Args: rest}, "migrates") || !staged(w, st) &&
		!stagedBy(rest) {
		return
	}
	w.EmitAt(args[0], effect.Effect{Kind: effect.Net, Name: name, Text: name, Sends: effect.ChangesThere})
}

func staged(w *shell.Walker, st *shell.State) bool {
	return slices.ContainsFunc(stages, func(v string) bool {
		_, set := st.Vars[v]
		return set && live(w.Get(st, v))
	})
}

func live(stage string) bool { return stage == "production" || stage == "prod" || stage == "live" }

// stagedBy reports -e production, --env=production and RAILS_ENV=production as
// an argument.
func stagedBy(args []effect.Arg) bool {
	for i, a := range args {
		name, value, joined := strings.Cut(a.Text, "=")
		if joined && live(value) && (slices.Contains(stages, name) || name == "--env" || name == "--environment") {
			return true
		}
		if i > 0 && live(a.Text) && slices.Contains([]string{"-e", "--env", "--environment"}, args[i-1].Text) {
			return true
		}
	}
	return false
}
