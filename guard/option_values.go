package guard

import (
	"slices"
	"strings"
)

// hookValue judges an option's value as what it is.
func (w *walker) hookValue(st *state, construct, kind string, a arg) {
	if h, ok := helpers()[kind]; ok {
		w.hook(st, h, construct, a)
		return
	}
	if read, ok := hookValues[kind]; ok {
		read(w, st, construct, a)
	}
}

var hookValues map[string]func(w *walker, st *state, construct string, a arg)

func fillHookValues() {
	hookValues = map[string]func(w *walker, st *state, construct string, a arg){
		"path": func(w *walker, st *state, construct string, a arg) {
			if strings.HasPrefix(a.text, "|") {
				w.hook(st, helpers()["none"], construct, a.cut("|"))
				return
			}
			if a.text != "NONE" && a.text != "none" && a.text != "DEFAULTS" {
				w.path(st, kindRead, a)
			}
		},
		"pipe": func(w *walker, st *state, construct string, a arg) {
			if strings.HasPrefix(a.text, "|") || strings.HasPrefix(a.text, "!") {
				w.hook(st, helpers()["filter"], construct, a.cut(a.text[:1]))
			}
		},
		"checkpoint": func(w *walker, st *state, construct string, a arg) {
			if strings.HasPrefix(a.text, "exec=") {
				w.hook(st, helpers()["none"], construct, a.cut("exec="))
			}
		},
		"remote":  func(*walker, *state, string, arg) {}, // runs on the other host
		"sshopt":  (*walker).sshOption,
		"cargo":   (*walker).cargoConfig,
		"nodeopt": func(w *walker, st *state, construct string, a arg) { w.nodeOptions(st, construct, a) },
		"batpager": func(w *walker, st *state, construct string, a arg) {
			if a.text != "never" && a.text != "builtin" {
				w.hook(st, helpers()["pager"], construct, a)
			}
		},
		"nmap":   (*walker).plugin,
		"plugin": (*walker).plugin,
		"wrapper": func(w *walker, st *state, construct string, a arg) {
			// gcc's words are joined by commas.
			w.hook(st, helpers()["build"], construct, a.tail(quotedWords(strings.Split(a.text, ","))))
		},
		"kubeconfig": func(w *walker, st *state, _ string, a arg) {
			// The user's own clusters are what kubectl is for.
			if p := w.locate(st, a.text); w.home == "" || !strings.HasPrefix(p.path, w.home+"/.kube/") {
				w.path(st, kindRead, a)
			}
		},
		"gitparameters": func(w *walker, st *state, construct string, a arg) {
			for entry := range strings.FieldsFuncSeq(strings.ReplaceAll(a.text, "'='", "="), func(r rune) bool { return r == '\'' }) {
				if name, value, ok := strings.Cut(strings.TrimSpace(entry), "="); ok && w.spend(1) {
					w.gitSetting(st, construct+" "+name, gitSettingKind(name), a.tail(value))
				}
			}
		},
		"registry": func(w *walker, _ *state, construct string, a arg) {
			for url := range strings.FieldsSeq(strings.ReplaceAll(a.text, ",", " ")) {
				if host := hostOf(url); strings.HasPrefix(url, "http://") && !localHost(host) && !service(host) {
					w.emitAt(a, effect{kind: kindCode, name: construct, text: construct + "=" + a.text})
				}
			}
		},
		"wgetrc": func(w *walker, st *state, construct string, a arg) {
			if name, value, ok := strings.Cut(a.text, "="); ok && strings.Contains(name, "askpass") {
				a.text, a.exact = value, false
				w.hook(st, helpers()["secret"], construct, a)
			}
		},
		"aptopt": func(w *walker, st *state, construct string, a arg) {
			if name, value, ok := strings.Cut(a.text, "="); ok && (strings.Contains(name, "Invoke") || strings.Contains(name, "Pre-Install")) {
				a.text, a.exact = value, false
				w.hook(st, helpers()["none"], construct, a)
			}
		},
		"module": func(w *walker, st *state, _ string, a arg) {
			if strings.Contains(a.text, "/") {
				w.path(st, kindRead, a)
			}
		},
		"vim":    (*walker).vimCommand,
		"gdb":    (*walker).gdbCommand,
		"psql":   (*walker).psqlCommand,
		"mysql":  (*walker).mysqlCommand,
		"sqlite": (*walker).sqliteCommand,
		"elisp":  (*walker).elisp,
		"make":   (*walker).makeText,
		"fzf":    (*walker).fzfBinding,
		"bang":   (*walker).bangLines,
	}
}

