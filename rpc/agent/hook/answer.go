package hook

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// specific is the answer of Claude Code and of those that took over its names.
type specific struct {
	Event    string         `json:"hookEventName"`
	Decision Decision       `json:"permissionDecision"`
	Reason   string         `json:"permissionDecisionReason,omitzero"`
	Input    jsontext.Value `json:"updatedInput,omitzero"`
}

// printed is an answer on standard output. An answer that can't be written is a denial by
// exit code, which all of them know.
func printed(v any) Answer {
	b, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return Answer{Stderr: []byte("pillion: the answer can't be written\n"), Code: 2}
	}
	return Answer{Stdout: append(b, '\n')}
}

// input is the tool's arguments with our command.
func input(r request, ruling *Ruling) jsontext.Value {
	if ruling.Decision == Deny {
		return nil
	}
	args, err := replaced(r.args, ruling.Command)
	if err != nil {
		*ruling = Ruling{Decision: Deny, Reason: "pillion could not rewrite this command, so it was not run"}
		return nil
	}
	return args
}

func answerClaude(_ *agent, r request, ruling Ruling) Answer {
	args := input(r, &ruling)
	return printed(struct {
		Out specific `json:"hookSpecificOutput"`
	}{specific{Event: "PreToolUse", Decision: ruling.Decision, Reason: ruling.Reason, Input: args}})
}

// answerGemini: its arguments are merged, so only the command is sent.
func answerGemini(_ *agent, _ request, ruling Ruling) Answer {
	type toolInput struct {
		Command string `json:"command"`
	}
	type out struct {
		Event string    `json:"hookEventName"`
		Input toolInput `json:"tool_input"`
	}
	if ruling.Decision != Allow {
		return printed(struct {
			Decision Decision `json:"decision"`
			Reason   string   `json:"reason"`
		}{Deny, ruling.Reason})
	}
	return printed(struct {
		Decision Decision `json:"decision"`
		Out      out      `json:"hookSpecificOutput"`
	}{Allow, out{"BeforeTool", toolInput{ruling.Command}}})
}

// answerCopilot also serves VS Code, which asks under Claude Code's names and wants to
// be answered in its form.
func answerCopilot(_ *agent, r request, ruling Ruling) Answer {
	args := input(r, &ruling)
	var other *specific
	if r.event != "" || ruling.Decision == Deny {
		other = &specific{Event: "PreToolUse", Decision: ruling.Decision, Reason: ruling.Reason, Input: args}
	}
	return printed(struct {
		Decision Decision       `json:"permissionDecision"`
		Reason   string         `json:"permissionDecisionReason,omitzero"`
		Args     jsontext.Value `json:"modifiedArgs,omitzero"`
		Other    *specific      `json:"hookSpecificOutput,omitzero"`
	}{ruling.Decision, ruling.Reason, args, other})
}

func answerCursor(_ *agent, r request, ruling Ruling) Answer {
	args := input(r, &ruling)
	return printed(struct {
		Permission Decision       `json:"permission"`
		Continue   bool           `json:"continue"`
		User       string         `json:"user_message,omitzero"`
		Agent      string         `json:"agent_message,omitzero"`
		Input      jsontext.Value `json:"updated_input,omitzero"`
	}{ruling.Decision, true, ruling.Reason, ruling.Reason, args})
}

// answerCline: to cancel ends the conversation and no model reads why, so that a denial is a
// command that says it. What could not be read is cancelled.
func answerCline(_ *agent, r request, ruling Ruling) Answer {
	type toolInput struct {
		Commands []string `json:"commands"`
	}
	var out struct {
		Cancel bool       `json:"cancel,omitzero"`
		Reason string     `json:"errorMessage,omitzero"`
		Input  *toolInput `json:"overrideInput,omitzero"`
	}
	switch {
	case ruling.Decision == Allow:
		out.Input = &toolInput{r.runs}
	case len(r.commands) > 0:
		text := strings.ReplaceAll(ruling.Reason, "'", `'\''`)
		out.Input = &toolInput{[]string{`printf '%s\n' '` + text + `' >&2; exit 126`}}
	default:
		out.Cancel, out.Reason = true, ruling.Reason
	}
	return printed(out)
}

// answerByCode: exit code 2 blocks. Windsurf reads nothing else. Qwen Code lets a command
// pass when anything else is on the hook's standard output, such as what ~/.bashrc prints.
func answerByCode(_ *agent, _ request, ruling Ruling) Answer {
	if ruling.Decision == Allow {
		return Answer{}
	}
	return Answer{Stderr: []byte(ruling.Reason + "\n"), Code: 2}
}
