package run

import (
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// commonKinds are the kinds of values that many programs have.
func commonKinds() map[string]Kind {
	return map[string]Kind{
		"path": func(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
			if strings.HasPrefix(a.Text, "|") {
				Value(w, st, "none", construct, a.Cut("|"))
				return
			}
			if a.Text != "NONE" && a.Text != "none" && a.Text != "DEFAULTS" {
				w.Path(st, effect.Read, a)
			}
		},
		"remote": func(*shell.Walker, *shell.State, string, effect.Arg) {}, // runs on the other host
		"sshopt": sshOption, "cargo": cargoConfig, "nodeopt": nodeOptions, "nmap": plugin, "plugin": plugin,
		"wrapper": func(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
			// gcc's words are joined by commas.
			Value(w, st, "build", construct, a.Tail(argv.QuotedWords(strings.Split(a.Text, ","))))
		},
		"kubeconfig": func(w *shell.Walker, st *shell.State, _ string, a effect.Arg) {
			// The user's own clusters are what kubectl is for.
			if p := w.Locate(st, a.Text); w.Home == "" || !strings.HasPrefix(p.Path, w.Home+"/.kube/") {
				w.Path(st, effect.Read, a)
			}
		},
		"registry": func(w *shell.Walker, _ *shell.State, construct string, a effect.Arg) {
			for url := range strings.FieldsSeq(strings.ReplaceAll(a.Text, ",", " ")) {
				if host := place.HostOf(url); strings.HasPrefix(url, "http://") && !place.LocalHost(host) && !place.Service(host) {
					w.EmitAt(a, effect.Effect{Kind: effect.Code, Name: construct, Text: construct + "=" + a.Text})
				}
			}
		},
		"wgetrc": named("askpass", "secret"), "aptopt": named("Invoke Pre-Install", "none"),
		"fzf": fzfBinding, "bang": bangLines, "list": pathLines, "m4": m4, "sourced": sourced, "handed": handed,
		"hg": hgConfig, "rpm": macro, "bus": busAddress, "mount": mountOption, "setting": settings, "deny": Deny,
		"search": searchPath, "loaded": Loaded, "read": reads, "shell": shellName, "agent": agentSocket,
		"programs": programDirs, "lessopen": lessOpen, "javaopt": javaOptions, "othershell": otherShell,
		"goflags": optionsOf("go"), "taropt": optionsOf("tar"),
	}
}

// named is a setting; some words in its name say that its value is of a kind.
func named(words, kind string) Kind {
	return func(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
		if name, value, ok := strings.Cut(a.Text, "="); ok && effect.Holds(name, words) {
			Value(w, st, kind, construct, effect.Renamed(a, value))
		}
	}
}

func reads(w *shell.Walker, st *shell.State, _ string, a effect.Arg) { w.Path(st, effect.Read, a) }

// sshOption is -o ProxyCommand=…: ssh gives it to a shell.
func sshOption(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
	name, value, ok := strings.Cut(a.Text, "=")
	if !ok {
		name, value, _ = strings.Cut(strings.TrimSpace(a.Text), " ")
	}
	a.Text, a.Exact = strings.TrimSpace(value), false
	switch name = strings.ToLower(strings.TrimSpace(name)); name {
	case "proxycommand":
		if a.Text != "none" {
			Value(w, st, "proxy", construct+" ProxyCommand", a)
		}
	case "localcommand", "knownhostscommand", "match":
		Value(w, st, "none", construct+" "+name, a)
	case "pkcs11provider", "securitykeyprovider", "include":
		w.Path(st, effect.Read, a)
	}
}

// cargoConfig is --config build.rustc-wrapper="…" and a target's runner.
func cargoConfig(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
	key, value, ok := strings.Cut(a.Text, "=")
	if !ok {
		w.Path(st, effect.Read, a)
		return
	}
	key = strings.TrimSpace(key)
	a.Text, a.Exact = strings.Trim(strings.TrimSpace(value), `"'`), false
	if strings.HasPrefix(a.Text, "[") {
		a.Text = strings.NewReplacer("[", "", "]", "", ",", " ", `"`, "", "'", "").Replace(a.Text)
	}
	if name := key[strings.LastIndexByte(key, '.')+1:]; effect.Among(name,
		"runner linker rustc rustc-wrapper rustc-workspace-wrapper rustdoc credential-provider") {
		Value(w, st, "build", construct+" "+name, a)
	}
}

// nodeOptions are NODE_OPTIONS: a module that is loaded first, wherever it is.
func nodeOptions(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
	words := strings.Fields(a.Text)
	for i, word := range words {
		name, value, joined := strings.Cut(word, "=")
		if !effect.Among(name, "-r --require --import --loader --experimental-loader --eval -e") {
			continue
		}
		if !joined && i+1 < len(words) {
			value = words[i+1]
		}
		m := effect.Renamed(a, strings.Trim(value, `"'`))
		switch {
		case strings.HasPrefix(m.Text, "data:") || strings.HasPrefix(m.Text, "http") || name == "--eval" || name == "-e":
			w.EmitAt(a, effect.Effect{Kind: effect.Hook, Name: construct, Text: construct + "=" + a.Text})
		case strings.ContainsAny(m.Text, "/\\") && (strings.HasPrefix(m.Text, "/") || strings.HasPrefix(m.Text, ".") ||
			strings.Contains(m.Text, effect.Unknown)):
			Loaded(w, st, construct, m)
		}
	}
}

// Loaded is a file that a variable makes a program load. The workspace's own are
// how test set-ups are loaded; those in a world-writable directory are not.
func Loaded(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
	if p := w.Locate(st, a.Text); !p.Unknown && !w.InFolders(p.Path) {
		w.EmitAt(a, effect.Effect{Kind: effect.Hook, Name: construct, Text: construct + "=" + a.Text})
	}
}

func fzfBinding(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
	for _, verb := range []string{"execute(", "execute-silent(", "reload(", "become("} {
		if _, body, ok := strings.Cut(a.Text, verb); ok {
			Value(w, st, "open", construct, effect.Renamed(a, strings.TrimSuffix(body, ")")))
		}
	}
}
