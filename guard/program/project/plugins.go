package project

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/lang"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// urlPrograms fetch a package from an address and run it at once, after a word.
var urlPrograms = sync.OnceValue(func() map[string][]string { return argv.Lists(namesText, "fetches") })

// addressed are options of installers whose value is where a package comes from.
const addressed = "--from --git --package -p --spec -y --yes -g -U --upgrade --user -q --no-cache-dir " +
	"--pkg-url --add-source --additional-urls --force --resolver -Sdeps"

// packageHosts are where addresses of packages usually lead.
var packageHosts = argv.NamesOf(&namesText, "hosts")

// urlPackages judges packages that are named by an address.
func urlPackages(w *shell.Walker, st *shell.State, p effect.Arg, args []effect.Arg, _ effect.Stream) {
	verbs, listed := urlPrograms()[p.Text]
	runs := listed && (len(verbs) == 0 || len(args) > 0 && slices.Contains(verbs, args[0].Text))
	first := args[:min(len(args), 3)]
	installs := argv.Has(first, "install") || argv.Has(first, "plugin", "plugins", "extension", "module", "package") &&
		argv.Has(first, "add", "i", "get")
	if installers.Has(p.Text) && !effect.Among(p.Text, "git hg svn nix helm") {
		installs = installs || argv.Has(first, "i", "add", "archive.install", "activate", "script", "binstall") ||
			effect.Among(p.Text, "nix-shell cpanm clojure clj bazel bazelisk")
	}
	if !runs && !installs {
		return
	}
	if runs {
		args = launchedPackages(args, verbs)
	}
	for _, list := range argv.Values(args, "-r", "--requirement", "--requirements") { // written or piped here
		for _, s := range w.Contents(st, list.Text) {
			args = append(slices.Clip(args), run.Words(list.Tail(s.Text))...)
		}
	}
	for i, a := range args {
		if i > 0 && strings.HasPrefix(args[i-1].Text, "-") && !strings.Contains(args[i-1].Text, "=") &&
			!effect.Among(args[i-1].Text, addressed) {
			continue // -f URL
		}
		url := strings.TrimPrefix(a.Text, "git+")
		if option, value, ok := strings.Cut(url, "="); ok && effect.Among(option, addressed) {
			url = value
		} else if _, from, ok := strings.Cut(url, `:git/url "`); ok {
			url, _, _ = strings.Cut(from, `"`)
		} else if from, ok := strings.CutPrefix(url, "ssh://git@"); ok {
			url = "https://" + from
		}
		host := place.HostOf(url)
		if runs && effect.Begins(a.Text, "github: gitlab: bitbucket: gist: git: git+ssh: sourcehut:") &&
			!effect.Begins(strings.ToLower(a.Text), "github:nixos/ github:nix-community/") { // nobody has published it
			w.EmitAt(a, effect.Effect{Kind: effect.Code, Name: p.Text, Text: p.Text + " " + a.Text})
		}
		if !strings.HasPrefix(url, "https://") && !strings.HasPrefix(url, "http://") || place.LocalHost(host) ||
			packageHosts.Has(host) {
			continue
		}
		e := effect.Effect{Kind: effect.Code, Name: p.Text, Text: p.Text + " " + a.Text}
		if runs {
			e.From = []string{"curl"}
		}
		w.EmitAt(a, e)
	}
}

// launchedPackages are the packages that npx and its kin run, without the program's own
// arguments: `npx lighthouse https://example.com`.
func launchedPackages(args []effect.Arg, verbs []string) []effect.Arg {
	named := []string{"-p", "--package", "--from", "--spec", "--with"}
	packages := argv.Values(args, named...)
	for i := 0; i < len(args); i++ {
		switch text := args[i].Text; {
		case slices.Contains(named, text) || text == "--python" || text == "-c":
			i++
		case strings.HasPrefix(text, "-") || i == 0 && slices.Contains(verbs, text):
		default:
			return append(packages, args[i])
		}
	}
	return packages
}

// texShell is TeX's \write18{…}, which runs when it is allowed to.
func texShell(w *shell.Walker, st *shell.State, p effect.Arg, args []effect.Arg, _ effect.Stream) {
	if !strings.HasSuffix(p.Text, "tex") && p.Text != "latexmk" || !argv.AnyText(args, func(s string) bool {
		return effect.Among(strings.TrimLeft(s, "-"), "shell-escape enable-write18")
	}) {
		return
	}
	for _, a := range args {
		all := []effect.Stream{{Text: a.Text}}
		for _, file := range []string{a.Text, a.Text + ".tex"} {
			all = append(all, w.Contents(st, file)...)
		}
		for _, s := range all {
			for body := range run.Bracketed(w, s.Text, `\write18{`) {
				run.ExShell(w, st, p.Text+` \write18`, a, body)
			}
		}
	}
}

// gdbCommand is gdb -ex: shell, !, pipe, python, source.
func gdbCommand(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
	for line := range w.Lines(a.Text) {
		b := a.Tail(line)
		if cmd, ok := strings.CutPrefix(b.Text, "!"); ok {
			run.ExShell(w, st, construct, b, cmd)
			continue
		}
		verb, rest, _ := strings.Cut(b.Text, " ")
		switch verb {
		case "shell", "she", "make":
			run.ExShell(w, st, construct, b, cmp.Or(rest, "sh"))
		case "pipe", "|":
			if _, cmd, ok := strings.Cut(rest, "|"); ok {
				run.ExShell(w, st, construct, b, cmd)
			}
		case "python", "py", "pi", "python-interactive", "script":
			lang.Foreign(w, st, &lang.Python, construct, b.Tail(rest), nil, effect.Stream{}, false)
		case "call", "print", "p", "compile", "eval": // call (int)system("id")
			if _, code, ok := strings.Cut(rest, "system("); ok {
				run.ExShell(w, st, construct, b, strings.Trim(code, `"\); `))
			}
		case "source", "file", "core-file", "restore":
			w.Path(st, effect.Read, b.Tail(rest))
		case "dump", "generate-core-file", "gcore": // dump value FILE EXPR
			if fields := strings.Fields(rest); len(fields) > 1 {
				w.Path(st, effect.Write, b.Tail(fields[1]))
			}
		case "platform":
			if cmd, ok := strings.CutPrefix(rest, "shell "); ok {
				run.ExShell(w, st, construct, b, cmd)
			}
		}
	}
}
