package place

import (
	"path"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

// PolicyFile is the policy of a workspace folder; package config reads it.
// Some file systems don't tell its capitals apart.
const PolicyFile = ".pillion.toml"

// Hook reports files from which git and editors start programs.
func Hook(p string) bool {
	dir, name := path.Split(p)
	if strings.HasSuffix(dir, "/.vscode/") && !strings.Contains(p, "/.git/hooks/") {
		return effect.Among(name, "tasks.json settings.json launch.json")
	}
	ends := func(file string) bool { return strings.HasSuffix(p, file) }
	return effect.Holds(p, "/.git/hooks/ /.idea/runConfigurations/ /.idea/runconfigurations/") ||
		slices.ContainsFunc(listed("hooks"), ends)
}

// OptionName reports a file that is named like an option that runs something, for
// a later `tar cf a.tar *` to trip over.
func OptionName(name string) bool {
	return strings.HasPrefix(name, "-e sh") || strings.HasPrefix(name, "-e bash") ||
		effect.Begins(name, `--checkpoint-action --use-compress-program --to-command --compress-program --rsh
			--reference --exec --files0-from`)
}

// ManySources is a glob over the files of a language, but not over those that
// a tool generates (*.pb.go, *.d.ts) or in a folder of build output.
func ManySources(p string) bool {
	rest, glob := strings.CutPrefix(path.Base(p), "*")
	if !glob {
		return false
	}
	for _, dir := range strings.Split(path.Dir(p), "/") {
		if effect.Among(dir, `dist build out target tmp generated gen node_modules coverage vendor .cache`) {
			return false
		}
	}
	for _, test := range [...]string{".test", ".spec", "_test"} {
		rest = strings.TrimPrefix(rest, test)
	}
	return slices.Contains(listed("sources"), rest)
}
