package hook

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// errNotShell is a tool that runs no commands.
var errNotShell = errors.New("not a shell")

// question is what Claude Code sends, and with it most others: they took over its
// names. Members that are not needed are not read.
type question struct {
	Event   string         `json:"hook_event_name"`
	Tool    string         `json:"tool_name"`
	Args    jsontext.Value `json:"tool_input"`
	Cwd     string         `json:"cwd"`
	Session string         `json:"session_id"`
	ID      string         `json:"tool_use_id"`
	Mode    string         `json:"permission_mode"`
}

func readClaude(a *agent, raw []byte) (request, error) {
	var q question
	if err := json.Unmarshal(raw, &q); err != nil {
		return request{}, unreadable(err)
	}
	return a.request(q)
}

func (a *agent) request(q question) (request, error) {
	if !slices.Contains(a.events, q.Event) {
		return request{}, fmt.Errorf("the event is %.40q, which pillion hook %s does not serve", q.Event, a.name)
	}
	r := request{Call: Call{Tool: q.Tool, Cwd: q.Cwd, Session: q.Session, ID: q.ID}, mode: q.Mode, args: q.Args, event: q.Event}
	switch {
	case q.Tool == "":
		return r, errors.New("the question names no tool")
	case slices.Contains(a.barred, q.Tool) && strings.HasPrefix(strings.ToLower(q.Tool), "powershell"):
		return r, errors.New(noPwsh)
	case slices.Contains(a.barred, q.Tool):
		return r, errors.New(notShell)
	case !a.concerns(q.Tool):
		return r, errNotShell
	case q.Cwd != "" && !filepath.IsAbs(q.Cwd):
		return r, fmt.Errorf("the directory %.80q is not absolute", q.Cwd)
	}
	if a.many {
		return r, r.list()
	}
	return r, r.arguments()
}

// list reads the arguments of a call with several commands, in the one form that the agent
// tells its model.
func (r *request) list() error {
	var args struct {
		Commands []string `json:"commands"`
	}
	if err := json.Unmarshal(r.args, &args); err != nil {
		return unreadable(err)
	}
	blank := func(command string) bool { return strings.TrimSpace(command) == "" }
	if len(args.Commands) == 0 || slices.ContainsFunc(args.Commands, blank) {
		return errors.New("the tool has no command")
	}
	r.commands = args.Commands
	return nil
}

// arguments reads the tool's own members.
func (r *request) arguments() error {
	var args struct {
		Command    *string `json:"command"`
		Background bool    `json:"run_in_background"`
		IsBack     bool    `json:"is_background"`
		VSBack     bool    `json:"isBackground"`
		Mode       string  `json:"mode"`
		Dir        string  `json:"directory"`
	}
	if r.args.Kind() != '{' {
		return errors.New("the tool has no arguments")
	}
	if err := json.Unmarshal(r.args, &args); err != nil {
		return unreadable(err)
	}
	if args.Command == nil || strings.TrimSpace(*args.Command) == "" {
		return errors.New("the tool has no command")
	}
	r.Command, r.Dir = *args.Command, args.Dir
	r.Background = args.Background || args.IsBack || args.VSBack || args.Mode == "async"
	return nil
}

// readCursor also takes the older event, which has the command at the top.
func readCursor(a *agent, raw []byte) (request, error) {
	var older struct {
		Event   string `json:"hook_event_name"`
		Command string `json:"command"`
	}
	if err := json.Unmarshal(raw, &older); err != nil {
		return request{}, unreadable(err)
	}
	if older.Event == "beforeShellExecution" { // its answer can't change the command
		return request{}, errors.New("this event can't be rewritten; connect Cursor again (pillion connect cursor)")
	}
	return readClaude(a, raw)
}

