package text

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// initsText are programs that print shell code for a shell to evaluate.
//
//go:embed inits.txt
var initsText string

var initTable = sync.OnceValue(func() map[string][]string { return argv.Lists(initsText, "inits") })

// initialises reports a call whose output is meant for eval or source; any
// program may print its completions.
func initialises(name string, args []effect.Arg) bool {
	words, listed := initTable()[name]
	if listed && len(words) == 0 {
		return true
	}
	for _, a := range args {
		text := a.Text
		if text == "completion" || text == "completions" || strings.HasPrefix(text, "--completion") {
			return true
		}
		if slices.Contains(words, text) {
			return true
		}
	}
	return false
}

// knownOutputs are the places that tools print where nobody sets them up
// otherwise; "~/" is the user's home.
var knownOutputs = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"go env GOPATH": "~/go", "go env GOBIN": "~/go/bin", "go env GOROOT": "/usr/local/go",
		"brew --prefix": "/opt/homebrew",
		"npm bin":       "node_modules/.bin", "yarn bin": "node_modules/.bin", "pnpm bin": "node_modules/.bin",
		"npm root": "node_modules",
	}
})

func knownOutput(w *shell.Walker, name string, args []effect.Arg) (string, bool) {
	if found, ok := foundProgram(w, name, args); ok {
		return found + "\n", true
	}
	if len(args) == 0 || len(args) > 2 {
		return "", false
	}
	text, ok := knownOutputs()[name+" "+strings.Join(effect.Texts(args), " ")]
	if rest, home := strings.CutPrefix(text, "~/"); home {
		return w.Home + "/" + rest + "\n", ok && w.Home != ""
	}
	return text + "\n", ok
}

// foundProgram is where which finds a program that shells and interpreters are
// known by: `cp "$(command -v bash)" ./x` is /usr/bin/bash under another name.
func foundProgram(w *shell.Walker, name string, args []effect.Arg) (string, bool) {
	finds := name == "which" && len(args) == 1 ||
		len(args) == 2 && (name == "command" && args[0].Text == "-v" || name == "type" && args[0].Text == "-p")
	if !finds {
		return "", false
	}
	program := args[len(args)-1].Text
	known := !strings.Contains(program, "/") && w.Programs.Known(program) && shell.Builtin(program) == nil
	return "/usr/bin/" + program, known
}