// cut is an argument without a prefix.
func (a arg) cut(prefix string) arg {
	a.text, a.exact = strings.TrimPrefix(a.text, prefix), false
	return a
}

// sshOption is -o ProxyCommand=…: ssh gives it to a shell.
func (w *walker) sshOption(st *state, construct string, a arg) {
	name, value, ok := strings.Cut(a.text, "=")
	if !ok {
		name, value, _ = strings.Cut(strings.TrimSpace(a.text), " ")
	}
	a.text, a.exact = strings.TrimSpace(value), false
	switch name = strings.ToLower(strings.TrimSpace(name)); name {
	case "proxycommand":
		if a.text != "none" {
			w.hook(st, helpers()["proxy"], construct+" ProxyCommand", a)
		}
	case "localcommand", "knownhostscommand", "match":
		w.hook(st, helpers()["none"], construct+" "+name, a)
	case "pkcs11provider", "securitykeyprovider", "include":
		w.path(st, kindRead, a)
	}
}

// cargoConfig is --config build.rustc-wrapper="…" and a target's runner.
func (w *walker) cargoConfig(st *state, construct string, a arg) {
	key, value, ok := strings.Cut(a.text, "=")
	if !ok {
		w.path(st, kindRead, a)
		return
	}
	key = strings.TrimSpace(key)
	a.text, a.exact = strings.Trim(strings.TrimSpace(value), `"'`), false
	if strings.HasPrefix(a.text, "[") {
		a.text = strings.NewReplacer("[", "", "]", "", ",", " ", `"`, "", "'", "").Replace(a.text)
	}
	for _, name := range []string{"runner", "linker", "rustc", "rustc-wrapper", "rustc-workspace-wrapper", "rustdoc", "credential-provider"} {
		if key == name || strings.HasSuffix(key, "."+name) {
			w.hook(st, helpers()["build"], construct+" "+name, a)
		}
	}
}

// nodeOptions are NODE_OPTIONS: a module that is loaded first, wherever it is.
func (w *walker) nodeOptions(st *state, construct string, a arg) {
	words := strings.Fields(a.text)
	for i, word := range words {
		name, value, joined := strings.Cut(word, "=")
		if !slices.Contains([]string{"-r", "--require", "--import", "--loader", "--experimental-loader", "--eval", "-e"}, name) {
			continue
		}
		if !joined && i+1 < len(words) {
			value = words[i+1]
		}
		m := a
		m.text, m.exact = strings.Trim(value, `"'`), false
		switch {
		case strings.HasPrefix(m.text, "data:") || strings.HasPrefix(m.text, "http") || name == "--eval" || name == "-e":
			w.emitAt(a, effect{kind: kindHook, name: construct, text: construct + "=" + a.text})
		case strings.ContainsAny(m.text, "/\\") && (strings.HasPrefix(m.text, "/") || strings.HasPrefix(m.text, ".") || strings.Contains(m.text, unknown)):
			w.loaded(st, construct, m)
		}
	}
}

// loaded is a file that a variable makes a program load. The workspace's own are
// how test set-ups are loaded; those in a world-writable directory are not.
func (w *walker) loaded(st *state, construct string, a arg) {
	p := w.locate(st, a.text)
	if p.unknown {
		return
	}
	if !w.inFolders(p.path) {
		w.emitAt(a, effect{kind: kindHook, name: construct, text: construct + "=" + a.text})
	}
}

func (w *walker) fzfBinding(st *state, construct string, a arg) {
	for _, verb := range []string{"execute(", "execute-silent(", "reload(", "become("} {
		if _, body, ok := strings.Cut(a.text, verb); ok {
			b := a
			b.text, b.exact = strings.TrimSuffix(body, ")"), false
			w.hook(st, helpers()["open"], construct, b)
		}
	}
}
