package place

import (
	"path"
	"slices"
	"strings"
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
