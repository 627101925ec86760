package connect

import (
	"os"
	"path/filepath"
	"runtime"
)

// Agent is one agent, and where and how its settings name pillion.
type Agent struct {
	Name     string
	Title    string
	Programs []string // names of its executables
	What     string   // what being connected means
	Runs     bool     // pillion connect --check can start it

	home    []string // its directory below the home, whose presence shows that it is used
	homeVar string   // a variable that names that directory instead
	file    []string // the settings, below that directory; none: what the user's shell reads
	other   string   // the name of another settings file, which counts where there is one
	marks   []string // what an entry of ours has in its text
	judged  bool     // its hook can only deny: what is allowed runs outside the sandbox
	shell   string   // its setting, or variable, for the program that runs commands, "" if it has a hook

	edit   func(a Agent, e Env, before string) (string, error)
	remove func(a Agent, e Env, before string) (string, error)
	past   []past
}

// Env is where the agents live.
type Env struct {
	Home    string
	Getenv  func(string) string
	Self    string // the executable of pillion
	Shell   string // pillion-sh, which stands for a shell
	Resolve func(path string) string
}

// Agents are all that pillion can be put into.
func Agents() []Agent {
	hookArray := func(a Agent, e Env, before string) (string, error) { return insert(before, a.entry(e)) }
	return []Agent{
		{
			Name: "claude", Title: "Claude Code", Programs: []string{"claude"}, What: "commands go through pillion (hook)", Runs: true,
			home: []string{".claude"}, homeVar: "CLAUDE_CONFIG_DIR", file: []string{"settings.json"}, marks: []string{"hook claude"},
			edit: hookArray, remove: without, past: claudePast(),
		},
		{
			Name: "codex", Title: "Codex", Programs: []string{"codex"}, What: "commands run in pillion (exec-server)", Runs: true,
			home: []string{".codex"}, homeVar: "CODEX_HOME", file: []string{"environments.toml"}, marks: []string{lineMark},
			edit: insertTOML, remove: withoutLines, past: codexPast(),
		},
		{
			Name: "codex-hook", Title: "Codex, by its hook", What: "commands are judged (hook); for Codex without its own sandbox", Runs: true,
			home: []string{".codex"}, homeVar: "CODEX_HOME", file: []string{"hooks.json"}, marks: []string{"hook codex"},
			edit: hookArray, remove: without,
		},
		{
			Name: "copilot", Title: "Copilot CLI and VS Code", Programs: []string{"copilot"}, What: "commands go through pillion (hook)", Runs: true,
			home: []string{".copilot"}, homeVar: "COPILOT_HOME", file: []string{"hooks", "pillion.json"}, marks: []string{`"copilot"`, "hook copilot"},
			edit: hookArray, remove: without, past: copilotPast(),
		},
		{
			Name: "gemini", Title: "Gemini CLI", Programs: []string{"gemini"}, What: "commands go through pillion (hook)", Runs: true,
			home: []string{".gemini"}, file: []string{"settings.json"}, marks: []string{"hook gemini"},
			edit: hookArray, remove: without, past: geminiPast(),
		},
		{
			Name: "opencode", Title: "opencode", Programs: []string{"opencode"}, What: "its shell is pillion-sh", Runs: true,
			home: []string{".config", "opencode"}, file: []string{"opencode.json"}, other: "opencode.jsonc", marks: []string{"pillion-sh"},
			shell: "shell", edit: insertShell, remove: withoutShell, past: opencodePast(),
		},
		{
			Name: "kilo", Title: "Kilo Code CLI", Programs: []string{"kilo", "kilocode"}, What: "its shell is pillion-sh", Runs: true,
			home: []string{".config", "kilo"}, file: []string{"kilo.json"}, other: "kilo.jsonc", marks: []string{"pillion-sh"},
			shell: "shell", edit: insertShell, remove: withoutShell, past: opencodePast(),
		},
		{
			Name: "pi", Title: "pi", Programs: []string{"pi"}, What: "its shell is pillion-sh", Runs: true,
			home: []string{".pi", "agent"}, homeVar: "PI_CODING_AGENT_DIR", file: []string{"settings.json"}, marks: []string{"pillion-sh"},
			shell: "shellPath", edit: insertShell, remove: withoutShell, past: piPast(),
		},
		{
			Name: "qwen", Title: "Qwen Code", Programs: []string{"qwen"}, What: "commands are judged (hook) and run outside the sandbox", Runs: true, judged: true,
			home: []string{".qwen"}, homeVar: "QWEN_HOME", file: []string{"settings.json"}, marks: []string{"hook qwen"},
			edit: hookArray, remove: without, past: append(geminiPast(), claudePast()[0]),
		},
		{
			Name: "cline", Title: "Cline", Programs: []string{"cline"}, What: "commands go through pillion (hook)", Runs: true,
			home: []string{".cline"}, homeVar: "CLINE_DIR", file: []string{"hooks", "PreToolUse.sh"}, marks: []string{"hook cline"},
			edit: insertScript, remove: withoutLines, past: clinePast(),
		},
		{
			Name: "cn", Title: "Continue", Programs: []string{"cn"}, What: "where your shell starts it, its shell is pillion-sh", Runs: true,
			home: []string{".continue"}, homeVar: "CONTINUE_GLOBAL_DIR", marks: []string{"alias cn="},
			shell: "SHELL", edit: insertAlias, remove: withoutLines,
		},
		{
			Name: "cursor", Title: "Cursor", Programs: []string{"cursor", "cursor-agent"}, What: "commands go through pillion (hook)",
			home: []string{".cursor"}, file: []string{"hooks.json"}, marks: []string{"hook cursor"},
			edit: hookArray, remove: without,
		},
		{
			Name: "windsurf", Title: "Windsurf", Programs: []string{"windsurf"}, What: "commands are judged (hook) and run outside the sandbox",
			judged: true, home: []string{".codeium", "windsurf"}, file: []string{"hooks.json"}, marks: []string{"hook windsurf"},
			edit: hookArray, remove: without,
		},
	}
}

