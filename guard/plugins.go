package guard

import (
	"slices"
	"strings"
	"sync"
)

// plugin judges a file that a program loads as code, or as settings that name
// programs. In a directory anybody can write to it is asked about, unless this
// very command made it; from the network it is refused.
func (w *walker) plugin(st *state, construct string, a arg) {
	for _, prefix := range []string{"SO_PATH:", "dynamic_path:", "file:"} {
		a.text = strings.TrimPrefix(a.text, prefix)
	}
	a.exact = false
	switch {
	case strings.HasPrefix(a.text, "http://") || strings.HasPrefix(a.text, "https://"):
		w.emitAt(a, effect{kind: kindCode, name: construct, text: construct + " " + a.text, from: []string{"curl"}})
		return
	case a.text == "" || a.text == "none" || a.text == "/dev/null" || standard(a.text) || !strings.ContainsAny(a.text, "/"):
		return
	}
	w.path(st, kindRead, a)
	p := w.locate(st, a.text)
	if !p.unknown && w.inRoots(p.path) && !w.inFolders(p.path) && len(w.contents(st, a.text)) == 0 {
		w.emitAt(a, effect{kind: kindHook, name: construct, text: construct + " " + a.text, inside: true})
	}
}

// urlPrograms fetch a package from an address and run it at once.
var urlPrograms = sync.OnceValue(func() map[string]string {
	return map[string]string{"npx": "", "bunx": "", "pnpx": "", "uvx": "", "go": "run", "pipx": "run", "deno": "run", "bun": "x", "pnpm": "dlx", "yarn": "dlx", "npm": "exec"}
})

// urlInstalls run the set-up of a package from an address.
var urlInstalls = names("pip pip3 npm pnpm yarn bun gem pipx uv luarocks cpanm")

// packageHosts are where addresses of packages usually lead.
var packageHosts = []string{"github.com", "gitlab.com", "bitbucket.org", "codeload.github.com", "files.pythonhosted.org", "download.pytorch.org", "pypi.org", "registry.npmjs.org", "pkg.pr.new", "storage.googleapis.com", "raw.githubusercontent.com", "codeberg.org", "huggingface.co", "data.pyg.org", "wheels.vllm.ai"}

// urlPackages judges packages that are named by an address.
func (w *walker) urlPackages(name string, args []arg) {
	verb, listed := urlPrograms()[name]
	runs := listed && (verb == "" || len(args) > 0 && args[0].text == verb)
	installs := urlInstalls.has(name) && slices.ContainsFunc(args[:min(len(args), 3)], func(a arg) bool { return slices.Contains([]string{"install", "i", "add"}, a.text) })
	if !runs && !installs {
		return
	}
	if runs {
		args = launchedPackages(args, verb)
	}
	for i, a := range args {
		if i > 0 && strings.HasPrefix(args[i-1].text, "-") && !slices.Contains([]string{"--from", "--package", "-p", "--spec", "-y", "--yes", "-g", "-U", "--upgrade", "--user", "-q", "--no-cache-dir"}, args[i-1].text) {
			continue // --registry URL, -f URL
		}
		url := strings.TrimPrefix(a.text, "git+")
		host := hostOf(url)
		if !strings.HasPrefix(url, "https://") && !strings.HasPrefix(url, "http://") || localHost(host) || slices.Contains(packageHosts, host) {
			continue
		}
		e := effect{kind: kindCode, name: name, text: name + " " + a.text}
		if runs {
			e.from = []string{"curl"}
		}
		w.emitAt(a, e)
	}
}

// launchedPackages are the packages that npx and its kin are told to run, without
// the program's own arguments: `npx lighthouse https://example.com`.
func launchedPackages(args []arg, verb string) []arg {
	named := []string{"-p", "--package", "--from", "--spec", "--with"}
	packages := valuesOf(args, named...)
	for i := 0; i < len(args); i++ {
		switch text := args[i].text; {
		case slices.Contains(named, text) || text == "--python" || text == "-c":
			i++
		case strings.HasPrefix(text, "-") || text == verb && i == 0:
		default:
			return append(packages, args[i])
		}
	}
	return packages
}

// localPackages are packages that npm and its kin take from a folder.
func (w *walker) localPackages(st *state, name string, args []arg) {
	if !slices.Contains([]string{"npm", "pnpm", "yarn", "bun"}, name) || len(args) < 2 || !slices.Contains([]string{"install", "i", "add", "ci"}, args[0].text) {
		return
	}
	for _, a := range args[1:] {
		if text := strings.TrimPrefix(a.text, "file:"); !strings.HasPrefix(a.text, "-") && pathLike(text) {
			w.paths(st, effect{kind: kindRead, discreet: true}, a.tail(text))
		}
	}
}

// texShell is TeX's \write18{…}, which runs when it is allowed to.
func (w *walker) texShell(st *state, name string, args []arg) {
	if !strings.HasSuffix(name, "tex") && !strings.HasSuffix(name, "latex") && name != "latexmk" || !slices.ContainsFunc(args, func(a arg) bool {
		return slices.Contains([]string{"shell-escape", "enable-write18"}, strings.TrimLeft(a.text, "-"))
	}) {
		return
	}
	for _, a := range args {
		all := []stream{{text: a.text}}
		for _, file := range []string{a.text, a.text + ".tex"} {
			all = append(all, w.contents(st, file)...)
		}
		for _, s := range all {
			for rest := s.text; w.spend(1); {
				_, after, ok := strings.Cut(rest, `\write18{`)
				if !ok {
					break
				}
				body, end := closing("{"+after, 0)
				w.exShell(st, name+` \write18`, a, body)
				rest = ("{" + after)[end:]
			}
		}
	}
}

// absoluteNames reports tar -xP, which unpacks to wherever the archive says.
func (w *walker) absoluteNames(name string, args []arg) {
	if !strings.HasSuffix(name, "tar") || len(args) == 0 {
		return
	}
	if !strings.HasPrefix(args[0].text, "-") {
		args = dashed(args)
	}
	has := func(letter, long string) bool {
		return slices.ContainsFunc(args, func(a arg) bool {
			return a.text == long || short(a.text, letter) && strings.Trim(a.text, "-xvfzjJPpkaUmhc") == ""
		})
	}
	if has("P", "--absolute-names") && (has("x", "--extract") || has("x", "--get")) {
		w.emitAt(args[0], effect{kind: kindWrite, path: "/", text: "wherever the archive says"})
	}
}

// ownHome reports a home made up for one command: git and ssh take programs from
// the settings they find there.
func (w *walker) ownHome(st *state, name string) {
	if !slices.Contains([]string{"git", "ssh", "scp", "vim", "nvim", "bash", "zsh", "tmux", "emacs"}, name) {
		return
	}
	for _, v := range []string{"HOME", "XDG_CONFIG_HOME"} {
		b, ok := st.vars[v]
		if !ok || len(b) != 1 || b[0].Str == "" || strings.Contains(b[0].Str, unknown) {
			continue
		}
		p := w.locate(st, b[0].Str)
		if !p.unknown && w.inRoots(p.path) && !w.inFolders(p.path) && !slices.Contains(w.roots, p.path) {
			w.emit(effect{kind: kindHook, name: v, text: v + "=" + b[0].Str, span: w.at.whole, inside: true})
		}
	}
}
