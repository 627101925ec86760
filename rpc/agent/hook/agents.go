package hook

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// agent is how one agent asks and wants to be answered.
type agent struct {
	name   string
	events []string // the values of its member for the event, "" where there is none
	shell  []string // tools whose member "command" is shell text
	// barred are tools that reach a shell in a way nothing can be put in front of.
	barred []string
	// asks: it shows our question and runs our command after a yes. Where that was not
	// seen in the real agent, a question is a denial.
	asks bool
	// rewrites: it runs our command in place of its own.
	rewrites bool
	many     bool // one call of its shell has several commands

	read   func(*agent, []byte) (request, error)
	answer func(*agent, request, Ruling) Answer
}

// request is a Call with what its answer needs.
type request struct {
	Call
	args jsontext.Value // of the tool, as the agent sent them
	mode string         // how the agent treats questions
	// commands are those of a call that has several, and runs what takes their places.
	commands, runs []string

	event string // as it was asked under
}

const (
	notShell = "this tool types into a shell that pillion does not confine"
	noPwsh   = "pillion does not confine PowerShell here; use the tool for bash"
)

// agents are all that is known of each. docs/agents.md says which were run.
func agents() []agent {
	return []agent{
		{
			name: "claude", events: []string{"PreToolUse"}, shell: []string{"Bash", "Monitor"}, barred: []string{"PowerShell"},
			asks: true, rewrites: true, read: readClaude, answer: answerClaude,
		},
		{
			name: "codex", events: []string{"PreToolUse"}, shell: []string{"Bash"},
			rewrites: true, read: readClaude, answer: answerClaude,
		},
		{
			name: "vscode", events: []string{"PreToolUse"}, shell: []string{"run_in_terminal", "runTerminalCommand", "Bash"},
			barred: []string{"send_to_terminal", "create_and_run_task"}, rewrites: true, read: readClaude, answer: answerClaude,
		},
		{
			name: "gemini", events: []string{"BeforeTool"}, shell: []string{"run_shell_command"},
			rewrites: true, read: readClaude, answer: answerGemini,
		},
		{ // it documents updatedInput and does not obey it
			name: "qwen", events: []string{"PreToolUse"}, shell: []string{"run_shell_command", "monitor", "Bash"},
			read: readClaude, answer: answerByCode,
		},
		{
			name: "cursor", events: []string{"preToolUse", "PreToolUse", "beforeShellExecution"}, shell: []string{"Shell", "Bash"},
			rewrites: true, read: readCursor, answer: answerCursor,
		},
		{ // VS Code reads the same settings, and sends its own names
			name: "copilot", events: []string{"", "PreToolUse"}, shell: []string{"bash", "Bash", "run_in_terminal"},
			barred: []string{"powershell", "write_bash", "write_powershell", "send_to_terminal", "create_and_run_task"}, rewrites: true, read: readCopilot, answer: answerCopilot,
		},
		{
			name: "cline", events: []string{"tool_call"}, shell: []string{"run_commands"}, many: true,
			rewrites: true, read: readCline, answer: answerCline,
		},
		{name: "windsurf", events: []string{"pre_run_command"}, read: readWindsurf, answer: answerByCode},
	}
}

// Agents are the names that Serve takes.
func Agents() (names []string) {
	for _, a := range agents() {
		names = append(names, a.name)
	}
	return names
}

func known(name string) (agent, bool) {
	all := agents()
	i := slices.IndexFunc(all, func(a agent) bool { return a.name == name })
	if i < 0 {
		return agent{}, false
	}
	return all[i], true
}

// concerns reports that the tool is a shell.
func (a *agent) concerns(tool string) bool { return slices.Contains(a.shell, tool) }
