package connect

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/tailscale/hujson"
)

// Status is what is known of an agent on this machine.
type Status struct {
	Agent     Agent
	Installed []string // its executables, in the order of PATH
	Used      bool     // it has a directory of its own
	Connected bool
	File      string
	Problem   string   // why that can't be said
	Past      []string // what in its settings goes past pillion
}

// Present reports an agent that is there.
func (s Status) Present() bool { return s.Used || len(s.Installed) > 0 }

// Find looks at every agent.
func Find(e Env) (all []Status) {
	for _, a := range Agents() {
		all = append(all, Look(a, e))
	}
	return all
}

// Look looks at one agent.
func Look(a Agent, e Env) Status {
	s := Status{Agent: a, File: a.File(e), Installed: programs(a, e)}
	if info, err := os.Stat(a.Dir(e)); err == nil && info.IsDir() {
		s.Used = a.Name != "codex-hook" // codex is there already
	}
	c, err := read(a, e)
	if err != nil {
		s.Problem = err.Error()
		return s
	}
	s.Connected = mentions(c.Before, a.marks)
	if s.Connected {
		again, err := a.edit(a, e, c.Before)
		switch {
		case err != nil:
			s.Problem = err.Error()
		case again != c.Before:
			s.Problem = "its entry names another pillion, or another form: pillion connect " + a.Name
		}
	}
	for _, p := range a.past {
		if why := p.look(a, e); why != "" {
			s.Past = append(s.Past, why)
		}
	}
	return s
}

func programs(a Agent, e Env) (found []string) {
	seen := map[string]bool{} // one of two names is the same installation
	for _, dir := range filepath.SplitList(e.Getenv("PATH")) {
		for _, name := range a.Programs {
			path := filepath.Join(dir, name)
			if info, err := os.Stat(path); filepath.IsAbs(dir) && err == nil && !info.IsDir() && info.Mode()&0o111 != 0 && !seen[e.Resolve(path)] {
				found, seen[e.Resolve(path)] = append(found, path), true
			}
		}
	}
	return found
}

// past is something in an agent's settings that pillion is not asked about.
type past struct {
	file    []string // below the agent's directory; empty: the settings
	pointer string   // of the member; "" is the file itself
	value   string   // that it has; "" is any
	why     string
}

func (p past) look(a Agent, e Env) string {
	path := a.File(e)
	if len(p.file) > 0 {
		path = filepath.Join(append([]string{a.Dir(e)}, p.file...)...)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	if p.pointer == "" {
		return p.why
	}
	if strings.HasSuffix(path, ".toml") {
		for line := range strings.Lines(string(b)) {
			if strings.HasPrefix(strings.TrimSpace(line), p.pointer) {
				return p.why
			}
		}
		return ""
	}
	v, err := hujson.Parse(b)
	if err != nil {
		return ""
	}
	member := v.Find(p.pointer)
	if member == nil || p.value != "" && strings.TrimSpace(string(member.Pack())) != p.value {
		return ""
	}
	return p.why
}

func claudePast() []past {
	return []past{
		{pointer: "/disableAllHooks", value: "true", why: "disableAllHooks is set: commands don't go through pillion"},
		{pointer: "/sandbox/enabled", value: "true", why: "its own sandbox is on: pillion can't confine inside it; set sandbox.enabled to false"},
		{pointer: "/env/CLAUDE_CODE_SHELL_PREFIX", why: "CLAUDE_CODE_SHELL_PREFIX puts another program in front of commands"},
	}
}

func codexPast() []past {
	return []past{{file: []string{"config.toml"}, pointer: "[mcp_servers", why: "its MCP servers run outside pillion"}}
}

func copilotPast() []past {
	return []past{{file: []string{"mcp-config.json"}, pointer: "/mcpServers", why: "its MCP servers run outside pillion"}}
}

func geminiPast() []past {
	return []past{
		{pointer: "/hooksConfig/enabled", value: "false", why: "hooksConfig.enabled is false: commands don't go through pillion"},
		{pointer: "/mcpServers", why: "its MCP servers run outside pillion"},
		{pointer: "/tools/sandbox", value: "true", why: "its own sandbox is on: pillion can't confine inside it"},
	}
}

func clinePast() []past {
	why := "another hook may put another command in place of ours"
	return []past{
		{file: []string{"data", "settings", "cline_mcp_settings.json"}, pointer: "/mcpServers", why: "its MCP servers run outside pillion"},
		{file: []string{"hooks", "PreToolUse"}, why: why},
		{file: []string{"hooks", "PreToolUse.js"}, why: why},
		{file: []string{"hooks", "PreToolUse.py"}, why: why},
	}
}

func piPast() []past {
	return []past{
		{pointer: "/extensions", why: "its extensions run outside pillion"},
		{pointer: "/packages", why: "its packages run outside pillion"},
	}
}

func opencodePast() []past {
	return []past{
		{pointer: "/mcp", why: "its MCP servers run outside pillion"},
		{pointer: "/plugin", why: "its plugins run outside pillion"},
	}
}
