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
	return effect.Holds(p, "/.git/hooks/ /.idea/runConfigurations/ /.idea/runconfigurations/") || effect.Ends(p,
		"/.git/hooks /.git/config /.git/info/attributes /.idea/workspace.xml .code-workspace") || effect.Ends(p, agentFiles)
}

// agentFiles are a project's settings of coding agents: they name programs that the
// agent starts by itself, and what it may do unasked.
const agentFiles = `/.mcp.json /.claude/settings.json /.claude/settings.local.json /.cursor/mcp.json
	/.cursor/hooks.json /.vscode/mcp.json /.codex/config.toml /.gemini/settings.json /.kiro/settings/mcp.json
	/.roo/mcp.json /.amazonq/mcp.json /.zed/settings.json /.zed/tasks.json`

// OptionName reports a file that is named like an option that runs something, for
// a later `tar cf a.tar *` to trip over.
func OptionName(name string) bool {
	return strings.HasPrefix(name, "-e sh") || strings.HasPrefix(name, "-e bash") ||
		effect.Begins(name, `--checkpoint-action --use-compress-program --to-command --compress-program --rsh
			--reference --exec --files0-from`)
}

// sourceEndings are files that people write. JavaScript is not among them: it is
// compiled to as often as written.
var sourceEndings = []string{
	".go", ".ts", ".tsx", ".py", ".rs", ".java", ".kt", ".c", ".cc", ".cpp", ".h", ".hpp",
	".rb", ".php", ".cs", ".swift", ".scala", ".ex", ".vue", ".svelte", ".sql",
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
	return slices.Contains(sourceEndings, rest)
}
