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
	switch {
	case strings.Contains(p, "/.git/hooks/") || strings.HasSuffix(p, "/.git/hooks"), strings.HasSuffix(p, "/.git/config"),
		strings.HasSuffix(p, "/.git/info/attributes"):
		return true
	case strings.HasSuffix(dir, "/.vscode/"):
		return slices.Contains([]string{"tasks.json", "settings.json", "launch.json"}, name)
	case strings.Contains(p, "/.idea/runConfigurations/"), strings.Contains(p, "/.idea/runconfigurations/"),
		strings.HasSuffix(p, "/.idea/workspace.xml"), strings.HasSuffix(p, ".code-workspace"):
		return true
	case slices.ContainsFunc(agentFiles, func(file string) bool { return strings.HasSuffix(p, file) }):
		return true
	}
	return false
}

// agentFiles are a project's settings of coding agents: they name programs that the
// agent starts by itself, and what it may do unasked.
var agentFiles = []string{
	"/.mcp.json", "/.claude/settings.json", "/.claude/settings.local.json", "/.cursor/mcp.json", "/.cursor/hooks.json",
	"/.vscode/mcp.json", "/.codex/config.toml", "/.gemini/settings.json", "/.kiro/settings/mcp.json", "/.roo/mcp.json",
	"/.amazonq/mcp.json", "/.zed/settings.json", "/.zed/tasks.json",
}

// OptionName reports a file that is named like an option that runs something, for
// a later `tar cf a.tar *` to trip over.
func OptionName(name string) bool {
	for _, option := range []string{
		"--checkpoint-action", "--use-compress-program", "--to-command", "--compress-program",
		"--rsh", "--reference", "-e sh", "-e bash", "--exec", "--files0-from",
	} {
		if strings.HasPrefix(name, option) {
			return true
		}
	}
	return false
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
