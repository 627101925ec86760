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

// gitPlain is the options of hooks' own subcommands whose values are text.
var gitPlain = argv.New("???", "-m: --message: -F: -e: -b: --branch: -o:")

// gitCarriers are options of subcommands whose value runs.
var gitCarriers = sync.OnceValue(func() map[string][]string { return argv.Lists(settingsText, "option") })

// gitHooks judges what a subcommand runs.
func gitHooks(w *shell.Walker, st *shell.State, rest []effect.Arg) {
	verb, args := rest[0].Text, rest[1:]
	for _, a := range args {
		if strings.HasPrefix(a.Text, "ext::") || strings.HasPrefix(a.Text, "fd::") && len(a.Text) > 5 ||
			strings.Contains(a.Text, "://-") {
			w.EmitAt(a, effect.Effect{Kind: effect.Hook, Name: "git " + verb, Text: a.Text})
		}
	}
	if row := gitCarriers()[verb]; row != nil {
		gitOptions(w, st, verb, strings.Join(row, " "), args)
	}
	switch {
	case verb == "bisect" && len(args) > 1 && args[0].Text == "run":
		gitArgv(w, st, "git bisect run", args[1:])
	case verb == "submodule":
		for i, a := range args {
			if a.Text == "foreach" {
				gitForeach(w, st, args[i+1:])
				break
			}
		}
	case verb == "config":
		gitConfig(w, st, args)
	}
}

func gitOptions(w *shell.Walker, st *shell.State, verb, row string, args []effect.Arg) {
	h := argv.NewCarrier(row, gitPlain)
	for i := 0; i < len(args) && w.Spend(1); i++ {
		a := args[i]
		if a.Text == "--" {
			return
		}
		if len(a.Text) < 2 || a.Text[0] != '-' {
			continue
		}
		if verb == "grep" && (a.Text == "-O" || a.Text == "--open-files-in-pager") {
			continue // alone it is the user's own pager
		}
		option, kind, value, next := h.Read(a, args[i+1:])
		if next {
			i++
		}
		construct := "git " + verb + " " + option
		if kind == "gitsetting" {
			name, text, _ := strings.Cut(value.Text, "=")
			construct, kind, value = construct+" "+name, gitSettingKind(name), value.Tail(text)
		}
		run.Value(w, st, kind, construct, value)
	}
}

// gitArgv is a command as words: git bisect run npm test.
func gitArgv(w *shell.Walker, st *shell.State, construct string, list []effect.Arg) {
	if len(list) == 0 || !w.Deeper() {
		return
	}
	defer w.Back()
	defer w.Enter(construct, argv.Summary(list), list[0].Span)()
	w.Run(st.Clone(), list, effect.Stream{})
}

// gitForeach is git submodule foreach: one word is shell text, more are a command.
func gitForeach(w *shell.Walker, st *shell.State, argv []effect.Arg) {
	for len(argv) > 0 && strings.HasPrefix(argv[0].Text, "-") {
		argv = argv[1:]
	}
	if len(argv) == 1 {
		w.Code(st.Clone(), "git submodule foreach", argv[0], w.Lang, effect.Stream{})
		return
	}
	gitArgv(w, st, "git submodule foreach", argv)
}

// gitConfig is a setting that stays: whatever runs git later runs it too.
func gitConfig(w *shell.Walker, st *shell.State, args []effect.Arg) {
	var operands []effect.Arg
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a.Text == "-f" || a.Text == "--file" || a.Text == "--blob" || a.Text == "--type" || a.Text == "--default":
			if i++; i < len(args) && strings.HasSuffix(a.Text, "f") || a.Text == "--file" {
				w.Path(st, effect.Write, args[min(i, len(args)-1)])
			}
		case strings.HasPrefix(a.Text, "--file="):
			w.Path(st, effect.Write, a.Cut("--file="))
		case strings.HasPrefix(a.Text, "--get") || a.Text == "--unset" || a.Text == "--unset-all" || a.Text == "-l" ||
			a.Text == "--list" || a.Text == "--remove-section" || a.Text == "--rename-section":
			return
		case strings.HasPrefix(a.Text, "-"):
		case len(operands) == 0 && (a.Text == "set" || a.Text == "get" || a.Text == "unset" || a.Text == "list" ||
			a.Text == "edit"):
			if a.Text != "set" {
				return
			}
		default:
			operands = append(operands, a)
		}
	}
	if len(operands) < 2 {
		return
	}
	name := operands[0].Text
	kind := gitSettingKind(name)
	value := operands[1].Tail(operands[1].Text)
	if kind == "alias" { // git config alias.x '!make test' is everyday work; what it runs is judged
		cmd, shell := strings.CutPrefix(value.Text, "!")
		if !shell {
			cmd = "git " + cmd
		}
		run.Value(w, st, "open", "git config "+name, value.Tail(cmd))
		return
	}
	run.Value(w, st, kind, "git config "+name, value)
}
