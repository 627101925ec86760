package windows

import (
	_ "embed"
	"sync"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// namesText has the names that Windows' shells know themselves.
//
//go:embed names.txt
var namesText string

var nameTables = sync.OnceValue(func() map[string]map[string]string {
	tables := map[string]map[string]string{}
	for _, key := range []string{"alias", "cmdlet", "cmd"} {
		tables[key] = argv.Kinds(namesText, key)
	}
	return tables
})

func names(key string) map[string]string { return nameTables()[key] }

// pathsByRoles judges operands by the roles of the first, and of the last of several.
func pathsByRoles(w *shell.Walker, st *shell.State, roles string, deep bool, operands []effect.Arg) {
	for i, a := range operands {
		role := roles[0]
		if i > 0 && i == len(operands)-1 {
			role = roles[1]
		}
		switch argv.Role(role) {
		case argv.Delete:
			run.WindowsPaths(w, st, effect.Effect{Kind: effect.Delete, Recursive: deep}, a)
		case argv.Write:
			run.WindowsPaths(w, st, effect.Effect{Kind: effect.Write}, a)
		case argv.Read:
			run.WindowsPaths(w, st, effect.Effect{Kind: effect.Read}, a)
		case argv.Uses:
			run.WindowsPaths(w, st, effect.Effect{Kind: effect.Read, Discreet: true}, a)
		}
	}
}