// readCopilot takes both of its payloads: its own, and Claude Code's under the
// event's other name. Older ones have the arguments as text.
func readCopilot(a *agent, raw []byte) (request, error) {
	var own struct {
		Event   string         `json:"hook_event_name"`
		Session string         `json:"sessionId"`
		Cwd     string         `json:"cwd"`
		Tool    string         `json:"toolName"`
		Args    jsontext.Value `json:"toolArgs"`
	}
	if err := json.Unmarshal(raw, &own); err != nil {
		return request{}, unreadable(err)
	}
	if own.Event != "" {
		return readClaude(a, raw)
	}
	if own.Args.Kind() == '"' {
		var text string
		if err := json.Unmarshal(own.Args, &text); err != nil {
			return request{}, unreadable(err)
		}
		if own.Args = jsontext.Value(text); !own.Args.IsValid() {
			return request{}, errors.New("the tool's arguments are not JSON")
		}
	}
	return a.request(question{Tool: own.Tool, Args: own.Args, Cwd: own.Cwd, Session: own.Session})
}

func readCline(a *agent, raw []byte) (request, error) {
	var q struct {
		Event   string   `json:"hookName"`
		Session string   `json:"taskId"`
		Roots   []string `json:"workspaceRoots"`
		Call    struct {
			ID   string         `json:"id"`
			Tool string         `json:"name"`
			Args jsontext.Value `json:"input"`
		} `json:"tool_call"`
	}
	if err := json.Unmarshal(raw, &q); err != nil {
		return request{}, unreadable(err)
	}
	cwd := ""
	if len(q.Roots) > 0 {
		cwd = q.Roots[0]
	}
	return a.request(question{
		Event: q.Event, Tool: q.Call.Tool, Args: q.Call.Args, Cwd: cwd, Session: q.Session, ID: q.Call.ID,
	})
}

func readWindsurf(a *agent, raw []byte) (request, error) {
	var q struct {
		Event   string `json:"agent_action_name"`
		Session string `json:"trajectory_id"`
		Info    struct {
			Command string `json:"command_line"`
			Cwd     string `json:"cwd"`
		} `json:"tool_info"`
	}
	if err := json.Unmarshal(raw, &q); err != nil {
		return request{}, unreadable(err)
	}
	switch {
	case !slices.Contains(a.events, q.Event):
		return request{}, fmt.Errorf("the event is %.40q, which pillion hook %s does not serve", q.Event, a.name)
	case strings.TrimSpace(q.Info.Command) == "":
		return request{}, errors.New("the tool has no command")
	case q.Info.Cwd != "" && !filepath.IsAbs(q.Info.Cwd):
		return request{}, fmt.Errorf("the directory %.80q is not absolute", q.Info.Cwd)
	}
	return request{Call: Call{Tool: "terminal", Command: q.Info.Command, Cwd: q.Info.Cwd, Session: q.Session}}, nil
}

// unreadable says where in one short line: the library's own words are of Go's types.
func unreadable(err error) error {
	var syntactic *jsontext.SyntacticError
	var semantic *json.SemanticError
	switch {
	case errors.As(err, &syntactic):
		return fmt.Errorf("the agent's question can't be read (not valid JSON at byte %d)", syntactic.ByteOffset)
	case errors.As(err, &semantic) && semantic.JSONPointer != "":
		return fmt.Errorf("the agent's question can't be read (%.80q has another type)", semantic.JSONPointer)
	}
	return errors.New("the agent's question can't be read (it is no object)")
}

// replaced is an object with another command, and every other member as it was.
func replaced(object jsontext.Value, command string) (jsontext.Value, error) {
	ours, err := json.Marshal(command)
	if err != nil {
		return nil, err
	}
	in, out := jsontext.NewDecoder(bytes.NewReader(object)), new(bytes.Buffer)
	if _, err := in.ReadToken(); err != nil {
		return nil, err
	}
	out.WriteByte('{')
	for in.PeekKind() == '"' {
		name, err := in.ReadValue()
		if err != nil {
			return nil, err
		}
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		out.Write(append(name.Clone(), ':'))
		value, err := in.ReadValue()
		if err != nil {
			return nil, err
		}
		if in.StackPointer() == "/command" {
			value = ours
		}
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}
