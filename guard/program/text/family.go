// Package text knows what prints, filters and edits text: what comes out of it, where that
// is known, and what its own commands run.
package text

import (
	_ "embed"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
	"sync"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// Family is what prints, filters and edits text.
func Family() run.Family {
	return run.Family{
		Does: map[string]shell.Handler{
			"cat": cat, "tee sponge": tee, "ls": ls, "sed gsed": sed, "awk gawk mawk nawk": awk, "jq gojq": run.Besides(jq),
			"grep egrep fgrep rg ag": search, "cut": cutNames, "zip": pack, "patch": run.Besides(patch), "fc": run.ByModel,
		},
		Kinds:  map[string]run.Kind{"vim": vimCommand, "plus": plusCommand, "elisp": elisp},
		After:  []run.Look{pieces},
		Prints: printedBy,
	}
}

// pieces are the files that split and csplit cut their input into. Which lines
// each holds is not followed: any has all of them.
func pieces(w *shell.Walker, st *shell.State, p effect.Arg, args []effect.Arg, in effect.Stream) {
	if p.Text != "split" && p.Text != "csplit" || !in.Open || in.File {
		return
	}
	prefix := map[string]string{"split": "x", "csplit": "xx"}[p.Text]
	if _, operands := program.BareSpec.Options(args); p.Text == "split" && len(operands) > 0 {
		prefix = operands[len(operands)-1].Text
	}
	for _, a := range argv.Values(args, "-f", "--prefix") {
		prefix = a.Text
	}
	w.Keep(st, []effect.Arg{effect.Renamed(p, prefix+"*")}, effect.Through(in), false)
}

// decodes reports a program that makes readable what was not.
func decodes(name string, args []effect.Arg) bool {
	has := func(letter, long string) bool {
		return slices.ContainsFunc(args, func(a effect.Arg) bool {
			return argv.Cluster(a.Text, letter) || len(a.Text) > 4 && strings.HasPrefix(long, a.Text)
		})
	}
	switch name {
	case "base64", "base32", "basenc":
		return has("dD", "--decode")
	case "openssl":
		return has("d", "--d")
	case "xxd":
		return has("r", "-revert")
	}
	return name == "uudecode"
}

func decodeBase64(args []effect.Arg, text string) (string, bool) {
	if !decodes("base64", args) {
		return base64.StdEncoding.EncodeToString([]byte(text)) + "\n", true
	}
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding} {
		if out, err := enc.DecodeString(strings.Join(strings.Fields(text), "")); err == nil {
			return string(out), true
		}
	}
	return "", false
}

func decodeBase32(args []effect.Arg, text string) (string, bool) {
	if !decodes("base32", args) {
		return base32.StdEncoding.EncodeToString([]byte(text)) + "\n", true
	}
	out, err := base32.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
	return string(out), err == nil
}

// decodeHex is xxd -r -p; a plain -r reads a dump, which is not written by hand.
func decodeHex(args []effect.Arg, text string) (string, bool) {
	if !decodes("xxd", args) || !slices.ContainsFunc(args, func(a effect.Arg) bool { return argv.Cluster(a.Text, "p") }) {
		return "", false
	}
	out, err := hex.DecodeString(strings.Join(strings.Fields(text), ""))
	return string(out), err == nil
}

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
	return argv.Has(args, words...) || argv.AnyText(args, func(s string) bool {
		return s == "completion" || s == "completions" || strings.HasPrefix(s, "--completion")
	})
}

// knownOutputs are the places that tools print by default; "~/" is the user's home.
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