// Judged reports an agent whose hook can only deny: what is allowed runs outside the sandbox.
func (a Agent) Judged() bool { return a.judged }

// RunsShell reports an agent whose settings name pillion-sh.
func (a Agent) RunsShell() bool { return a.shell != "" }

// Dir is the directory of the agent's settings.
func (a Agent) Dir(e Env) string {
	if a.homeVar != "" {
		if dir := e.Getenv(a.homeVar); filepath.IsAbs(dir) {
			return dir
		}
	}
	if config := e.Getenv("XDG_CONFIG_HOME"); a.home[0] == ".config" && filepath.IsAbs(config) {
		return filepath.Join(append([]string{config}, a.home[1:]...)...)
	}
	return filepath.Join(append([]string{e.Home}, a.home...)...)
}

// File is the settings file that names pillion.
func (a Agent) File(e Env) string {
	if a.file == nil {
		return startFile(e)
	}
	if a.other != "" {
		if other := filepath.Join(a.Dir(e), a.other); exists(other) {
			return other
		}
	}
	return filepath.Join(append([]string{a.Dir(e)}, a.file...)...)
}

// entry is what the hook of an agent needs: an array in its settings, and an element
// for it.
type entry struct {
	top   []member // members that the file has at the top
	path  []string // of the array
	value string   // the element, as JSON
	marks []string
}

type member struct{ name, value string }

// entry says how each agent calls a hook. A hook that can't be started would let the
// command pass in most agents, so the shell turns that into exit code 2, which blocks.
func (a Agent) entry(e Env) entry {
	name := map[string]string{"codex-hook": "codex"}[a.Name]
	if name == "" {
		name = a.Name
	}
	call := quote(e.Self) + " hook " + name
	if runtime.GOOS != "windows" {
		call += " || exit 2"
	}
	command := text(call)
	out := entry{marks: a.marks}
	switch a.Name {
	case "claude":
		out.path = []string{"hooks", "PreToolUse"}
		out.value = `{ "matcher": "Bash|PowerShell|Monitor", "hooks": [{ "type": "command", "command": ` + command + `, "timeout": 60 }] }`
	case "codex-hook":
		out.path = []string{"hooks", "PreToolUse"}
		out.value = `{ "matcher": "^Bash$", "hooks": [{ "type": "command", "command": ` + command + `, "timeout": 60 }] }`
	case "gemini": // milliseconds; what ~/.bashrc prints would void the answer, and the command would run as it is
		out.path = []string{"hooks", "BeforeTool"}
		out.value = `{ "matcher": "run_shell_command", "hooks": [{ "type": "command", "name": "pillion", "command": ` + command + `, "timeout": 60000, "env": { "BASH_ENV": "", "SHLVL": "1" } }] }`
	case "qwen": // below 1000 older ones take it for milliseconds, too
		out.path = []string{"hooks", "PreToolUse"}
		out.value = `{ "matcher": "run_shell_command|monitor", "hooks": [{ "type": "command", "name": "pillion", "command": ` + command + `, "timeout": 60000 }] }`
	case "copilot":
		out.top, out.path = []member{{"version", "1"}}, []string{"hooks", "preToolUse"}
		out.value = `{ "type": "command", "exec": ` + text(e.Self) + `, "args": ["hook", "copilot"], "timeoutSec": 60 }`
	case "cursor":
		out.top, out.path = []member{{"version", "1"}}, []string{"hooks", "preToolUse"}
		out.value = `{ "command": ` + command + `, "matcher": "Shell", "failClosed": true, "timeout": 60 }`
	case "windsurf":
		out.path = []string{"hooks", "pre_run_command"}
		out.value = `{ "command": ` + command + `, "show_output": true }`
	}
	return out
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
