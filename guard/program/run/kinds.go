package run

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// Common is the kinds of values that many programs have.
func Common() Family {
	return Family{Ruled: valuesText, Kinds: map[string]Kind{
		"path": func(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
			if strings.HasPrefix(a.Text, "|") {
				Value(w, st, "none", construct, a.Cut("|"))
				return
			}
			if a.Text != "NONE" && a.Text != "none" && a.Text != "DEFAULTS" {
				w.Path(st, effect.Read, a)
			}
		},
		"remote": func(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
			switch { // the program's name there, and what is done before it
			case strings.ContainsAny(a.Text, "|`$<"):
				Value(w, st, "none", construct, a)
			case strings.ContainsAny(a.Text, ";&\n"):
				Elsewhere(w, st, construct, a, effect.Stream{})
			}
		},
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
		"through": func(w *shell.Walker, _ *shell.State, construct string, a effect.Arg) {
			// Whoever answers at a number without a certificate reads and changes what goes there.
			if host := place.HostOf(a.Text); strings.HasPrefix(a.Text, "http://") && place.BareAddress(host) {
				w.EmitAt(a, effect.Effect{Kind: effect.Marked, Name: "net/send", Text: construct + "=" + a.Text})
			}
		},
		"wgetrc": named("askpass", "secret"), "aptopt": named("Invoke Pre-Install", "none"),
		"fzf": fzfBinding, "bang": bangLines, "list": pathLines, "m4": m4, "sourced": sourced, "handed": handed,
		"hg": hgConfig, "rpm": macro, "bus": busAddress, "mount": mountOption, "setting": settings, "deny": Deny,
		"search": searchPath, "loaded": Loaded, "read": reads, "shell": shellName, "agent": agentSocket,
		"programs": programDirs, "lessopen": lessOpen, "javaopt": javaOptions, "othershell": otherShell,
		"goflags": optionsOf("go"), "taropt": optionsOf("tar"),
	}}
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
		if !effect.Among(name, "-r --require --import --preload --loader --experimental-loader --eval -e") {
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

// sourced is a file that a program reads as shell text.
func sourced(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
	if strings.ContainsAny(a.Text, "/") || len(w.Contents(st, a.Text)) > 0 {
		w.Script(st.Child(), a.Tail(construct), a, syntax.LangBash)
	}
}

// handed is a program that is given a connection, whatever it is.
func handed(w *shell.Walker, _ *shell.State, construct string, a effect.Arg) {
	w.EmitAt(a, effect.Effect{Kind: effect.Shell, Name: construct, Text: construct + " → " + a.Text})
}

// hgConfig is hg --config alias.x='!…' and hooks.pre-x=….
func hgConfig(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
	name, value, _ := strings.Cut(a.Text, "=")
	section, key, _ := strings.Cut(name, ".")
	switch {
	case section == "alias" && strings.HasPrefix(value, "!"):
		Value(w, st, "none", construct+" "+name, a.Tail(value[1:]))
	case section == "hooks" && value != "":
		Value(w, st, "none", construct+" "+name, a.Tail(strings.TrimPrefix(value, "python:")))
	case section == "extensions" && strings.Contains(value, "/"):
		plugin(w, st, construct+" "+name, a.Tail(value))
	case name == "ui.ssh":
		Value(w, st, "ssh", construct+" "+name, a.Tail(value))
	case name == "ui.editor", name == "ui.merge", section == "pager" && key == "pager", section == "merge-tools",
		section == "extdiff":
		Value(w, st, "editor", construct+" "+name, a.Tail(value))
	}
}

// macro is rpm --eval '%(command)'.
func macro(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
	for body := range Bracketed(w, a.Text, "%(") {
		ExShell(w, st, construct+" %(…)", a, body)
	}
	for body := range Bracketed(w, a.Text, "%{") {
		if code, ok := strings.CutPrefix(body, "lua:"); ok {
			Value(w, st, "lua", construct+" %{lua:…}", a.Tail(code))
		}
	}
}

// busAddress is unixexec:path=…,argv1=…: the bus is a program.
func busAddress(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
	rest, ok := strings.CutPrefix(a.Text, "unixexec:")
	if !ok {
		return
	}
	var words []string
	for field := range strings.SplitSeq(rest, ",") {
		if key, value, _ := strings.Cut(field, "="); key == "path" || strings.HasPrefix(key, "argv") && key != "argv0" {
			words = append(words, value)
		}
	}
	Value(w, st, "none", construct, a.Tail(argv.QuotedWords(words)))
}

// mountOption is sshfs -o ssh_command=….
func mountOption(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
	for field := range strings.SplitSeq(a.Text, ",") {
		if key, value, _ := strings.Cut(field, "="); key == "ssh_command" {
			Value(w, st, "ssh", construct+" "+key, a.Tail(value))
		} else {
			sshOption(w, st, construct, a.Tail(field))
		}
	}
}

// settings are key=value pairs of which some keys name programs: their names
// end in what the kind says.
func settings(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
	key, value, ok := strings.Cut(a.Text, "=")
	key = strings.ToLower(key)
	// svn+x:// is what a tunnel starts.
	if ok && (strings.Contains(key, ":tunnels:") ||
		effect.Ends(key, "cmd command hook exec program helper editor pager askpass ssh runner")) {
		Value(w, st, "open", construct+" "+key, a.Tail(value))
	}
}
