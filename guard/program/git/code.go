package git

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// settingsText are the settings whose value git runs, or loads code by.
//
//go:embed settings.txt
var settingsText string

var gitSettings = sync.OnceValue(func() map[string]string { return argv.Kinds(settingsText, "setting") })

// gitSettingKind is the kind of value a setting has, "" when it runs nothing.
func gitSettingKind(name string) string {
	name, kinds := strings.ToLower(strings.TrimSpace(name)), gitSettings()
	first, last := strings.IndexByte(name, '.'), strings.LastIndexByte(name, '.')
	if first < 0 {
		return ""
	}
	section, key := name[:first], name[last:]
	if kinds[section] == "any" && kinds[name] == "" {
		return kinds[key]
	}
	return cmp.Or(kinds[name], kinds[section+".*"], kinds[section+".*"+key])
}

// gitGlobals judges -c name=value, --config-env and --exec-path before the
// subcommand. It answers the aliases set there.
func gitGlobals(w *shell.Walker, st *shell.State, opts []argv.Option) map[string]effect.Arg {
	aliases := map[string]effect.Arg{}
	for _, o := range opts {
		name, value, _ := strings.Cut(o.Value.Text, "=")
		kind, a := gitSettingKind(name), o.Value.Tail(value)
		switch {
		case !w.Spend(1):
			return aliases
		case o.Name == "--config-env" && kind != "":
			w.EmitAt(a, effect.Effect{Kind: effect.Hook, Name: "git --config-env", Text: "--config-env=" + o.Value.Text})
		case o.Name == "--exec-path" && o.Valued:
			if p := w.Locate(st, o.Value.Text); !p.Unknown && !run.SystemLibrary(p.Path) {
				w.EmitAt(a, effect.Effect{Kind: effect.Hook, Name: "git --exec-path", Text: "git --exec-path=" + o.Value.Text})
			}
		case o.Name == "-c":
			if kind == "alias" {
				aliases[name[len("alias."):]] = a
			}
			if kind != "alias" || strings.HasPrefix(a.Text, "!") {
				run.Value(w, st, kind, "git -c "+name, a)
			}
		}
	}
	return aliases
}

// gitKinds are the kinds of values that only git has, besides those of its text.
var gitKinds = map[string]run.Kind{
	"credential": func(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
		run.Value(w, st, "secret", construct, a.Tail(strings.TrimPrefix(strings.TrimSpace(a.Text), "!")))
	},
	"hooks": func(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
		if p := w.Locate(st, a.Text); a.Text != "/dev/null" && a.Text != "" && (p.Unknown || !w.InFolders(p.Path)) ||
			strings.HasPrefix(construct, "git -c") && a.Text != "/dev/null" && a.Text != "" &&
				!strings.HasPrefix(a.Text, ".git/") {
			run.Deny(w, st, construct, a)
		}
	},
	"pack": gitPack,
	"gitkey": func(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
		if gitSettingKind(a.Text) != "" {
			run.Deny(w, st, construct, a)
		}
	},
	"gitparameters": func(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
		for entry := range strings.FieldsFuncSeq(strings.ReplaceAll(a.Text, "'='", "="), func(r rune) bool {
			return r == '\''
		}) {
			if name, value, ok := strings.Cut(strings.TrimSpace(entry), "="); ok && w.Spend(1) {
				run.Value(w, st, gitSettingKind(name), construct+" "+name, a.Tail(value))
			}
		}
	},
}

// gitPack is a transport program: git's own, wherever it lies.
func gitPack(w *shell.Walker, _ *shell.State, construct string, a effect.Arg) {
	program, _, _ := strings.Cut(strings.TrimSpace(a.Text), " ")
	name := argv.Base(program)
	own := slices.Contains([]string{"git-upload-pack", "git-receive-pack", "git-upload-archive", "git"}, name) &&
		!strings.ContainsAny(a.Text, ";|&`$") && (name == program || strings.HasPrefix(program, "/usr/") ||
		strings.HasPrefix(program, "/opt/") || strings.HasPrefix(program, "~"))
	if !own && a.Text != "" {
		w.EmitAt(a, effect.Effect{Kind: effect.Hook, Name: construct, Text: construct + " " + a.Text})
	}
}
