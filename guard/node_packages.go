package guard

import (
	"slices"
	"strings"
)

// nodeHandlers are package managers that take a folder for a package.
func nodeHandlers() map[string]handler {
	return map[string]handler{"npm": nodePackages, "pnpm": nodePackages, "yarn": nodePackages, "bun": nodePackages}
}

// nodePackages judges npm install ../x, which links or copies a folder and runs
// its install scripts. Names of packages are not paths.
func nodePackages(w *walker, st *state, args []arg, in stream) stream {
	name := base(args[0].text)
	w.operands(st, name, args[1:])
	_, words := nodeSpec.options(args[1:])
	if len(words) < 2 || !slices.Contains([]string{"install", "i", "in", "add", "ci", "update"}, words[0].text) {
		return passed(in, name)
	}
	for _, a := range words[1:] {
		for _, scheme := range [...]string{"file:", "link:", "portal:"} {
			if at := strings.Index(a.text, scheme); at >= 0 { // name@file:../x
				a.text, a.exact = a.text[at+len(scheme):], false
			}
		}
		if pathLike(a.text) || strings.HasPrefix(a.text, "~/") {
			w.paths(st, effect{kind: kindRead, discreet: true}, a)
		}
	}
	return passed(in, name)
}

var nodeSpec = newSpec(":::", "--prefix: -C: --dir: --cwd: --registry: --tag: -w: --workspace: --filter: -F: --omit: --include: --location: --cache: --loglevel: --target:")
